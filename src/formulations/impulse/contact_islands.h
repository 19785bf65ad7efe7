#pragma once

// Islands: bodies that joints, constraints and contacts connect. What happens in one has no effect on the
// others. Bases connect nothing.

#include "formulations/impulse/moving_bodies.h"

#include <ligament/collision.h>

#include <utility>
#include <vector>

namespace lig::impulse {

class ContactIslands {
public:
    // `connected`: pairs of links (negative: a base) that are held together beside the joints of the tree.
    ContactIslands(const MovingBodies& bodies, std::vector<std::pair<int, int>> connected);

    // By the contacts that are at hand, near ones included.
    void find(const Contacts& contacts, const MovingBodies& bodies);
    // The island of a link: its lowest link.
    int of(int link) const { return root_[link]; }
    // Whether a link is held by a joint or constraint.
    bool is_held(int link) const { return held_[link] != 0; }

private:
    int root(int link);
    void join(int a, int b);

    std::vector<std::pair<int, int>> always_;  // links
    std::vector<char> held_;                   // (links)
    std::vector<int> root_;                    // (links)
};

}  // namespace lig::impulse
