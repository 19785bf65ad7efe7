#pragma once

// How a command ends. Other programs rely on these numbers: docs/command-line.md lists them.

#include <ligament/diagnostics.h>

#include <stdexcept>
#include <string>

namespace lig::app {

enum class Exit {
    ok = 0,
    usage = 1,
    input = 2,
    simulation = 3,
    io = 4,
    unsupported = 5,
    interrupted = 130,
    pipe_closed = 141  // whoever reads the results has enough; as shells have it for SIGPIPE
};

constexpr Exit exit_of(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::input: return Exit::input;
        case ErrorKind::io: return Exit::io;
        case ErrorKind::unsupported: break;
    }
    return Exit::unsupported;
}

// Ends the command. The text is printed as one message; an empty text means that everything has been said.
class Failure : public std::runtime_error {
public:
    Failure(Exit code, const std::string& message) : std::runtime_error(message), code_(code) {}

    Exit code() const { return code_; }

private:
    Exit code_;
};

}  // namespace lig::app
