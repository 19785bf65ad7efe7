#pragma once

// Random trees over all joint kinds, and random states of them.

#include "support/random_values.h"

#include <ligament/dynamics.h>

#include <string>
#include <vector>

namespace lig::test {

struct TreeShape {
    int bodies = 10;
    double chain = 0.5;             // probability that a body hangs on the one before it, else on any
    double compound = 0.3;          // probability of several joints on one body
    double armature = 0.3;          // probability that a joint has rotor inertia
    bool free_joints = true;        // also inside the tree
    bool armature_on_quaternions = true;
    bool springs = false;           // stiffness and damping
    int kinematic = 0;              // bodies that trees hang from besides the world,
    int kinds = 0;                  // and planar bodies and particles, by turns
};

// A brick of random shape and orientation, its centre of mass away from the frame.
inline InertialSpec random_inertial(Random& random) {
    const double mass = random.uniform(0.5, 2);
    const double a = random.uniform(0.1, 0.5), b = random.uniform(0.1, 0.5), c = random.uniform(0.1, 0.5);
    const double s = mass / 3;
    const Vec3d com = random_vec(random, 0.2);
    return {mass,
            {com, random_rotation(random)},
            Sym3d::diagonal(s * (b * b + c * c), s * (a * a + c * c), s * (a * a + b * b)),
            {}};
}

// How many freedoms of a joint turn, and how many only move.
struct Freedoms {
    int turning = 0, sliding = 0;
};
inline Freedoms freedoms(JointType type) {
    Freedoms out;
    joints::visit_joint(type, [&](auto kind) {
        using J = decltype(kind);
        double q[joints::max_nq] = {};
        for (int k = 0; k < J::nq; ++k)
            if (J::coordinate_kinds[k] == joints::Coordinate::quaternion) {
                q[k] = 1;
                break;
            }
        Motion<double> S[joints::max_nv];
        J::motion(joints::Parameters<double>{0}, q, S);
        for (int k = 0; k < J::nv; ++k) ++(dot(S[k].ang, S[k].ang) > 0 ? out.turning : out.sliding);
    });
    return out;
}

inline JointSpec random_joint(Random& random, JointType type, const TreeShape& shape, std::string name) {
    JointSpec joint;
    joint.name = std::move(name);
    joint.type = type;
    joint.pos = random_vec(random, 0.3);
    const Mat3d R = rotation_matrix(random_rotation(random));
    joint.axis = random.uniform(0.5, 2) * R.x;
    joint.axis2 = random.uniform(0.5, 2) * R.y;
    joint.pitch = random.uniform(-0.3, 0.3);
    const joints::JointInfo& info = joints::joint_info(type);
    if (info.nq == 1) joint.reference = random.uniform(-0.5, 0.5);
    if (random.uniform(0, 1) < shape.armature && (info.nq == info.nv || shape.armature_on_quaternions))
        joint.armature = random.uniform(0.01, 0.2);
    if (shape.springs) {
        joint.stiffness = random.uniform(0, 5);
        joint.damping = random.uniform(0, 1);
        if (info.nq == 1) joint.spring_reference = random.uniform(-0.5, 0.5);
    }
    return joint;
}

// Several joints on one body, up to six freedoms: at most three that turn and three that slide, their axes at
// large angles, so that the freedoms are independent.
inline void add_compound_joint(Random& random, Scene& scene, BodyId body, const TreeShape& shape) {
    const int wanted = 2 + random_index(random, 4);
    const Mat3d axes = rotation_matrix(random_rotation(random));
    int turns = 0, slides = 0, added = 0;
    for (int attempt = 0; attempt < 50 && added < wanted; ++attempt) {
        const JointType type = static_cast<JointType>(random_index(random, joints::joint_count));
        const Freedoms own = freedoms(type);
        if (type == JointType::fixed || type == JointType::free) continue;
        if (turns + own.turning > 3 || slides + own.sliding > 3) continue;
        // A kind of several freedoms brings axes of its own: it comes first of its sort, and two or three
        // axes of a sort leave no room for others.
        if ((own.turning > 1 && turns > 0) || (own.sliding > 1 && slides > 0)) continue;
        if (own.turning > 0 && own.sliding > 0 && added > 0) continue;
        JointSpec joint = random_joint(random, type, shape,
                                       scene.bodies()[body.index].spec.name + "_" + std::to_string(added));
        joint.axis = (&axes.x)[own.turning ? turns : slides] + random_vec(random, 0.2);
        joint.axis2 = cross(joint.axis, random_direction(random));
        scene.add_joint(body, joint);
        turns = own.turning > 1 ? 3 : turns + own.turning;
        slides = own.sliding > 1 ? 3 : slides + own.sliding;
        ++added;
    }
}

inline Scene random_scene(Random& random, const TreeShape& shape) {
    Scene scene("random");
    scene.options.gravity = random_vec(random, 10);
    std::vector<BodyId> roots{world}, bodies;
    for (int k = 0; k < shape.kinematic; ++k)
        roots.push_back(scene.add_body(world, {.name = "base" + std::to_string(k),
                                               .pose = {random_vec(random, 1), random_rotation(random)},
                                               .kinematic = true}));
    for (int k = 0; k < shape.kinds; ++k)
        roots.push_back(scene.add_body(world, {.name = "root" + std::to_string(k),
                                               .pose = {random_vec(random, 1), random_rotation(random)},
                                               .inertial = random_inertial(random),
                                               .kind = k % 2 ? BodyKind::particle : BodyKind::planar}));
    for (int i = 0; i < shape.bodies; ++i) {
        BodyId parent = roots[random_index(random, static_cast<int>(roots.size()))];
        if (!bodies.empty() && random.uniform(0, 1) < shape.chain)
            parent = bodies.back();
        else if (!bodies.empty() && random.uniform(0, 1) < 0.9)
            parent = bodies[random_index(random, static_cast<int>(bodies.size()))];
        const std::string name = "b" + std::to_string(i);
        const BodyId body =
            scene.add_body(parent, {.name = name,
                                    .pose = {random_vec(random, 0.4), random_rotation(random)},
                                    .inertial = random_inertial(random)});
        bodies.push_back(body);
        if (random.uniform(0, 1) < shape.compound) {
            add_compound_joint(random, scene, body, shape);
            continue;
        }
        JointType type;
        do type = static_cast<JointType>(random_index(random, joints::joint_count));
        while (type == JointType::free && !shape.free_joints);
        scene.add_joint(body, random_joint(random, type, shape, name + "_0"));
    }
    return scene;
}

// Coordinates up to `reach` from the reference configuration, velocities and motions of the bases up to
// `speed`.
inline JointState<double> random_state(Random& random, const Model& model, double reach = 1.5,
                                       double speed = 1) {
    JointState<double> state(model);
    for (const Model::Joint& joint : model.joints)
        random_coordinates(random, joints::joint_info(joint.type), reach, state.q.data() + joint.q_adr);
    for (double& x : state.v) x = random.uniform(-speed, speed);
    for (BaseMotion<double>& base : state.kinematic) {
        base.pos = random_vec(random, 1);
        base.quat = random_rotation(random);
        base.velocity = {random_vec(random, speed), random_vec(random, speed)};
        base.acceleration = {random_vec(random, speed), random_vec(random, speed)};
    }
    return state;
}

inline std::vector<double> random_numbers(Random& random, int count, double size) {
    std::vector<double> out(count);
    for (double& x : out) x = random.uniform(-size, size);
    return out;
}

// The joint with the largest force or moment through it. After inverse_dynamics.
template <class R>
double largest_joint_wrench(const Workspace<R>& ws) {
    double most = 0;
    for (const LinkWork<R>& link : ws.links)
        for (int k = 0; k < 3; ++k)
            most = std::max({most, std::abs(double(link.f.ang[k])), std::abs(double(link.f.lin[k]))});
    return most;
}

template <class R>
double largest_difference(const std::vector<R>& a, const std::vector<R>& b) {
    double most = a.size() == b.size() ? 0 : INFINITY;
    for (std::size_t k = 0; k < a.size() && k < b.size(); ++k) {
        const double d = std::abs(double(a[k]) - double(b[k]));
        if (!(d <= most)) most = d;  // a NaN stays
    }
    return most;
}

template <class R>
double largest(const std::vector<R>& a) {
    double most = 0;
    for (const R x : a) most = std::max(most, std::abs(double(x)));
    return most;
}

}  // namespace lig::test
