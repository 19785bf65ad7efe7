#pragma once

// Text from files on its way into messages: names may hold anything.

#include <cstddef>
#include <string>
#include <string_view>

namespace lig {

// The text on one line, in UTF-8 and without effect on a terminal: control characters, those that reverse the
// direction of writing and stray bytes become escapes such as \x1b or \u202e.
std::string printable(std::string_view text);

// The text, or its beginning and "…" where it has more than `most` bytes. UTF-8 characters stay whole.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace lig
