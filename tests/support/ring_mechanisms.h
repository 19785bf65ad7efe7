#pragma once

// Mechanisms of rigid bodies and joints in rings, written down without a tree: any joint of a ring may be the
// one that closes the loop. All bodies have the axes of the world at the beginning, where all coordinates are
// 0.

#include <ligament/scene.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace lig::test {

// A joint between bodies a and b (0: the world), at a point of the world. Axes as in JointSpec.
struct RingJoint {
    int a, b;
    JointType type;
    Vec3d at;
    Vec3d axis{0, 1, 0};
    Vec3d axis2{0, 0, 1};  // universal
    JointSpec properties{};
    double motor = 0;  // force of a motor on it per control; 0: it has none
};

struct RingMechanism {
    std::string name;
    std::vector<Vec3d> bodies;  // where their centres of mass are; [0] is the world
    std::vector<RingJoint> joints;
    double length = 0.3;  // of the rods that the bodies weigh like
};

namespace detail {

// z along an axis, or for universal joints x and y along both.
inline Quatd frame_axes(const RingJoint& joint) {
    const auto unit = [](const Vec3d& a) { return (1 / std::sqrt(dot(a, a))) * a; };
    if (joint.type == JointType::ball) return {1, 0, 0, 0};
    Vec3d x, y, z;
    if (joint.type == JointType::universal) {
        x = unit(joint.axis);
        y = unit(joint.axis2);
        z = cross(x, y);
    } else {
        // As the tree has them, for what counts along x and y: across the axis that z is farthest from.
        z = unit(joint.axis);
        const double a[] = {std::abs(z.x), std::abs(z.y), std::abs(z.z)};
        Vec3d away{0, 0, 0};
        away[a[0] <= a[1] && a[0] <= a[2] ? 0 : a[1] <= a[2] ? 1
                                                             : 2] = 1;
        x = unit(cross(away, z));
        y = cross(z, x);
    }
    // Of the matrix with these columns, by the largest of the four.
    const double w = 1 + x.x + y.y + z.z;
    const auto normal = [](double a, double b, double c, double d) -> Quatd {
        const double n = std::sqrt(a * a + b * b + c * c + d * d);
        return {a / n, b / n, c / n, d / n};
    };
    if (w > 0.5) return normal(w, y.z - z.y, z.x - x.z, x.y - y.x);
    if (x.x >= y.y && x.x >= z.z) return normal(y.z - z.y, 1 + x.x - y.y - z.z, x.y + y.x, x.z + z.x);
    if (y.y >= z.z) return normal(z.x - x.z, x.y + y.x, 1 - x.x + y.y - z.z, y.z + z.y);
    return normal(x.y - y.x, x.z + z.x, y.z + z.y, 1 - x.x - y.y + z.z);
}

// The same joint seen from the other body.
inline JointSpec reversed(JointSpec spec) {
    if (spec.type == JointType::universal) {
        std::swap(spec.axis, spec.axis2);
        std::swap(spec.range[0], spec.range[1]);
        spec.axis2 = -spec.axis2;
    }
    spec.axis = -spec.axis;
    return spec;
}

}  // namespace detail

struct CutMechanism {
    Scene scene;
    int loops = 0;
    std::vector<BodyId> bodies;       // by the bodies of the mechanism
    std::vector<int> closes;          // by its joints: the loop, or −1
};

