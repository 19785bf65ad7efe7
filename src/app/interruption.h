#pragma once

// Ctrl-C and the like while something long is computed: it ends at the next good place, so that files are
// finished. Whoever insists ends the program at once.

namespace lig::app {

// While there is one, SIGINT and SIGTERM are noted instead of ending the program.
class Interruption {
public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    bool happened() const;
};

}  // namespace lig::app
