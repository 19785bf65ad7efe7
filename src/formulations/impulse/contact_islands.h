#pragma once

// Islands: bodies that joints, constraints and contacts connect. What happens in one has no effect on the
// others. Bases connect nothing; which bases a link touches is listed separately.

#include "formulations/impulse/moving_bodies.h"

#include <ligament/collision.h>

#include <utility>
#include <vector>

namespace lig::impulse {

class ContactIslands {
public:
    // `connected`: pairs of links (negative: a base) that are held together beside the joints of the tree.
    ContactIslands(const MovingBodies& bodies, std::vector<std::pair<int, int>> connected);

    // By the contacts that are at hand, near ones included,
    void find(const Contacts& contacts, const MovingBodies& bodies) {
        find(contacts, bodies, [](const Manifold&) { return true; });
    }
    // … or by those for which connects(manifold).
    template <class Connects>
    void find(const Contacts& contacts, const MovingBodies& bodies, Connects&& connects) {
        begin();
        const Model& model = bodies.model();
        for (const Manifold& manifold : contacts.manifolds)
            if (connects(manifold))
                add(model.bodies[model.geoms[manifold.geom_a].body].link,
                    model.bodies[model.geoms[manifold.geom_b].body].link);
        finish();
    }
    // The island of a link: its lowest link.
    int of(int link) const { return root_[link]; }
    // Whether a link is held by a joint or constraint.
    bool is_held(int link) const { return held_[link] != 0; }
    // Calls f(link, base) for what joints, constraints or contacts connect with a base (negative, as parents
    // are).
    template <class F>
    void for_each_at_base(F&& f) const {
        for (const auto* list : {&held_at_, &touching_})
            for (const auto& [link, base] : *list) f(link, base);
    }

private:
    void begin();
    void add(int a, int b);
    void finish();
    int root(int link);
    void join(int a, int b);

    std::vector<std::pair<int, int>> always_;  // links
    std::vector<std::pair<int, int>> held_at_, touching_;  // links and bases
    std::vector<char> held_;                   // (links)
    std::vector<int> root_;                    // (links)
};

}  // namespace lig::impulse
