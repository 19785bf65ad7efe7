#include "constraints/pose_drive.h"

#include "constraints/soft_row.h"
#include "core/rotation.h"
#include "joints/joint_list.h"
#include "linalg/small_dense.h"
#include "linalg/symmetric_eigen.h"
#include "model/floating.h"
#include "model/split_inertia.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace lig {

namespace {

constexpr double min_share = 1e-8;  // of the largest principal moment

bool is_driven_kind(const Model::Joint& joint) { return !floats(joint) && joint.nv > 0; }

void require(bool condition, const std::string& what) {
    if (!condition) throw std::invalid_argument("lig: drive to a pose: " + what);
}

bool all_finite(std::span<const double> numbers) {
    for (const double x : numbers)
        if (!std::isfinite(x)) return false;
    return true;
}

}  // namespace

PoseTargets::PoseTargets(const Model& model) : joints(model.joints.size()), q(model.q0), v(model.nv, 0.0) {}

void PoseTargets::set(const Model& model, std::span<const double> pose, std::span<const double> velocity,
                      double frequency, double damping_ratio, double max_torque, std::span<const int> which) {
    require(pose.size() == q.size(),
            "the pose has " + std::to_string(pose.size()) + " entries, the model needs " +
                std::to_string(q.size()));
    require(velocity.empty() || velocity.size() == v.size(),
            "the velocity has " + std::to_string(velocity.size()) + " entries, the model needs none or " +
                std::to_string(v.size()));
    require(all_finite(pose) && all_finite(velocity), "pose and velocity must be finite");
    require(frequency >= 0 && std::isfinite(frequency), "the frequency must be finite and not negative");
    require(damping_ratio >= 0 && std::isfinite(damping_ratio),
            "the damping ratio must be finite and not negative");
    require(max_torque >= 0, "the largest torque must not be negative");
    for (const int joint : which)
        require(joint >= 0 && joint < static_cast<int>(joints.size()),
                "there is no joint " + std::to_string(joint));
    const auto is_rotation = [&](const Model::Joint& joint) {
        const double* r = pose.data() + joint.q_adr;
        return joint.type != JointType::ball || r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3] > 0;
    };
    const auto each = [&](auto&& f) {
        if (which.empty())
            for (std::size_t i = 0; i < joints.size(); ++i) f(i);
        else
            for (const int i : which) f(static_cast<std::size_t>(i));
    };
    each([&](std::size_t i) {
        require(is_rotation(model.joints[i]),
                "the quaternion of joint '" + model.joints[i].name + "' is zero");
    });
    each([&](std::size_t i) {
        const Model::Joint& joint = model.joints[i];
        if (!is_driven_kind(joint)) return;
        joints[i] = {frequency, damping_ratio, max_torque};
        for (int k = joint.q_adr; k < joint.q_adr + joint.nq; ++k) q[k] = pose[k];
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k) v[k] = velocity.empty() ? 0 : velocity[k];
    });
}

bool PoseTargets::active() const {
    return std::any_of(joints.begin(), joints.end(), [](const Joint& joint) { return joint.frequency > 0; });
}

void PoseTargets::release() {
    for (Joint& joint : joints) joint = {};
}

PoseDrive::PoseDrive(const Model& model) {
    for (const TreeLink<double>& link : model.tree.links) {
        const RigidInertia<double> own = world_inertia(Mat3d::identity(), link.inertia);
        Mobility mobility;
        Sym3d I = own.I;
        if (own.mass > 0) {
            mobility.has_mass = true;
            mobility.mass = 1 / own.mass;
            const Vec3d c = (1 / own.mass) * own.h, h = own.h;
            I = I - Sym3d{c.y * h.y + c.z * h.z, c.x * h.x + c.z * h.z, c.x * h.x + c.y * h.y,
                          -c.x * h.y, -c.x * h.z, -c.y * h.z};
        }
        const SymmetricEigen eigen = symmetric_eigen(I);
        // What is left of a point mass is rounding.
        mobility.has_inertia = eigen.values.z > 1e-14 * (own.I.xx + own.I.yy + own.I.zz);
        for (int k = 0; k < 3 && mobility.has_inertia; ++k) {
            const Vec3d& e = (&eigen.vectors.x)[k];
            const double s = 1 / std::max(eigen.values[k], min_share * eigen.values.z);
            mobility.rotation += Sym3d{s * e.x * e.x, s * e.y * e.y, s * e.z * e.z,
                                       s * e.x * e.y, s * e.x * e.z, s * e.y * e.z};
        }
        links_.push_back(mobility);
    }
}

// One joint of one call of `add`.
struct PoseDrive::Job {
    const PoseDrive& own;
    const JointState<double>& state;
    const Workspace<double>& ws;
    const RowContext& context;
    const WarmStarts& warm;
    const Sums& sums;

    const Model::Joint& joint;
    const PoseTargets::Joint& target;
    int index, link, parent;
    double stiffness, damping;  // per inertia
    bool has_block = false;

    // 1/I against translation: negative where a link has none.
    double inverse_mass() const {
        double sum = 0;
        for (const int body : {link, parent}) {
            if (body < 0) continue;
            if (!own.links_[body].has_mass) return -1;
            sum += own.links_[body].mass;
        }
        return sum;
    }
    bool has_inertia() const {
        return own.links_[link].has_inertia && (parent < 0 || own.links_[parent].has_inertia);
    }
    // (I_A⁻¹ + I_B⁻¹)⁻¹ in axes that are given in world axes, by columns.
    Sym3d inertia_in(const Mat3d& axes) const {
        Sym3d sum = Sym3d::zero();
        for (const int body : {link, parent})
            if (body >= 0)
                sum += rotate(transpose_mul(axes, ws.poses[body].X_WL.R), own.links_[body].rotation);
        return inverse(sum);
    }

