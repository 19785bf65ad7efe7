// The joint forces that cause given accelerations: M q̈ + bias, less what springs and dampers do already. As
// in MuJoCo this is the sum of everything that acts on the joints, whether a motor or a hand on a body
// applies it; what the actuators would do with the controls is shown beside it. Where loops and other
// equalities hold, it is what actuators have to do: LoopDynamics.

#include "app/comma_list.h"
#include "app/commands.h"
#include "app/dynamics/drive_output.h"
#include "app/dynamics/dynamics_job.h"
#include "app/dynamics/equality_output.h"
#include "app/dynamics/support.h"
#include "app/json_output.h"
#include "app/table.h"
#include "dynamics/bushing_pulls.h"

#include <ligament/bushing.h>
#include <ligament/fluid.h>
#include <ligament/loop_dynamics.h>
#include <ligament/smooth_motion.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace lig::app {

namespace {

// A state is put onto its equalities in passing; by more than this a reader wants to hear of it.
constexpr double told_opening = 1e-6;

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
    add_bushing_pulls<double>(ws, passive);
    actuator_forces<double>(input.state, job.model(), input.ctrl, drives);
    for (std::size_t k = 0; k < forces.size(); ++k) forces[k] -= passive[k];
    return forces;
}

void print_forces(const DynamicsJob& job, std::span<const double> qacc, std::span<const double> forces,
                  std::span<const int> independent = {}) {
    const std::vector<std::string> names = velocity_names(job.model(), job.names);
    std::vector<std::string> titles{"coordinate", "qacc", "qfrc_inverse"};
    if (!independent.empty()) titles.push_back("independent");
    Table table(titles, {1, 2});
    for (std::size_t k = 0; k < names.size(); ++k) {
        std::vector<std::string> row{names[k], number_text(qacc[k]), number_text(forces[k])};
        if (!independent.empty())
            row.push_back(std::binary_search(independent.begin(), independent.end(), k) ? "yes" : "");
        table.add(row);
    }
    table.print();
}

std::vector<int> independent_velocities(const DynamicsJob& job, const std::vector<std::string>& words) {
    const std::vector<std::string> names = velocity_names(job.model(), job.names);
    std::vector<int> out;
    for (const std::string& word : split_at_commas(words)) {
        const auto found = std::find(names.begin(), names.end(), word);
        if (found == names.end()) {
            const std::vector<std::string_view> choices(names.begin(), names.end());
            throw Failure(Exit::usage, fmt::format("ligament inverse: --independent: the model has no "
                                                   "velocity '{}'{}",
                                                   word, did_you_mean(word, choices)));
        }
        const int velocity = static_cast<int>(found - names.begin());
        if (std::find(out.begin(), out.end(), velocity) != out.end())
            throw Failure(Exit::usage, fmt::format("ligament inverse: --independent has '{}' twice", word));
        out.push_back(velocity);
    }
    return out;
}

// Single states of a model whose equalities hold.
class LoopedInverse {
public:
    LoopedInverse(const DynamicsOptions& options, const DynamicsJob& job, std::vector<int> independent)
        : options_(options),
          job_(job),
          dynamics_(job.loaded.model),
          loops_(job.loaded.model, std::move(independent)) {}

    Json json(std::size_t index) {
        const std::vector<double> qacc = find(index);
        const Model& model = job_.model();
        Json independent = Json::array();
        for (const int k : loops_.independent()) independent.push_back(names_[k]);
        Json out{{"qfrc_inverse", loops_.joint_force},
                 {"qacc", qacc},
                 {"independent", std::move(independent)},
                 {"map", matrix_json(loops_.map(), loops_.freedoms())},
                 {"multipliers", multipliers_json(model, loops_.multipliers)}};
        if (model.nu > 0) {
            out["actuator_force_inverse"] = loops_.actuator_force;
            out["spare_actuators"] = loops_.spare_actuators;
        }
        add_drive_results(model, loops_.drives, out);
        return out;
    }

    void print(std::size_t index) {
        const std::vector<double> qacc = find(index);
        const Model& model = job_.model();
        print_forces(job_, qacc, loops_.joint_force, loops_.independent());
        if (model.nu > 0) {
            Table table({"actuator", "force_inverse"}, {1});
            for (int i = 0; i < model.nu; ++i)
                table.add({job_.names.actuators[i], number_text(loops_.actuator_force[i])});
            fmt::print("\n");
            table.print();
            if (loops_.spare_actuators > 0)
                fmt::print("\n{} more than the motion needs: the forces are those of least squares\n",
                           loops_.spare_actuators == 1 ? "one actuator"
                                                       : fmt::format("{} actuators", loops_.spare_actuators));
        }
        print_drive_results(model, job_.names, loops_.drives, job_.states[index].ctrl);
    }

private:
    // The accelerations of all coordinates.
    std::vector<double> find(std::size_t index) {
        const StateInput& input = job_.states[index];
        JointState<double> state = input.state;
        const ClosingReport closing = close(index, state);
        if (!closing.closed) fail(index, fmt::format("{}; 'ligament assemble' closes it", closing.where));
        if (loops_.set_state(state) != LoopStatus::ok) fail(index, loops_.where);
        std::vector<double> qacc = input.qacc;
        if (loops_.find_forces(qacc) != LoopStatus::ok) fail(index, loops_.where);
        require_finite(job_, index, loops_.joint_force, "force");
        actuator_forces<double>(state, job_.model(), input.ctrl, loops_.drives);
        warn_of_change(index, input.qacc, qacc);
        return qacc;
    }

