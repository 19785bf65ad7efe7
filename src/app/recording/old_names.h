#pragma once

// Names in recordings of earlier programs that mean what others do now.

#include "app/json_output.h"

#include <string>

namespace lig::app {

struct OldName {
    const char *was, *is;
};
inline constexpr OldName old_names[] = {
    // Before figures of all equalities were called so.
    {"loops", "equalities"},
    {"loop_error", "equality_error"},
    {"loop_rows", "equality_rows"},
    {"loop_open", "equality_open"},
    {"loops_kept", "equalities_kept"},
    {"loops_kept_at", "equalities_kept_at"},
    {"loops_promised", "equalities_promised"},
    {"most_substeps", "max_substeps"},
};

// A document with the names of its members as they are now; the rest of it is left as it is.
inline Json with_present_names(Json document) {
    for (const OldName& name : old_names)
        if (document.contains(name.was)) {
            document[name.is] = std::move(document[name.was]);
            document.erase(name.was);
        }
    return document;
}

inline std::string present_name(const std::string& word) {
    for (const OldName& name : old_names)
        if (word == name.was) return name.is;
    return word;
}

}  // namespace lig::app
