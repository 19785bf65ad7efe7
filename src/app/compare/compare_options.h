#pragma once

// What `ligament compare` is told: the options of a run, and several formulations, integrators and steps.

#include "app/run/run_options.h"

#include <optional>
#include <string>
#include <vector>

namespace lig::app {

// One way to simulate the scene.
struct CompareCase {
    std::string formulation;
    std::string integrator = "auto";
    std::string dt;  // as it was given; empty: the model's

    // "multiplier:rattle"; the integrator only where it is not the formulation's own.
    std::string method() const;
};

struct CompareOptions {
    RunOptions run;
    std::vector<std::string> formulations, dt, out;
    std::string reference = "finest";
    std::optional<std::string> repeat;

    void declare(Arguments& arguments);

    // Formulations by steps, in the order given. Throws Failure for names that there are not.
    std::vector<CompareCase> cases() const;
    // How often each is run for its time; at least 1. Throws Failure.
    int repetitions() const;
    // The options of a run of one case.
    RunOptions options_of(const CompareCase& one) const;
};

// "FORMULATION[:INTEGRATOR]@DT", or nothing where the text is something else.
std::optional<CompareCase> parse_case(const std::string& text);

}  // namespace lig::app
