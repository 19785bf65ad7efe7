#pragma once

// Some of the bodies, by their places in MovingBodies: those whose impulses are found all at once
// (direct_solve.h), or all.

#include <span>

namespace lig::impulse {

class ChosenBodies {
public:
    ChosenBodies() = default;  // all
    // (all bodies) 0 at bases.
    explicit ChosenBodies(std::span<const char> flags) : flags_(flags) {}

    bool has(int body) const { return flags_.empty() || flags_[body] != 0; }
    // Whether one of two bodies that something connects is. Bases connect nothing, so the other one then is,
    // too, or is a base.
    bool has_either(int a, int b) const { return has(a) || has(b); }
    bool are_all() const { return flags_.empty(); }

private:
    std::span<const char> flags_;  // empty: all
};

}  // namespace lig::impulse
