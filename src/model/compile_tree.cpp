#include "model/compile.h"

#include "bodies/body_list.h"
#include "core/diagnostic_codes.h"
#include "core/rotation.h"
#include "core/unit_quaternion.h"
#include "joints/joint_list.h"
#include "model/compile_drives.h"
#include "model/split_inertia.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lig::compiling {

Mat3d axis_frame(const Vec3d& axis) {
    const Vec3d z = (1 / std::sqrt(dot(axis, axis))) * axis;
    const Mat3d e = Mat3d::identity();
    // The cyclic permutations of the axes, and their half turns, are exact.
    if (z.z == 1) return e;
    if (z.x == 1) return {e.y, e.z, e.x};
    if (z.y == 1) return {e.z, e.x, e.y};
    if (z.z == -1) return {e.x, -e.y, -e.z};
    if (z.x == -1) return {e.y, -e.z, -e.x};
    if (z.y == -1) return {e.z, -e.x, -e.y};
    const double ax = std::abs(z.x), ay = std::abs(z.y), az = std::abs(z.z);
    const Vec3d away = ax <= ay && ax <= az ? e.x : ay <= az ? e.y
                                                             : e.z;
    Vec3d x = cross(away, z);
    x = (1 / std::sqrt(dot(x, x))) * x;
    return {x, cross(z, x), z};
}

Transformd transform(const Pose& pose) { return {rotation_matrix(unit_quaternion(pose.quat)), pose.pos}; }

Transformd joint_frame(const JointSpec& spec) {
    switch (joints::joint_info(spec.type).placement) {
        case joints::Placement::body: return Transformd::identity();
        case joints::Placement::point: return {Mat3d::identity(), spec.pos};
        case joints::Placement::two_axes: {
            const Vec3d x = (1 / std::sqrt(dot(spec.axis, spec.axis))) * spec.axis;
            Vec3d y = spec.axis2 - dot(x, spec.axis2) * x;
            y = (1 / std::sqrt(dot(y, y))) * y;
            return {{x, y, cross(x, y)}, spec.pos};
        }
        case joints::Placement::axis:
        case joints::Placement::normal: break;
    }
    return {axis_frame(spec.axis), spec.pos};
}

namespace {

// Joints about or along one axis may turn their frames F and M about it together. Where z_F lies along a
// coordinate axis, to rounding, the frames are turned so that R_PF is exactly the matrix that axis_frame
// gives.
AxisTurn align_axes(JointType type, const Transformd& X_before_B, Transformd& X_BM, Transformd& X_PF) {
    if (joints::joint_info(type).placement != joints::Placement::axis) return AxisTurn::general;
    const Mat3d e = Mat3d::identity();
    const std::pair<AxisTurn, Vec3d> turns[] = {
        {AxisTurn::z, e.z},
        {AxisTurn::x, e.x},
        {AxisTurn::y, e.y},
        {AxisTurn::minus_z, -e.z},
        {AxisTurn::minus_x, -e.x},
        {AxisTurn::minus_y, -e.y},
    };
    for (const auto& [turn, axis] : turns) {
        const Vec3d off = X_PF.R.z - axis;
        if (std::max({std::abs(off.x), std::abs(off.y), std::abs(off.z)}) > 1e-15) continue;
        X_PF.R = axis_frame(axis);
        X_BM.R = transpose_mul(X_before_B.R, X_PF.R);
        return turn;
    }
    return AxisTurn::general;
}

// One of the joints by which a body moves by its kind.
JointSpec own_joint(const bodies::OwnJoint& own, const Model::Body& body) {
    return {.name = body.name.empty() ? "" : body.name + std::string(own.ending),
            .type = own.type,
            .axis = transpose_mul(body.X_WB0.R, own.axis),
            .reference = own.reference(body.X_WB0.p),
            .where = body.where};
}

class TreeBuilder {
public:
    TreeBuilder(const Scene& scene, const std::vector<BodyInertia>& inertias, Model& model, Diagnostics& log)
        : scene_(scene), body_inertias_(inertias), model_(model), log_(log), loads_(joint_loads(scene)) {}

