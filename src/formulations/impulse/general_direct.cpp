// General forces for direct solutions (direct_solve.h): poses, rows and impulses of chosen bodies.

#include "dynamics/dynamics_parts.h"
#include "formulations/impulse/general_forces.h"
#include "formulations/maximal/link_joint.h"

#include <algorithm>

namespace lig::impulse {

// What forward_kinematics and read_pose find, of one link, after its parent's.
void GeneralForces::read_body(int link, JointState<double>& state, const MovingBodies& bodies) {
    Workspace<double>& ws = from_.dynamics.ws;
    const Tree<double>& tree = model_.tree;
    const TreeLink<double>& own = tree.links[link];
    bodies.to_joint(link, state);
    read_pose(link, bodies);
    const Transformd& before = carrier_pose(ws, own.parent);
    ws.links[link].R_WL = ws.poses[link].X_WL.R;
    ws.links[link].r = ws.poses[link].X_WL.p - before.p;
    maximal::JointFreedoms freedoms;
    maximal::find_freedoms(tree, link, state.q.data(), freedoms);
    const Mat3d R_WF = before.R * tree.joints[own.joint_begin].X_PF.R;
    for (int k = 0; k < own.nv; ++k) ws.S[own.v_adr + k] = rotate(R_WF, freedoms.S[k]);
}

void GeneralForces::begin_direct(JointState<double>& state, const MovingBodies& bodies,
                                 const ChosenBodies& chosen) {
    std::fill(drifted_.begin(), drifted_.end(), 0.0);
    if (acts_) return;
    if (chosen.are_all()) return read_bodies(state, bodies);
    for (int i = 0; i < bodies.links(); ++i)
        if (chosen.has(bodies.index(i))) read_body(i, state, bodies);
}

GeneralForces::Direct GeneralForces::find_direct_rows(const ChosenBodies& chosen, Rows& rows,
                                                      std::span<double> x, JointTerms& terms) {
    rows.clear();
    direct_blocks_.clear();
    direct_bushings_.clear();
    std::fill(x.begin(), x.end(), 0.0);
    terms.clear_added();
    if (!acts_) return {};
    terms.added = terms_.added;
    for (int k = 0; k < model_.nv; ++k)
        if (chosen.has(freedoms_[k].b)) x[k] = joint_forces_.waiting(k);
    const auto add = [&](const Rows& from, const RowBlocks& read, std::vector<int>& taken) {
        for (int b = 0; b < static_cast<int>(from.blocks.size()); ++b) {
            if (!chosen.are_all() && !read.acts_on(b, chosen)) continue;
            const RowBlock& block = from.blocks[b];
            taken.push_back(b);
            rows.begin_block(block.kind, block.source, block.link_a, block.link_b, block.point_a,
                             block.point_b);
            for (const Row& row : from.rows_of(block)) rows.add_copy(from, row);
        }
    };
    add(from_.rows, blocks_, direct_blocks_);
    if (has_bushings_) add(bushing_rows_, bushings_, direct_bushings_);
    const auto place_of = [&](int block) {
        return static_cast<int>(std::lower_bound(direct_blocks_.begin(), direct_blocks_.end(), block) -
                                direct_blocks_.begin());
    };
    return {place_of(equalities_begin_), place_of(two_sided_)};
}

void GeneralForces::take_impulses(std::span<const double> lambda, const BodyView& bodies,
                                  const ChosenBodies& chosen) {
    if (!acts_) return;
    std::size_t own = 0;
    for (const int b : direct_blocks_) own += from_.rows.blocks[b].count;
    blocks_.take_impulses(direct_blocks_, lambda.first(own));
    bushings_.take_impulses(direct_bushings_, lambda.subspan(own));
    joint_forces_.settle(freedoms_, bodies, chosen);
}

}  // namespace lig::impulse
