#pragma once

// Joints that close loops, as they stand: their coordinates, the angles that limits of a ball bound, and how
// these change. F on body A and M on body B; X_FM is the pose of M in F and V_FM its velocity, in the axes of
// F, as in joints/joint.h.
//
// A coordinate is what its kind reads from X_FM. Its velocity is a · ω_FM where the freedom turns about the
// unit vector a, and a · ṗ_FM where it moves along it: a is the turning part of the motion of the freedom,
// which is fixed in F or in M, or else its moving part, which is fixed in F. Where the loop is closed that is
// the velocity of the coordinate; as far as it is open, it is not. The row is a wrench at M's origin, on M
// and its opposite on A, and the acceleration is a · A_FM: what the turning of a adds is orthogonal to ω_FM.

#include "dynamics/ball_angles.h"
#include "dynamics/drive_rows.h"
#include "dynamics/stretches.h"
#include "joints/joint_list.h"

namespace lig {

// A wrench per unit of the number, on M at its origin, in the axes of F; and the number.
template <class T>
struct LoopLength {
    T length;
    Force<T> along;
};

template <class T>
struct LoopPose {
    LoopPose(const Workspace<T>& ws, const Model::Loop& loop) {
        const Model::Body &a = ws.model().bodies[loop.body_a], &b = ws.model().bodies[loop.body_b];
        link_a = a.link;
        link_b = b.link;
        const Transformd X_LF = a.X_LB * loop.X_AF, X_LM = b.X_LB * loop.X_BM;
        const Transform<T>&A = carrier_pose(ws, link_a), &B = carrier_pose(ws, link_b);
        const Vec3<T> rest_F = lift<T>(X_LF.p), rest_M = lift<T>(X_LM.p);
        const Vec3<T> arm_F = A.R * stretched(ws, link_a, rest_F);
        const Vec3<T> arm_M = B.R * stretched(ws, link_b, rest_M);
        if (stretch_of(ws, link_a)) slip_F = A.R * slip_of(ws, link_a, rest_F);
        if (stretch_of(ws, link_b)) slip_M = B.R * slip_of(ws, link_b, rest_M);
        R_WF = A.R * lift<T>(X_LF.R);
        const Mat3<T> R_WM = B.R * lift<T>(X_LM.R);
        p_F = A.p + arm_F;
        p_M = B.p + arm_M;
        // Of the differences, so that far from the world's origin no more is lost than poses have lost.
        between = (B.p - A.p) + (arm_M - arm_F);
        X_FM = {transpose(R_WF) * R_WM, transpose_mul(R_WF, between)};
    }

