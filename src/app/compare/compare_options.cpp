#include "app/compare/compare_options.h"

#include "app/choices.h"
#include "app/comma_list.h"
#include "app/compare/comparison_files.h"
#include "app/number_option.h"
#include "formulations/formulation_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lig::app {

namespace {

CompareCase method_of(const std::string& word) {
    const std::size_t colon = std::min(word.find(':'), word.size());
    CompareCase one{word.substr(0, colon), "auto", ""};
    if (colon < word.size()) one.integrator = word.substr(colon + 1);
    return one;
}

}  // namespace

std::string CompareCase::method() const {
    return integrator == "auto" ? formulation : formulation + ':' + integrator;
}

std::optional<CompareCase> parse_case(const std::string& text) {
    const std::size_t at = text.rfind('@');
    if (at == text.npos || !parse_number(std::string_view(text).substr(at + 1))) return std::nullopt;
    CompareCase one = method_of(text.substr(0, at));
    one.dt = text.substr(at + 1);
    return one;
}

void CompareOptions::declare(Arguments& arguments) {
    run.command = "compare";
    run.job.declare_without_formulation(arguments);
    arguments.section(Section::own);
    arguments
        .option(formulations, "--formulations", "NAMES",
                "{}, separated by commas, each with an integrator where its own is not meant: "
                "reduced,multiplier:rattle (default: all)")
        .choices({formulations::formulation_names.begin(), formulations::formulation_names.end()});
    arguments.option(dt, "--dt", "SECONDS",
                     "the steps, separated by commas, also as fractions: 1/60,1/120 (default: the model's)");
    arguments
        .option(reference, "--reference", "WHAT",
                "what errors are measured against: a .csv or .lrec file, FORMULATION[:INTEGRATOR]@SECONDS, "
                "none, or "
                "finest: reduced with a quarter of the shortest step and a tolerance of 1e-12 (default)")
        .file({".csv", ".lrec"});
    arguments.option(repeat, "--repeat", "COUNT",
                     "how often each is run; the shortest time counts (default: 1)");
    arguments.section(Section::output);
    arguments
        .option(out, "--out", "FILE",
                "write the comparison; the ending decides: " + join(comparison_endings()) + " (repeatable)")
        .file(comparison_endings());
    run.declare_shared(arguments);
}

std::vector<CompareCase> CompareOptions::cases() const {
    std::vector<CompareCase> methods;
    for (const std::string& word : split_at_commas(formulations)) methods.push_back(method_of(word));
    if (formulations.empty())
        for (const std::string_view name : formulations::formulation_names)
            methods.push_back({std::string(name), "auto", ""});
    std::vector<std::string> steps = split_at_commas(dt);
    if (dt.empty()) steps = {""};
    for (const std::string& step : steps)
        if (!step.empty() || !dt.empty())
            number_option("compare", "--dt", "a time in seconds", step, 0, 0, true);
    std::vector<CompareCase> all;
    for (const CompareCase& method : methods) {
        if (!formulations::find_formulation(method.formulation))
            not_among("compare", "--formulations", method.formulation,
                      {formulations::formulation_names.begin(), formulations::formulation_names.end()});
        for (const std::string& step : steps) {
            CompareCase one = method;
            one.dt = step;
            const auto is_same = [&](const CompareCase& other) {
                return other.method() == one.method() && other.dt == one.dt;
            };
            if (std::ranges::any_of(all, is_same))
                throw Failure(Exit::usage, fmt::format("ligament compare: {}{}{} is given twice",
                                                       one.method(), step.empty() ? "" : "@", step));
            all.push_back(std::move(one));
        }
    }
    return all;
}

int CompareOptions::repetitions() const {
    const double count = number_option("compare", "--repeat", "a whole number from 1 on", repeat, 1, 1);
    if (count != std::floor(count) || count > 1e6)
        throw Failure(
            Exit::usage,
            fmt::format("ligament compare: --repeat is a whole number from 1 on, not '{}'", *repeat));
    return static_cast<int>(count);
}

RunOptions CompareOptions::options_of(const CompareCase& one) const {
    RunOptions options = run;
    options.job.formulation = one.formulation;
    options.integrator = one.integrator;
    if (!one.dt.empty()) options.dt = one.dt;
    return options;
}

}  // namespace lig::app
