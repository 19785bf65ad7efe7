// Dynamics with tendons that have inertia: a mass a that moves with the velocity of the tendon's length,
// such as the rotor of a motor that winds it up. Its energy ½ a l̇² with l̇ = J v adds a JᵀJ to the inertia
// matrix and a Jᵀ J̇ v to the velocity-dependent forces.
//
// The tree's recursions know nothing of it. To them such a tendon is one that pulls with the force λ = −a (J
// v̇ + J̇ v). With v̇ = v̇₀ + X λ, v̇₀ the acceleration without tendons and X = M⁻¹ Jᵀ, the forces follow
// from a system of the size of their number (this is Woodbury's identity for (M + Jᵀ A J)⁻¹):
//
//     (A⁻¹ + J X) λ = −(J v̇₀ + J̇ v).
//
// Cost: one more forward recursion per tendon with inertia, for its column of X. The matrix is exact; MuJoCo
// keeps only the entries of Jᵀ A J between freedoms of one chain, so accelerations differ from its for
// tendons that span branches.
//
// J̇ v is the acceleration of the length when v̇ = 0. The recursions leave behind the links' accelerations,
// less gravity; a straight piece between p and q, with unit vector d and length s, has the acceleration d ·
// (q̈ − p̈) + (|q̇ − ṗ|² − (d · (q̇ − ṗ))²) / s, in which the gravity of both ends cancels.

#include "dynamics/drive_rows.h"
#include "dynamics/kernel_views.h"
#include "dynamics/tendon_path.h"
#include "linalg/small_dense.h"

namespace lig {

namespace {

template <class T>
struct PointMotion {
    Vec3<T> p, velocity, acceleration;
};

template <class T>
PointMotion<T> site_motion(const Workspace<T>& ws, int site) {
    const int link = site_link(ws.model(), site);
    const Vec3<T> p = site_position(ws, site);
    const Vec3<T> arm = p - carrier_pose(ws, link).p;
    const Motion<T>& a = link >= 0 ? ws.links[link].a0 : ws.bases[-1 - link].a0;
    const Vec3<T>& w = link >= 0 ? ws.links[link].w : ws.bases[-1 - link].V_WL.ang;
    return {p, shift(carrier_velocity(ws, link), arm).lin,
            a.lin + cross(a.ang, arm) + cross(w, cross(w, arm))};
}

// The acceleration of a spatial tendon's length under the link accelerations that the last recursion left
// behind; zero for a fixed one.
template <class T>
T length_acceleration(const Workspace<T>& ws, const Model::Tendon& tendon) {
    const Model& model = ws.model();
    T sum(0);
    for_each_piece(model, tendon, [&](int from, const Model::TendonPoint*, int to, double divisor) {
        const PointMotion<T> a = site_motion(ws, from), b = site_motion(ws, to);
        const Vec3<T> between = b.p - a.p, velocity = b.velocity - a.velocity;
        const T length = sqrt(dot(between, between));
        const auto none = length == T(0);
        const T reciprocal = select(none, T(0), T(1) / select(none, T(1), length));
        const Vec3<T> d = reciprocal * between;
        const T along = dot(d, velocity);
        sum += lift<T>(1 / divisor) * (dot(d, b.acceleration - a.acceleration) +
                                       reciprocal * (dot(velocity, velocity) - along * along));
    });
    return sum;
}

template <class T>
T row_dot(const Model& model, const DriveWorkspace<T>& drives, const Model::Row& row, const T* v) {
    T sum(0);
    for (int k = row.begin; k < row.begin + row.count; ++k)
        sum += drives.row_entries[k] * v[model.row_velocities[k]];
    return sum;
}

// X = M⁻¹ Jᵀ row by row: the tree at rest and without gravity, pulled by one tendon.
template <class T>
void compute_responses(const JointState<T>& state, Workspace<T>& ws, DriveWorkspace<T>& drives) {
    const Model& model = ws.model();
    for (BaseWork<T>& base : ws.bases) base.V_WL = base.a0 = Motion<T>::zero();
    for (std::size_t i = 0; i < drives.inertial_tendons.size(); ++i) {
        const Model::Row& row = model.tendons[drives.inertial_tendons[i]].row;
        for (T& entry : drives.row) entry = T(0);
        add_along_row<T>(model, drives, row, T(1), drives.row);
        kernels<T>().aba(view<T>(ws.tree()), view(ws, false), state.q.data(), drives.still.data(),
                         drives.row.data(), drives.responses.data() + i * model.nv);
    }
}

}  // namespace

template <class T>
void forward_dynamics(const JointState<T>& state, std::span<const T> tau, Workspace<T>& ws,
                      DriveWorkspace<T>& drives, std::span<T> qacc, bool with_external) {
    const int n = static_cast<int>(drives.inertial_tendons.size());
    if (n == 0) return forward_dynamics(state, tau, ws, qacc, with_external);
    const Model& model = ws.model();
    set_bases(state, ws);
    compute_responses(state, ws, drives);
    // Last, so that the workspace holds this state's numbers afterwards.
    forward_dynamics(state, tau, ws, qacc, with_external);

    T* lambda = drives.inertial_force.data();
    for (int i = 0; i < n; ++i) {
        const Model::Tendon& tendon = model.tendons[drives.inertial_tendons[i]];
        lambda[i] = -(row_dot(model, drives, tendon.row, qacc.data()) +
                      length_acceleration<T>(ws, tendon));
        for (int k = 0; k <= i; ++k)
            drives.system[i * n + k] =
                row_dot(model, drives, tendon.row, drives.responses.data() + k * model.nv);
        drives.system[i * n + i] += lift<T>(1 / tendon.armature);
    }
    detail::cholesky(drives.system.data(), n, n, real_t<T>(0));
    detail::solve_down<false>(drives.system.data(), n, n, lambda, 1, 1);
    detail::solve_up<false>(drives.system.data(), n, n, lambda, 1, 1);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < model.nv; ++k) qacc[k] += drives.responses[i * model.nv + k] * lambda[i];
}

