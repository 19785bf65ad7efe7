#include "app/dynamics/reach_option.h"

#include "app/comma_list.h"
#include "app/dynamics/named_frame.h"
#include "app/number_option.h"
#include "app/table.h"
#include "core/rotation.h"
#include "core/unit_quaternion.h"

#include <fmt/format.h>

namespace lig::app {

namespace {

std::string name_in(const std::string& word) { return word.substr(0, word.rfind('=')); }

ReachTarget target_of(std::string_view command, const DynamicsJob& job, const std::string& word) {
    const auto fail = [&] {
        throw Failure(Exit::usage,
                      fmt::format("ligament {}: --reach is NAME=X,Y,Z or NAME=X,Y,Z,W,I,J,K with a "
                                  "quaternion, not '{}'",
                                  command, word));
    };
    const std::size_t equals = word.rfind('=');
    if (equals == word.npos) fail();
    std::vector<double> numbers;
    for (const std::string& part : split_at_commas(word.substr(equals + 1))) {
        const std::optional<double> number = parse_number(part);
        if (!number) fail();
        numbers.push_back(*number);
    }
    if (numbers.size() != 3 && numbers.size() != 7) fail();
    const NamedFrame frame = find_frame(command, "--reach", job, name_in(word));
    if (job.model().bodies[frame.body].link < 0)
        throw Failure(Exit::usage,
                      fmt::format("ligament {}: --reach: '{}' does not move", command, frame.name));
    ReachTarget target{.body = frame.body, .frame = {frame.X_BF.p, quaternion(frame.X_BF.R)}};
    target.wanted.pos = {numbers[0], numbers[1], numbers[2]};
    if (numbers.size() == 3) return target;
    target.with_axes = true;
    const Quatd turn{numbers[3], numbers[4], numbers[5], numbers[6]};
    if (turn.w == 0 && turn.x == 0 && turn.y == 0 && turn.z == 0) fail();
    target.wanted.quat = unit_quaternion(turn);
    return target;
}

}  // namespace

void ReachOption::declare(Arguments& arguments) {
    arguments.option(words, "--reach", "NAME=X,Y,Z",
                     "move a body's or site's origin there, in the world, and with X,Y,Z,W,I,J,K its axes "
                     "(repeatable)");
    arguments
        .option(
            branch, "--branch", "WHICH",
            "how --reach gets there: {}: keep, along a straight way on the branch where the mechanism is, or "
            "any, to the nearest pose (default: keep)")
        .choice({"keep", "any"});
}

std::vector<ReachTarget> ReachOption::targets(std::string_view command, const DynamicsJob& job) const {
    if (!words.empty() && !job.model().deforming.empty())
        throw Failure(Exit::unsupported,
                      fmt::format("ligament {}: --reach does not have bodies that deform", command));
    std::vector<ReachTarget> out;
    for (const std::string& word : words) out.push_back(target_of(command, job, word));
    return out;
}

ReachReport ReachOption::find(const DynamicsJob& job, const std::vector<ReachTarget>& targets,
                              JointState<double>& state) const {
    InverseKinematics search(job.loaded.model, targets);
    return branch == "any" ? search.reach(state) : search.follow(state);
}

std::string ReachOption::describe(const ReachReport& report) const {
    std::string why = report.where.empty() ? "no pose near by reaches it" : "the way ends at " + report.where;
    for (const std::string& joint : report.at_limit)
        why += fmt::format("; {} is at the end of its range", joint);
    if (report.target < 0) return why;
    return fmt::format("'{}' is off by {} (m or rad): {}", name_in(words[report.target]),
                       number_text(report.error), why);
}

}  // namespace lig::app
