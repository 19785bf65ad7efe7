#pragma once

// Random trees with loops of all kinds, couplings and tendons, and what their rows say.

#include "constraints/closing.h"
#include "constraints/coupling_rows.h"
#include "constraints/equalities.h"
#include "constraints/loop_rows.h"
#include "constraints/pair_rows.h"
#include "constraints/subtree_rows.h"
#include "support/dense_rows.h"
#include "support/random_scene.h"

#include <ligament/drives.h>

namespace lig::test {

// A loop of a kind between any two bodies, the world and kinematic ones included; frames at random, so that
// it is open. False where the two do not move relative to each other.
inline bool add_random_loop(Random& random, Scene& scene, JointType type, const std::string& name) {
    const int count = static_cast<int>(scene.bodies().size());
    LoopSpec loop;
    loop.name = name;
    loop.type = type;
    loop.body_a = {random_index(random, count)};
    loop.body_b = {random_index(random, count)};
    loop.frame_a = {random_vec(random, 0.4), random_rotation(random)};
    loop.frame_b = {random_vec(random, 0.4), random_rotation(random)};
    loop.pitch = random.uniform(-0.3, 0.3);
    loop.torque_scale = random.uniform(0.3, 3);
    Scene with = scene;
    with.add_loop(loop);
    const auto model = compile(with);
    if (!loop_acts(*model, static_cast<int>(model->loops.size()) - 1)) return false;
    scene.add_loop(loop);
    return true;
}

// A state some time later on the motion with constant v (v̇ = 0); kinematic bodies go on with their
// accelerations.
inline JointState<double> later(const Workspace<double>& ws, const JointState<double>& state, double t) {
    JointState<double> out = state;
    out.time += t;
    integrate<double>(ws, state.q, state.v, t, out.q);
    for (BaseMotion<double>& base : out.kinematic) {
        const Motion<double> v = base.velocity, a = base.acceleration;
        base.pos += t * v.lin + 0.5 * t * t * a.lin;
        base.quat = rotation_exp(t * v.ang + 0.5 * t * t * a.ang) * base.quat;
        base.velocity = {v.ang + t * a.ang, v.lin + t * a.lin};
    }
    return out;
}

// All rows of a state, with their products.
struct EqualityRows {
    explicit EqualityRows(std::shared_ptr<const Model> model) : ws(model), drives(*model), qacc(model->nv) {}

    void assemble(const JointState<double>& state) {
        const Model& model = ws.model();
        const std::vector<double> none(model.nv, 0.0);
        forward_kinematics(state, ws);
        update_drives(state, ws, drives);
        forward_dynamics<double>(state, none, ws, qacc);
        rows.clear();
        terms.clear();
        for (int k = 0; k < static_cast<int>(model.loops.size()); ++k) {
            const std::size_t first = terms.size();
            add_loop(ws, k, true, rows, terms);
            take_off_start(model.loops[k], state.time, std::span(terms).subspan(first));
        }
        for (int k = 0; k < static_cast<int>(model.couplings.size()); ++k)
            add_coupling(state, model, k, rows, terms);
        for (int k = 0; k < static_cast<int>(model.tendon_couplings.size()); ++k)
            add_tendon_coupling(state, ws, &drives, k, true, rows, terms);
        for (int k = 0; k < static_cast<int>(model.pair_constraints.size()); ++k)
            add_pair(ws, k, state.time, true, rows, terms);
        for (int k = 0; k < static_cast<int>(model.subtree_constraints.size()); ++k)
            add_subtree(ws, k, false, true, rows, terms);
    }

    std::vector<double> jacobian() const { return dense_jacobian(rows, ws); }

    Workspace<double> ws;
    DriveWorkspace<double> drives;
    std::vector<double> qacc;
    Rows rows;
    std::vector<EqualityTerms> terms;
};

}  // namespace lig::test