// With the tree that has the joint `cut` only if it cannot do without it: −1 for any tree.
inline CutMechanism cut_at(const RingMechanism& mechanism, int cut) {
    CutMechanism out{Scene(mechanism.name), 0, std::vector<BodyId>(mechanism.bodies.size()),
                     std::vector<int>(mechanism.joints.size(), -1)};
    Scene& scene = out.scene;
    const std::size_t count = mechanism.joints.size();
    std::vector<char> in_tree(count, 0);
    std::vector<int> order{0};  // bodies that are there
    std::vector<char> there(mechanism.bodies.size(), 0);
    there[0] = 1;
    out.bodies[0] = world;
    std::vector<JointId> joint_ids(count);
    const auto name_of = [](std::size_t j) { return "j" + std::to_string(j); };
    const auto grow = [&](std::size_t j) {
        const RingJoint& joint = mechanism.joints[j];
        if (in_tree[j] || there[joint.a] == there[joint.b]) return false;
        const bool forward = there[joint.a] != 0;
        const int parent = forward ? joint.a : joint.b, child = forward ? joint.b : joint.a;
        BodySpec body{.name = "b" + std::to_string(child)};
        body.pose.pos = mechanism.bodies[child] - mechanism.bodies[parent];
        const double mass = 0.8 + 0.1 * child, square = mechanism.length * mechanism.length;
        body.inertial = InertialSpec{.mass = mass,
                                     .inertia = (mass * square / 12) * Sym3d::diagonal(1.1, 1, 0.7)};
        out.bodies[child] = scene.add_body(out.bodies[parent], std::move(body));
        JointSpec spec = joint.properties;
        spec.name = name_of(j);
        spec.type = joint.type;
        spec.pos = joint.at - mechanism.bodies[child];
        spec.axis = joint.type == JointType::ball ? joint.properties.axis : joint.axis;
        spec.axis2 = joint.axis2;
        joint_ids[j] = scene.add_joint(out.bodies[child], forward ? spec : detail::reversed(spec));
        there[child] = in_tree[j] = 1;
        return true;
    };
    for (bool grown = true; grown;) {
        grown = false;
        for (std::size_t j = 0; j < count && !grown; ++j)
            if (static_cast<int>(j) != cut) grown = grow(j);
        if (!grown && cut >= 0) grown = grow(static_cast<std::size_t>(cut));
    }
    for (std::size_t j = 0; j < count; ++j) {
        const RingJoint& joint = mechanism.joints[j];
        LoopId loop;
        if (!in_tree[j]) {
            const Quatd axes = detail::frame_axes(joint);
            LoopSpec spec{.name = name_of(j),
                          .type = joint.type,
                          .body_a = out.bodies[joint.a],
                          .body_b = out.bodies[joint.b],
                          .frame_a = {joint.at - mechanism.bodies[joint.a], axes},
                          .frame_b = {joint.at - mechanism.bodies[joint.b], axes},
                          .pitch = joint.properties.pitch,
                          .joint = joint.properties};
            loop = scene.add_loop(std::move(spec));
            out.closes[j] = out.loops++;
        }
        if (joint.motor == 0) continue;
        ActuatorSpec motor{.name = "motor" + std::to_string(j),
                           .joint = in_tree[j] ? joint_ids[j] : JointId{},
                           .loop = loop,
                           .gear = {1, 0.5, -0.3, 0, 0, 0},
                           .gain = {joint.motor, 0, 0}};
        scene.add_actuator(std::move(motor));
    }
    return out;
}

// --- the mechanisms -------------------------------------------------------------------------------------

inline JointSpec sprung(double stiffness, double damping, double rest = 0) {
    JointSpec joint;
    joint.stiffness = stiffness;
    joint.damping = damping;
    if (rest != 0) joint.spring_reference = rest;
    return joint;
}
inline JointSpec with_range(JointSpec joint, double lower, double upper) {
    joint.range[0] = {lower, upper};
    return joint;
}
inline JointSpec with_friction(JointSpec joint, double friction) {
    joint.friction_loss = friction;
    return joint;
}
inline JointSpec with_armature(JointSpec joint, double armature) {
    joint.armature = armature;
    return joint;
}
inline Vec3d middle(const Vec3d& a, const Vec3d& b) { return 0.5 * (a + b); }

