#include "app/dynamics/set_option.h"

#include "app/comma_list.h"
#include "app/number_option.h"
#include "core/unit_quaternion.h"
#include "joints/joint_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace lig::app {

void declare_set_option(Arguments& arguments, std::vector<std::string>& words) {
    arguments.option(words, "--set", "JOINT=VALUE,…", "coordinates to start from, instead of the model's");
}

void set_coordinates(std::string_view command, const std::vector<std::string>& words, const DynamicsJob& job,
                     JointState<double>& state) {
    if (words.empty()) return;
    const std::vector<std::string> names = coordinate_names(job.model(), job.names);
    for (const std::string& entry : split_at_commas(words)) {
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
    // Parts of a quaternion are given one by one, and need not make one of unit length.
    for (const Model::Joint& joint : job.model().joints) {
        const joints::Coordinate* const kinds = joints::joint_info(joint.type).coordinate_kinds;
        const auto first = std::find(kinds, kinds + joint.nq, joints::Coordinate::quaternion);
        if (first == kinds + joint.nq) continue;
        double* const r = state.q.data() + joint.q_adr + (first - kinds);
        if (r[0] == 0 && r[1] == 0 && r[2] == 0 && r[3] == 0)
            throw Failure(Exit::usage, fmt::format("ligament {}: --set leaves joint '{}' no direction: "
                                                   "all of its quaternion is 0",
                                                   command,
                                                   job.names.joints[&joint - job.model().joints.data()]));
        const Quatd unit = unit_quaternion({r[0], r[1], r[2], r[3]});
        r[0] = unit.w;
        r[1] = unit.x;
        r[2] = unit.y;
        r[3] = unit.z;
    }
}

}  // namespace lig::app