    void run(std::vector<int>& body_of) {
        order_bodies();
        body_of.assign(scene_.bodies().size(), -1);
        for (const int scene_body : order_) {
            body_of[scene_body] = static_cast<int>(model_.bodies.size());
            add_body(scene_body, body_of);
        }
        finish();
    }

private:
    // Depth first, children in the order in which they were added.
    void order_bodies() {
        const auto& bodies = scene_.bodies();
        std::vector<std::vector<int>> children(bodies.size());
        for (std::size_t b = bodies.size(); b-- > 1;)
            children[bodies[b].parent.index].push_back(static_cast<int>(b));
        std::vector<int> stack{0};
        while (!stack.empty()) {
            const int b = stack.back();
            stack.pop_back();
            order_.push_back(b);
            stack.insert(stack.end(), children[b].begin(), children[b].end());
        }
    }

    void add_body(int scene_body, const std::vector<int>& body_of) {
        const Scene::Body& source = scene_.bodies()[scene_body];
        const BodySpec& spec = source.spec;
        const bool is_world = scene_body == 0;
        const BodyInertia& inertia = body_inertias_[scene_body];

        Model::Body body{};
        body.name = spec.name;
        body.parent = is_world ? -1 : body_of[source.parent.index];
        body.mass = inertia.mass;
        body.com = inertia.com;
        body.inertia = inertia.inertia;
        body.gravity_scale = spec.gravity_scale;
        body.kinematic = spec.kinematic;
        body.kind = spec.kind;
        body.where = spec.where;
        body.joint_begin = static_cast<int>(model_.joints.size());
        const Transformd X_PB = transform(spec.pose);
        if (is_world) {
            body.link = -1;
            body.X_LB = body.X_WB0 = Transformd::identity();
        } else {
            const Model::Body& parent = model_.bodies[body.parent];
            body.X_WB0 = parent.X_WB0 * X_PB;
            if (spec.kinematic) {
                model_.kinematic_bodies.push_back(static_cast<int>(model_.bodies.size()));
                body.link = -1 - static_cast<int>(model_.kinematic_bodies.size());
                body.X_LB = Transformd::identity();
            } else if (moves(scene_, source)) {
                add_link(source, parent, X_PB, body);
            } else {
                body.link = parent.link;
                body.X_LB = parent.X_LB * X_PB;
                keep_fixed_joints_as_sites(source);
            }
            model_.total_mass += body.mass;
            if (body.link >= 0) {
                const RigidInertia<double> own = rigid_inertia(inertia, body.X_LB);
                inertia_.resize(model_.tree.links.size(), RigidInertia<double>::zero());
                inertia_[body.link] = inertia_[body.link] + own;
                if (spec.gravity_scale != 1) floats_ = true;
                floating_.resize(model_.tree.links.size(), RigidInertia<double>::zero());
                floating_[body.link].mass += (1 - spec.gravity_scale) * own.mass;
                floating_[body.link].h += (1 - spec.gravity_scale) * own.h;
            }
        }
        body.joint_count = static_cast<int>(model_.joints.size()) - body.joint_begin;
        model_.bodies.push_back(std::move(body));
    }

    // A fixed joint allows nothing and leaves only its name.
    void keep_fixed_joints_as_sites(const Scene::Body& source) {
        for (const JointId id : source.joints) {
            const JointSpec& spec = scene_.joints()[id.index].spec;
            model_.sites.push_back({spec.name,
                                    static_cast<int>(model_.bodies.size()),
                                    {Mat3d::identity(), spec.pos},
                                    {.name = spec.name, .pose = {.pos = spec.pos}, .where = spec.where}});
        }
    }

