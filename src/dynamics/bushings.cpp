#include <ligament/bushing.h>

#include "dynamics/bushing_force.h"
#include "dynamics/dynamics_parts.h"
#include "dynamics/stretches.h"

#include <ligament/dynamics.h>

#include <algorithm>

namespace lig {

namespace {

template <class T>
BushingPose<T> pose_in(const Workspace<T>& ws, const Model::Bushing& bushing) {
    return bushing_pose(attached_frame(ws, bushing.body_a, bushing.X_AF),
                        attached_frame(ws, bushing.body_b, bushing.X_BM));
}

template <class T>
Vec3<T> arm_to(const Workspace<T>& ws, int link, const Vec3<T>& point) {
    return point - carrier_pose(ws, link).p;
}

template <class T>
Force<T> damper_at(const Workspace<T>& ws, const Model::Bushing& bushing, const BushingPose<T>& at) {
    const Model& model = ws.model();
    if (!model.options.enabled.damper) return Force<T>::zero();
    const int a = model.bodies[bushing.body_a].link, b = model.bodies[bushing.body_b].link;
    const Vec3<T> origin = at.origin();
    Motion<T> relative = shift(carrier_velocity(ws, b), arm_to(ws, b, origin)) -
                         shift(carrier_velocity(ws, a), arm_to(ws, a, origin));
    if (!ws.stretches.empty())
        relative.lin += attached_slip(ws, bushing.body_b, bushing.X_BM) -
                        attached_slip(ws, bushing.body_a, bushing.X_AF);
    return damper_force(bushing, at, relative);
}

template <class T>
Force<T> force_at(const Workspace<T>& ws, const Model::Bushing& bushing, const BushingPose<T>& at) {
    const Force<T> damper = damper_at(ws, bushing, at);
    return ws.model().options.enabled.spring ? spring_force(bushing, at) + damper : damper;
}

}  // namespace

bool has_bushings(const Model& model) {
    return std::any_of(model.bushings.begin(), model.bushings.end(),
                       [](const Model::Bushing& bushing) { return bushing.active; });
}

template <class T>
Force<T> bushing_wrench(const Workspace<T>& ws, int index) {
    const Model::Bushing& bushing = ws.model().bushings[index];
    return bushing.active ? force_at(ws, bushing, pose_in(ws, bushing)) : Force<T>::zero();
}

Force<double> bushing_damper_wrench(const Workspace<double>& ws, int index) {
    const Model::Bushing& bushing = ws.model().bushings[index];
    return bushing.active ? damper_at(ws, bushing, pose_in(ws, bushing)) : Force<double>::zero();
}

template <class T>
void add_bushing_forces(Workspace<T>& ws) {
    const Model& model = ws.model();
    for (const Model::Bushing& bushing : model.bushings) {
        if (!bushing.active) continue;
        const BushingPose<T> at = pose_in(ws, bushing);
        const Force<T> force = force_at(ws, bushing, at);
        const int a = model.bodies[bushing.body_a].link, b = model.bodies[bushing.body_b].link;
        if (b >= 0) ws.f_ext[b] += shift_back(force, arm_to(ws, b, at.origin()));
        if (a >= 0) ws.f_ext[a] -= shift_back(force, arm_to(ws, a, at.origin()));
    }
}

template <class T>
T bushing_energy(const Workspace<T>& ws) {
    T sum(0);
    if (!ws.model().options.enabled.spring) return sum;
    for (const Model::Bushing& bushing : ws.model().bushings)
        if (bushing.active) sum += spring_energy(bushing, pose_in(ws, bushing));
    return sum;
}

#define LIG_INSTANTIATE(T)                           \
    template void add_bushing_forces(Workspace<T>&); \
    template T bushing_energy(const Workspace<T>&);  \
    template Force<T> bushing_wrench(const Workspace<T>&, int);
LIG_FOR_EACH_SCALAR(LIG_INSTANTIATE)
#undef LIG_INSTANTIATE

}  // namespace lig
