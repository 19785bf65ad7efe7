#pragma once

// JointTerms: what a step adds to the joint-space inertia M, link by link.
//
// An implicit step has springs, dampers and drives of joints in M + h C + h² K: blocks on the diagonal, one
// per link, of which the lower triangles are kept. Links may also be harder to turn than their inertia has it
// (formulations/turning_inertia.h).

#include <ligament/model.h>

#include <algorithm>
#include <span>
#include <vector>

namespace lig {

// A bound of a joint that resists motion along its gradient, as a damper within the step would: `times` the
// inertia that the factorization finds along it.
struct HeldBound {
    int link;          // in rising order
    int first, count;  // freedoms of the link, counted from its own first
    Vec3d gradient;
    double times;
    double resistance = 0;  // written by the factorization: impulse per velocity along the gradient
};

struct JointTerms {
    explicit JointTerms(const Model& model) {
        int triangles = 0;
        row_begin_.reserve(model.nv);
        for (const TreeLink<double>& link : model.tree.links)
            for (int k = 0; k < link.nv; ++k) {
                row_begin_.push_back(triangles - link.v_adr);
                triangles += k + 1;
            }
        added.assign(triangles, 0.0);
    }

    // (triangles) Of one link behind the other, row by row; 0 at first.
    std::vector<double> added;
    // Where the entry of two velocities of one link is in `added`.
    int added_at(int a, int b) const { return row_begin_[std::max(a, b)] + std::min(a, b); }
    void clear_added() { std::fill(added.begin(), added.end(), 0.0); }

    std::span<HeldBound> held;  // empty: none
    std::span<const Sym3d> turning;  // (links) against turning, world axes; empty: none

private:
    std::vector<int> row_begin_;  // (nv) where a velocity's row of `added` would have its entry of velocity 0
};

}  // namespace lig