    void add_link(const Scene::Body& source, const Model::Body& parent, const Transformd& X_PB,
                  Model::Body& body) {
        using Kernel = TreeLink<double>::Kernel;
        Tree<double>& tree = model_.tree;
        TreeLink<double> link{};
        link.parent = parent.link;
        link.joint_begin = static_cast<int>(tree.joints.size());
        link.v_adr = model_.nv;
        body.link = static_cast<int>(tree.links.size());

        // From the frame before a joint to the body frame at the reference configuration.
        Transformd X_before_B = parent.X_LB * X_PB;
        const auto add = [&](int scene_joint, const JointSpec& spec) {
            Transformd X_BM = joint_frame(spec);
            Transformd X_PF = X_before_B * X_BM;
            const AxisTurn turn = align_axes(spec.type, X_before_B, X_BM, X_PF);
            std::vector<double> q0 = reference_coordinates(spec);
            if (spec.type == JointType::free && body.parent == 0) {
                // Directly below the world the coordinates are the body's pose in the world.
                X_PF = parent.X_LB;
                const Quatd quat = quaternion(X_PB.R);
                q0 = {X_PB.p.x, X_PB.p.y, X_PB.p.z, quat.w, quat.x, quat.y, quat.z};
            }
            add_joint(scene_joint, spec, turn, X_PF, q0);
            X_before_B = X_BM.inverse();
        };
        for (const JointId id : source.joints) {
            const JointSpec& spec = scene_.joints()[id.index].spec;
            if (spec.type != JointType::fixed) add(id.index, spec);
        }
        for (const bodies::OwnJoint& own : bodies::own_joints_of(body.kind, source.spec.program.get()))
            add(-1, own_joint(own, body));
        body.X_LB = X_before_B;
        link.joint_count = static_cast<int>(tree.joints.size()) - link.joint_begin;
        link.nv = model_.nv - link.v_adr;
        const int stretches = bodies::shapes_of(body.kind, source.spec.program.get());
        if (stretches > 0) {
            link.stretch = static_cast<int>(tree.stretches.size());
            tree.stretches.push_back(
                {body.link, model_.nq - stretches, model_.nv - stretches, stretches});
        }
        if (link.nv - stretches > 6)
            log_.report(codes::U041, body.where,
                        named("body", body.name, static_cast<int>(model_.bodies.size())) +
                            " has joints with " + std::to_string(link.nv) + " freedoms together",
                        "a body has six at most; put some of the joints on a body between it and its parent");

        TreeJoint<double>& only = tree.joints[link.joint_begin];
        const double armature = tree.armature[link.v_adr];
        link.kernel = Kernel::general;
        if (link.joint_count == 1) {
            if (only.type == JointType::hinge) {
                link.kernel = Kernel::hinge;
                only.angle = static_cast<int>(tree.angle_adr.size());
                tree.angle_adr.push_back(only.q_adr);
                tree.angle_reference.push_back(only.reference);
            }
            if (only.type == JointType::slide) link.kernel = Kernel::slide;
            // Their kernels eliminate all freedoms at once, which rotor inertia does not allow.
            if (only.type == JointType::ball && armature == 0) link.kernel = Kernel::ball;
            if (only.type == JointType::free && armature == 0) link.kernel = Kernel::free;
        }
        tree.links.push_back(link);
    }

    static std::vector<double> reference_coordinates(const JointSpec& spec) {
        std::vector<double> q(joints::joint_info(spec.type).nq, 0.0);
        if (spec.type == JointType::ball) q[0] = 1;
        if (spec.type == JointType::free) q[3] = 1;
        if (q.size() == 1) q[0] = spec.reference;
        return q;
    }

