#pragma once

// Simulations that run for a while with every step required to succeed, and what the tests ask of them.

#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace lig::test {

inline constexpr double frame = 1.0 / 60;
inline constexpr double gravity = 9.81;

inline StepReport step_ok(Simulation& sim, double dt) {
    StepReport report = sim.step(dt);
    CAPTURE(report.where);
    CAPTURE(report.time);
    REQUIRE(report.status == StepStatus::ok);
    return report;
}

// Steps of dt, with `after(report)` after each.
template <class After>
void run(Simulation& sim, double seconds, double dt, After after) {
    const int steps = static_cast<int>(std::lround(seconds / dt));
    for (int k = 0; k < steps; ++k) after(step_ok(sim, dt));
}
inline void run(Simulation& sim, double seconds, double dt = frame) {
    run(sim, seconds, dt, [](const StepReport&) {});
}

inline double total(const Energy<double>& energy) { return energy.kinetic + energy.potential; }

inline const Model::Joint& joint_of(const Simulation& sim, std::string_view name) {
    const int joint = sim.model().find_joint(name);
    REQUIRE(joint >= 0);
    return sim.model().joints[joint];
}

// Position, and linear velocity in world axes, of what moves on a free joint of the world; angular velocity
// in the axes of the body.
inline Vec3d position_of(const Simulation& sim, std::string_view joint = "root") {
    const double* q = sim.state().q.data() + joint_of(sim, joint).q_adr;
    return {q[0], q[1], q[2]};
}
inline Vec3d velocity_of(const Simulation& sim, std::string_view joint = "root") {
    const double* v = sim.state().v.data() + joint_of(sim, joint).v_adr;
    return {v[0], v[1], v[2]};
}
inline Vec3d spin_of(const Simulation& sim, std::string_view joint = "root") {
    const double* v = sim.state().v.data() + joint_of(sim, joint).v_adr;
    return {v[3], v[4], v[5]};
}
inline void set_velocity(Simulation& sim, const Vec3d& linear, const Vec3d& spin = Vec3d::zero(),
                         std::string_view joint = "root") {
    JointState<double> state = sim.state();
    double* v = state.v.data() + joint_of(sim, joint).v_adr;
    for (int k = 0; k < 3; ++k) {
        v[k] = linear[k];
        v[3 + k] = spin[k];
    }
    sim.set_state(state);
}

// The force of all contacts on `body`, on average over the last sub-step.
inline Vec3d contact_force_on(const Simulation& sim, int body) {
    const Contacts& all = sim.contacts();
    Vec3d sum = Vec3d::zero();
    for (const Manifold& manifold : all.manifolds) {
        const double sign = sim.model().geoms[manifold.geom_b].body == body   ? 1
                            : sim.model().geoms[manifold.geom_a].body == body ? -1
                                                                              : 0;
        for (int k = manifold.begin; k < manifold.begin + manifold.count; ++k)
            sum += (sign / sim.contact_time()) * all.contacts[k].impulse;
    }
    return sum;
}

}  // namespace lig::test
