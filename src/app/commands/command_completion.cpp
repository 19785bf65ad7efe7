// What shells need to complete words of a command line.

#include "app/bash_completion.h"
#include "app/choices.h"
#include "app/commands.h"
#include "app/dynamics/model_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace lig::app {

namespace {

std::vector<CommandDescription> describe_all() {
    std::vector<CommandDescription> all;
    for (const Command& command : commands) {
        Arguments arguments(command.name, command.summary, command.example, std::nullopt);
        command.run(arguments);
        all.push_back(arguments.description());
    }
    return all;
}

// A line each. It is asked for while somebody types: what is wrong with the model is for other commands to
// tell.
void print_keyframes(const std::string& path) {
    ModelOptions options;
    options.path = path;
    options.quiet = true;
    const LoadedModel loaded = load_model(options);
    for (const Model::Keyframe& key : loaded.model->keyframes)
        if (!key.name.empty()) fmt::print("{}\n", key.name);
}

}  // namespace

Exit run_completion(Arguments& arguments) {
    const std::vector<std::string_view> topics{"bash", "keyframes"};
    std::string topic;
    std::vector<std::string> model;
    arguments.positional(topic, "WHAT", "bash: a script for it; keyframes: the names of those of MODEL")
        .choice(topics);
    arguments.positionals(model, "MODEL", "of which keyframes").file(model_endings());
    if (!arguments.parse()) return Exit::ok;
    if (std::ranges::find(topics, topic) == topics.end()) not_among("completion", "WHAT", topic, topics);
    const bool keyframes = topic == "keyframes";
    if (model.size() != (keyframes ? 1 : 0))
        throw Failure(Exit::usage, keyframes ? "ligament completion: 'keyframes' takes one MODEL"
                                             : "ligament completion: 'bash' takes nothing else");
    if (keyframes)
        print_keyframes(model[0]);
    else
        fmt::print("{}", bash_completion(describe_all()));
    return Exit::ok;
}

}  // namespace lig::app
