#pragma once

// DirectIslands: of models that are too large to be solved directly as a whole, the islands that are
// (direct_solve.h), because sweeps would not get there:
//   slow      always: a light link between heavy ones, loops and the like, drives; a light body that touches
//             a heavy one. A sweep takes little of what they miss.
//   hit       something fast hits a limit or another body, in an island of few links and points: for some
//             sub-steps, so that impulses that are kept are those of loads. Begun with that of a blow, sweeps
//             would go on pushing. In short sub-steps, which are there to be exact, in any island.
// Islands of more than max_links links or max_points points of contact are swept all the same.

#include "core/number_stream.h"
#include "formulations/impulse/contact_islands.h"
#include "formulations/impulse/moving_bodies.h"
#include "formulations/impulse/tuning.h"

#include <ligament/collision.h>

#include <span>
#include <utility>
#include <vector>

namespace lig::impulse {

// How much trees weigh: one that rests on, or pushes, a much lighter one takes sweeps very long.
class TreeMasses {
public:
    explicit TreeMasses(const MovingBodies& bodies);
    // Whether two trees touch there of which one is many times as heavy as the other.
    bool differ_much_at(const Manifold& manifold) const;

private:
    const Model& model_;
    std::vector<double> of_tree_;  // (links)
};

class DirectIslands {
public:
    // connected: as of GeneralForces.
    DirectIslands(const MovingBodies& bodies, std::span<const std::pair<int, int>> connected);

    // Before a step with sub-steps of this length, s, or shorter ones.
    void begin_step(double longest);
    // After the islands have been found anew. They are kept until the next call.
    void find(const Contacts& contacts, const ContactIslands& islands, const MovingBodies& bodies);
    // The island of a body (a place in MovingBodies), if it is small enough, is solved directly for so many
    // sub-steps, this one included. To be followed by `choose`.
    void ask(int body, int substeps);
    void choose(const MovingBodies& bodies);
    void end_substep();

    // Whether any of the present islands is, or can be asked for.
    bool may_solve() const { return may_solve_; }
    // Those that are solved directly in this sub-step.
    int count() const { return static_cast<int>(begin_.size()) - 1; }
    std::span<const int> links(int island) const {
        return std::span(links_).subspan(begin_[island], begin_[island + 1] - begin_[island]);
    }
    // (all bodies) Whether they are in one of them.
    std::span<const char> chosen() const { return chosen_; }

    // Sub-steps that are left: as many numbers as there are links.
    void save_or_restore(NumberStream& numbers) { numbers.numbers(left_); }
    void forget();

private:
    bool may_be_hit(int root) const;

    int bases_;
    std::vector<char> slow_;    // (links)
    std::vector<int> left_;     // (links) sub-steps
    std::vector<int> root_;     // (links) the lowest link of the island
    TreeMasses masses_;
    std::vector<char> fits_, is_slow_;  // (links) of islands, at their lowest links
    std::vector<int> size_, points_, asked_;
    std::vector<char> chosen_;  // (all bodies)
    std::vector<int> links_, begin_, next_;
    bool changed_ = true, may_solve_ = false;
    int max_hit_links_, max_hit_points_;
};

}  // namespace lig::impulse
