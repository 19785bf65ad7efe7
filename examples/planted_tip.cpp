// Acceleration constraints: a two-link arm swings in gravity, and its tip is to stand still from now on.
// Which forces does that take at the tip, and which at the joints? Then something strikes the tip.

#include <ligament/acceleration_constraints.h>
#include <ligament/model.h>

#include <cstdio>
#include <vector>

namespace {

lig::BodyId add_link(lig::Scene& scene, lig::BodyId parent, const char* name, double z) {
    const lig::BodyId link = scene.add_body(parent, {.name = name, .pose = {.pos = {0, 0, z}}});
    scene.add_joint(link, {.name = name, .type = lig::JointType::hinge, .axis = {0, -1, 0}});
    scene.add_geom(link, {.shape = lig::ShapeType::capsule,
                          .pose = {.pos = {0, 0, -0.25}},
                          .size = {0.03, 0.22, 0},
                          .mass = 1.5});
    return link;
}

}  // namespace

int main() {
    lig::Scene scene("arm");
    const lig::BodyId upper = add_link(scene, lig::world, "upper", 0);
    add_link(scene, upper, "lower", -0.5);
    const auto model = lig::compile(scene);

    lig::JointState<double> state(*model);
    state.q = {0.4, 0.9};
    state.v = {1, -2};
    const std::vector<double> tau(model->nv, 0.0);  // no motors, springs or dampers

    // The tip of the lower link has no acceleration along x and z.
    const int lower = model->find_body("lower");
    const lig::Vec3d tip{0, 0, -0.5};
    const std::vector<lig::AccelerationConstraint> still = {
        lig::PointAcceleration{.body = lower, .point = tip, .direction = {1, 0, 0}},
        lig::PointAcceleration{.body = lower, .point = tip, .direction = {0, 0, 1}}};

    lig::ConstraintSolver solver(model);
    solver.set_state(state, tau);
    solver.set_constraints(still);
    std::printf("tip, left alone   %8.3f %8.3f m/s²\n", solver.free_values()[0], solver.free_values()[1]);
    lig::ConstraintReport report = solver.solve();
    if (report.status != lig::ConstraintStatus::ok) return 1;
    std::printf("force that holds  %8.3f %8.3f N\n", solver.forces()[0], solver.forces()[1]);
    std::printf("joints with it    %8.3f %8.3f rad/s²\n", solver.acceleration()[0], solver.acceleration()[1]);

    // The same accelerations by motors: the joints are given the accelerations that were found.
    const std::vector<lig::AccelerationConstraint> motors = {
        lig::JointAcceleration{.dof = 0, .wanted = solver.acceleration()[0]},
        lig::JointAcceleration{.dof = 1, .wanted = solver.acceleration()[1]}};
    solver.set_constraints(motors);
    report = solver.solve();
    if (report.status != lig::ConstraintStatus::ok) return 1;
    std::printf("motors that do    %8.3f %8.3f N·m\n", solver.forces()[0], solver.forces()[1]);

    // A blow changes the velocity of the tip by 3 m/s along x, and leaves it free along z.
    solver.set_constraints({still.data(), 1});
    report = solver.apply_impact(std::vector<double>{3}, state);
    if (report.status != lig::ConstraintStatus::ok) return 1;
    std::printf("impulse           %8.3f N·s\n", solver.impulses()[0]);
    std::printf("velocities after  %8.3f %8.3f rad/s\n", state.v[0], state.v[1]);
    return 0;
}