    ClosingReport close(std::size_t index, JointState<double>& state) {
        const double opening = dynamics_.equality_errors(state).largest;
        const ClosingReport report = dynamics_.close_equalities(state);
        if (report.closed && opening > told_opening)
            warn(options_.model, options_.state_path.empty() ? options_.model.path : options_.state_path,
                 Exit::input,
                 fmt::format("state {} is off its equalities by {}: it is put onto them", index,
                             number_text(opening)));
        return report;
    }

    // Accelerations of the other coordinates follow; those that were given and contradict are not used.
    void warn_of_change(std::size_t index, std::span<const double> given, std::span<const double> qacc) {
        double largest = 1e-6;
        int worst = -1;
        for (std::size_t k = 0; k < qacc.size(); ++k)
            if (given[k] != 0 && std::abs(given[k] - qacc[k]) > largest * (1 + std::abs(qacc[k]))) {
                largest = std::abs(given[k] - qacc[k]) / (1 + std::abs(qacc[k]));
                worst = static_cast<int>(k);
            }
        if (worst >= 0)
            warn(options_.model, options_.state_path, Exit::input,
                 fmt::format("state {}: the qacc of '{}' does not fit the equalities: {} instead of {}",
                             index, names_[worst], number_text(qacc[worst]), number_text(given[worst])));
    }

    [[noreturn]] void fail(std::size_t index, const std::string& why) const {
        throw Failure(Exit::simulation, fmt::format("ligament inverse: state {}: {}", index, why));
    }

    const DynamicsOptions& options_;
    const DynamicsJob& job_;
    const std::vector<std::string> names_ = velocity_names(job_.model(), job_.names);
    SmoothDynamics dynamics_;
    LoopDynamics loops_;
};

}  // namespace

Exit run_inverse(Arguments& arguments) {
    DynamicsOptions options;
    std::vector<std::string> independent;
    options.declare(arguments);
    arguments.option(independent, "--independent", "NAMES",
                     "with loops: the velocities that the others follow, separated by commas (default: those "
                     "that actuators drive, before others)");
    if (!arguments.parse()) return Exit::ok;

    const DynamicsJob job = prepare(options, {}, true);
    const Model& model = job.model();
    bool pushed = false;
    for (const StateInput& input : job.states) pushed |= !input.xfrc_applied.empty();
    if (pushed)
        warn(options.model, options.state_path, Exit::input,
             "xfrc_applied is not used: qfrc_inverse is the sum of all that is applied");

    std::optional<LoopedInverse> looped;
    if (SmoothDynamics(job.loaded.model).has_equalities()) {
        if (!model.deforming.empty())
            refuse(model.bodies[0].where,
                   "forces of accelerations are not found with loops on bodies that "
                   "deform; '--disable equality' computes without");
        looped.emplace(options, job, independent_velocities(job, independent));
    } else if (!independent.empty()) {
        throw Failure(Exit::usage,
                      "ligament inverse: --independent: nothing makes velocities depend on each "
                      "other: the model has no loops or other equalities that act");
    }
    Workspace<double> ws(job.loaded.model);
    DriveWorkspace<double> drives(model);
    Json states = Json::array();
    for (std::size_t i = 0; i < job.states.size(); ++i) {
        if (!options.json && job.states.size() > 1) fmt::print("{}state {}\n\n", i == 0 ? "" : "\n", i);
        if (looped) {
            if (options.json)
                states.push_back(looped->json(i));
            else
                looped->print(i);
            continue;
        }
        const std::vector<double> forces = evaluate(job, job.states[i], ws, drives);
        require_finite(job, i, forces, "force");
        if (options.json) {
            Json state{{"qfrc_inverse", forces}};
            add_drive_results(model, drives, state);
            states.push_back(std::move(state));
            continue;
        }
        print_forces(job, job.states[i].qacc, forces);
        print_drive_results(model, job.names, drives, job.states[i].ctrl);
    }
    if (options.json) print_json({{"states", std::move(states)}});
    return Exit::ok;
}

}  // namespace lig::app
