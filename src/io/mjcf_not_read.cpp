#include "io/mjcf_not_read.h"

#include "core/diagnostic_codes.h"

namespace lig::io::mjcf {

void NotRead::add(const DiagnosticCode& code, std::string what, SourceLocation where, std::string hint) {
    const auto [it, is_new] = index_.try_emplace(what, entries_.size());
    if (is_new)
        entries_.push_back({&code, std::move(what), std::move(hint), std::move(where)});
    else
        ++entries_[it->second].count;
}

void NotRead::element(std::string_view name, std::string_view parent, SourceLocation where) {
    add(codes::W092, "<" + std::string(name) + "> in <" + std::string(parent) + "> is not read yet",
        std::move(where));
}

void NotRead::attribute(std::string_view name, std::string_view element, SourceLocation where) {
    add(codes::W093,
        "attribute '" + std::string(name) + "' of <" + std::string(element) + "> is not honoured yet",
        std::move(where));
}

void NotRead::report(Diagnostics& log) const {
    for (const Entry& entry : entries_) {
        std::string message = entry.what;
        if (entry.count > 1) message += "; " + std::to_string(entry.count) + " times, first here";
        log.report(*entry.code, entry.first, std::move(message), entry.hint);
    }
}

}  // namespace lig::io::mjcf
