#include <ligament/dynamics.h>

#include "core/lift.h"
#include "dynamics/dynamics_parts.h"
#include "dynamics/kernel_views.h"
#include "dynamics/polynomial_force.h"
#include "dynamics/rotation_spring.h"
#include "dynamics/shape_forces.h"
#include "dynamics/stretches.h"
#include "joints/joint_list.h"
#include "model/split_inertia.h"

#include <ligament/bushing.h>

namespace lig {

namespace {

template <class T>
void require_state(const JointState<T>& state, const Model& model) {
    require_size(state.q.size(), model.nq, "q");
    require_size(state.v.size(), model.nv, "v");
    require_size(state.kinematic.size(), model.nkinematic, "the list of kinematic bodies");
}

// The articulated-body recursion knows rigid links only.
void require_rigid(const Model& model) {
    if (!model.deforming.empty())
        throw std::invalid_argument("lig: forward dynamics in joint space does not have bodies that deform");
}

// Calls f(joint, first, count, displacement from the spring's rest, its size) for every spring of a joint,
// in the space of velocities. Rotations and positions in space have one spring each, over three velocities;
// every other coordinate has its own.
template <class T, class F>
void for_each_spring(const JointState<T>& state, const Model& model, F&& f) {
    for (const Model::Joint& joint : model.joints) {
        if (is_zero(joint.stiffness, joint.stiffness_poly)) continue;
        T rest[joints::max_nq];
        T displacement[joints::max_nv];
        for (int k = 0; k < joint.nq; ++k) rest[k] = lift<T>(model.q_spring[joint.q_adr + k]);
        joints::visit_joint(joint.type, [&](auto kind) {
            decltype(kind)::difference(rest, state.q.data() + joint.q_adr, displacement);
        });
        const int count = joint.type == JointType::ball || joint.type == JointType::free ? 3 : 1;
        for (int first = 0; first < joint.nv; first += count) {
            const T* x = displacement + first;
            f(joint, first, count, x, count == 1 ? x[0] : sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
        }
    }
}

// Calls f(joint, its displacement from rest in the spring's axes) for every ball with a spring of three axes.
template <class T, class F>
void for_each_axis_spring(const JointState<T>& state, const Model& model, F&& f) {
    for (const Model::Joint& joint : model.joints) {
        if (!joint.axis_spring) continue;
        T rest[4];
        Vec3<T> e;
        for (int k = 0; k < 4; ++k) rest[k] = lift<T>(model.q_spring[joint.q_adr + k]);
        joints::Ball::difference(rest, state.q.data() + joint.q_adr, &e.x);
        f(joint, transpose_mul(lift<T>(joint.axis_spring->R_MS), e));
    }
}

}  // namespace

template <class T>
void set_bases(const JointState<T>& state, Workspace<T>& ws) {
    const Vec3<T> g = lift<T>(ws.model().options.gravity);
    ws.bases[0] = {Transform<T>::identity(), Motion<T>::zero(), {Vec3<T>::zero(), -g}};
    for (std::size_t k = 0; k < state.kinematic.size(); ++k) {
        const BaseMotion<T>& base = state.kinematic[k];
        const Motion<T> against_gravity = {base.acceleration.ang, base.acceleration.lin - g};
        ws.bases[1 + k] = {{rotation_matrix(base.quat), base.pos}, base.velocity, against_gravity};
    }
}

template <class T>
void forward_dynamics(const JointState<T>& state, std::span<const T> tau, Workspace<T>& ws, std::span<T> qacc,
                      bool with_external) {
    require_state(state, ws.model());
    require_rigid(ws.model());
    require_size(tau.size(), ws.model().nv, "tau");
    require_size(qacc.size(), ws.model().nv, "qacc");
    set_bases(state, ws);
    kernels<T>().aba(view<T>(ws.tree()), view(ws, with_external), state.q.data(), state.v.data(), tau.data(),
                     qacc.data());
}

template <class T>
void inverse_dynamics(const JointState<T>& state, std::span<const T> qacc, Workspace<T>& ws, std::span<T> tau,
                      bool with_external) {
    require_state(state, ws.model());
    require_size(tau.size(), ws.model().nv, "tau");
    require_size(qacc.size(), ws.model().nv, "qacc");
    set_bases(state, ws);
    kernels<T>().rnea(view<T>(ws.tree()), view(ws, with_external), state.q.data(), state.v.data(),
                      qacc.data(), tau.data());
    deform(state, qacc, ws, tau, with_external);
}

template <class T>
void forward_kinematics(const JointState<T>& state, Workspace<T>& ws) {
    require_state(state, ws.model());
    set_bases(state, ws);
    kernels<T>().kinematics(view<T>(ws.tree()), view(ws, false), state.q.data(), state.v.data());
    set_stretches(state, ws);
}

template <class T>
void mass_matrix(const JointState<T>& state, Workspace<T>& ws, std::span<T> M) {
    const std::size_t nv = ws.model().nv;
    require_size(M.size(), nv * nv, "M");
    forward_kinematics(state, ws);
    kernels<T>().crba(view<T>(ws.tree()), view(ws, false), state.q.data(), M.data());
    deform_mass(state, ws.model(), M);
}

template <class T>
Transform<T> body_pose(const Workspace<T>& ws, int body) {
    const Model::Body& b = ws.model().bodies[body];
    return carrier_pose(ws, b.link) * lift<T>(b.X_LB);
}

template <class T>
Motion<T> body_velocity(const Workspace<T>& ws, int body) {
    const Model::Body& b = ws.model().bodies[body];
    return shift(carrier_velocity(ws, b.link), carrier_pose(ws, b.link).R * lift<T>(b.X_LB.p));
}

template <class T>
void frame_jacobian(const Workspace<T>& ws, int body, const Vec3<T>& p_B, Axes axes, std::span<T> J) {
    const Model& model = ws.model();
    const std::size_t nv = model.nv;
    require_size(J.size(), 6 * nv, "J");
    for (T& entry : J) entry = T(0);
    const Transform<T> X_WB = body_pose(ws, body);
    const StretchWork<T>* const shape = stretch_of(ws, model.bodies[body].link);
    const Vec3<T> p_W = X_WB * stretched(ws, model.bodies[body].link, p_B);
    if (shape)
        for (int row = 0; row < 3; ++row) {
            const Mat3<T> unit = Mat3<T>::identity();
            const Vec3<T> along[] = {unit.x, unit.y, unit.z};
            const Vec3<T> axis = axes == Axes::local ? X_WB.R * along[row] : along[row];
            for_each_stretch_pull(ws, model.bodies[body].link, axis, p_B, -1,
                                  [&](int k, const T& value) { J[(3 + row) * nv + k] = value; });
        }
    const Tree<double>& tree = model.tree;
    for (int link = model.bodies[body].link; link >= 0; link = tree.links[link].parent) {
        const Vec3<T> arm = p_W - ws.poses[link].X_WL.p;
        const int stretches =
            tree.links[link].stretch < 0 ? 0 : tree.stretches[tree.links[link].stretch].count;
        const int end = tree.links[link].v_adr + tree.links[link].nv - stretches;
        for (int k = tree.links[link].v_adr; k < end; ++k) {
            Motion<T> column = shift(ws.S[k], arm);
            if (axes == Axes::local)
                column = {transpose_mul(X_WB.R, column.ang), transpose_mul(X_WB.R, column.lin)};
            for (int row = 0; row < 3; ++row) {
                J[row * nv + k] = column.ang[row];
                J[(3 + row) * nv + k] = column.lin[row];
            }
        }
    }
}

template <class T>
void body_state(const JointState<T>& state, Workspace<T>& ws, BodyState<T>& out) {
    forward_kinematics(state, ws);
    const int n = static_cast<int>(ws.model().bodies.size());
    require_size(out.pos.size(), n, "the body state");
    for (int b = 0; b < n; ++b) {
        const Transform<T> X_WB = body_pose(ws, b);
        out.pos[b] = X_WB.p;
        out.quat[b] = quaternion(X_WB.R);
        out.vel[b] = body_velocity(ws, b);
    }
    out.time = state.time;
}

template <class T>
void clear_external(Workspace<T>& ws) {
    for (Force<T>& f : ws.f_ext) f = Force<T>::zero();
}

template <class T>
void add_body_wrench(Workspace<T>& ws, int body, const Vec3<T>& force, const Vec3<T>& moment) {
    const Model::Body& b = ws.model().bodies[body];
    if (b.link < 0) return;  // the world and kinematic bodies do not yield
    const Vec3<T> arm = carrier_pose(ws, b.link).R * lift<T>(b.X_LB * b.com);
    ws.f_ext[b.link] += {moment + cross(arm, force), force};
}

template <class T>
void add_gravity_compensation(Workspace<T>& ws) {
    const Model& model = ws.model();
    const Vec3<T> up = lift<T>(-model.options.gravity);
    for (std::size_t i = 0; i < model.floating_mass.size(); ++i) {
        const Vec3<T> moment_arm = ws.poses[i].X_WL.R * lift<T>(model.floating_moment[i]);
        ws.f_ext[i] += {cross(moment_arm, up), T(real_t<T>(model.floating_mass[i])) * up};
    }
}

template <class T>
void add_spring_forces(const JointState<T>& state, const Model& model, std::span<T> tau) {
    require_size(tau.size(), model.nv, "tau");
    for_each_spring(state, model,
                    [&](const Model::Joint& joint, int first, int count, const T* x, const T& size) {
                        const T stiffness = stiffness_at(joint.stiffness, joint.stiffness_poly, size);
                        for (int k = 0; k < count; ++k) tau[joint.v_adr + first + k] -= stiffness * x[k];
                    });
    for_each_axis_spring(state, model, [&](const Model::Joint& joint, const Vec3<T>& e) {
        const Vec3<T> torque =
            lift<T>(joint.axis_spring->R_MS) * rotation_spring_torque(joint.axis_spring->stiffness, e);
        for (int k = 0; k < 3; ++k) tau[joint.v_adr + k] += torque[k];
    });
    for_each_bulk(state, model, [&](const Model::Deforming& body, const T& sum, int first) {
        for (int k = 0; k < 3; ++k) tau[first + k] -= T(real_t<T>(body.bulk)) * sum;
    });
    for_each_own_law(state, model,
                     [&](const bodies::Modal& own, int first, const ShapeForces& forces, int lane) {
                         for (int k = 0; k < own.count; ++k) {
                             T& to = tau[first + k];
                             set_lane(to, lane,
                                      static_cast<real_t<T>>(get_lane(to, lane) + forces.force[k]));
                         }
                     });
}

template <class T>
void add_damping_forces(const JointState<T>& state, const Model& model, std::span<T> tau) {
    require_size(tau.size(), model.nv, "tau");
    for (const Model::Joint& joint : model.joints) {
        if (is_zero(joint.damping, joint.damping_poly)) continue;
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
            tau[k] -= damping_at(joint.damping, joint.damping_poly, state.v[k]) * state.v[k];
    }
    for_each_bulk(state, model, [&](const Model::Deforming& body, const T&, int first) {
        const T rate = state.v[first] + state.v[first + 1] + state.v[first + 2];
        for (int k = 0; k < 3; ++k) tau[first + k] -= T(real_t<T>(body.bulk_damping)) * rate;
    });
    // Between coordinates of a program's kind; of each, it is the joint's.
    for (std::size_t i = 0; i < model.deforming.size(); ++i)
        if (const bodies::Modal* const own = model.deforming[i].modal.get()) {
            const int first = model.tree.stretches[i].v_adr;
            for (int k = 0; k < own->count; ++k)
                for (int l = 0; l < own->count; ++l)
                    tau[first + k] -= T(real_t<T>(own->damping[k][l])) * state.v[first + l];
        }
}

template <class T>
Energy<T> energy(const JointState<T>& state, const Workspace<T>& ws) {
    const T half = T(real_t<T>(0.5));
    const Model& model = ws.model();
    const Vec3<T> g = lift<T>(model.options.gravity);
    Energy<T> sum{T(0), T(0), T(0)};
    for (std::size_t i = 0; i < ws.poses.size(); ++i) {
        const Transform<T>& X_WL = ws.poses[i].X_WL;
        const Motion<T>& V = ws.poses[i].V_WL;
        const RigidInertia<T> own = world_inertia(X_WL.R, ws.tree().links[i].inertia);
        const int deforms = ws.tree().links[i].stretch;
        sum.kinetic += deforms < 0 ? half * dot(V, own * V) : stretched_energy(state, ws, deforms);
        sum.potential -= dot(g, own.mass * X_WL.p + own.h);
        if (!model.floating_mass.empty())
            sum.potential +=
                dot(g, lift<T>(model.floating_mass[i]) * X_WL.p + X_WL.R * lift<T>(model.floating_moment[i]));
    }
    for (std::size_t k = 0; k < model.joints.size(); ++k) {
        const Model::Joint& joint = model.joints[k];
        for (int d = joint.v_adr; d < joint.v_adr + joint.nv; ++d)
            sum.kinetic += half * T(real_t<T>(joint.armature)) * state.v[d] * state.v[d];
    }
    sum.elastic = bushing_energy(ws);
    if (model.options.enabled.spring) {
        for_each_spring(state, model, [&](const Model::Joint& joint, int, int, const T*, const T& size) {
            sum.elastic += spring_energy_at(joint.stiffness, joint.stiffness_poly, size);
        });
        for_each_axis_spring(state, model, [&](const Model::Joint& joint, const Vec3<T>& e) {
            sum.elastic += rotation_spring_energy(joint.axis_spring->stiffness, e);
        });
        for_each_bulk(state, model, [&](const Model::Deforming& body, const T& stretched, int) {
            sum.elastic += half * T(real_t<T>(body.bulk)) * stretched * stretched;
        });
        for_each_own_law(state, model,
                         [&](const bodies::Modal&, int, const ShapeForces& forces, int lane) {
                             set_lane(sum.elastic, lane,
                                      static_cast<real_t<T>>(get_lane(sum.elastic, lane) + forces.energy));
                         });
    }
    sum.potential += sum.elastic;
    return sum;
}

template <class T>
Vec3<T> center_of_mass(const Workspace<T>& ws) {
    T mass(0);
    Vec3<T> moment = Vec3<T>::zero();
    for (std::size_t i = 0; i < ws.poses.size(); ++i) {
        const Transform<T>& X_WL = ws.poses[i].X_WL;
        const T own = lift<T>(ws.tree().links[i].inertia.mass);
        mass += own;
        moment += own * X_WL.p + X_WL.R * lift<T>(ws.tree().links[i].inertia.h);
    }
    const auto massless = mass == T(0);
    return (T(1) / select(massless, T(1), mass)) * moment;
}

template <class T>
Force<T> momentum(const Workspace<T>& ws) {
    const Vec3<T> com = center_of_mass(ws);
    Force<T> sum = Force<T>::zero();
    for (std::size_t i = 0; i < ws.poses.size(); ++i) {
        const Transform<T>& X_WL = ws.poses[i].X_WL;
        const int deforms = ws.tree().links[i].stretch;
        const Force<T> own = deforms >= 0
                                 ? stretched_momentum(ws, deforms)
                                 : world_inertia(X_WL.R, ws.tree().links[i].inertia) * ws.poses[i].V_WL;
        sum += shift_back(own, X_WL.p - com);
    }
    return sum;
}

template <class T>
void integrate(const Workspace<T>& ws, std::span<const T> q, std::span<const T> v, const T& h,
               std::span<T> out) {
    require_size(q.size(), ws.model().nq, "q");
    require_size(v.size(), ws.model().nv, "v");
    require_size(out.size(), ws.model().nq, "the resulting q");
    kernels<T>().integrate(view<T>(ws.tree()), q.data(), v.data(), &h, out.data());
}

template <class T>
void difference(const Workspace<T>& ws, std::span<const T> q0, std::span<const T> q1, std::span<T> v) {
    require_size(q0.size(), ws.model().nq, "q0");
    require_size(q1.size(), ws.model().nq, "q1");
    require_size(v.size(), ws.model().nv, "v");
    kernels<T>().difference(view<T>(ws.tree()), q0.data(), q1.data(), v.data());
}

void loop_residual(const Workspace<double>& ws, int index, std::span<double> out) {
    const Model::Loop& loop = ws.model().loops[index];
    require_size(out.size(), loop.rows, "the loop residual");
    const Transformd X_WF = attached_frame(ws, loop.body_a, loop.X_AF);
    const Transformd X_FM = X_WF.inverse() * attached_frame(ws, loop.body_b, loop.X_BM);
    const double near[joints::max_nq] = {};
    joints::visit_joint(loop.type, [&](auto kind) {
        decltype(kind)::residual(joints::parameters_of(loop), X_FM, near, out.data());
    });
}

#define LIG_INSTANTIATE(T)                                                                                \
    template void set_bases(const JointState<T>&, Workspace<T>&);                                         \
    template void forward_dynamics(const JointState<T>&, std::span<const T>, Workspace<T>&, std::span<T>, \
                                   bool);                                                                 \
    template void inverse_dynamics(const JointState<T>&, std::span<const T>, Workspace<T>&, std::span<T>, \
                                   bool);                                                                 \
    template void forward_kinematics(const JointState<T>&, Workspace<T>&);                                \
    template void mass_matrix(const JointState<T>&, Workspace<T>&, std::span<T>);                         \
    template Transform<T> body_pose(const Workspace<T>&, int);                                            \
    template Motion<T> body_velocity(const Workspace<T>&, int);                                           \
    template void frame_jacobian(const Workspace<T>&, int, const Vec3<T>&, Axes, std::span<T>);           \
    template void body_state(const JointState<T>&, Workspace<T>&, BodyState<T>&);                         \
    template void clear_external(Workspace<T>&);                                                          \
    template void add_body_wrench(Workspace<T>&, int, const Vec3<T>&, const Vec3<T>&);                    \
    template void add_gravity_compensation(Workspace<T>&);                                                \
    template void add_spring_forces(const JointState<T>&, const Model&, std::span<T>);                    \
    template void add_damping_forces(const JointState<T>&, const Model&, std::span<T>);                   \
    template Energy<T> energy(const JointState<T>&, const Workspace<T>&);                                 \
    template Vec3<T> center_of_mass(const Workspace<T>&);                                                 \
    template Force<T> momentum(const Workspace<T>&);                                                      \
    template void integrate(const Workspace<T>&, std::span<const T>, std::span<const T>, const T&,        \
                            std::span<T>);                                                                \
    template void difference(const Workspace<T>&, std::span<const T>, std::span<const T>, std::span<T>);
LIG_FOR_EACH_SCALAR(LIG_INSTANTIATE)
#undef LIG_INSTANTIATE

}  // namespace lig
