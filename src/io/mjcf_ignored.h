#pragma once

// Sections without influence on the physics: sizes of arrays, statistics, drawing, user data. Their elements
// and attributes are known, so that a misspelt one is still named.

#include "io/mjcf_context.h"

namespace lig::io::mjcf {

// An element inside <`parent`> and everything in it.
void check_ignored(Context& context, int element, std::string_view parent);

}  // namespace lig::io::mjcf
