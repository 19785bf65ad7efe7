// The joint forces that cause given accelerations: M q̈ + bias, less what springs and dampers do already. As
// in MuJoCo this is the sum of everything that acts on the joints, whether a motor or a hand on a body
// applies it; what the actuators would do with the controls is shown beside it. Where loops and other
// equalities hold, or something touches, it is what actuators have to do: LoopDynamics, ContactDynamics.

#include "app/comma_list.h"
#include "app/commands.h"
#include "app/dynamics/drive_output.h"
#include "app/dynamics/dynamics_job.h"
#include "app/dynamics/equality_output.h"
#include "app/dynamics/support.h"
#include "app/dynamics/touching_output.h"
#include "app/json_output.h"
#include "app/table.h"
#include "simulation/forces_of_motion.h"

#include <ligament/contact_dynamics.h>
#include <ligament/smooth_motion.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace lig::app {

namespace {

void print_forces(const DynamicsJob& job, std::span<const double> qacc, std::span<const double> forces,
                  std::span<const int> independent = {}, std::span<const double> residual = {}) {
    const std::vector<std::string> names = velocity_names(job.model(), job.names);
    std::vector<std::string> titles{"coordinate", "qacc", "qfrc_inverse"};
    if (!residual.empty()) titles.push_back("residual");
    if (!independent.empty()) titles.push_back("independent");
    Table table(titles, residual.empty() ? std::vector<int>{1, 2} : std::vector<int>{1, 2, 3});
    for (std::size_t k = 0; k < names.size(); ++k) {
        std::vector<std::string> row{names[k], number_text(qacc[k]), number_text(forces[k])};
        if (!residual.empty()) row.push_back(residual[k] != 0 ? number_text(residual[k]) : "");
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

// Single states in which equalities hold, or something touches.
class BoundInverse {
public:
    BoundInverse(const DynamicsOptions& options, const DynamicsJob& job, std::vector<int> independent,
                 bool allow_residual)
        : options_(options),
          job_(job),
          dynamics_(job.loaded.model),
          contact_(job.loaded.model, {}, std::move(independent)) {
        contact_.loops.allow_residual = allow_residual;
    }

    // Whether a state is one.
    bool concerns(const StateInput& input) {
        return dynamics_.has_equalities() || contact_.touches(input.state);
    }

    Json json(std::size_t index) {
        const std::vector<double> qacc = find(index);
        const Model& model = job_.model();
        const LoopDynamics& loops = contact_.loops;
        Json independent = Json::array();
        for (const int k : loops.independent()) independent.push_back(names_[k]);
        Json out{{"qfrc_inverse", loops.joint_force},
                 {"qacc", qacc},
                 {"independent", std::move(independent)},
                 {"map", matrix_json(loops.map(), loops.freedoms())},
                 {"multipliers", multipliers_json(model, loops.multipliers)}};
        if (model.nu > 0) {
            out["actuator_force_inverse"] = loops.actuator_force;
            out["spare_actuators"] = loops.spare_actuators;
        }
        if (loops.allow_residual) out["residual"] = loops.residual;
        if (touching_) add_touching(contact_, job_.names, out);
        add_drive_results(model, loops.drives, out);
        return out;
    }

    void print(std::size_t index) {
        const std::vector<double> qacc = find(index);
        const Model& model = job_.model();
        const LoopDynamics& loops = contact_.loops;
        std::span<const double> residual;
        if (loops.allow_residual) residual = loops.residual;
        print_forces(job_, qacc, loops.joint_force, loops.independent(), residual);
        if (model.nu > 0) {
            Table table({"actuator", "force_inverse"}, {1});
            for (int i = 0; i < model.nu; ++i)
                table.add({job_.names.actuators[i], number_text(loops.actuator_force[i])});
            fmt::print("\n");
            table.print();
            if (loops.spare_actuators > 0)
                fmt::print("\n{} more than the motion needs: the forces are those of least squares\n",
                           loops.spare_actuators == 1 ? "one actuator"
                                                      : fmt::format("{} actuators", loops.spare_actuators));
        }
        if (touching_) print_touching(contact_, job_.names);
        print_drive_results(model, job_.names, loops.drives, job_.states[index].ctrl);
    }

private:
    // The accelerations of all coordinates.
    std::vector<double> find(std::size_t index) {
        const StateInput& input = job_.states[index];
        JointState<double> state = input.state;
        close_state("inverse", options_, index, dynamics_, state);
        std::vector<double> qacc = input.qacc;
        touching_ = contact_.touches(state);
        if (touching_)
            find_touching(index, state, qacc);
        else
            find_looped(index, state, qacc);
        require_finite(job_, index, contact_.loops.joint_force, "force");
        actuator_forces<double>(state, job_.model(), input.ctrl, contact_.loops.drives);
        warn_of_change(index, input.qacc, qacc);
        return qacc;
    }

    void find_looped(std::size_t index, const JointState<double>& state, std::span<double> qacc) {
        LoopDynamics& loops = contact_.loops;
        if (loops.set_state(state) != LoopStatus::ok) fail(index, loops.where);
        if (const LoopStatus status = loops.find_forces(qacc); status != LoopStatus::ok)
            fail(index, loops.where + (status == LoopStatus::unreachable ? hint() : ""));
    }

    void find_touching(std::size_t index, const JointState<double>& state, std::span<double> qacc) {
        if (const TouchingStatus status = contact_.find_forces(state, qacc); status != TouchingStatus::ok)
            fail(index, contact_.where + (status == TouchingStatus::unreachable ? hint() : ""));
    }

    // What to do where actuators are not enough.
    std::string hint() const {
        if (contact_.loops.allow_residual || job_.model().nu == 0) return "";
        return "; '--allow-residual' tells what is missing where no actuator drives, '--disable actuation' "
               "lets forces act along all independent velocities";
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
    ContactDynamics contact_;
    bool touching_ = false;  // in the last state
};

void warn_of_wrenches(const DynamicsOptions& options, const DynamicsJob& job) {
    if (std::any_of(job.states.begin(), job.states.end(),
                    [](const StateInput& input) { return !input.xfrc_applied.empty(); }))
        warn(options.model, options.state_path, Exit::input,
             "xfrc_applied is not used: qfrc_inverse is the sum of all that is applied");
}

}  // namespace

Exit run_inverse(Arguments& arguments) {
    DynamicsOptions options;
    std::vector<std::string> independent;
    bool allow_residual = false;
    options.declare(arguments);
    arguments.option(independent, "--independent", "NAMES",
                     "with loops: the velocities that the others follow, separated by commas (default: those "
                     "that actuators drive, before others)");
    arguments.flag(
        allow_residual, "--allow-residual",
        "with loops or contacts: tell what actuators cannot give, along velocities that none drives");
    if (!arguments.parse()) return Exit::ok;

    const DynamicsJob job = prepare(options, {}, true);
    const Model& model = job.model();
    const bool looped = SmoothDynamics(job.loaded.model).has_equalities();
    warn_of_wrenches(options, job);
    if (!independent.empty() && !looped)
        throw Failure(Exit::usage,
                      "ligament inverse: --independent: nothing makes velocities depend on each "
                      "other: the model has no loops or other equalities that act");
    if (looped && !model.deforming.empty())
        refuse(model.bodies[0].where,
               "forces of accelerations are not found with loops on bodies that "
               "deform; '--disable equality' computes without");
    std::optional<BoundInverse> bound;
    if (model.deforming.empty())
        bound.emplace(options, job, independent_velocities(job, independent), allow_residual);
    Workspace<double> ws(job.loaded.model);
    DriveWorkspace<double> drives(model);
    Json states = Json::array();
    for (std::size_t i = 0; i < job.states.size(); ++i) {
        if (!options.json && job.states.size() > 1) fmt::print("{}state {}\n\n", i == 0 ? "" : "\n", i);
        const StateInput& input = job.states[i];
        if (bound && bound->concerns(input)) {
            if (options.json)
                states.push_back(bound->json(i));
            else
                bound->print(i);
            continue;
        }
        std::vector<double> forces(model.nv);
        forward_kinematics(input.state, ws);
        update_drives(input.state, ws, drives);
        actuator_forces<double>(input.state, model, input.ctrl, drives);
        find_forces_of_motion(input.state, input.qacc, ws, drives, forces);
        require_finite(job, i, forces, "force");
        if (options.json) {
            Json state{{"qfrc_inverse", forces}};
            add_drive_results(model, drives, state);
            states.push_back(std::move(state));
            continue;
        }
        print_forces(job, input.qacc, forces);
        print_drive_results(model, job.names, drives, input.ctrl);
    }
    if (options.json) print_json({{"states", std::move(states)}});
    return Exit::ok;
}

}  // namespace lig::app
