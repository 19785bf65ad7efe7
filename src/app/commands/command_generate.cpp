// A scene made by one of the generators. The options are the parameters of all of them; each says which
// generator takes it, what for, and its value when it is not given.

#include "app/commands.h"
#include "app/dynamics/scene_output.h"
#include "app/number_option.h"
#include "scenes/generator_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

namespace lig::app {

namespace {

struct NumberOption {
    std::string_view parameter;
    std::string name, help;
    std::optional<std::string> text;  // as given
};

// In the order in which the generators name them. A deque, since the parser keeps references.
std::deque<NumberOption> number_options() {
    std::deque<NumberOption> options;
    for (const scenes::Generator* generator : scenes::generators)
        for (const scenes::Parameter& parameter : generator->parameters) {
            const auto known = std::find_if(options.begin(), options.end(), [&](const NumberOption& option) {
                return option.parameter == parameter.name;
            });
            const std::string help =
                fmt::format("{}: {} (default: {})", generator->name, parameter.what, parameter.fallback);
            if (known == options.end())
                options.push_back({parameter.name, "--" + std::string(parameter.name), help, {}});
            else
                known->help += '\n' + help;
        }
    return options;
}

std::vector<std::string_view> generator_names() {
    std::vector<std::string_view> names;
    for (const scenes::Generator* generator : scenes::generators) names.push_back(generator->name);
    return names;
}

const scenes::Generator& find_generator(const std::string& wanted) {
    for (const scenes::Generator* generator : scenes::generators)
        if (generator->name == wanted) return *generator;
    const std::vector<std::string_view> names = generator_names();
    const std::string suggestion = did_you_mean(wanted, names);
    throw Failure(Exit::usage, fmt::format("ligament generate: there is no scene '{}'{}", wanted,
                                           suggestion.empty() ? "; there are: " + join(names) : suggestion));
}

}  // namespace

Exit run_generate(Arguments& arguments) {
    std::string wanted, out, scenes_help;
    for (const scenes::Generator* generator : scenes::generators)
        scenes_help +=
            fmt::format("{}{}: {}", scenes_help.empty() ? "" : "\n", generator->name, generator->summary);
    arguments.positional(wanted, "SCENE", scenes_help).choice(generator_names());
    declare_scene_output(arguments, out);
    std::deque<NumberOption> options = number_options();
    for (NumberOption& option : options) arguments.option(option.text, option.name, "NUMBER", option.help);
    if (!arguments.parse()) return Exit::ok;

    const scenes::Generator& generator = find_generator(wanted);
    require_writable(out);
    // What a parameter may be, its generator tells.
    constexpr double lowest = std::numeric_limits<double>::lowest();
    std::vector<scenes::Setting> settings;
    for (const NumberOption& option : options)
        if (option.text)
            settings.push_back({option.parameter,
                                number_option("generate", option.name, "a number", option.text, 0, lowest)});
    try {
        write_scene(scenes::generate(generator, settings), out);
    } catch (const std::invalid_argument& error) {
        throw Failure(Exit::usage, fmt::format("ligament generate: {}", error.what()));
    }
    return Exit::ok;
}

}  // namespace lig::app
