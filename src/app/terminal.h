#pragma once

// What is known of where text goes to.

#include <cstdio>

namespace lig::app {

bool is_terminal(std::FILE* file);

// Characters in a line: what COLUMNS says, else the terminal; `otherwise` where neither is known.
int line_width(std::FILE* file, int otherwise);

// Whether the locale's characters are UTF-8.
bool speaks_utf8();

}  // namespace lig::app
