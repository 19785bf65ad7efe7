#pragma once

// The mechanisms of the benchmark collections, by the parameters of their definitions. All are drawn where
// their joints stand at 0; start states are given beside them.

#include <ligament/model.h>
#include <ligament/state.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace lig::test {

inline InertialSpec point_mass(double mass, const Vec3d& at) {
    return {mass, {at}, Sym3d::diagonal(0, 0, 0), {}};
}
inline InertialSpec box_mass(double mass, const Vec3d& center, const Vec3d& sides) {
    const Vec3d s{sides.x * sides.x, sides.y * sides.y, sides.z * sides.z};
    return {mass, {center}, (mass / 12) * Sym3d::diagonal(s.y + s.z, s.x + s.z, s.x + s.y), {}};
}
// A thin rod of length 1 along an axis, from the origin.
inline InertialSpec rod_mass(double mass, const Vec3d& along) {
    const double i = mass / 12;
    return {mass,
            {0.5 * along},
            Sym3d::diagonal(i * (1 - along.x * along.x), i * (1 - along.y * along.y),
                            i * (1 - along.z * along.z)),
            {}};
}

// --- open chains: planar ones hang along −z at 0 and turn about −y, so that angles count from the downward
// vertical towards +x --------------------------------------------------------------------------------------

inline std::shared_ptr<const Model> reference_pendulum() {
    Scene scene;
    const BodyId bob = scene.add_body(world, {.name = "bob", .inertial = point_mass(1, {0, 0, -1})});
    scene.add_joint(bob, {.name = "pivot", .axis = {0, -1, 0}});
    return compile(scene);
}

inline std::shared_ptr<const Model> reference_double_pendulum(bool rods) {
    Scene scene;
    BodyId parent = world;
    for (const char* name : {"upper", "lower"}) {
        const InertialSpec mass = rods ? rod_mass(1, {0, 0, -1}) : point_mass(1, {0, 0, -1});
        parent = scene.add_body(parent, {.name = name,
                                         .pose = {{0, 0, parent == world ? 0.0 : -1.0}},
                                         .inertial = mass});
        scene.add_joint(parent, {.name = std::string(name) + "_joint", .axis = {0, -1, 0}});
    }
    return compile(scene);
}

inline std::shared_ptr<const Model> reference_chain10() {
    Scene scene;
    BodyId parent = world;
    for (int k = 0; k < 10; ++k) {
        parent = scene.add_body(parent, {.name = "link" + std::to_string(k),
                                         .pose = {{k == 0 ? 0.0 : 0.5, 0, 0}},
                                         .inertial = box_mass(1, {0.25, 0, 0}, {0.5, 0.1, 0.05})});
        scene.add_joint(parent, {.name = "ball" + std::to_string(k), .type = JointType::ball});
    }
    return compile(scene);
}

inline std::shared_ptr<const Model> reference_top(const Vec3d& moments) {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    const BodyId body = scene.add_body(
        world, {.name = "top",
                .inertial = InertialSpec{1, {}, Sym3d::diagonal(moments.x, moments.y, moments.z), {}}});
    scene.add_joint(body, {.name = "root", .type = JointType::free});
    return compile(scene);
}

// A point of 1 kg on a massless rod of 1 m that turns about x and then about its own y; a ball joint would
// leave the spin about the rod undetermined.
inline std::shared_ptr<const Model> reference_conical_pendulum() {
    Scene scene;
    const BodyId bob = scene.add_body(world, {.name = "bob", .inertial = point_mass(1, {0, 0, -1})});
    scene.add_joint(bob,
                    {.name = "swing", .type = JointType::universal, .axis = {1, 0, 0}, .axis2 = {0, 1, 0}});
    return compile(scene);
}

// --- Andrews' squeezing mechanism: the joints are the seven angles of its definition, in their order -------

