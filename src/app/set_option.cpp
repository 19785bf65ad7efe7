#include "app/set_option.h"

#include "app/number_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace lig::app {

void declare_set_option(Arguments& arguments, std::vector<std::string>& words) {
    arguments.option(words, "--set", "JOINT=VALUE,…", "coordinates to start from, instead of the model's");
}

void set_coordinates(std::string_view command, const std::vector<std::string>& words, const DynamicsJob& job,
                     JointState<double>& state) {
    const std::vector<std::string> names = coordinate_names(job.model(), job.names);
    for (const std::string& word : words)
        for (std::size_t begin = 0; begin <= word.size();) {
            const std::size_t end = std::min(word.find(',', begin), word.size());
            const std::string entry = word.substr(begin, end - begin);
            begin = end + 1;
            const std::size_t equals = entry.rfind('=');
            const std::optional<double> value =
                equals == std::string::npos ? std::nullopt : parse_number(entry.substr(equals + 1));
            if (!value)
                throw Failure(Exit::usage,
                              fmt::format("ligament {}: --set is JOINT=VALUE, not '{}'", command, entry));
            const std::string name = entry.substr(0, equals);
            const auto found = std::find(names.begin(), names.end(), name);
            if (found == names.end()) {
                const std::vector<std::string_view> choices(names.begin(), names.end());
                throw Failure(Exit::usage,
                              fmt::format("ligament {}: --set: the model has no coordinate '{}'{}", command,
                                          name, did_you_mean(name, choices)));
            }
            state.q[found - names.begin()] = *value;
        }
}

}  // namespace lig::app
