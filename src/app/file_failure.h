#pragma once

// Files that cannot be written, and what to do about it.

#include "app/failure.h"

#include <string>
#include <system_error>

namespace lig::app {

// "-" is standard output.
Failure cannot_write(const std::string& path, const std::error_code& why);

// Calls f, and turns what cannot be written into a Failure that names the file.
template <class F>
void writing(const std::string& path, F&& f) {
    try {
        f();
    } catch (const std::system_error& error) {
        throw cannot_write(path, error.code());
    }
}

}  // namespace lig::app
