// Accelerations of the bodies and the forces between them and their parents.

#include <ligament/bushing.h>
#include <ligament/dynamics.h>
#include <ligament/sensors.h>

#include "core/lift.h"
#include "dynamics/stretches.h"

namespace lig {

template <class T>
void body_accelerations(const JointState<T>& state, std::span<const T> qacc, Workspace<T>& ws,
                        std::span<T> scratch, std::span<Motion<T>> out) {
    // Its outward pass computes the links' accelerations; the forces it finds on the way back are not used.
    inverse_dynamics<T>(state, qacc, ws, scratch);
    const Model& model = ws.model();
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Model::Body& body = model.bodies[b];
        const bool on_link = body.link >= 0;
        const Motion<T>& a = on_link ? ws.links[body.link].a0 : ws.bases[-1 - body.link].a0;
        const Vec3<T>& w = on_link ? ws.links[body.link].w : ws.bases[-1 - body.link].V_WL.ang;
        const Mat3<T>& R = on_link ? ws.links[body.link].R_WL : ws.bases[-1 - body.link].X_WL.R;
        const Vec3<T> arm = R * lift<T>(body.X_LB.p);
        out[b] = {a.ang, a.lin + cross(a.ang, arm) + cross(w, cross(w, arm))};
    }
}

template <class T>
void transmitted_forces(const Workspace<T>& ws, std::span<const Motion<T>> acceleration,
                        std::span<const Force<T>> applied, std::span<Force<T>> out) {
    const Model& model = ws.model();
    const int n = static_cast<int>(model.bodies.size());
    for (int b = 0; b < n; ++b) {
        const Model::Body& body = model.bodies[b];
        const Mat3<T> R_WB = body_pose(ws, b).R;
        const Vec3<T> w = body_velocity(ws, b).ang;
        const Vec3<T> arm = R_WB * lift<T>(body.com);
        const Motion<T>& a = acceleration[b];
        const Vec3<T> a_com = a.lin + cross(a.ang, arm) + cross(w, cross(w, arm));
        const Sym3<T> I = rotate(R_WB, Sym3<T>{lift<T>(body.inertia.xx), lift<T>(body.inertia.yy),
                                               lift<T>(body.inertia.zz), lift<T>(body.inertia.xy),
                                               lift<T>(body.inertia.xz), lift<T>(body.inertia.yz)});
        Force<T> at_com{I * a.ang + cross(w, I * w), lift<T>(body.mass) * a_com};
        if (!applied.empty()) at_com -= applied[b];
        out[b] = shift_back(at_com, arm);
    }
    for (std::size_t i = 0; i < model.bushings.size(); ++i) {
        const Model::Bushing& bushing = model.bushings[i];
        const Force<T> on_b = bushing_wrench(ws, static_cast<int>(i));
        const Transform<T> X_WB = body_pose(ws, bushing.body_b);
        const Vec3<T> arm =
            X_WB.R * stretched(ws, model.bodies[bushing.body_b].link, lift<T>(bushing.X_BM.p));
        out[bushing.body_b] -= shift_back(on_b, arm);
        out[bushing.body_a] += shift_back(on_b, X_WB.p + arm - body_pose(ws, bushing.body_a).p);
    }
    for (int b = n - 1; b > 0; --b) {
        const int parent = model.bodies[b].parent;
        out[parent] += shift_back(out[b], body_pose(ws, b).p - body_pose(ws, parent).p);
    }
}

#define LIG_INSTANTIATE(T)                                                                                  \
    template void body_accelerations(const JointState<T>&, std::span<const T>, Workspace<T>&, std::span<T>, \
                                     std::span<Motion<T>>);                                                 \
    template void transmitted_forces(const Workspace<T>&, std::span<const Motion<T>>,                       \
                                     std::span<const Force<T>>, std::span<Force<T>>);
LIG_INSTANTIATE(double)
LIG_INSTANTIATE(float)
#undef LIG_INSTANTIATE

}  // namespace lig
