#pragma once

// Every result of every recursion as one list of numbers, for tests that compare bits.

#include "support/lane_states.h"

namespace lig::test {

template <class T>
void append_links(std::vector<T>& out, const Workspace<T>& ws) {
    for (const PoseWork<T>& link : ws.poses) {
        for (const Vec3<T>& a : {link.X_WL.R.x, link.X_WL.R.y, link.X_WL.R.z, link.X_WL.p}) append(out, a);
        append(out, link.V_WL.ang);
        append(out, link.V_WL.lin);
    }
}

// Through the public functions.
template <class T>
std::vector<T> all_results(const Lanewise<T>& in, Workspace<T>& ws) {
    const Model& model = ws.model();
    const std::size_t nv = model.nv;
    std::vector<T> out, qacc(nv), tau(nv), M(nv * nv), q(model.nq), v(nv), J(6 * nv);
    const auto keep = [&](const std::vector<T>& more) { out.insert(out.end(), more.begin(), more.end()); };
    ws.f_ext = in.f_ext;
    forward_dynamics<T>(in.state, in.tau, ws, qacc, true);
    keep(qacc);
    inverse_dynamics<T>(in.state, qacc, ws, tau, true);
    keep(tau);
    mass_matrix<T>(in.state, ws, M);
    keep(M);
    integrate<T>(ws, in.state.q, in.state.v, in.h, q);
    keep(q);
    difference<T>(ws, in.state.q, in.q1, v);
    keep(v);

    BodyState<T> bodies(model);
    body_state(in.state, ws, bodies);
    append_links(out, ws);
    for (std::size_t b = 0; b < bodies.pos.size(); ++b) {
        append(out, bodies.pos[b]);
        for (const T& x : {bodies.quat[b].w, bodies.quat[b].x, bodies.quat[b].y, bodies.quat[b].z})
            out.push_back(x);
        append(out, bodies.vel[b].ang);
        append(out, bodies.vel[b].lin);
    }
    const int last = static_cast<int>(model.bodies.size()) - 1;
    const Vec3<T> point{T(real_t<T>(0.1)), T(real_t<T>(-0.2)), T(real_t<T>(0.3))};
    for (const Axes axes : {Axes::world, Axes::local}) {
        frame_jacobian<T>(ws, last, point, axes, J);
        keep(J);
    }

    std::vector<T> passive(nv, T(0));
    add_spring_forces<T>(in.state, model, passive);
    add_damping_forces<T>(in.state, model, passive);
    keep(passive);
    clear_external(ws);
    add_body_wrench(ws, last, point, point);
    add_gravity_compensation(ws);
    for (const Force<T>& f : ws.f_ext) {
        append(out, f.ang);
        append(out, f.lin);
    }
    const Energy<T> e = energy(in.state, ws);
    out.push_back(e.kinetic);
    out.push_back(e.potential);
    append(out, center_of_mass(ws));
    const Force<T> p = momentum(ws);
    append(out, p.ang);
    append(out, p.lin);
    return out;
}

}  // namespace lig::test
