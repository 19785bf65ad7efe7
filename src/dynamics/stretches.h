#pragma once

// Links that deform, as functions on poses read them: where their points are, how they move, what forces at
// them do to the stretches, and what their springs do together. bodies/deforming.h has the equations.

#include "bodies/body_list.h"
#include "core/lift.h"

#include <ligament/dynamics.h>
#include <ligament/model.h>
#include <ligament/workspace.h>

namespace lig {

// Calls f(kind) for the kind of one of Tree::stretches, of points that are fixed to one of its geoms, or to
// the body itself.
template <class F>
LIG_INLINE void visit_deforming(const Model& model, int index, int geom, F&& f) {
    const Model::Deforming& own = model.deforming[index];
    bodies::visit_body(model.bodies[own.body].kind, own.modal.get(), geom, [&](auto kind) LIG_INLINE_LAMBDA {
        if constexpr (decltype(kind)::stretches > 0) f(kind);
    });
}
template <class F>
LIG_INLINE void visit_deforming(const Model& model, int index, F&& f) {
    visit_deforming(model, index, -1, f);
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
LIG_INLINE Vec3<T> stretched(const Workspace<T>& ws, int link, const Vec3<T>& r, int geom = -1) {
    const StretchWork<T>* const shape = stretch_of(ws, link);
    if (!shape) return r;
    Vec3<T> out;
    visit_deforming(ws.model(), ws.model().tree.links[link].stretch, geom,
                    [&](auto kind) { out = kind.place(shape->S, r); });
    return out;
}
// How fast it moves there. The link deforms.
template <class T>
LIG_INLINE Vec3<T> slip_of(const Workspace<T>& ws, int link, const Vec3<T>& r, int geom = -1) {
    const int index = ws.model().tree.links[link].stretch;
    Vec3<T> out;
    visit_deforming(ws.model(), index, geom,
                    [&](auto kind) { out = kind.slip(ws.stretches[index].rate, r); });
    return out;
}

// A frame that is fixed to a body, or to one of its geoms, as it is now: at its point, which may stretch
// away, with the axes of the body.
template <class T>
Transform<T> attached_frame(const Workspace<T>& ws, int body, const Transformd& X_BF, int geom = -1) {
    const Model::Body& own = ws.model().bodies[body];
    if (!stretch_of(ws, own.link)) return body_pose(ws, body) * lift<T>(X_BF);
    const Transformd X_LF = own.X_LB * X_BF;
    return ws.poses[own.link].X_WL *
           Transform<T>{lift<T>(X_LF.R), stretched(ws, own.link, lift<T>(X_LF.p), geom)};
}
// The velocity that its origin has by the stretching of the body, in world axes.
template <class T>
Vec3<T> attached_slip(const Workspace<T>& ws, int body, const Transformd& X_BF, int geom = -1) {
    const Model::Body& own = ws.model().bodies[body];
    if (!stretch_of(ws, own.link)) return Vec3<T>::zero();
    return ws.poses[own.link].X_WL.R * slip_of(ws, own.link, lift<T>((own.X_LB * X_BF).p), geom);
}

template <class T>
void set_stretches(const JointState<T>& state, Workspace<T>& ws) {
    const std::vector<TreeStretch>& all = ws.model().tree.stretches;
    for (std::size_t i = 0; i < all.size(); ++i)
        visit_deforming(ws.model(), static_cast<int>(i), [&](auto kind) {
            ws.stretches[i] = {kind.spread(state.q.data() + all[i].q_adr),
                               kind.spread(state.v.data() + all[i].v_adr)};
        });
}

// What the stretches of a link feel of a force in world axes at r, both seen from the frame at rest:
// f(velocity index, value).
template <class T, class F>
void for_each_stretch_pull(const Workspace<T>& ws, int link, const Vec3<T>& force, const Vec3<T>& r, int geom,
                           F&& f) {
    const int index = ws.model().tree.links[link].stretch;
    visit_deforming(ws.model(), index, geom, [&](auto kind) {
        T values[decltype(kind)::stretches];
        kind.pull(transpose_mul(ws.poses[link].X_WL.R, force), r, values);
        for (int k = 0; k < kind.shapes(); ++k) f(ws.model().tree.stretches[index].v_adr + k, values[k]);
    });
}

// Where a point of a link, fixed to a geom, is at rest, seen from its frame, that is now at p in the world.
template <class T>
Vec3<T> rest_place(const Workspace<T>& ws, int link, const Vec3<T>& p, int geom = -1) {
    const int index = ws.model().tree.links[link].stretch;
    Vec3<T> out;
    visit_deforming(ws.model(), index, geom, [&](auto kind) {
        out = kind.rest(ws.stretches[index].S,
                        transpose_mul(ws.poses[link].X_WL.R, p - ws.poses[link].X_WL.p));
    });
    return out;
}

// ∫ x² dm, ∫ y² dm, ∫ z² dm of a body that deforms, along its axes, as it is now.
template <class T>
Vec3<T> second_moments(const Workspace<T>& ws, int index) {
    const Model::Deforming& own = ws.model().deforming[index];
    const Sym3<T>& shape = ws.stretches[index].S;
    if (!own.modal) {
        const Mat3<T> S = shape.full(), moved = S * (lift<T>(own.moment.full()) * S);
        return {moved.x.x, moved.y.y, moved.z.z};
    }
    // Of the moments of inertia about the axes each has what the other two have along them.
    const bodies::Program kind{own.modal.get()};
    const Mat3<T> unit = Mat3<T>::identity();
    const Sym3<T> none = Sym3<T>::zero();
    Vec3<T> about;
    for (int k = 0; k < 3; ++k) {
        Vec3<T> moment;
        T unused[bodies::Program::stretches];
        kind.inertial(shape, Vec3<T>::zero(), none, (&unit.x)[k], none, moment, unused);
        about[k] = moment[k];
    }
    const T half = T(real_t<T>(0.5)) * (about.x + about.y + about.z);
    return {half - about.x, half - about.y, half - about.z};
}

// Of a body that deforms, about its centre of mass.
template <class T>
struct ShapeMomentum {
    // Of one of Tree::stretches; R and w: of its frame, w in world axes.
    ShapeMomentum(const Model& model, int index, const Mat3<T>& R, const Vec3<T>& w,
                  const StretchWork<T>& shape) {
        const Model::Deforming& own = model.deforming[index];
        const Vec3<T> turning = transpose_mul(R, w);
        if (own.modal) {
            const bodies::Program kind{own.modal.get()};
            const Sym3<T> none = Sym3<T>::zero();
            Vec3<T> moment;
            T p[bodies::Program::stretches], rates[bodies::Program::stretches];
            kind.inertial(shape.S, Vec3<T>::zero(), none, turning, shape.rate, moment, p);
            kind.gather(shape.rate, rates);
            spin = R * moment;
            twice_energy = dot(turning, moment);
            for (int k = 0; k < kind.shapes(); ++k) twice_energy = twice_energy + rates[k] * p[k];
            return;
        }
        const Mat3<T> S = shape.S.full();
        const Mat3<T> D = bodies::turned_by(turning, S) + shape.rate.full();
        const Mat3<T> P = D * lift<T>(own.moment.full());
        spin = R * bodies::axial(P * S);
        twice_energy = dot(P.x, D.x) + dot(P.y, D.y) + dot(P.z, D.z);
    }
    Vec3<T> spin;    // angular momentum
    T twice_energy;  // of turning and stretching
};

template <class T>
ShapeMomentum<T> shape_momentum(const Workspace<T>& ws, int index) {
    const PoseWork<T>& at = ws.poses[ws.model().tree.stretches[index].link];
    return {ws.model(), index, at.X_WL.R, at.V_WL.ang, ws.stretches[index]};
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

// Calls f(modal, first velocity, forces, lane) for bodies of a program's kind, lane by lane: their own
// energy, what drives them back, and their stiffness.
template <class T, class F>
void for_each_own_law(const JointState<T>& state, const Model& model, F&& f) {
    for (std::size_t i = 0; i < model.deforming.size(); ++i) {
        const bodies::Modal* const modal = model.deforming[i].modal.get();
        if (!modal) continue;
        const TreeStretch& own = model.tree.stretches[i];
        for (int lane = 0; lane < lane_width<T>; ++lane) {
            double s[bodies::Modal::max_count];
            for (int k = 0; k < own.count; ++k)
                s[k] = static_cast<double>(get_lane(state.q[own.q_adr + k], lane));
            ShapeForces forces;
            modal->kind->elastic(s, forces);
            f(*modal, own.v_adr, forces, lane);
        }
    }
}

}  // namespace lig
