// Simulates a model. What this build cannot compute yet (the forces of contacts, limits, loops and dry
// friction) is refused by name: at the start where the model has it, and when the motion comes to it.

#include "app/commands.h"
#include "app/dynamics_job.h"
#include "app/json_output.h"
#include "app/number_option.h"
#include "app/support.h"
#include "app/table.h"
#include "app/trajectory_files.h"

#include <ligament/smooth_motion.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <optional>
#include <unistd.h>

namespace lig::app {

namespace {

struct RunOptions {
    DynamicsOptions job;
    std::string integrator = "rk45";
    std::optional<std::string> dt, duration, tolerance, every;
    std::vector<std::string> set, out;

    void declare(Arguments& arguments) {
        job.declare(arguments);
        arguments.option(dt, "--dt", "SECONDS", "the step; of rk45 the longest (default: the model's)");
        arguments.option(duration, "--duration", "SECONDS", "how long (default: 10)");
        arguments.option(integrator, "--integrator", "NAME", "euler, rk4 or rk45 (default: rk45)");
        arguments.option(tolerance, "--tolerance", "NUMBER", "of a step of rk45, relative (default: 1e-9)");
        arguments.option(every, "--every", "SECONDS", "time between samples (default: the step)");
        arguments.option(set, "--set", "JOINT=VALUE,…", "coordinates to start from, instead of the model's");
        arguments.option(
            out, "--out", "FILE",
            "write the trajectory; the ending decides: " + trajectory_endings() + " (repeatable)");
    }
};

SmoothMethod method_named(const std::string& name) {
    constexpr std::pair<std::string_view, SmoothMethod> methods[] = {
        {"euler", SmoothMethod::euler}, {"rk4", SmoothMethod::rk4}, {"rk45", SmoothMethod::rk45}};
    std::vector<std::string_view> names;
    for (const auto& [known, method] : methods) {
        if (known == name) return method;
        names.push_back(known);
    }
    throw Failure(Exit::usage,
                  fmt::format("ligament run: --integrator is one of euler, rk4 and rk45, not '{}'{}", name,
                              did_you_mean(name, names)));
}

// "knee=0.5,hip=-1"
void set_coordinates(const std::vector<std::string>& words, const DynamicsJob& job,
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
                              fmt::format("ligament run: --set is JOINT=VALUE, not '{}'", entry));
            const std::string name = entry.substr(0, equals);
            const auto found = std::find(names.begin(), names.end(), name);
            if (found == names.end()) {
                const std::vector<std::string_view> choices(names.begin(), names.end());
                throw Failure(Exit::usage,
                              fmt::format("ligament run: --set: the model has no coordinate '{}'{}", name,
                                          did_you_mean(name, choices)));
            }
            state.q[found - names.begin()] = *value;
        }
}

volatile std::sig_atomic_t interrupted = 0;

// A bar on a terminal, nothing elsewhere.
class Progress {
public:
    explicit Progress(bool quiet) : shown_(!quiet && isatty(fileno(stderr)) != 0) {}
    ~Progress() {
        if (shown_) fmt::print(stderr, "\r\033[K");
    }
    void at(double share) {
        const auto now = std::chrono::steady_clock::now();
        if (!shown_ || now - last_ < std::chrono::milliseconds(100)) return;
        last_ = now;
        const int filled = static_cast<int>(30 * share);
        fmt::print(stderr, "\r[{:#<{}}{: >{}}] {:3.0f} %", "", filled, "", 30 - filled, 100 * share);
    }

private:
    bool shown_;
    std::chrono::steady_clock::time_point last_{};
};

// Everything that the end of a run tells.
struct Summary {
    std::string status = "ok";
    int steps = 0, rejected = 0, evaluations = 0;
    double wall_time = 0;
    double energy_start = 0, energy_end = 0, energy_lowest = 0, energy_max_rise = 0, energy_max_drift = 0;

    void note_energy(double energy, bool first) {
        if (first) energy_start = energy_lowest = energy;
        energy_end = energy;
        energy_lowest = std::min(energy_lowest, energy);
        energy_max_rise = std::max(energy_max_rise, energy - energy_lowest);
        energy_max_drift = std::max(energy_max_drift, std::abs(energy - energy_start));
    }
};

