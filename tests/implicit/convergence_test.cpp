// As steps become shorter, `implicit` comes to what `multiplier` computes: in first order by backward Euler,
// in second by BDF2.

#include "support/implicit_runs.h"

using namespace lig;
using namespace lig::test;

namespace {

// Three links in space on a ball, a hinge and a ball, with springs and dampers.
Scene springy_arm() {
    Scene scene;
    scene.options.gravity = {0, 0, -gravity};
    BodyId body = world;
    const JointType types[] = {JointType::ball, JointType::hinge, JointType::ball};
    for (int i = 0; i < 3; ++i) {
        body = scene.add_body(body, {.name = "link" + std::to_string(i),
                                     .pose = {{i == 0 ? 0.0 : 0.5, 0, 0}},
                                     .inertial = InertialSpec{
                                         1.0 + i, {{0.25, 0.02, 0}}, Sym3d::diagonal(0.02, 0.03, 0.04), {}}});
        JointSpec joint;
        joint.name = "joint" + std::to_string(i);
        joint.type = types[i];
        joint.axis = {0, 1, 0};
        joint.stiffness = 5;
        joint.damping = 0.1;
        scene.add_joint(body, joint);
    }
    return scene;
}

double distance_at(const std::shared_ptr<const Model>& model, const SimulationOptions& options, double dt,
                   const JointState<double>& start, const JointState<double>& end, double seconds) {
    Simulation sim(model, options);
    sim.set_state(start);
    run(sim, seconds, dt);
    double sum = 0;
    for (std::size_t k = 0; k < end.q.size(); ++k) sum += std::pow(sim.state().q[k] - end.q[k], 2);
    for (std::size_t k = 0; k < end.v.size(); ++k) sum += std::pow(sim.state().v[k] - end.v[k], 2);
    return std::sqrt(sum);
}

void check_order(const std::shared_ptr<const Model>& model, const JointState<double>& start, double seconds) {
    SimulationOptions exact;
    exact.formulation = "multiplier";
    exact.integrator = SmoothIntegrator::rk45;
    exact.tolerance = 1e-11;
    Simulation sim(model, exact);
    sim.set_state(start);
    run(sim, seconds, 0.01);
    const JointState<double> end = sim.state();
    for (const auto& [integrator, order] :
         {std::pair{SmoothIntegrator::backward_euler, 1.0}, std::pair{SmoothIntegrator::bdf2, 2.0}}) {
        SimulationOptions options = implicit_options(integrator);
        options.tolerance = 1e-12;
        double before = 0, error = 0, h = 0.004;
        for (int k = 0; k < 3; ++k, h /= 2) {
            before = error;
            error = distance_at(model, options, h, start, end, seconds);
        }
        const double seen = std::log2(before / error);
        MESSAGE("order " << seen << ", error " << error << " at " << 2 * h << " s");
        CHECK(std::abs(seen - order) < 0.15);
        // Of coordinates and velocities together, which are up to 10 rad/s.
        CHECK(error < (order == 1 ? 0.1 : 5e-3));
    }
}

}  // namespace

TEST_CASE("implicit: converges to multiplier on a springy arm") {
    const auto model = compile(springy_arm());
    JointState<double> start(*model);
    for (std::size_t k = 0; k < start.v.size(); ++k)
        start.v[k] = 0.8 * std::sin(1.7 * static_cast<double>(k + 1));
    check_order(model, start, 0.4);
}

TEST_CASE("implicit: converges to multiplier with a loop") {
    Scene scene;
    scene.options.gravity = {0, 0, -gravity};
    BodyId body = world;
    for (int i = 0; i < 3; ++i) {
        body = scene.add_body(
            body, {.name = "bar" + std::to_string(i),
                   .pose = {i == 0   ? Vec3d{0, 0, 0}
                            : i == 1 ? Vec3d{0, 0, 0.4}
                                     : Vec3d{1, 0, 0}},
                   .inertial = InertialSpec{1,
                                            {i == 1 ? Vec3d{0.5, 0, 0} : Vec3d{0, 0, i == 0 ? 0.2 : -0.3}},
                                            Sym3d::diagonal(0.05, 0.05, 0.05),
                                            {}}});
        scene.add_joint(body, {.name = "pin" + std::to_string(i), .axis = {0, 1, 0}});
    }
    scene.add_loop({.name = "foot",
                    .body_a = world,
                    .body_b = body,
                    .frame_a = {{1, 0, -0.2}},
                    .frame_b = {{0, 0, -0.6}}});
    const auto model = compile(scene);
    JointState<double> start(*model);
    SmoothDynamics dynamics(model);
    start.v[0] = 3;
    dynamics.close_equalities(start);
    check_order(model, start, 0.3);
}
