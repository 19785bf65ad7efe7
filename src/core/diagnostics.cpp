#include <ligament/diagnostics.h>

#include "core/printable.h"

namespace lig {

std::string SourceLocation::to_string() const {
    if (!file) return {};
    if (line == 0) return *file;
    return *file + ':' + std::to_string(line) + ':' + std::to_string(column);
}

std::string Diagnostic::to_string() const {
    std::string text = where.to_string();
    if (!text.empty()) text += ": ";
    text += severity == Severity::error ? "error[" : "warning[";
    text += code->id;
    text += "]: ";
    text += message;
    if (!hint.empty()) text += " (" + hint + ")";
    return printable(text);
}

void Diagnostics::report(const DiagnosticCode& code, SourceLocation where, std::string message,
                         std::string hint) {
    const Severity severity = strict_ ? Severity::error : code.severity;
    ++(severity == Severity::error ? errors_ : warnings_);
    const std::size_t count = ++counts_[&code];
    if (count > max_per_code + 1) return;
    if (count == max_per_code + 1) {
        message = "there are more of this kind, from here on not listed";
        hint = "mend those above first";
    }
    constexpr std::size_t longest = 1000;
    list_.push_back(
        {&code, severity, std::move(where), shortened(message, longest), shortened(hint, longest)});
}

bool Diagnostics::lists(const DiagnosticCode& code) const {
    const auto found = counts_.find(&code);
    return found == counts_.end() || found->second < max_per_code;
}

void Diagnostics::throw_if_errors() const {
    if (errors_ == 0) return;
    std::vector<Diagnostic> errors;
    for (const Diagnostic& d : list_)
        if (d.severity == Severity::error) errors.push_back(d);
    throw InputError(std::move(errors));
}

namespace {

std::string join(const std::vector<Diagnostic>& list) {
    std::string text;
    for (const Diagnostic& d : list) {
        if (!text.empty()) text += '\n';
        text += d.to_string();
    }
    return text;
}

}  // namespace

InputError::InputError(std::vector<Diagnostic> errors)
    : std::runtime_error(join(errors)), diagnostics_(std::move(errors)) {}

ErrorKind InputError::kind() const {
    ErrorKind kind = ErrorKind::io;
    for (const Diagnostic& d : diagnostics_)
        if (static_cast<int>(d.code->kind) < static_cast<int>(kind)) kind = d.code->kind;
    return kind;
}

}  // namespace lig