    int link_a, link_b;
    Vec3<T> p_F, p_M, between;  // in the world; from F to M
    // How they move in the frames of their links, which deform.
    Vec3<T> slip_F = Vec3<T>::zero(), slip_M = Vec3<T>::zero();
    Mat3<T> R_WF;
    Transform<T> X_FM;
};

// The coordinates (nq) as a joint in the tree has them, and the motions of the freedoms (nv), in the axes of
// F. loop_q: of the state; null where turns do not matter.
template <class T>
void read_coordinates(const std::vector<T>* loop_q, const Model& model, const Model::Loop& loop,
                      const Transform<T>& X_FM, T* q, Motion<T>* S) {
    const joints::Parameters<T> parameters{lift<T>(loop.pitch)};
    joints::visit_joint(loop.type, [&](auto kind) {
        using J = decltype(kind);
        T near[joints::max_nq];
        const T reference = lift<T>(loop.reference);
        for (int k = 0; k < J::nq; ++k) {
            near[k] = T(0);
            if (loop.q_adr < 0 || !loop_q) continue;
            const std::size_t at = static_cast<std::size_t>(loop.q_adr + k);
            near[k] = loop_q->empty() ? lift<T>(model.loop_q0[at]) : (*loop_q)[at];
            if (J::nq == 1) near[k] -= reference;
        }
        J::coordinates(parameters, X_FM, near, q);
        J::motion(parameters, q, S);
        if (J::nq == 1) q[0] += reference;
    });
}

template <class T>
Force<T> along_freedom(const Motion<T>& S) {
    const auto turns = dot(S.ang, S.ang) > T(real_t<T>(0.5));
    const Vec3<T> none = Vec3<T>::zero();
    const auto choose = [&](const Vec3<T>& a, const Vec3<T>& b) -> Vec3<T> {
        return {select(turns, a.x, b.x), select(turns, a.y, b.y), select(turns, a.z, b.z)};
    };
    return {choose(S.ang, none), choose(none, S.lin)};
}

// An angle of a ball and its gradient, in the axes of M, in one lane.
struct BallAngle {
    double angle;
    Vec3d gradient;
};
inline BallAngle ball_angle(const Model::TendonTerm& term, const Model::Loop& loop, const Quatd& r,
                            const Vec3d& angular_velocity) {
    if (term.reading == Model::LoopReading::cone) {
        const RotationAngle rotation = rotation_angle(r, angular_velocity);
        return {rotation.angle, rotation.gradient};
    }
    const SwingTwist angles = swing_twist(r, loop.twist_axis, angular_velocity);
    if (term.reading == Model::LoopReading::swing) return {angles.swing, angles.swing_gradient};
    return {joints::unwrap(angles.twist, middle_of(*loop.twist)), angles.twist_gradient};
}

template <class T>
LoopLength<T> ball_length(const Workspace<T>& ws, const Model::TendonTerm& term, const LoopPose<T>& pose) {
    using Reading = Model::LoopReading;
    const Mat3<T>& R = pose.X_FM.R;
    const Quat<T> r = quaternion(R);
    const Vec3<T> none = Vec3<T>::zero();
    if (term.reading == Reading::freedom || term.reading == Reading::freedom_in_parent) {
        const Mat3<T> in_parent = Mat3<T>::identity();
        const Mat3<T>& axes = term.reading == Reading::freedom ? R : in_parent;
        return {rotation_log(r)[term.freedom], {(&axes.x)[term.freedom], none}};
    }
    const Vec3<T> turning = carrier_velocity(ws, pose.link_b).ang - carrier_velocity(ws, pose.link_a).ang;
    const Vec3<T> w = transpose_mul(R, transpose_mul(pose.R_WF, turning));
    LoopLength<T> out{T(0), {none, none}};
    Vec3<T> gradient = none;
    for (int lane = 0; lane < lane_width<T>; ++lane) {
        const auto number = [&](const T& x) { return static_cast<double>(get_lane(x, lane)); };
        const BallAngle found = ball_angle(term, ws.model().loops[term.loop],
                                           {number(r.w), number(r.x), number(r.y), number(r.z)},
                                           {number(w.x), number(w.y), number(w.z)});
        set_lane(out.length, lane, real_t<T>(found.angle));
        for (int k = 0; k < 3; ++k) set_lane(gradient[k], lane, real_t<T>(found.gradient[k]));
    }
    out.along.ang = R * gradient;
    return out;
}

// What a term of a tendon reads of a loop.
template <class T>
LoopLength<T> loop_length(const std::vector<T>* loop_q, const Workspace<T>& ws,
                          const Model::TendonTerm& term, const LoopPose<T>& pose) {
    const Model::Loop& loop = ws.model().loops[term.loop];
    if (loop.type == JointType::ball) return ball_length(ws, term, pose);
    T q[joints::max_nq];
    Motion<T> S[joints::max_nv];
    read_coordinates(loop_q, ws.model(), loop, pose.X_FM, q, S);
    return {q[term.freedom], along_freedom(S[term.freedom])};
}

// The forces of a term on the two links: add(link, stop, PointForce), as spatial_length has it. The number
// that the term reads is returned, without the coefficient.
template <class T, class Add>
T add_loop_term(const JointState<T>& state, const Workspace<T>& ws, const Model::TendonTerm& term,
                const Add& add) {
    const LoopPose<T> pose(ws, ws.model().loops[term.loop]);
    const LoopLength<T> own = loop_length(&state.loop_q, ws, term, pose);
    const T c = lift<T>(term.coefficient);
    const Vec3<T> force = c * (pose.R_WF * own.along.lin), moment = c * (pose.R_WF * own.along.ang);
    const int stop = common_carrier(ws.model().tree, pose.link_a, pose.link_b);
    add(pose.link_b, stop, {pose.p_M, force, moment});
    // At M's origin on A, too; but what is at p_F is a point of A.
    add(pose.link_a, stop, {pose.p_F, -force, -moment - cross(pose.between, force)});
    return own.length;
}

// The acceleration of the number under the link accelerations that the last recursion left behind; not of
// angles that limits bound.
template <class T>
T loop_acceleration(const Workspace<T>& ws, const Model::TendonTerm& term) {
    const LoopPose<T> pose(ws, ws.model().loops[term.loop]);
    const LoopLength<T> own = loop_length<T>(nullptr, ws, term, pose);
    struct At {
        Vec3<T> velocity, acceleration;
    };
    // Of the point of a link that is at M's origin now.
    const auto motion_of = [&](int link, const Vec3<T>& slip) -> At {
        const Motion<T>&V = carrier_velocity(ws, link), &a = carrier_acceleration(ws, link);
        const Vec3<T> arm = pose.p_M - carrier_pose(ws, link).p;
        return {V.lin + cross(V.ang, arm) + slip, a.lin + cross(a.ang, arm) +
                                                      cross(V.ang, cross(V.ang, arm)) +
                                                      T(real_t<T>(2)) * cross(V.ang, slip)};
    };
    const At of_a = motion_of(pose.link_a, pose.slip_F), of_b = motion_of(pose.link_b, pose.slip_M);
    const Vec3<T>& w_a = carrier_velocity(ws, pose.link_a).ang;
    const Vec3<T>& w_b = carrier_velocity(ws, pose.link_b).ang;
    const Vec3<T> linear = of_b.acceleration - of_a.acceleration -
                           T(real_t<T>(2)) * cross(w_a, of_b.velocity - of_a.velocity);
    const Vec3<T> angular = carrier_acceleration(ws, pose.link_b).ang -
                            carrier_acceleration(ws, pose.link_a).ang - cross(w_a, w_b);
    return dot(pose.R_WF * own.along.lin, linear) + dot(pose.R_WF * own.along.ang, angular);
}

// Of all terms of a tendon that read loops.
template <class T>
T loop_accelerations(const Workspace<T>& ws, const Model::Tendon& tendon) {
    T sum(0);
    for (int k = tendon.term_begin; k < tendon.term_begin + tendon.term_count; ++k)
        if (const Model::TendonTerm& term = ws.model().tendon_terms[k]; term.loop >= 0)
            sum += lift<T>(term.coefficient) * loop_acceleration<T>(ws, term);
    return sum;
}

}  // namespace lig
