#pragma once

// What bushings do to the stretches of bodies that deform, beside the wrenches on their links.

#include "dynamics/stretches.h"

#include <ligament/bushing.h>

#include <span>
#include <utility>

namespace lig {

// Calls f(velocity index, value) for a wrench on B at the origin of M, and its opposite on A.
template <class T, class F>
void for_each_bushing_pull(const Workspace<T>& ws, int index, const Force<T>& on_b, F&& f) {
    if (ws.stretches.empty()) return;
    const Model::Bushing& bushing = ws.model().bushings[index];
    const auto pull = [&](int body, const Transformd& X_BF, const Vec3<T>& force) {
        const Model::Body& own = ws.model().bodies[body];
        if (stretch_of(ws, own.link))
            for_each_stretch_pull(ws, own.link, force, lift<T>((own.X_LB * X_BF).p), -1, f);
    };
    pull(bushing.body_a, bushing.X_AF, -on_b.lin);
    pull(bushing.body_b, bushing.X_BM, on_b.lin);
}

// Adds what all bushings do to forces along freedoms; ws.f_ext has the rest of it (add_bushing_forces).
template <class T>
void add_bushing_pulls(const Workspace<T>& ws, std::span<T> tau) {
    if (ws.stretches.empty()) return;
    for (int i = 0; i < static_cast<int>(ws.model().bushings.size()); ++i)
        for_each_bushing_pull(ws, i, bushing_wrench(ws, i),
                              [&](int dof, const T& value) { tau[dof] += value; });
}

}  // namespace lig