template <class T>
void inverse_dynamics(const JointState<T>& state, std::span<const T> qacc, Workspace<T>& ws,
                      DriveWorkspace<T>& drives, std::span<T> tau, bool with_external) {
    const Model& model = ws.model();
    // `qacc` and `tau` may be the same.
    for (std::size_t i = 0; i < drives.inertial_tendons.size(); ++i) {
        const Model::Tendon& tendon = model.tendons[drives.inertial_tendons[i]];
        drives.inertial_force[i] =
            tendon.term_count > 0 ? row_dot(model, drives, tendon.row, qacc.data()) : T(0);
    }
    inverse_dynamics(state, qacc, ws, tau, with_external);
    for (std::size_t i = 0; i < drives.inertial_tendons.size(); ++i) {
        const Model::Tendon& tendon = model.tendons[drives.inertial_tendons[i]];
        const T acceleration = drives.inertial_force[i] + length_acceleration<T>(ws, tendon);
        add_along_row(model, drives, tendon.row, lift<T>(tendon.armature) * acceleration, tau);
    }
}

template <class T>
void mass_matrix(const JointState<T>& state, Workspace<T>& ws, const DriveWorkspace<T>& drives,
                 std::span<T> M) {
    mass_matrix(state, ws, M);
    const Model& model = ws.model();
    for (const int tendon : drives.inertial_tendons) {
        const Model::Row& row = model.tendons[tendon].row;
        for (int i = row.begin; i < row.begin + row.count; ++i) {
            const T scaled = lift<T>(model.tendons[tendon].armature) * drives.row_entries[i];
            for (int k = row.begin; k < row.begin + row.count; ++k)
                M[model.row_velocities[i] * model.nv + model.row_velocities[k]] +=
                    scaled * drives.row_entries[k];
        }
    }
}

template <class T>
Energy<T> energy(const JointState<T>& state, const Workspace<T>& ws, const DriveWorkspace<T>& drives) {
    const Energy<T> of_bodies = energy(state, ws), of_tendons = tendon_energy(ws.model(), drives);
    return {of_bodies.kinetic + of_tendons.kinetic, of_bodies.potential + of_tendons.potential};
}

#define LIG_INSTANTIATE(T)                                                                                  \
    template void forward_dynamics(const JointState<T>&, std::span<const T>, Workspace<T>&,                 \
                                   DriveWorkspace<T>&, std::span<T>, bool);                                 \
    template void inverse_dynamics(const JointState<T>&, std::span<const T>, Workspace<T>&,                 \
                                   DriveWorkspace<T>&, std::span<T>, bool);                                 \
    template void mass_matrix(const JointState<T>&, Workspace<T>&, const DriveWorkspace<T>&, std::span<T>); \
    template Energy<T> energy(const JointState<T>&, const Workspace<T>&, const DriveWorkspace<T>&);
LIG_FOR_EACH_SCALAR(LIG_INSTANTIATE)
#undef LIG_INSTANTIATE

}  // namespace lig
