#pragma once

// Links that deform in inverse dynamics and the mass matrix, which the recursions know as rigid ones.

#include "dynamics/stretches.h"

#include <ligament/state.h>

#include <span>

namespace lig {

// How a link that deforms moves and is accelerated: in the axes of the body, but for the centre of mass.
template <class T>
struct ShapeAcceleration {
    Vec3<T> w, turning;     // angular velocity and its derivative
    Sym3<T> rate, second;   // of S
    Vec3<T> linear;         // of the centre of mass, in world axes
};

// What its freedoms feel of that: its free joint and its stretches, into `out`.
template <class Kind, class T>
void write_inertial_forces(const Kind& kind, const Model::Deforming& body, double mass, const Sym3<T>& S,
                           const ShapeAcceleration<T>& a, T* out) {
    Vec3<T> moment;
    if constexpr (Kind::kind == BodyKind::program) {
        kind.inertial(S, a.w, a.rate, a.turning, a.second, moment, out + 6);
    } else {
        const Mat3<T> shape = S.full();
        const Mat3<T> second = bodies::turned_by(a.turning, shape) + a.second.full() +
                               bodies::turned_by(a.w, bodies::turned_by(a.w, shape)) +
                               T(2) * bodies::turned_by(a.w, a.rate.full());
        const Mat3<T> P = second * lift<T>(body.moment.full());
        moment = bodies::axial(P * shape);
        Kind::gather(bodies::both_sides(P), out + 6);
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = T(real_t<T>(mass)) * a.linear[k];
        out[3 + k] = moment[k];
    }
}

// Calls f(kind, deforming, link, S) for the links that deform.
template <class T, class F>
void for_each_deforming(const JointState<T>& state, const Model& model, F&& f) {
    for (std::size_t i = 0; i < model.deforming.size(); ++i) {
        const TreeStretch& own = model.tree.stretches[i];
        visit_deforming(model, static_cast<int>(i), [&](auto kind) {
            f(kind, model.deforming[i], own.link, kind.spread(state.q.data() + own.q_adr));
        });
    }
}

// tau of the links that deform, which the recursion took for rigid ones: M v̇ − bias, less weight and what is
// applied.
template <class T>
void deform(const JointState<T>& state, std::span<const T> qacc, const Workspace<T>& ws, std::span<T> tau,
            bool with_external) {
    const Model& model = ws.model();
    for_each_deforming(state, model, [&](auto kind, const auto& body, int index, const Sym3<T>& S) {
        const TreeLink<double>& link = model.tree.links[index];
        const T *v = state.v.data() + link.v_adr, *a = qacc.data() + link.v_adr;
        T* const out = tau.data() + link.v_adr;
        write_inertial_forces(kind, body, link.inertia.mass, S,
                              {.w = {v[3], v[4], v[5]},
                               .turning = {a[3], a[4], a[5]},
                               .rate = kind.spread(v + 6),
                               .second = kind.spread(a + 6),
                               .linear = Vec3<T>{a[0], a[1], a[2]} - lift<T>(model.options.gravity)},
                              out);
        if (!with_external) return;
        const Force<T>& f = ws.f_ext[index];
        const Vec3<T> moment = transpose_mul(ws.links[index].R_WL, f.ang);
        for (int k = 0; k < 3; ++k) {
            out[k] -= f.lin[k];
            out[3 + k] -= moment[k];
        }
    });
}

// Their blocks of the mass matrix.
template <class T>
void deform_mass(const JointState<T>& state, const Model& model, std::span<T> M) {
    for_each_deforming(state, model, [&](auto kind, const auto& body, int index, const Sym3<T>& S) {
        using Kind = decltype(kind);
        const TreeLink<double>& link = model.tree.links[index];
        const int dim = kind.freedoms();
        for (int column = 0; column < dim; ++column) {
            T a[Kind::dim], force[Kind::dim];
            for (int k = 0; k < dim; ++k) a[k] = T(real_t<T>(k == column));
            write_inertial_forces(kind, body, link.inertia.mass, S,
                                  {.w = Vec3<T>::zero(),
                                   .turning = {a[3], a[4], a[5]},
                                   .rate = Sym3<T>::zero(),
                                   .second = kind.spread(a + 6),
                                   .linear = {a[0], a[1], a[2]}},
                                  force);
            for (int k = 0; k < dim; ++k)
                M[static_cast<std::size_t>(link.v_adr + k) * model.nv + link.v_adr + column] = force[k];
        }
    });
}

}  // namespace lig
