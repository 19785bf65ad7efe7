// A scene built by hand: a double pendulum. Prints its accelerations and energy at the start, then swings it
// for two seconds and tells how well the energy was kept.

#include <ligament/dynamics.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

// A rod of 1 kg and 0.6 m that hangs down from a hinge about y.
lig::BodyId add_rod(lig::Scene& scene, lig::BodyId parent, const char* name, const char* joint,
                    const lig::Vec3d& pos) {
    const lig::BodyId rod = scene.add_body(parent, {.name = name, .pose = {.pos = pos}});
    scene.add_joint(rod, {.name = joint, .type = lig::JointType::hinge, .axis = {0, 1, 0}});
    // The inertia comes from the geom.
    scene.add_geom(rod, {.shape = lig::ShapeType::capsule,
                         .pose = {.pos = {0, 0, -0.3}},
                         .size = {0.02, 0.28, 0},
                         .mass = 1.0});
    return rod;
}

double total_energy(const lig::JointState<double>& state, lig::Workspace<double>& ws) {
    lig::forward_kinematics(state, ws);
    const lig::Energy<double> energy = lig::energy(state, ws);
    return energy.kinetic + energy.potential;
}

// One step of the classical Runge–Kutta method. Hinges have plain angles; with ball or free joints
// lig::integrate would take the place of q += h v.
void step(lig::JointState<double>& state, lig::Workspace<double>& ws, double h) {
    const std::size_t n = state.v.size();
    const std::vector<double> no_forces(n, 0.0);
    const lig::JointState<double> start = state;
    std::vector<double> qacc(n), velocity_sum(n, 0.0), acceleration_sum(n, 0.0);
    const double weights[] = {1, 2, 2, 1}, reach[] = {h / 2, h / 2, h, 0};
    for (int stage = 0; stage < 4; ++stage) {
        lig::forward_dynamics<double>(state, no_forces, ws, qacc);
        for (std::size_t k = 0; k < n; ++k) {
            velocity_sum[k] += weights[stage] * state.v[k];
            acceleration_sum[k] += weights[stage] * qacc[k];
            state.q[k] = start.q[k] + reach[stage] * state.v[k];
            state.v[k] = start.v[k] + reach[stage] * qacc[k];
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        state.q[k] = start.q[k] + h / 6 * velocity_sum[k];
        state.v[k] = start.v[k] + h / 6 * acceleration_sum[k];
    }
}

}  // namespace

int main() {
    lig::Scene scene("double pendulum");
    const lig::BodyId upper = add_rod(scene, lig::world, "upper", "shoulder", {0, 0, 0});
    add_rod(scene, upper, "lower", "elbow", {0, 0, -0.6});

    const auto model = lig::compile(scene);
    lig::Workspace<double> ws(model);
    lig::JointState<double> state(*model);
    state.q = {1.2, -0.4};

    std::vector<double> tau(model->nv, 0.0), qacc(model->nv);
    lig::forward_dynamics<double>(state, tau, ws, qacc);
    for (const lig::Model::Joint& joint : model->joints)
        std::printf("%-8s q = %5.2f rad, qacc = %8.4f rad/s²\n", joint.name.c_str(), state.q[joint.q_adr],
                    qacc[joint.v_adr]);

    const double before = total_energy(state, ws);
    for (int i = 0; i < 2000; ++i) step(state, ws, 0.001);
    const double after = total_energy(state, ws);
    std::printf("energy   %.9f J, two seconds later %.9f J\n", before, after);
    return std::abs(after - before) < 1e-7 ? 0 : 1;
}