    void add_joint(int scene_joint, const JointSpec& spec, AxisTurn turn, const Transformd& X_PF,
                   const std::vector<double>& q0) {
        const joints::JointInfo& info = joints::joint_info(spec.type);
        Model::Joint joint{};
        joint.name = spec.name;
        joint.type = spec.type;
        joint.body = static_cast<int>(model_.bodies.size());
        joint.tree_joint = static_cast<int>(model_.tree.joints.size());
        joint.scene_joint = scene_joint;
        joint.q_adr = model_.nq;
        joint.v_adr = model_.nv;
        joint.nq = info.nq;
        joint.nv = info.nv;
        joint.range = spec.range;
        joint.cone = spec.cone;
        joint.swing = spec.swing;
        joint.twist = spec.twist;
        joint.twist_axis = Vec3d{0, 0, 1};
        if (spec.type == JointType::ball)
            joint.twist_axis = (1 / std::sqrt(dot(spec.axis, spec.axis))) * spec.axis;
        joint.reference = info.nq == 1 ? spec.reference : 0;
        const ReflectedLoad load = scene_joint < 0 ? ReflectedLoad{} : loads_[scene_joint];
        joint.armature = spec.armature + load.armature;
        joint.damping = spec.damping + load.damping;
        joint.stiffness = spec.stiffness;
        joint.friction_loss = spec.friction_loss;
        joint.effort = spec.effort;
        joint.margin = spec.margin;
        for (std::size_t k = 0; k < load.damping_poly.size(); ++k)
            joint.damping_poly[k] = spec.damping_poly[k] + load.damping_poly[k];
        joint.stiffness_poly = spec.stiffness_poly;
        if (spec.axis_stiffness)
            joint.axis_spring = {*spec.axis_stiffness, rotation_matrix(unit_quaternion(spec.stiffness_axes))};
        joint.actuators_carry_gravity = spec.actuators_carry_gravity;
        joint.soft_limit = spec.soft_limit;
        joint.soft_friction = spec.soft_friction;
        joint.velocity_limit = spec.velocity_limit;
        joint.where = spec.where;

        model_.tree.joints.push_back(
            {spec.type, turn, joint.q_adr, joint.v_adr, X_PF,
             spec.type == JointType::screw ? spec.pitch : 0, joint.reference, -1});
        model_.tree.armature.insert(model_.tree.armature.end(), info.nv, joint.armature);
        model_.q0.insert(model_.q0.end(), q0.begin(), q0.end());
        model_.q_spring.insert(model_.q_spring.end(), q0.begin(), q0.end());
        if (info.nq == 1 && spec.spring_reference) model_.q_spring.back() = *spec.spring_reference;
        model_.nq += info.nq;
        model_.nv += info.nv;
        model_.joints.push_back(std::move(joint));
    }

    void finish() {
        Tree<double>& tree = model_.tree;
        tree.nq = model_.nq;
        tree.nv = model_.nv;
        model_.nkinematic = static_cast<int>(model_.kinematic_bodies.size());
        tree.nbase = 1 + model_.nkinematic;
        for (std::size_t i = 0; i < tree.links.size(); ++i) {
            TreeLink<double>& link = tree.links[i];
            link.carries_parent = link.parent >= 0 && link.parent == static_cast<int>(i) - 1;
            if (link.parent >= 0 && !link.carries_parent) tree.links[link.parent].has_other_children = true;
            link.inertia = split(inertia_[i]);
        }
        if (!floats_) return;
        floating_.resize(tree.links.size(), RigidInertia<double>::zero());
        for (const RigidInertia<double>& f : floating_) {
            model_.floating_mass.push_back(f.mass);
            model_.floating_moment.push_back(f.h);
        }
    }

    const Scene& scene_;
    const std::vector<BodyInertia>& body_inertias_;
    Model& model_;
    Diagnostics& log_;
    std::vector<int> order_;
    std::vector<RigidInertia<double>> inertia_;   // per link, about L
    std::vector<RigidInertia<double>> floating_;  // per link, the part that gravity does not pull on
    bool floats_ = false;
    std::vector<ReflectedLoad> loads_;            // per scene joint, of its actuators
};

}  // namespace

bool moves(const Scene& scene, const Scene::Body& body) {
    if (!bodies::body_info(body.spec.kind).own_joints.empty()) return true;
    return std::any_of(body.joints.begin(), body.joints.end(), [&](JointId id) {
        return scene.joints()[id.index].spec.type != JointType::fixed;
    });
}

void build_tree(const Scene& scene, const std::vector<BodyInertia>& inertias, Model& model,
                std::vector<int>& body_of, Diagnostics& log) {
    TreeBuilder(scene, inertias, model, log).run(body_of);
}

}  // namespace lig::compiling
