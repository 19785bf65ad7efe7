#pragma once

// What a file holds and we do not use yet. A model with a hundred motors gets one warning for them, at the
// place of the first, with the count.

#include <ligament/diagnostics.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lig::io::mjcf {

class NotRead {
public:
    // `what` is the beginning of a sentence, e.g. "<motor> in <actuator> is not read yet".
    void add(const DiagnosticCode& code, std::string what, SourceLocation where, std::string hint = {});

    void element(std::string_view name, std::string_view parent, SourceLocation where);
    void attribute(std::string_view name, std::string_view element, SourceLocation where);

    void report(Diagnostics& log) const;

private:
    struct Entry {
        const DiagnosticCode* code;
        std::string what, hint;
        SourceLocation first;
        int count = 1;
    };
    std::vector<Entry> entries_;
    std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace lig::io::mjcf
