#pragma once

// What `forward` and `inverse` share: a model, the states to work on, and which parts of the physics count.

#include "app/failure.h"
#include "app/model_file.h"
#include "app/names.h"
#include "app/state_file.h"

#include <ligament/drives.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

struct DynamicsOptions {
    ModelOptions model;
    std::string state_path, key, formulation = "reduced";
    std::vector<std::string> disable;
    bool json = false;

    void declare(Arguments& arguments);
};

struct DynamicsJob {
    LoadedModel loaded;
    Names names;
    std::vector<StateInput> states;

    const Model& model() const { return *loaded.model; }
};

// Loads the model and the states. Whatever the model holds that the computation would have to leave out is
// refused by name, unless it is disabled.
DynamicsJob prepare(const DynamicsOptions& options, bool needs_qacc);

// Prints a warning about a file, unless warnings are silenced; under --strict it ends the command.
void warn(const ModelOptions& options, const std::string& file, Exit code_if_strict, std::string_view text);

// Writes ws.f_ext: what is applied to the bodies and what the medium does. Returns whether there is anything.
// After forward_kinematics.
bool set_external_forces(const StateInput& input, Workspace<double>& ws);

// A Failure that names the first velocity whose number is not finite.
void require_finite(const DynamicsJob& job, std::size_t state, std::span<const double> numbers,
                    std::string_view what);

}  // namespace lig::app
