#include "app/terminal.h"

#include <charconv>
#include <cstdlib>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lig::app {

bool is_terminal(std::FILE* file) { return isatty(fileno(file)) != 0; }

int line_width(std::FILE* file, int otherwise) {
    if (const char* const text = std::getenv("COLUMNS")) {
        const std::string_view digits = text;
        int columns = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), columns);
        if (error == std::errc{} && end == digits.data() + digits.size() && columns > 0) return columns;
    }
    winsize size{};
    if (is_terminal(file) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return otherwise;
}

bool speaks_utf8() {
    // The first that is set decides, as setlocale has it; asking the environment spares setting a locale.
    for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* const value = std::getenv(name);
        if (!value || *value == '\0') continue;
        std::string text = value;
        for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        return text.find("UTF-8") != text.npos || text.find("UTF8") != text.npos;
    }
    return false;
}

}  // namespace lig::app
