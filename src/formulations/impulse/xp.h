#pragma once
#include <cstdlib>
// EXPERIMENT
inline double xp(const char* name, double otherwise) {
    const char* t = std::getenv(name);
    return t ? std::atof(t) : otherwise;
}
