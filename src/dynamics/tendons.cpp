// Lengths of tendons, their derivatives, their springs and dampers.
//
// Fixed: l = Σ c q, of joints that close loops by loop_length.h. Spatial: tendon_length.h.

#include "dynamics/drive_rows.h"
#include "dynamics/loop_length.h"
#include "dynamics/tendon_force.h"
#include "dynamics/tendon_length.h"

namespace lig {

template <class T>
void update_tendons(const JointState<T>& state, const Workspace<T>& ws, DriveWorkspace<T>& drives) {
    const Model& model = ws.model();
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Model::Tendon& tendon = model.tendons[i];
        RowBuilder<T> row(ws, drives, tendon.row);
        if (tendon.point_count > 0) {
            drives.tendon_length[i] =
                spatial_length(ws, tendon, [&](int link, int stop, const PointForce<T>& force) {
                    row.add(link, stop, force);
                });
        } else {
            T length(0);
            for (int k = tendon.term_begin; k < tendon.term_begin + tendon.term_count; ++k) {
                const Model::TendonTerm& term = model.tendon_terms[k];
                if (term.loop >= 0) {
                    length += lift<T>(term.coefficient) *
                              add_loop_term(state, ws, term, [&](int link, int stop, const PointForce<T>& f) {
                                  row.add(link, stop, f);
                              });
                    continue;
                }
                length += lift<T>(term.coefficient) * state.q[term.q_adr];
                drives.row[term.v_adr] += lift<T>(term.coefficient);
            }
            drives.tendon_length[i] = length;
        }
        drives.tendon_velocity[i] = row.finish(state.v);
    }
}

template <class T>
void add_tendon_spring_forces(const Model& model, const DriveWorkspace<T>& drives, std::span<T> tau) {
    require_size(tau.size(), model.nv, "tau");
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Model::Tendon& tendon = model.tendons[i];
        if (is_zero(tendon.stiffness, tendon.stiffness_poly)) continue;
        add_along_row(model, drives, tendon.row, spring_force(tendon, drives.tendon_length[i]), tau);
    }
}

template <class T>
void add_tendon_damping_forces(const Model& model, const DriveWorkspace<T>& drives, std::span<T> tau) {
    require_size(tau.size(), model.nv, "tau");
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Model::Tendon& tendon = model.tendons[i];
        if (is_zero(tendon.damping, tendon.damping_poly)) continue;
        add_along_row(model, drives, tendon.row, damper_force(tendon, drives.tendon_velocity[i]), tau);
    }
}

template <class T>
Energy<T> tendon_energy(const Model& model, const DriveWorkspace<T>& drives) {
    Energy<T> sum{T(0), T(0), T(0)};
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Model::Tendon& tendon = model.tendons[i];
        const T& v = drives.tendon_velocity[i];
        sum.kinetic += lift<T>(tendon.armature / 2) * v * v;
        if (!model.options.enabled.spring || is_zero(tendon.stiffness, tendon.stiffness_poly)) continue;
        sum.elastic += spring_energy_at(tendon.stiffness, tendon.stiffness_poly,
                                        stretch(tendon, drives.tendon_length[i]));
    }
    sum.potential = sum.elastic;
    return sum;
}

#define LIG_INSTANTIATE(T)                                                                         \
    template void update_tendons(const JointState<T>&, const Workspace<T>&, DriveWorkspace<T>&);   \
    template void add_tendon_spring_forces(const Model&, const DriveWorkspace<T>&, std::span<T>);  \
    template void add_tendon_damping_forces(const Model&, const DriveWorkspace<T>&, std::span<T>); \
    template Energy<T> tendon_energy(const Model&, const DriveWorkspace<T>&);
LIG_FOR_EACH_SCALAR(LIG_INSTANTIATE)
#undef LIG_INSTANTIATE

}  // namespace lig
