#pragma once

// What readers and the compiler say about a user's input: where, what is wrong, what would fix it.
//
// Readers collect diagnostics and go on as long as that makes sense, so that one run shows everything
// that is wrong with a file. When errors were collected, they throw InputError at the end.

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lig {

// A place in a file. Line and column count from 1; 0 means that there is none (a programmatic scene).
struct SourceLocation {
    std::shared_ptr<const std::string> file;
    int line = 0;
    int column = 0;

    std::string to_string() const;  // "robot.urdf:12:5", "robot.urdf" or ""
};

enum class Severity {
    warning,
    error
};

// Who is at fault; decides the exit code of the command line (2, 5, 4). In the order in which they count when
// a model has errors of several kinds: what is not supported stays so when a missing file has been found.
enum class ErrorKind {
    input,
    unsupported,
    io
};

// One entry of the table in diagnostic_codes.h: a stable code such as "E012" and a short title.
struct DiagnosticCode {
    std::string_view id;
    std::string_view title;
    Severity severity;
    ErrorKind kind;
};

struct Diagnostic {
    const DiagnosticCode* code = nullptr;
    Severity severity = Severity::warning;  // a warning becomes an error under strict reading
    SourceLocation where;
    std::string message;  // what is wrong, naming the element
    std::string hint;     // what would fix it; may be empty

    // "robot.urdf:12:5: warning[W014]: message (hint)". One line: control characters, which may come from
    // names in the file, are written as \x1b.
    std::string to_string() const;
};

class Diagnostics {
public:
    // A file may be wrong in a million places. Of each code the first hundred are kept, then one that says
    // that there are more; the rest is only counted. Messages are cut to a readable length.
    static constexpr std::size_t max_per_code = 100;

    void report(const DiagnosticCode& code, SourceLocation where, std::string message, std::string hint = {});

    // Under strict reading every warning counts as an error.
    void set_strict(bool strict) { strict_ = strict; }

    const std::vector<Diagnostic>& all() const { return list_; }
    std::size_t error_count() const { return errors_; }
    std::size_t warning_count() const { return warnings_; }
    // Whether one more of this code would be kept. Worth asking before searching for a costly hint.
    bool lists(const DiagnosticCode& code) const;

    // Throws InputError when an error was reported.
    void throw_if_errors() const;

private:
    std::vector<Diagnostic> list_;
    std::unordered_map<const DiagnosticCode*, std::size_t> counts_;
    std::size_t errors_ = 0, warnings_ = 0;
    bool strict_ = false;
};

// Thrown when input cannot be used. what() holds the errors, one per line.
class InputError : public std::runtime_error {
public:
    explicit InputError(std::vector<Diagnostic> errors);

    const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
    // The kind that comes first in ErrorKind.
    ErrorKind kind() const;

private:
    std::vector<Diagnostic> diagnostics_;
};

}  // namespace lig
