#pragma once

// JointTerms: what a step adds to the joint-space inertia M, and to nothing beyond one link's joints.
//
// An implicit step has springs, dampers and drives of joints in M + h C + h² K: blocks on the diagonal, one
// per link, of which the lower triangles are kept. A step may also damp a freedom that turns fast by a share
// of its own inertia, with everything outward of it; that inertia is known to whoever factors, who tells what
// came of it.

#include <ligament/model.h>

#include <algorithm>
#include <vector>

namespace lig {

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
        damping_share.assign(model.nv, 0.0);
        damped.assign(model.nv, 0.0);
    }

    // (triangles) Of one link behind the other, row by row; 0 at first.
    std::vector<double> added;
    // Where the entry of two velocities of one link is in `added`.
    int added_at(int a, int b) const { return row_begin_[std::max(a, b)] + std::min(a, b); }
    void clear_added() { std::fill(added.begin(), added.end(), 0.0); }

    std::vector<double> damping_share;  // (nv) of a freedom's own inertia; 0 at first,
    std::vector<double> damped;         // and what that came to, by whoever factors

private:
    std::vector<int> row_begin_;  // (nv) where a velocity's row of `added` would have its entry of velocity 0
};

}  // namespace lig
