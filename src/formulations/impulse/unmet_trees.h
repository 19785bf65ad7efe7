#pragma once

// Trees of joints that a sweep has found far off what their rows ask: a hard blow, a load that is new, a
// heavy body on a light one. They are swept on while the others wait (impulse_sweeps.cpp).

#include "formulations/impulse/moving_bodies.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lig::impulse {

class UnmetTrees {
public:
    explicit UnmetTrees(const MovingBodies& bodies)
        : bodies_(bodies), last_(bodies.velocities.size(), 0), left_(bodies.velocities.size(), 0) {}

    // (all bodies) What hangs on trees with such bodies is not swept on here.
    void leave_alone(std::span<const char> bodies) {
        for (std::size_t k = 0; k < bodies.size(); ++k)
            if (const int root = bodies_.root(static_cast<int>(k)); bodies[k] && root >= 0) left_[root] = 1;
    }
    // None is unmet, nor was before. (all bodies) others: whose trees are left alone for now; empty: none.
    void begin(std::span<const char> others) {
        others_ = others;
        start_round(2);
    }
    // After a further sweep: none is unmet so far, and those that were until now were before.
    void begin_round() { start_round(1); }
    // The tree of a body (a place in MovingBodies) is unmet. Bases belong to none.
    void add(int body) {
        const int root = bodies_.root(body);
        if (root < 0 || last_[root] == round_ || left_[root] || (!others_.empty() && others_[root])) return;
        grown_ = grown_ || last_[root] != round_ - 1;
        last_[root] = round_;
        any_ = true;
    }
    bool any() const { return any_; }
    // Whether there is one that was not in the round before.
    bool has_grown() const { return grown_; }
    bool has(int body) const {
        const int root = bodies_.root(body);
        return root >= 0 && last_[root] == round_;
    }

private:
    void start_round(int ahead) {
        round_ += ahead;
        any_ = grown_ = false;
    }

    const MovingBodies& bodies_;
    std::vector<std::int64_t> last_;  // (all bodies) at roots: the last round in which they were unmet
    std::vector<char> left_;  // (all bodies) at roots
    std::span<const char> others_;
    std::int64_t round_ = 0;
    bool any_ = false, grown_ = false;
};

}  // namespace lig::impulse