class Run {
public:
    Run(const RunOptions& options, DynamicsJob& job)
        : job_(job),
          motion_(job.loaded.model),
          contacts_(job.loaded.model),
          state_(job.states[0].state),
          layout_(job.model(), job.names, {}),
          sampler_(job.loaded.model, layout_),
          files_(options.out, options.job.model.path, layout_) {
        const Model& model = job.model();
        smooth_.method = method_named(options.integrator);
        smooth_.step =
            number_option("run", "--dt", "a time in seconds", options.dt, model.options.timestep, 0, true);
        smooth_.tolerance =
            number_option("run", "--tolerance", "a positive number", options.tolerance, 1e-9, 0, true);
        duration_ = number_option("run", "--duration", "a time in seconds", options.duration, 10, 0);
        every_ = number_option("run", "--every", "a time in seconds", options.every, smooth_.step, 0, true);
        const double ratio = every_ / smooth_.step;
        if (smooth_.method != SmoothMethod::rk45 && std::abs(ratio - std::round(ratio)) > 1e-6 * ratio)
            throw Failure(Exit::usage,
                          fmt::format("ligament run: --every ({:g} s) is not a multiple of the step "
                                      "({:g} s)",
                                      every_, smooth_.step));
        motion_.dynamics.ctrl = job.states[0].ctrl;
        motion_.dynamics.qfrc_applied = job.states[0].qfrc_applied;
        for (const auto& [body, f] : job.states[0].xfrc_applied)
            motion_.dynamics.xfrc_applied[body] = {{f[3], f[4], f[5]}, {f[0], f[1], f[2]}};
        set_coordinates(options.set, job, state_);
    }

    // Returns why it ended before its time, if it did.
    std::optional<Failure> simulate(bool quiet) {
        const double start = state_.time;
        const auto begin = std::chrono::steady_clock::now();
        Progress progress(quiet);
        std::optional<Failure> trouble = sample(true);
        // Counting samples, so that rounding of the time adds none.
        const double count = std::ceil(duration_ / every_ - 1e-9);
        for (double k = 1; k <= count && !trouble; ++k) {
            const double until = start + std::min(k * every_, duration_);
            const MotionReport report = motion_.advance(state_, until - state_.time, smooth_);
            summary.steps += report.steps;
            summary.rejected += report.rejected;
            summary.evaluations += report.evaluations;
            if (report.status != MotionStatus::ok) {
                summary.status = report.status == MotionStatus::non_finite ? "non_finite" : "step_too_small";
                trouble.emplace(Exit::simulation,
                                fmt::format("ligament run: at {:g} s {}", report.time, report.where));
            }
            if (!trouble) trouble = sample(false);
            if (interrupted && !trouble) trouble.emplace(Exit::interrupted, "ligament run: interrupted");
            progress.at(k / count);
        }
        summary.wall_time = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        files_.finish();
        return trouble;
    }

    Json json(const RunOptions& options) {
        const Model& model = job_.model();
        BodyState<double> bodies(model);
        body_state(state_, motion_.dynamics.ws, bodies);
        Json xpos = Json::object(), xquat = Json::object(), xvel = Json::object();
        for (std::size_t b = 0; b < bodies.pos.size(); ++b) {
            if (b == 0 && job_.names.world_is_taken) continue;
            add_member(xpos, job_.names.bodies[b], to_json(bodies.pos[b]));
            add_member(xquat, job_.names.bodies[b], to_json(bodies.quat[b]));
            add_member(xvel, job_.names.bodies[b],
                       Json{{"angular", to_json(bodies.vel[b].ang)}, {"linear", to_json(bodies.vel[b].lin)}});
        }
        const double simulated = state_.time - job_.states[0].state.time;
        return {{"status", summary.status},
                {"steps", summary.steps},
                {"rejected_steps", summary.rejected},
                {"evaluations", summary.evaluations},
                {"simulated_time", simulated},
                {"wall_time", summary.wall_time},
                {"steps_per_second", summary.wall_time > 0 ? summary.steps / summary.wall_time : 0.0},
                {"formulation", options.job.formulation},
                {"integrator", options.integrator},
                {"dt", smooth_.step},
                {"energy_start", summary.energy_start},
                {"energy_end", summary.energy_end},
                {"energy_max_rise", summary.energy_max_rise},
                {"energy_max_drift", summary.energy_max_drift},
                {"final",
                 {{"time", state_.time},
                  {"qpos", state_.q},
                  {"qvel", state_.v},
                  {"xpos", std::move(xpos)},
                  {"xquat", std::move(xquat)},
                  {"xvel", std::move(xvel)}}}};
    }

