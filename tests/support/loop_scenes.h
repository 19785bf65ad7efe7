#pragma once

// Structures with loops whose rows are hard to keep, or depend on each other.

#include "support/reference_problems.h"

#include <ligament/dynamics.h>

#include <algorithm>

namespace lig::test {

// A four-bar in the x–z plane: crank 0.3 m and rocker 0.5 m of 1 kg, between them a coupler of 0.8 m and 100
// kg; ground 0.7 m. The crank can turn all the way round.
inline Scene heavy_four_bar_scene(JointType closing = JointType::hinge) {
    // The rocker's end, where circles of 0.8 m about the crank's end (0, 0.3) and 0.5 m about (0.7, 0) meet.
    const double dx = 0.7, dz = -0.3, d2 = dx * dx + dz * dz;
    const double along = (0.64 - 0.25 + d2) / (2 * d2), across = std::sqrt(0.64 / d2 - along * along);
    const Vec3d crank_end{0, 0, 0.3}, pin{along * dx - across * dz, 0, 0.3 + along * dz + across * dx};
    const auto rod = [](double mass, const Vec3d& to) {
        const double m = mass / 12;
        return InertialSpec{mass,
                            {0.5 * to},
                            Sym3d::diagonal(m * (to.z * to.z) + 1e-4 * mass, m * dot(to, to),
                                            m * (to.x * to.x) + 1e-4 * mass),
                            {}};
    };
    Scene scene;
    const BodyId crank = scene.add_body(world, {.name = "crank", .inertial = rod(1, crank_end)});
    scene.add_joint(crank, {.name = "crank", .axis = {0, 1, 0}});
    const BodyId coupler = scene.add_body(
        crank, {.name = "coupler", .pose = {crank_end}, .inertial = rod(100, pin - crank_end)});
    scene.add_joint(coupler, {.name = "coupler", .axis = {0, 1, 0}});
    const BodyId rocker = scene.add_body(
        world, {.name = "rocker", .pose = {{0.7, 0, 0}}, .inertial = rod(1, pin - Vec3d{0.7, 0, 0})});
    scene.add_joint(rocker, {.name = "rocker", .axis = {0, 1, 0}});
    // z of both frames along y.
    const double s = std::numbers::sqrt2 / 2;
    scene.add_loop({.name = "pin",
                    .type = closing,
                    .body_a = coupler,
                    .body_b = rocker,
                    .frame_a = {pin - crank_end, {s, -s, 0, 0}},
                    .frame_b = {pin - Vec3d{0.7, 0, 0}, {s, -s, 0, 0}}});
    return scene;
}

// So many rods of length 1 in a regular polygon in the x–y plane, on ball joints or hinges, afloat.
inline Scene ring_scene(int count, bool hinges) {
    Scene scene;
    const double turn = 2 * std::numbers::pi / count;
    const auto corner = [&](int k) {
        const double radius = 0.5 / std::sin(0.5 * turn);
        return Vec3d{radius * std::cos(turn * k), radius * std::sin(turn * k), 0};
    };
    BodyId parent = world;
    for (int k = 0; k < count; ++k) {
        const Vec3d along = corner(k + 1) - corner(k);
        const Vec3d from = k == 0 ? corner(0) : corner(k) - corner(k - 1);
        parent = scene.add_body(
            parent, {.name = "rod" + std::to_string(k),
                     .pose = {from},
                     .inertial = InertialSpec{1, {0.5 * along}, Sym3d::diagonal(0.1, 0.1, 0.1), {}}});
        scene.add_joint(parent, {.name = "joint" + std::to_string(k),
                                 .type = k == 0   ? JointType::free
                                         : hinges ? JointType::hinge
                                                  : JointType::ball});
    }
    scene.add_loop({.name = "closure",
                    .type = hinges ? JointType::hinge : JointType::ball,
                    .body_a = {1},
                    .body_b = parent,
                    .frame_b = {corner(count) - corner(count - 1)}});
    return scene;
}

// G3 of the benchmark scenes: count × count balls of 1 kg and 0.4 m, one apart in the x–y plane, the first
// row held by the world; ball joints half way to all neighbours but between those that are held.
inline Scene net_scene(int count) {
    Scene scene;
    const double moment = 0.4 * 0.4 * 0.4;
    std::vector<BodyId> above(count, world);
    for (int i = 1; i < count; ++i)
        for (int k = 0; k < count; ++k) {
            const BodyId parent = above[k];
            const std::string name = std::to_string(k) + "_" + std::to_string(i);
            const Vec3d at = i == 1 ? Vec3d{double(k), 1, 0} : Vec3d{0, 1, 0};
            above[k] = scene.add_body(
                parent,
                {.name = name,
                 .pose = {at},
                 .inertial = InertialSpec{1, {}, Sym3d::diagonal(moment, moment, moment), {}}});
            scene.add_joint(above[k], {.name = name, .type = JointType::ball, .pos = {0, -0.5, 0}});
            if (k > 0)
                scene.add_loop({.name = "across" + name,
                                .type = JointType::ball,
                                .body_a = above[k - 1],
                                .body_b = above[k],
                                .frame_a = {{0.5, 0, 0}},
                                .frame_b = {{-0.5, 0, 0}}});
        }
    return scene;
}

// So many rods of the given length and mass on hinges about y, or on ball joints, along x; the end is held at
// `span` from the origin.
inline Scene pinned_chain_scene(int count, double length, double mass, double span, bool balls,
                                double damping = 0) {
    Scene scene;
    BodyId parent = world;
    for (int k = 0; k < count; ++k) {
        const double across = mass * length * length / 12;
        parent = scene.add_body(
            parent, {.name = "rod" + std::to_string(k),
                     .pose = {{k == 0 ? 0.0 : length, 0, 0}},
                     .inertial = InertialSpec{mass,
                                              {{0.5 * length, 0, 0}},
                                              Sym3d::diagonal(balls ? across : 1e-3 * across, across, across),
                                              {}}});
        scene.add_joint(parent, {.name = "joint" + std::to_string(k),
                                 .type = balls ? JointType::ball : JointType::hinge,
                                 .axis = {0, 1, 0},
                                 .damping = damping});
    }
    scene.add_loop({.name = "end",
                    .type = JointType::ball,
                    .body_a = world,
                    .body_b = parent,
                    .frame_a = {{span, 0, 0}},
                    .frame_b = {{length, 0, 0}}});
    return scene;
}

// The largest distance between the two frames of any loop, by the joint coordinates alone.
inline double equality_gap(const std::shared_ptr<const Model>& model, const JointState<double>& state) {
    Workspace<double> ws(model);
    forward_kinematics(state, ws);
    double most = 0;
    for (const Model::Loop& loop : model->loops) {
        const Vec3d d =
            (body_pose(ws, loop.body_a) * loop.X_AF).p - (body_pose(ws, loop.body_b) * loop.X_BM).p;
        most = std::max(most, std::sqrt(dot(d, d)));
    }
    return most;
}

}  // namespace lig::test
