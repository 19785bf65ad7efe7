// Joint-space functions of models with bodies that deform, against each other and against differences.

#include "support/deforming_scenes.h"
#include "support/random_values.h"

#include <ligament/dynamics.h>

using namespace lig;
using namespace lig::test;

namespace {

JointState<double> random_state(const Model& model, Random& random) {
    JointState<double> state = spinning(model);
    for (double& v : state.v) v = random.uniform(-1, 1);
    const Quatd quat = random_rotation(random);
    const double numbers[] = {quat.w, quat.x, quat.y, quat.z};
    std::copy(std::begin(numbers), std::end(numbers), state.q.begin() + 3);
    return state;
}

}  // namespace

TEST_CASE("stretches: inverse dynamics, the mass matrix and the kinetic energy are of one body") {
    for (const BodyKind kind : deforming_kinds) {
        CAPTURE(static_cast<int>(kind));
        const auto model = free_jelly(kind);
        const std::size_t n = static_cast<std::size_t>(model->nv);
        Workspace<double> ws(model);
        Random random(3);
        const JointState<double> state = random_state(*model, random);
        std::vector<double> M(n * n), a(n), tau(n), bias(n), none(n, 0.0);
        for (double& x : a) x = random.uniform(-1, 1);
        mass_matrix<double>(state, ws, M);
        inverse_dynamics<double>(state, a, ws, tau);
        inverse_dynamics<double>(state, none, ws, bias);
        double twice = 0;
        for (std::size_t i = 0; i < n; ++i) {
            double sum = bias[i];
            for (std::size_t j = 0; j < n; ++j) {
                sum += M[i * n + j] * a[j];
                twice += state.v[i] * M[i * n + j] * state.v[j];
                CHECK(std::abs(M[i * n + j] - M[j * n + i]) < 1e-12);
            }
            CHECK(std::abs(sum - tau[i]) < 1e-11);
        }
        forward_kinematics(state, ws);
        CHECK(std::abs(0.5 * twice - energy(state, ws).kinetic) < 1e-11);
    }
}

TEST_CASE("stretches: the Jacobian of a point is the difference of its places") {
    constexpr double h = 1e-5;
    for (const BodyKind kind : deforming_kinds)
        for (const Axes axes : {Axes::world, Axes::local}) {
            const auto model = free_jelly(kind);
            Workspace<double> ws(model);
            Random random(4);
            const JointState<double> state = random_state(*model, random);
            const Vec3d r{0.3, -0.2, 0.1};
            const auto place = [&](double time) {
                JointState<double> moved = state;
                integrate<double>(ws, state.q, state.v, time, moved.q);
                forward_kinematics(moved, ws);
                return ws.poses[0].X_WL * (ws.stretches[0].S * r);
            };
            const Vec3d velocity = (0.5 / h) * (place(h) - place(-h));
            forward_kinematics(state, ws);
            std::vector<double> J(6 * state.v.size());
            frame_jacobian<double>(ws, 1, r, axes, J);
            const Vec3d wanted =
                axes == Axes::world ? velocity : transpose_mul(ws.poses[0].X_WL.R, velocity);
            for (int row = 0; row < 3; ++row) {
                double sum = 0;
                for (std::size_t k = 0; k < state.v.size(); ++k)
                    sum += J[static_cast<std::size_t>(3 + row) * state.v.size() + k] * state.v[k];
                CHECK(std::abs(sum - wanted[row]) < 1e-8);
            }
        }
}