struct Andrews {
    // Of the definition, in its letters.
    double m[7] = {0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498};
    double I[7] = {2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
    double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
    double c0 = 4530, l0 = 0.07785, d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092;
    double ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916;
    double u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421, mom = 0.033;
    // beta, theta, gamma, phi, delta, Omega, epsilon; in the model: beta theta gamma delta phi epsilon Omega.
    static constexpr std::array<int, 7> in_model{0, 1, 2, 4, 3, 6, 5};
    static constexpr std::array<double, 7> start{-0.06171389001427645, 0, 0.45527981916307037,
                                                 0.22266839016588588, 0.48736497954384256,
                                                 -0.22266839016588588, 1.2305474445498212};

    std::shared_ptr<const Model> model() const {
        Scene scene;
        scene.options.gravity = {0, 0, 0};
        const auto add = [&](BodyId parent, int k, Vec3d at, Vec3d com, const char* angle) {
            const BodyId body = scene.add_body(
                parent, {.name = "K" + std::to_string(k + 1),
                         .pose = {at},
                         .inertial = InertialSpec{m[k], {com}, Sym3d::diagonal(I[k], I[k], I[k]), {}}});
            scene.add_joint(body, {.name = angle});
            return body;
        };
        const BodyId K1 = add(world, 0, {0, 0, 0}, {ra, 0, 0}, "beta");
        const BodyId K2 = add(K1, 1, {rr, 0, 0}, {-da, 0, 0}, "theta");
        const BodyId K3 = add(world, 2, {xb, yb, 0}, {sb, -sa, 0}, "gamma");
        const BodyId K5 = add(world, 4, {xa, ya, 0}, {ta, tb, 0}, "delta");
        const BodyId K4 = add(K5, 3, {zt, 0, 0}, {0, -(e - ea), 0}, "phi");
        const BodyId K7 = add(world, 6, {xa, ya, 0}, {-ub, -ua, 0}, "epsilon");
        const BodyId K6 = add(K7, 5, {0, -u, 0}, {zf - fa, 0, 0}, "Omega");
        const auto close = [&](BodyId with, Vec3d at, const char* name) {
            scene.add_loop({.name = name,
                            .type = JointType::hinge,
                            .body_a = K2,
                            .body_b = with,
                            .frame_a = {{-d, 0, 0}},
                            .frame_b = {at}});
        };
        close(K3, {0, -ss, 0}, "E3");
        close(K4, {0, -e, 0}, "E4");
        close(K6, {zf, 0, 0}, "E6");
        const SiteId C = scene.add_site(world, {.name = "C", .pose = {{xc, yc, 0}}});
        const SiteId D = scene.add_site(K3, {.name = "D", .pose = {{sd, -sc, 0}}});
        scene.add_tendon({.name = "spring",
                          .stops = {{.site = C}, {.site = D}},
                          .stiffness = c0,
                          .spring_length = std::array{l0, l0}});
        return compile(scene);
    }
};

// --- N four-bars in a row: N + 1 rods on the ground, upright, N couplers on their tips; the plane is x–y ---

inline std::shared_ptr<const Model> reference_four_bars(int count) {
    Scene scene;
    scene.options.gravity = {0, -9.81, 0};
    std::vector<BodyId> rods, couplers;
    for (int k = 0; k <= count; ++k) {
        const std::string number = std::to_string(k);
        rods.push_back(scene.add_body(world, {.name = "rod" + number,
                                              .pose = {{double(k), 0, 0}},
                                              .inertial = rod_mass(1, {0, 1, 0})}));
        scene.add_joint(rods.back(), {.name = "foot" + number});
        if (k == count) break;
        couplers.push_back(scene.add_body(rods.back(), {.name = "coupler" + number,
                                                        .pose = {{0, 1, 0}},
                                                        .inertial = rod_mass(1, {1, 0, 0})}));
        scene.add_joint(couplers.back(), {.name = "top" + number});
    }
    for (int k = 0; k < count; ++k)
        scene.add_loop({.name = "pin" + std::to_string(k),
                        .type = JointType::hinge,
                        .body_a = couplers[k],
                        .body_b = rods[k + 1],
                        .frame_a = {{1, 0, 0}},
                        .frame_b = {{0, 1, 0}}});
    return compile(scene);
}
// Their tips move along x with 1 m/s; joints come as foot0 top0 foot1 top1 … footN.
inline JointState<double> four_bars_start(const Model& model) {
    JointState<double> state(model);
    for (int k = 0; k < model.nv; ++k) state.v[k] = k % 2 == 0 ? -1 : 1;
    return state;
}

// --- Bricard's mechanism: five rods along the edges of a cube, six hinges, one freedom ---------------------

inline std::shared_ptr<const Model> reference_bricard() {
    const Vec3d P[6] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    const Vec3d axes[6] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    Scene scene;
    scene.options.gravity = {0, -9.81, 0};
    BodyId parent = world;
    for (int k = 0; k < 5; ++k) {
        const Vec3d along = P[k + 1] - P[k];
        const Vec3d sides{0.1 + 0.9 * std::abs(along.x), 0.1 + 0.9 * std::abs(along.y),
                          0.1 + 0.9 * std::abs(along.z)};
        parent = scene.add_body(parent, {.name = "rod" + std::to_string(k + 1),
                                         .pose = {k == 0 ? P[0] : P[k] - P[k - 1]},
                                         .inertial = box_mass(1, 0.5 * along, sides)});
        scene.add_joint(parent, {.name = "hinge" + std::to_string(k + 1), .axis = axes[k]});
    }
    // z of both frames along x: a quarter of a turn about y.
    const double s = std::numbers::sqrt2 / 2;
    scene.add_loop({.name = "closure",
                    .type = JointType::hinge,
                    .body_a = world,
                    .body_b = parent,
                    .frame_a = {P[5], {s, 0, s, 0}},
                    .frame_b = {P[5] - P[4], {s, 0, s, 0}}});
    return compile(scene);
}

// --- the flyball governor: a shaft, a slider on it, two rods with stiff spring-dampers to the slider -------

inline std::shared_ptr<const Model> reference_flyball() {
    const double density = 3000, stiffness = 8e5, damping = 4e4, rest = 0.5;
    Scene scene;
    const BodyId shaft = scene.add_body(
        world, {.name = "shaft", .inertial = box_mass(density * 1e-4, {0, 0, 0.5}, {0.01, 0.01, 1})});
    scene.add_joint(shaft, {.name = "psi"});
    const BodyId slider = scene.add_body(
        shaft, {.name = "slider", .inertial = box_mass(density * 1e-3, {0, 0, 0}, {0.1, 0.1, 0.1})});
    scene.add_joint(slider, {.name = "s", .type = JointType::slide});
    for (const double side : {1.0, -1.0}) {
        const std::string name = side > 0 ? "right" : "left";
        // The rod and the mass at its end, by their common centre of mass.
        const double rod = density * 1e-4, ball = 5, mass = rod + ball;
        const double center = (0.5 * rod + ball) / mass;
        const double across = rod * (1 + 1e-4) / 12 + rod * (center - 0.5) * (center - 0.5) +
                              ball * (1 - center) * (1 - center);
        const BodyId arm = scene.add_body(
            shaft, {.name = name,
                    .pose = {{0.05 * side, 0, 1}},
                    .inertial = InertialSpec{mass,
                                             {{center * side, 0, 0}},
                                             Sym3d::diagonal(rod * 2e-4 / 12, across, across),
                                             {}}});
        scene.add_joint(arm, {.name = name + "_angle", .axis = {0, side, 0}});
        const SiteId middle = scene.add_site(arm, {.name = name + "_middle", .pose = {{0.5 * side, 0, 0}}});
        const SiteId end = scene.add_site(slider, {.name = name + "_end", .pose = {{0.05 * side, 0, 0}}});
        scene.add_tendon({.name = name + "_spring",
                          .stops = {{.site = middle}, {.site = end}},
                          .stiffness = stiffness,
                          .damping = damping,
                          .spring_length = std::array{rest, rest}});
    }
    return compile(scene);
}
inline JointState<double> flyball_start(const Model& model) {
    JointState<double> state(model);
    state.q = {0, 0.5, std::numbers::pi / 6, std::numbers::pi / 6};
    state.v[0] = 2 * std::numbers::pi;
    return state;
}

}  // namespace lig::test
