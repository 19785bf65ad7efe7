// A pose in which all equalities of a model are closed, as a keyframe of the model.

#include "app/commands.h"
#include "app/dynamics/dynamics_job.h"
#include "app/dynamics/reach_option.h"
#include "app/dynamics/scene_output.h"
#include "app/dynamics/set_option.h"
#include "app/json_output.h"
#include "app/table.h"

#include <ligament/assemble.h>

#include <fmt/format.h>

namespace lig::app {

namespace {

Json report_json(const AssembleReport& report, const JointState<double>& state, const std::string& key) {
    Json open = Json::array();
    for (const AssembleReport::Open& loop : report.open)
        open.push_back({{"what", loop.what}, {"error", loop.error}});
    Json out{{"closed", report.closed},
             {"error", report.error},
             {"starts", report.starts},
             {"iterations", report.iterations},
             {"limit_violation", report.limit_violation},
             {"open", std::move(open)}};
    if (report.closed) {
        out["keyframe"] = key;
        out["qpos"] = state.q;
        out["qvel"] = state.v;
    }
    return out;
}

Json reach_json(const ReachReport& report) {
    Json out{{"reached", report.reached},
             {"error", report.error},
             {"poses", report.poses},
             {"iterations", report.iterations},
             {"at_limit", report.at_limit},
             {"smallest_sine", report.smallest_sine}};
    if (!report.where.empty()) out["ends_at"] = report.where;
    return out;
}

// A name that no keyframe has yet.
std::string new_key(const Model& model) {
    std::string name = "assembled";
    for (int k = 2; model.find_keyframe(name) >= 0; ++k) name = fmt::format("assembled{}", k);
    return name;
}

KeyframeSpec keyframe_of(const JointState<double>& state, const StateInput& input, std::string name) {
    KeyframeSpec key;
    key.name = std::move(name);
    key.time = state.time;
    key.qpos = state.q;
    key.qvel = state.v;
    key.act = state.act;
    key.ctrl = input.ctrl;
    for (const BaseMotion<double>& base : state.kinematic) {
        for (const double x : {base.pos.x, base.pos.y, base.pos.z}) key.mpos.push_back(x);
        for (const double x : {base.quat.w, base.quat.x, base.quat.y, base.quat.z}) key.mquat.push_back(x);
    }
    return key;
}

[[noreturn]] void fail(const DynamicsJob& job, const ModelOptions& options, const AssembleReport& report) {
    std::string text = fmt::format(
        "{}: error: no pose was found in which all equalities are closed; the best one of "
        "{} attempts leaves open:",
        options.path == "-" ? "<stdin>" : options.path, report.starts);
    for (const AssembleReport::Open& loop : report.open)
        text += fmt::format("\n  {} by {}", loop.what, number_text(loop.error));
    const Switches& enabled = job.model().options.enabled;
    if (enabled.constraint && enabled.limit && report.limit_violation > 0)
        text += fmt::format("\nand joint '{}' beyond its range by {}", report.beyond_limit,
                            number_text(report.limit_violation));
    throw Failure(Exit::simulation, text);
}

}  // namespace

Exit run_assemble(Arguments& arguments) {
    StateOptions options;
    std::vector<std::string> set;
    std::string out;
    bool json = false;
    ReachOption reach;
    options.declare(arguments);
    declare_set_option(arguments, set);
    reach.declare(arguments);
    arguments.option(out, "--out", "FILE", "write the model as MJCF, with the pose as a keyframe")
        .file(writable_endings());
    arguments.flag(json, "--json", "print one JSON document");
    if (!arguments.parse()) return Exit::ok;
    if (!out.empty()) {
        require_writable(out);
        require_other_file(options.model.path, out);
        if (out == "-" && json)
            throw Failure(Exit::usage, "ligament assemble: --json and --out - both write to standard output");
    }

    DynamicsJob job = load_job(options);
    if (job.states.size() != 1)
        throw Failure(Exit::usage, fmt::format("ligament assemble: --state holds {} states; one is assembled",
                                               job.states.size()));
    JointState<double> state = job.states[0].state;
    set_coordinates("assemble", set, job, state);
    const std::vector<ReachTarget> targets = reach.targets("assemble", job);
    const AssembleReport report = assemble(job.loaded.model, state);
    ReachReport reached;
    if (report.closed && !targets.empty()) reached = reach.find(job, targets, state);
    const std::string key = new_key(job.model());
    if (json) {
        Json document = report_json(report, state, key);
        if (report.closed && !targets.empty()) document["reach"] = reach_json(reached);
        print_json(document);
    }
    if (!report.closed) fail(job, options.model, report);
    if (report.limit_violation > 0)
        warn(options.model, options.model.path, Exit::simulation,
             fmt::format("joint '{}' is beyond its range by {}: no pose was found within all ranges",
                         report.beyond_limit, number_text(report.limit_violation)));
    if (!out.empty()) {
        job.loaded.scene.add_keyframe(keyframe_of(state, job.states[0], key));
        write_scene(job.loaded.scene, out);
    }
    if (!json && out != "-") {
        fmt::print("closed to {:.1e}, at the {}. attempt\n\n", report.error, report.starts);
        const std::vector<std::string> names = coordinate_names(job.model(), job.names);
        Table table({"coordinate", "qpos"}, {1});
        for (std::size_t k = 0; k < names.size(); ++k) table.add({names[k], number_text(state.q[k])});
        table.print();
    }
    if (!targets.empty() && !reached.reached)
        throw Failure(Exit::simulation,
                      fmt::format("ligament assemble: {}; the pose is the nearest that was found",
                                  reach.describe(reached)));
    return Exit::ok;
}

}  // namespace lig::app
