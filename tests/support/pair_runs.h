#pragma once

// Small scenes with constraints between two bodies, and their motion.

#include "support/motion_energy.h"
#include "support/random_values.h"

#include <ligament/pair_kinds.h>

#include <doctest/doctest.h>

#include <memory>
#include <numbers>

namespace lig::test {

inline constexpr double g = 9.81, pi = std::numbers::pi;

inline InertialSpec mass(double m, const Vec3d& moments, const Vec3d& com = {0, 0, 0}) {
    return {.mass = m, .frame = {com}, .inertia = Sym3d::diagonal(moments.x, moments.y, moments.z)};
}

// A point: three slides, no turning.
inline BodyId add_point(Scene& scene, const char* name, const Vec3d& pos) {
    const BodyId body = scene.add_body(world, {.name = name, .pose = {pos}, .inertial = mass(2, {1, 1, 1})});
    for (const Vec3d& axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}})
        scene.add_joint(body, {.type = JointType::slide, .axis = axis});
    return body;
}

template <class Constraint, class... Args>
std::shared_ptr<const PairConstraint> make(Args&&... args) {
    return std::make_shared<Constraint>(std::forward<Args>(args)...);
}

struct Run {
    explicit Run(const Scene& scene) : model(compile(scene)), motion(model), state(*model) {}

    // By rk45 to a tolerance of 1e-11.
    void advance(double duration) {
        const MotionReport report = motion.advance(state, duration, {.step = 0.05, .tolerance = 1e-11});
        CHECK(report.status == MotionStatus::ok);
        CHECK(report.where == "");
        CHECK(report.equality_error < 1e-12);
    }
    double energy() { return total_energy(motion, state); }
    std::vector<Force<double>> reactions() {
        motion.dynamics.accelerate(state);
        std::vector<Force<double>> out(model->pair_constraints.size());
        motion.dynamics.pair_reactions(out);
        return out;
    }

    std::shared_ptr<const Model> model;
    SmoothMotion motion;
    JointState<double> state;
};

}  // namespace lig::test