// Ten of them, with springs and dampers, armature and a motor each; and, where they are to be rough, with dry
// friction and limits that are reached.
inline std::vector<RingMechanism> ring_mechanisms(bool rough) {
    using enum JointType;
    const auto limit = [&](JointSpec joint, double lower, double upper) {
        return rough ? with_range(std::move(joint), lower, upper) : joint;
    };
    const auto rub = [&](JointSpec joint, double friction) {
        return rough ? with_friction(std::move(joint), friction) : joint;
    };
    std::vector<RingMechanism> all;
    {
        const Vec3d A{0, 0, 0}, B{0.1, 0, 0.2}, C{0.5, 0, 0.35}, D{0.55, 0, 0};
        all.push_back({"four-bar",
                       {{}, middle(A, B), middle(B, C), middle(C, D)},
                       {{0, 1, hinge, A, {0, 1, 0}, {}, with_armature(sprung(0.5, 0.02, 0.3), 0.01), 1.5},
                        {1, 2, hinge, B, {0, 1, 0}, {}, rub(sprung(0.2, 0.01), 0.05)},
                        {2, 3, hinge, C, {0, 1, 0}, {}, sprung(0.3, 0.02, -0.2)},
                        {3, 0, hinge, D, {0, 1, 0}, {}, limit(sprung(0.1, 0.03), -0.15, 0.12)}}});
    }
    {
        const Vec3d A{0, 0, 0}, B{0.05, 0, 0.15}, C{0.5, 0, 0};
        all.push_back({"slider crank",
                       {{}, middle(A, B), middle(B, C), C},
                       {{0, 1, hinge, A, {0, 1, 0}, {}, with_armature(sprung(0.1, 0.01), 0.02), 0.8},
                        {1, 2, hinge, B, {0, 1, 0}, {}, sprung(0.2, 0.01, 0.2)},
                        {2, 3, hinge, C, {0, 1, 0}, {}, rub(sprung(0.1, 0.02), 0.04)},
                        {0, 3, slide, C, {1, 0, 0}, {}, limit(sprung(20, 0.5, 0.01), -0.03, 0.02)}}});
    }
    {
        const Vec3d A{0, 0, 0}, B{0.1, 0, 0.2}, C{0.5, 0, 0.3}, D{0.6, 0, 0}, E{0.7, 0, 0.35},
            F{1.0, 0, 0.4}, G{1.1, 0, 0};
        all.push_back({"Watt's six-bar",
                       {{}, middle(A, B), middle(B, C), middle(C, E), middle(E, F), middle(F, G)},
                       {{0, 1, hinge, A, {0, 1, 0}, {}, with_armature(sprung(0.3, 0.02), 0.01), 1.5},
                        {1, 2, hinge, B, {0, 1, 0}, {}, sprung(0.2, 0.01, 0.3)},
                        {2, 3, hinge, C, {0, 1, 0}, {}, sprung(0.1, 0.01)},
                        {3, 0, hinge, D, {0, 1, 0}, {}, rub(sprung(0.2, 0.02), 0.05)},
                        {3, 4, hinge, E, {0, 1, 0}, {}, sprung(0.15, 0.01, -0.2)},
                        {4, 5, hinge, F, {0, 1, 0}, {}, sprung(0.1, 0.02)},
                        {5, 0, hinge, G, {0, 1, 0}, {}, limit(sprung(0.2, 0.02), -0.1, 0.08)}}});
    }
    {
        const Vec3d p[] = {
            {0, 0, 0},
            {0.2, 0.1, 0.2},
            {0.4, 0.3, 0.1},
            {0.6, 0.2, 0.3},
            {0.7, -0.1, 0.2},
            {0.5, -0.3, 0.1},
            {0.2, -0.2, 0},
        };
        const Vec3d axes[] = {
            {0.2, 1, 0.1},
            {1, 0.3, 0.2},
            {0.1, 0.4, 1},
            {1, -0.5, 0.3},
            {0.2, 1, -0.6},
            {-0.4, 0.3, 1},
            {1, 0.2, 0.5},
        };
        RingMechanism ring{"ring of seven hinges in space", {{}}, {}};
        for (int k = 0; k < 6; ++k) ring.bodies.push_back(middle(p[k], p[k + 1]));
        for (int k = 0; k < 7; ++k)
            ring.joints.push_back(
                {k, (k + 1) % 7, hinge, p[k], axes[k], {}, sprung(0.2 + 0.05 * k, 0.02, 0.1)});
        ring.joints[0].motor = 1;
        ring.joints[2].properties = with_armature(ring.joints[2].properties, 0.01);
        ring.joints[4].properties = rub(ring.joints[4].properties, 0.03);
        ring.joints[5].properties = limit(ring.joints[5].properties, -0.06, 0.05);
        all.push_back(ring);
    }
    {
        const Vec3d A{0, 0, 0}, B{0.1, 0, 0.3}, C{0.3, 0, 0.35}, D{0.2, 0, 0}, N{-0.1, 0, 0.15},
            M{0.04, 0, 0.12};
        all.push_back({"gripper on a slide",
                       {{}, middle(A, B), middle(B, C), middle(C, D), N, middle(N, M)},
                       {{0, 1, hinge, A, {0, 1, 0}, {}, sprung(0.3, 0.02)},
                        {1, 2, hinge, B, {0, 1, 0}, {}, sprung(0.1, 0.01, 0.1)},
                        {2, 3, hinge, C, {0, 1, 0}, {}, rub(sprung(0.1, 0.01), 0.03)},
                        {3, 0, hinge, D, {0, 1, 0}, {}, limit(sprung(0.2, 0.02), -0.1, 0.08)},
                        {0, 4, slide, N, {0, 0, 1}, {}, with_armature(sprung(30, 1), 0.3), 12},
                        {4, 5, hinge, N, {0, 1, 0}, {}, sprung(0.1, 0.01)},
                        {5, 1, hinge, M, {0, 1, 0}, {}, sprung(0.1, 0.02, 0.2)}}});
    }
    {
        const Vec3d A{0, 0, 0}, S{0.1, 0.05, 0.25}, P{0.2, 0.1, 0.5}, H{-0.3, 0, 0.5};
        JointSpec cone = sprung(0, 0.02);
        cone.stiffness = 0.4;
        all.push_back(
            {"leg of a platform",
             {{}, middle(A, S), middle(S, P), middle(P, H)},
             {{0, 1, universal, A, {1, 0, 0}, {0, 1, 0}, sprung(0.3, 0.02)},
              {1, 2, slide, S, P - A, {}, limit(with_armature(sprung(40, 1), 0.2), -0.02, 0.015), 25},
              {2, 3, ball, P, {}, {}, cone},
              {3, 0, hinge, H, {0.1, 1, 0}, {}, rub(sprung(0.5, 0.03), 0.08)}}});
    }
    {
        const Vec3d A{0, 0, 0}, B{0.5, 0, 0}, E{0.25, 0, 0.15}, C{0.5, 0, 0.3}, D{0, 0, 0.3};
        all.push_back(
            {"scissor lift",
             {{}, middle(A, C) + Vec3d{0.01, 0, 0}, middle(B, D), B, middle(C, D), C},
             {{0, 1, hinge, A, {0, 1, 0}, {}, sprung(0.3, 0.02)},
              {1, 2, hinge, E, {0, 1, 0}, {}, rub(sprung(0.5, 0.02, 0.2), 0.05)},
              {2, 3, hinge, B, {0, 1, 0}, {}, sprung(0.1, 0.01)},
              {0, 3, slide, B, {1, 0, 0}, {}, limit(with_armature(sprung(50, 1), 0.1), -0.02, 0.02), 40},
              {2, 4, hinge, D, {0, 1, 0}, {}, sprung(0.2, 0.01)},
              {1, 5, hinge, C, {0, 1, 0}, {}, sprung(0.1, 0.01)},
              {4, 5, slide, C, {1, 0, 0}, {}, sprung(10, 0.5)}}});
    }
    {
        const Vec3d O{0, 0, 0}, A{0.2, 0, 0.2}, B{0.4, 0, 0}, C{0.2, 0, -0.15};
        all.push_back({"pantograph",
                       {{}, middle(O, A), middle(A, B), middle(B, C), middle(C, O)},
                       {{0, 1, hinge, O, {0, 1, 0}, {}, with_armature(sprung(2, 0.05), 0.01), 1},
                        {1, 2, hinge, A, {0, 1, 0}, {}, sprung(1, 0.03, 0.1)},
                        {2, 3, hinge, B, {0, 1, 0}, {}, rub(sprung(1, 0.03), 0.05)},
                        {3, 4, hinge, C, {0, 1, 0}, {}, limit(sprung(1, 0.02), -0.1, 0.1)},
                        {4, 1, hinge, O, {0, 1, 0}, {}, sprung(1, 0.03)}}});
    }
    {
        RingMechanism delta{"delta robot", {{}}, {}};
        for (int arm = 0; arm < 3; ++arm) {
            const double t = 2.0943951023931953 * arm + 0.1 * arm;
            const Vec3d out{std::cos(t), std::sin(t), 0}, side{-std::sin(t), std::cos(t), 0};
            const Vec3d shoulder = 0.2 * out, elbow = shoulder + 0.2 * out - Vec3d{0, 0, 0.05};
            const Vec3d wrist = 0.06 * out + Vec3d{0.01, 0, -0.5};
            const int upper = 1 + 2 * arm, lower = upper + 1, plate = 7;
            delta.bodies.push_back(middle(shoulder, elbow));
            delta.bodies.push_back(middle(elbow, wrist));
            const Vec3d down = cross(side, wrist - elbow);
            delta.joints.push_back({0, upper, hinge, shoulder, side, {}, sprung(1, 0.05, 0.2)});
            delta.joints.push_back({upper, lower, universal, elbow, side, down, sprung(0.1, 0.02)});
            delta.joints.push_back({lower, plate, universal, wrist, down, side, sprung(0.1, 0.02)});
        }
        delta.bodies.push_back({0.01, 0, -0.5});
        delta.joints[0].motor = 2;
        delta.joints[0].properties = with_armature(delta.joints[0].properties, 0.02);
        delta.joints[3].properties = rub(delta.joints[3].properties, 0.1);
        delta.joints[6].properties = limit(delta.joints[6].properties, -0.05, 0.06);
        all.push_back(delta);
    }
    {
        const Vec3d L{0, 0, 0}, U{0.05, 0, 0.2}, lower{0.35, 0.02, -0.02}, upper{0.3, 0.01, 0.22};
        const Vec3d T{0, 0.15, 0.05}, tie{0.33, 0.14, 0.04};
        all.push_back({"double wishbone",
                       {{},
                        middle(L, lower),
                        middle(U, upper),
                        middle(lower, upper) + Vec3d{0.03, 0, 0},
                        middle(T, tie)},
                       {{0,
                         1,
                         hinge,
                         L,
                         {0.1, 1, 0},
                         {},
                         limit(with_armature(sprung(20, 0.3, 0.1), 0.01), -0.06, 0.06),
                         15},
                        {0, 2, hinge, U, {-0.1, 1, 0}, {}, rub(sprung(1, 0.05), 0.1)},
                        {1, 3, ball, lower, {}, {}, sprung(0.2, 0.02)},
                        {2, 3, ball, upper, {}, {}, sprung(0.1, 0.02)},
                        {0, 4, universal, T, {0, 0, 1}, {0, 1, 0}, sprung(0.1, 0.02)},
                        {4, 3, ball, tie, {}, {}, sprung(0.1, 0.02)}}});
    }
    return all;
}

}  // namespace lig::test
