#pragma once

// "Did you mean …?" for names of elements, links, options and commands.

#include <span>
#include <string_view>

namespace lig {

// The choice that `wanted` most likely meant, or an empty view when none is near. Letter case does not
// count, a slip is a letter missing, added or replaced or two swapped; one slip per three letters is near.
std::string_view nearest(std::string_view wanted, std::span<const std::string_view> choices);

}  // namespace lig