    // Of coordinate k of a joint whose coordinates are angles and lengths.
    double inertia_of(int k) const {
        double turning = 0, sliding = joint.type == JointType::screw
                                          ? ws.model().tree.joints[joint.tree_joint].pitch
                                          : 0;
        if (joints::joint_info(joint.type).coordinate_kinds[k] == joints::Coordinate::angle)
            turning = 1;
        else
            sliding = 1;
        double sum = 0;
        if (turning > 0 && has_inertia()) {
            const Vec3d& a = ws.S[joint.v_adr + k].ang;
            sum += dot(a, inertia_in(Mat3d::identity()) * a);
        }
        if (const double mobility = inverse_mass(); mobility > 0) sum += sliding * sliding / mobility;
        return sum;
    }

    // Of a freedom, or of three: how far it is from the target, its velocity, and how far that is.
    template <class T>
    struct Distance {
        T error, speed, speed_error;
    };

    // A freedom `direction` (at `count` velocities from `first` on) with this inertia, as a row.
    void add_row(int slot, int first, int count, const Vec3d& direction, double inertia,
                 const Distance<double>& off) {
        const SoftForce soft{inertia * (stiffness * off.error + damping * off.speed_error), off.speed,
                             inertia * stiffness, inertia * damping};
        if (!(soft.weight(context.h) > 0)) return;
        if (!has_block) sums.rows.begin_block(RowKind::drive, -1 - index);
        has_block = true;
        Row& row = sums.rows.add_row();
        set_soft(row, soft, context.h, 0, {-target.max_torque, target.max_torque});
        row.warm = slot;
        row.lambda = warm.lambda[slot];
        for (int k = 0; k < count; ++k) sums.rows.add_entry(first + k, direction[k]);
    }

    void add_term(int row, int column, double weight) {
        sums.terms.added[sums.terms.added_at(row, column)] += weight;
    }

    // Per inertia: what the drive does if the velocity stays, and what it takes off for each change of that.
    template <class T>
    T impulse(const Distance<T>& off) const {
        return context.h * (stiffness * (off.error - context.h * off.speed) + damping * off.speed_error);
    }
    double weight() const { return context.h * (damping + context.h * stiffness); }

    void add_ball(const double* q, const double* v) {
        if (!has_inertia()) return;
        const int first = joint.v_adr;
        const double* r = &state.q[joint.q_adr];
        const Quatd to_target = conjugate(Quatd{r[0], r[1], r[2], r[3]}) * Quatd{q[0], q[1], q[2], q[3]};
        const Vec3d speed{state.v[first], state.v[first + 1], state.v[first + 2]};
        const Distance<Vec3d> off{rotation_log(to_target), speed,
                                  rotation_matrix(to_target) * Vec3d{v[0], v[1], v[2]} - speed};
        const Mat3d axes{ws.S[first].ang, ws.S[first + 1].ang, ws.S[first + 2].ang};
        const Sym3d I = inertia_in(axes);
        if (std::isinf(target.max_torque)) {
            const Vec3d change = I * impulse(off);
            const Mat3d full = I.full();
            for (int k = 0; k < 3; ++k) {
                sums.x[first + k] += change[k];
                for (int l = 0; l <= k; ++l) add_term(first + k, first + l, weight() * full(k, l));
            }
            return;
        }
        const SymmetricEigen principal = symmetric_eigen(I);
        for (int k = 0; k < 3; ++k) {
            const Vec3d& e = (&principal.vectors.x)[k];
            add_row(warm.pose_drive(first + k), first, 3, e, principal.values[k],
                    {dot(e, off.error), dot(e, off.speed), dot(e, off.speed_error)});
        }
    }

    void add_coordinates(const double* q, const double* v) {
        for (int k = 0; k < joint.nv; ++k) {
            const int dof = joint.v_adr + k;
            const double inertia = inertia_of(k), speed = state.v[dof];
            const Distance<double> off{q[k] - state.q[joint.q_adr + k], speed, v[k] - speed};
            if (std::isinf(target.max_torque)) {
                sums.x[dof] += inertia * impulse(off);
                add_term(dof, dof, inertia * weight());
            } else {
                add_row(warm.pose_drive(dof), dof, 1, {1, 0, 0}, inertia, off);
            }
        }
    }
};

void PoseDrive::add(const PoseTargets& targets, const JointState<double>& state, const Workspace<double>& ws,
                    const RowContext& context, const WarmStarts& warm, const Sums& sums) const {
    const Model& model = ws.model();
    for (std::size_t i = 0; i < model.joints.size(); ++i) {
        const PoseTargets::Joint& target = targets.joints[i];
        if (target.frequency == 0 || target.max_torque == 0) continue;
        const Model::Joint& joint = model.joints[i];
        const int link = model.bodies[joint.body].link;
        const double omega = 2 * std::numbers::pi * target.frequency;
        Job job{*this, state, ws, context, warm, sums, joint, target, static_cast<int>(i), link,
                model.tree.links[link].parent, omega * omega, 2 * target.damping_ratio * omega};
        const double *q = &targets.q[joint.q_adr], *v = &targets.v[joint.v_adr];
        if (joint.type == JointType::ball)
            job.add_ball(q, v);
        else
            job.add_coordinates(q, v);
    }
}

}  // namespace lig
