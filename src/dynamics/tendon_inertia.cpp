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
// J̇ v is the acceleration of the length when v̇ = 0: tendon_acceleration.h.

#include "dynamics/drive_rows.h"
#include "dynamics/kernel_views.h"
#include "dynamics/tendon_acceleration.h"
#include "linalg/small_dense.h"

namespace lig {

namespace {

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
        drives.inertial_force[i] = T(0);
        for (int k = tendon.term_begin; k < tendon.term_begin + tendon.term_count; ++k)
            if (const Model::TendonTerm& term = model.tendon_terms[k]; term.loop < 0)
                drives.inertial_force[i] += lift<T>(term.coefficient) * qacc[term.v_adr];
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
    return {of_bodies.kinetic + of_tendons.kinetic, of_bodies.potential + of_tendons.potential,
            of_bodies.elastic + of_tendons.elastic};
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