    void print_text() const {
        fmt::print("simulated     {:g} s in {:.3g} s, {} steps\n", state_.time - job_.states[0].state.time,
                   summary.wall_time, summary.steps);
        fmt::print("energy        {} J at the start, {} J at the end, largest drift {} J\n\n",
                   number_text(summary.energy_start), number_text(summary.energy_end),
                   number_text(summary.energy_max_drift));
        const std::vector<std::string> names = coordinate_names(job_.model(), job_.names);
        Table table({"coordinate", "qpos"}, {1});
        for (std::size_t k = 0; k < names.size(); ++k) table.add({names[k], number_text(state_.q[k])});
        table.print();
    }

    Summary summary;

private:
    // Writes the state to the files, and looks whether it can be gone on from.
    std::optional<Failure> sample(bool first) {
        SmoothDynamics& dynamics = motion_.dynamics;
        forward_kinematics(state_, dynamics.ws);
        update_drives(state_, dynamics.ws, dynamics.drives);
        const Energy<double> energy = lig::energy(state_, dynamics.ws, dynamics.drives);
        summary.note_energy(energy.kinetic + energy.potential, first);
        files_.add(sampler_.take(state_, energy, {}, {}));
        return find_trouble();
    }

    std::optional<Failure> find_trouble() {
        SmoothDynamics& dynamics = motion_.dynamics;
        if (const auto limit = find_limit_trouble(job_.names, state_, dynamics.ws, dynamics.drives)) {
            const std::string place = limit->where.to_string();
            return Failure(
                Exit::unsupported,
                fmt::format("{}{}error: at {:g} s {}, and the forces of limits are not computed yet; "
                            "'--disable limit' computes without",
                            place, place.empty() ? "" : ": ", state_.time, limit->what));
        }
        const Switches& enabled = job_.model().options.enabled;
        if (!enabled.constraint || !enabled.contact) return std::nullopt;
        poses_.clear();
        for (int b = 0; b < static_cast<int>(job_.model().bodies.size()); ++b)
            poses_.push_back(body_pose(dynamics.ws, b));
        find_contacts(poses_, {}, contacts_);
        if (contacts_.contacts.events.empty()) return std::nullopt;
        const ContactEvent& touch = contacts_.contacts.events[0];
        return Failure(
            Exit::unsupported,
            fmt::format("error: at {:g} s geoms '{}' and '{}' touch, and contact forces are not computed "
                        "yet; '--disable contact' computes without",
                        state_.time, job_.names.geoms[touch.geom_a], job_.names.geoms[touch.geom_b]));
    }

    DynamicsJob& job_;
    SmoothMotion motion_;
    CollisionWorkspace contacts_;
    JointState<double> state_;
    SmoothOptions smooth_;
    double duration_, every_;
    TrajectoryLayout layout_;
    TrajectorySampler sampler_;
    TrajectoryFiles files_;
    std::vector<Transformd> poses_;
};

}  // namespace

Exit run_run(Arguments& arguments) {
    RunOptions options;
    options.declare(arguments);
    if (!arguments.parse()) return Exit::ok;

    DynamicsJob job = prepare_to_run(options.job);
    if (job.states.size() != 1)
        throw Failure(Exit::usage, fmt::format("ligament run: --state holds {} states; one is simulated",
                                               job.states.size()));
    Run run(options, job);
    std::signal(SIGINT, [](int) { interrupted = 1; });
    const std::optional<Failure> trouble = run.simulate(options.job.model.quiet);
    std::signal(SIGINT, SIG_DFL);
    if (trouble) throw *trouble;
    if (options.job.json)
        print_json(run.json(options));
    else
        run.print_text();
    return Exit::ok;
}

}  // namespace lig::app
