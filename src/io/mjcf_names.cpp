#include "core/diagnostic_codes.h"
#include "core/suggest.h"
#include "io/mjcf_context.h"

#include <algorithm>

namespace lig::io::mjcf {

void NameTable::add(const std::string& name, int index, SourceLocation where, Diagnostics& log) {
    if (name.empty()) return;
    const bool pattern = pattern_depth_ && *pattern_depth_ > 0;
    const auto [it, is_new] = entries_.try_emplace(name, Entry{index, where, pattern});
    if (is_new || pattern) return;
    // The world has its name by itself, without a place in the file. A body may take it, as links of URDF do.
    if (it->second.pattern || !it->second.where.file) {
        it->second = {index, std::move(where), false};
        return;
    }
    const std::string first = it->second.where.to_string();
    log.report(codes::E086, std::move(where),
               "there are two of kind " + std::string(kind_) + " named '" + name + "'",
               first.empty() ? "this name is taken" : "the first is at " + first);
}

int NameTable::lookup(const std::string& name) const {
    const auto it = entries_.find(name);
    return it == entries_.end() ? -1 : it->second.index;
}

int NameTable::find(ElementReader& in, const char* attribute) const {
    const std::optional<std::string> name = in.text(attribute);
    return name ? find(*name, in.where(attribute), in.log()) : -1;
}

int NameTable::find(const std::string& name, SourceLocation where, Diagnostics& log) const {
    const int index = lookup(name);
    if (index == left_out) return -1;
    if (index >= 0) return index;
    std::vector<std::string_view> names;
    if (log.lists(codes::E084)) {
        names.reserve(entries_.size());
        for (const auto& [known, entry] : entries_) names.push_back(known);
        std::sort(names.begin(), names.end());  // the table's own order is not the same everywhere
    }
    const std::string_view near = nearest(name, names);
    log.report(codes::E084, std::move(where), "there is no " + std::string(kind_) + " '" + name + "'",
               near.empty() ? "" : "did you mean '" + std::string(near) + "'?");
    return -1;
}

}  // namespace lig::io::mjcf
