// The joint forces that cause given accelerations: M q̈ + bias, less what springs and dampers do already. As
// in MuJoCo this is the sum of everything that acts on the joints, whether a motor or a hand on a body
// applies it.

#include "app/commands.h"
#include "app/dynamics_job.h"
#include "app/json_output.h"
#include "app/table.h"

#include <fmt/format.h>

namespace lig::app {

namespace {

std::vector<double> evaluate(const DynamicsJob& job, StateInput input, Workspace<double>& ws) {
    std::vector<double> forces(job.model().nv);
    input.xfrc_applied.clear();
    forward_kinematics(input.state, ws);
    const bool external = set_external_forces(input, ws);
    inverse_dynamics<double>(input.state, input.qacc, ws, forces, external);
    const std::vector<double> passive = passive_forces(job, input);
    for (std::size_t k = 0; k < forces.size(); ++k) forces[k] -= passive[k];
    return forces;
}

void print_text(const DynamicsJob& job, const StateInput& input, const std::vector<double>& forces) {
    const std::vector<std::string> names = velocity_names(job.model(), job.names);
    Table table({"coordinate", "qacc", "qfrc_inverse"}, {1, 2});
    for (std::size_t k = 0; k < names.size(); ++k)
        table.add({names[k], number_text(input.qacc[k]), number_text(forces[k])});
    table.print();
}

}  // namespace

Exit run_inverse(Arguments& arguments) {
    DynamicsOptions options;
    options.declare(arguments);
    if (!arguments.parse()) return Exit::ok;

    const DynamicsJob job = prepare(options, true);
    bool pushed = false;
    for (const StateInput& input : job.states) pushed |= !input.xfrc_applied.empty();
    if (pushed)
        warn(options.model, options.state_path, Exit::input,
             "xfrc_applied is not used: qfrc_inverse is the sum of all that is applied");

    Workspace<double> ws(job.loaded.model);
    Json states = Json::array();
    for (std::size_t i = 0; i < job.states.size(); ++i) {
        const std::vector<double> forces = evaluate(job, job.states[i], ws);
        require_finite(job, i, forces, "force");
        if (options.json) {
            states.push_back({{"qfrc_inverse", forces}});
            continue;
        }
        if (job.states.size() > 1) fmt::print("{}state {}\n\n", i == 0 ? "" : "\n", i);
        print_text(job, job.states[i], forces);
    }
    if (options.json) print_json({{"states", std::move(states)}});
    return Exit::ok;
}

}  // namespace lig::app
