#pragma once

// What fault() of the kinds says about a number.

#include <cmath>
#include <string>

namespace lig::pairs {

inline std::string unless_finite(const char* what, double x) {
    return std::isfinite(x) ? "" : std::string(what) + " is not finite";
}

inline std::string unless_positive(const char* what, double x) {
    if (!std::isfinite(x)) return unless_finite(what, x);
    return x > 0 ? "" : std::string(what) + " is " + std::to_string(x) + ", it must be positive";
}

}  // namespace lig::pairs
