#pragma once

// What `forward`, `inverse`, `run` and `contacts` share: a model, the states to work on, and which parts of
// the physics count.

#include "app/dynamics/model_file.h"
#include "app/dynamics/state_file.h"
#include "app/failure.h"
#include "app/names.h"

#include <ligament/collision.h>
#include <ligament/drives.h>
#include <ligament/simulation.h>
#include <ligament/smooth_motion.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

// Those of this build.
std::vector<std::string_view> formulation_names();

// Which states of which model.
struct StateOptions {
    ModelOptions model;
    std::string state_path, key;

    void declare(Arguments& arguments);
};

struct DynamicsOptions : StateOptions {
    std::string formulation = "reduced";
    std::vector<std::string> disable;
    bool json = false;

    void declare(Arguments& arguments);
    // The same without the formulation, for commands that have several.
    void declare_without_formulation(Arguments& arguments);
};

struct DynamicsJob {
    LoadedModel loaded;
    Names names;
    std::vector<StateInput> states;

    const Model& model() const { return *loaded.model; }
};

// Loads the model, with changes to its scene where there are any, and the states.
DynamicsJob load_job(const StateOptions& options, bool needs_qacc = false,
                     const std::function<void(Scene&)>& change = {});
// The same for a formulation, which must be one of this build.
DynamicsJob prepare_to_run(const DynamicsOptions& options, bool needs_qacc = false);
// The same for computing forces and accelerations of single states. Whatever the model holds that the
// computation would have to leave out is refused by name, unless it is disabled.
DynamicsJob prepare(const DynamicsOptions& options, const SimulationOptions& method, bool needs_qacc);

// A Failure that names what the formulation does not have of the model and the options.
void require_supported(std::string_view command, const Model& model, const SimulationOptions& options);

// Prints a warning about a file, unless warnings are silenced; under --strict it ends the command.
void warn(const ModelOptions& options, const std::string& file, Exit code_if_strict, std::string_view text);

// Puts a state onto its equalities, with a warning where it was off by more than rounding. A Failure that
// names the equality which stays open.
void close_state(std::string_view command, const StateOptions& options, std::size_t index,
                 SmoothDynamics& dynamics, JointState<double>& state);

// Writes ws.f_ext: what is applied to the bodies and what the medium does. Returns whether there is anything.
// After forward_kinematics.
bool set_external_forces(const StateInput& input, Workspace<double>& ws);

// The contacts of a state. A Failure when a body is nowhere.
void find_contacts_at(const DynamicsJob& job, std::size_t state, const CollisionOptions& options,
                      Workspace<double>& ws, CollisionWorkspace& contacts);

// A Failure that names the first velocity whose number is not finite.
void require_finite(const DynamicsJob& job, std::size_t state, std::span<const double> numbers,
                    std::string_view what);

}  // namespace lig::app
