// The joint forces that cause given accelerations: M q̈ + bias, less what springs and dampers do already. As
// in MuJoCo this is the sum of everything that acts on the joints, whether a motor or a hand on a body
// applies it; what the actuators would do with the controls is shown beside it.

#include "app/commands.h"
#include "app/dynamics/drive_output.h"
#include "app/dynamics/dynamics_job.h"
#include "app/json_output.h"
#include "app/table.h"

#include <ligament/bushing.h>
#include <ligament/fluid.h>

#include <fmt/format.h>

namespace lig::app {

namespace {

std::vector<double> evaluate(const DynamicsJob& job, const StateInput& input, Workspace<double>& ws,
                             DriveWorkspace<double>& drives) {
    std::vector<double> forces(job.model().nv);
    std::vector<double> passive(job.model().nv, 0.0);
    forward_kinematics(input.state, ws);
    update_drives(input.state, ws, drives);
    clear_external(ws);
    add_fluid_forces(ws);
    add_bushing_forces(ws);
    inverse_dynamics<double>(input.state, input.qacc, ws, drives, forces,
                             has_medium(job.model()) || has_bushings(job.model()));
    add_passive_forces<double>(input.state, job.model(), drives, passive);
    actuator_forces<double>(input.state, job.model(), input.ctrl, drives);
    for (std::size_t k = 0; k < forces.size(); ++k) forces[k] -= passive[k];
    return forces;
}

void print_text(const DynamicsJob& job, const StateInput& input, const std::vector<double>& forces,
                const DriveWorkspace<double>& drives) {
    const std::vector<std::string> names = velocity_names(job.model(), job.names);
    Table table({"coordinate", "qacc", "qfrc_inverse"}, {1, 2});
    for (std::size_t k = 0; k < names.size(); ++k)
        table.add({names[k], number_text(input.qacc[k]), number_text(forces[k])});
    table.print();
    print_drive_results(job.model(), job.names, drives, input.ctrl);
}

}  // namespace

Exit run_inverse(Arguments& arguments) {
    DynamicsOptions options;
    options.declare(arguments);
    if (!arguments.parse()) return Exit::ok;

    const DynamicsJob job = prepare(options, {}, true);
    bool pushed = false;
    for (const StateInput& input : job.states) pushed |= !input.xfrc_applied.empty();
    if (pushed)
        warn(options.model, options.state_path, Exit::input,
             "xfrc_applied is not used: qfrc_inverse is the sum of all that is applied");

    Workspace<double> ws(job.loaded.model);
    DriveWorkspace<double> drives(job.model());
    Json states = Json::array();
    for (std::size_t i = 0; i < job.states.size(); ++i) {
        const std::vector<double> forces = evaluate(job, job.states[i], ws, drives);
        require_finite(job, i, forces, "force");
        if (options.json) {
            Json state{{"qfrc_inverse", forces}};
            add_drive_results(job.model(), drives, state);
            states.push_back(std::move(state));
            continue;
        }
        if (job.states.size() > 1) fmt::print("{}state {}\n\n", i == 0 ? "" : "\n", i);
        print_text(job, job.states[i], forces, drives);
    }
    if (options.json) print_json({{"states", std::move(states)}});
    return Exit::ok;
}

}  // namespace lig::app
