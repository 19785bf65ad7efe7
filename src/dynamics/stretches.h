#pragma once

// Links that deform, as functions on poses read them: where their points are, how they move, what forces at
// them do to the stretches, and what their springs do together. bodies/deforming.h has the equations.

#include "bodies/body_list.h"
#include "core/lift.h"

#include <ligament/model.h>
#include <ligament/workspace.h>

namespace lig {

// Calls f(kind, index) for the kind of one of Tree::stretches.
template <class F>
LIG_INLINE void visit_deforming(const Model& model, int index, F&& f) {
    bodies::visit_body(model.bodies[model.deforming[index].body].kind, [&](auto kind) LIG_INLINE_LAMBDA {
        if constexpr (decltype(kind)::stretches > 0) f(kind);
    });
}

// Null: the link does not deform, or is a base.
template <class T>
LIG_INLINE const StretchWork<T>* stretch_of(const Workspace<T>& ws, int link) {
    if (link < 0 || ws.stretches.empty()) return nullptr;
    const int index = ws.model().tree.links[link].stretch;
    return index < 0 ? nullptr : &ws.stretches[index];
}

// Where a point at r at rest is in the frame of its link.
template <class T>
LIG_INLINE Vec3<T> stretched(const Workspace<T>& ws, int link, const Vec3<T>& r) {
    const StretchWork<T>* const shape = stretch_of(ws, link);
    return shape ? shape->S * r : r;
}

template <class T>
void set_stretches(const JointState<T>& state, Workspace<T>& ws) {
    const std::vector<TreeStretch>& all = ws.model().tree.stretches;
    for (std::size_t i = 0; i < all.size(); ++i)
        visit_deforming(ws.model(), static_cast<int>(i), [&](auto kind) {
            using Kind = decltype(kind);
            ws.stretches[i] = {Kind::spread(state.q.data() + all[i].q_adr),
                               Kind::spread(state.v.data() + all[i].v_adr)};
        });
}

// What the stretches of a link feel of a force in world axes at r, both seen from the frame at rest:
// f(velocity index, value).
template <class T, class F>
void for_each_stretch_pull(const Workspace<T>& ws, int link, const Vec3<T>& force, const Vec3<T>& r, F&& f) {
    const int index = ws.model().tree.links[link].stretch;
    visit_deforming(ws.model(), index, [&](auto kind) {
        using Kind = decltype(kind);
        T values[Kind::stretches];
        Kind::gather(bodies::pull_on_stretches(transpose_mul(ws.poses[link].X_WL.R, force), r), values);
        for (int k = 0; k < Kind::stretches; ++k)
            f(ws.model().tree.stretches[index].v_adr + k, values[k]);
    });
}

// Where a point of a link is at rest, seen from its frame, that is now at p in the world.
template <class T>
Vec3<T> rest_place(const Workspace<T>& ws, int link, const Vec3<T>& p) {
    const Mat3<T> S = stretch_of(ws, link)->S.full();
    const Vec3<T> seen = transpose_mul(ws.poses[link].X_WL.R, p - ws.poses[link].X_WL.p);
    const Vec3<T> yz = cross(S.y, S.z);
    const T inverse = T(1) / dot(S.x, yz);
    return inverse * Vec3<T>{dot(seen, yz), dot(seen, cross(S.z, S.x)), dot(seen, cross(S.x, S.y))};
}

// Of a body that deforms, about its centre of mass.
template <class T>
struct ShapeMomentum {
    // moment: at rest; R and w: of its frame, w in world axes.
    ShapeMomentum(const Sym3d& moment, const Mat3<T>& R, const Vec3<T>& w, const StretchWork<T>& shape) {
        const Mat3<T> S = shape.S.full();
        const Mat3<T> D = bodies::turned_by(transpose_mul(R, w), S) + shape.rate.full();
        const Mat3<T> P = D * lift<T>(moment.full());
        spin = R * bodies::axial(P * S);
        twice_energy = dot(P.x, D.x) + dot(P.y, D.y) + dot(P.z, D.z);
    }
    Vec3<T> spin;    // angular momentum
    T twice_energy;  // of turning and stretching
};

template <class T>
ShapeMomentum<T> shape_momentum(const Workspace<T>& ws, int index) {
    const PoseWork<T>& at = ws.poses[ws.model().tree.stretches[index].link];
    return {ws.model().deforming[index].moment, at.X_WL.R, at.V_WL.ang, ws.stretches[index]};
}

// The momentum of a link that deforms, about its origin.
template <class T>
Force<T> stretched_momentum(const Workspace<T>& ws, int index) {
    const int link = ws.model().tree.stretches[index].link;
    return {shape_momentum(ws, index).spin, T(ws.tree().links[link].inertia.mass) * ws.poses[link].V_WL.lin};
}

// Its kinetic energy, without what the armature of its stretches has.
template <class T>
T stretched_energy(const JointState<T>& state, const Workspace<T>& ws, int index) {
    const TreeStretch& own = ws.model().tree.stretches[index];
    const Vec3<T>& velocity = ws.poses[own.link].V_WL.lin;
    T twice = shape_momentum(ws, index).twice_energy +
              T(ws.tree().links[own.link].inertia.mass) * dot(velocity, velocity);
    for (int k = own.v_adr; k < own.v_adr + own.count; ++k)
        twice -= T(ws.tree().armature[k]) * state.v[k] * state.v[k];
    return T(real_t<T>(0.5)) * twice;
}

// Calls f(deforming, its stretch, first velocity) for bodies whose three stretches have a spring of their
// sum; the sum is that of the stretches beyond rest.
template <class T, class F>
void for_each_bulk(const JointState<T>& state, const Model& model, F&& f) {
    for (std::size_t i = 0; i < model.deforming.size(); ++i) {
        const TreeStretch& own = model.tree.stretches[i];
        if (model.deforming[i].bulk == 0) continue;
        const T* q = state.q.data() + own.q_adr;
        f(model.deforming[i], q[0] + q[1] + q[2] - T(real_t<T>(3)), own.v_adr);
    }
}

}  // namespace lig
