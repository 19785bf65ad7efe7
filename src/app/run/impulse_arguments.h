#pragma once

// What commands are told about the formulation `impulse`.

#include "app/arguments.h"

#include <ligament/simulation.h>

#include <optional>
#include <string>
#include <string_view>

namespace lig::app {

struct ImpulseArguments {
    std::optional<std::string> substeps, bias_factor, slop, least_impulse, contact_give, joint_give;
    bool sleep = false, no_warm_starting = false, increment_clamping = false;

    void declare(Arguments& arguments);
    // Throws Failure on wrong usage, and where any is given for another formulation.
    ImpulseOptions interpret(std::string_view command, std::string_view formulation) const;
};

}  // namespace lig::app
