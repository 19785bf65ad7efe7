#pragma once

// Ctrl-C and the like while something long is computed: it ends at the next good place, so that files are
// finished. Whoever insists ends the program at once.

#include <array>
#include <csignal>
#include <iterator>

namespace lig::app {

// While there is one, SIGINT, SIGTERM and SIGHUP are noted instead of ending the program. Those that were
// ignored before, as nohup has it, still are.
class Interruption {
public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    bool happened() const;
    // As if there had been a signal.
    static void ask_for();

    static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};

private:
    using Handler = void (*)(int);

    std::array<Handler, std::size(signals)> before_;
};

}  // namespace lig::app
