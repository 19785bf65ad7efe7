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
        : bodies_(bodies),
          last_(bodies.velocities.size(), 0),
          unmet_(bodies.velocities.size(), 0),
          left_(bodies.velocities.size(), 0) {
        roots_.reserve(bodies.velocities.size());
    }

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
        roots_.push_back(root);
        mark(root, 1);
    }
    bool any() const { return !roots_.empty(); }
    // Whether there is one that was not in the round before.
    bool has_grown() const { return grown_; }
    bool has(int body) const { return unmet_[body] != 0; }

private:
    void start_round(int ahead) {
        round_ += ahead;
        grown_ = false;
        for (const int root : roots_) mark(root, 0);
        roots_.clear();
    }
    // The bodies of a tree follow each other.
    void mark(int root, char unmet) {
        for (int body = root; bodies_.root(body) == root; ++body) unmet_[body] = unmet;
    }

    const MovingBodies& bodies_;
    std::vector<std::int64_t> last_;  // (all bodies) at roots: the last round in which they were unmet
    std::vector<char> unmet_;  // (all bodies)
    std::vector<int> roots_;   // of the trees that are unmet
    std::vector<char> left_;   // (all bodies) at roots
    std::span<const char> others_;
    std::int64_t round_ = 0;
    bool grown_ = false;
};

}  // namespace lig::impulse
