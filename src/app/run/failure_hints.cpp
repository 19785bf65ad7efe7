#include "app/run/failure_hints.h"

#include "formulations/formulation_list.h"
#include "formulations/promises.h"
#include "linalg/semidefinite_cholesky.h"

#include <ligament/collision.h>
#include <ligament/dynamics.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace lig::app {

namespace {

// More advice than this is none.
constexpr std::size_t max_hints = 3;

constexpr double pi = 3.14159265358979323846;

class Adviser {
public:
    explicit Adviser(const FailedRun& failed)
        : failed_(failed),
          model_(failed.job.model()),
          names_(failed.job.names),
          simulation_(failed.settings.simulation),
          can_(formulations::find_formulation(simulation_.formulation)->can),
          step_(*failed.run.troubled_step()) {}

    std::string text() {
        std::string out;
        if (!was_taken(step_)) {
            out += fmt::format("\n  kept: the state at {:g} s{}", step_.time,
                               failed_.files.empty() ? "" : ", and in the files everything up to there");
            if (const std::string fastest = fastest_freedom(); !fastest.empty())
                out += "\n  fastest then: " + fastest;
        } else if (const std::string deepest = deepest_contact(failed_.run.simulation().contacts());
                   !deepest.empty()) {
            out += "\n  deepest at the end: " + deepest;
        }
        advise();
        if (hints_.size() > max_hints) hints_.resize(max_hints);
        for (const std::string& hint : hints_) out += "\n  try " + hint;
        if (step_.status == StepStatus::energy_gained)
            out += "\n  see --energy-guard off: the motion as the method makes it, energy and all";
        return out + "\n  more: docs/troubleshooting.md";
    }

private:
    void advise() {
        switch (step_.status) {
            case StepStatus::too_many_events:
                hints_.push_back(fmt::format(
                    "--max-events {}, or --stepping automatic, which goes over events "
                    "that come too thick",
                    10 * simulation_.event.max_events));
                return;
            case StepStatus::overflow:
                hints_.push_back("--solver automatic: it takes any number of rows");
                break;
            case StepStatus::not_converged:
                if (was_taken(step_)) return advise_better_impulses();
                break;
            default: break;
        }
        suggest_other_solver();
        const bool at_the_start = step_.time <= failed_.inputs.start.state.time;
        if (equalities_are_open(at_the_start)) advise_to_assemble();
        if (step_.status == StepStatus::equality_open && at_the_start) return;
        find_wrong_actuators();
        find_stiffness();
        find_mass_ratio();
        find_overlap();
        if (step_.status == StepStatus::overflow) return;
        if (failed_.settings.integrator != "auto")
            hints_.push_back(fmt::format(
                "--integrator auto instead of {}: it shortens its steps where they are "
                "too long",
                failed_.settings.integrator));
        hints_.push_back(fmt::format("--dt {:g}, a tenth of the step", failed_.settings.dt / 10));
        suggest_formulation("implicit", "it is stable however stiff things are");
    }

    void advise_better_impulses() {
        if (failed_.options.simulation.has("--iterations"))
            hints_.push_back(
                fmt::format("--iterations {} or more, or leave it out", 10 * simulation_.iterations));
        if (failed_.options.simulation.has("--solver") && can_.solvers == formulations::SolverFamily::rows)
            hints_.push_back("--solver automatic: it goes on where others stop");
        suggest_other_solver();
        find_mass_ratio();
        find_overlap();
        hints_.push_back(fmt::format("--dt {:g}, a quarter of the step", failed_.settings.dt / 4));
    }

    // Those that remove errors by velocities, which may swing up.
    void suggest_other_solver() {
        if (!formulations::has_soft_contacts(simulation_)) return;
        hints_.push_back(fmt::format(
            "--solver {}, the default, instead of {}: its corrections do not "
            "stay in the velocities",
            formulations::default_solver(can_.solvers), simulation_.solver));
    }

    // Of the state that is kept.
    std::string fastest_freedom() const {
        const std::vector<double>& v = failed_.run.simulation().state().v;
        const auto faster = [](double a, double b) { return std::abs(a) < std::abs(b); };
        const auto fastest = std::max_element(v.begin(), v.end(), faster);
        if (fastest == v.end() || *fastest == 0) return "";
        const auto k = static_cast<std::size_t>(fastest - v.begin());
        for (std::size_t j = 0; j < model_.joints.size(); ++j) {
            const Model::Joint& joint = model_.joints[j];
            const int own = static_cast<int>(k) - joint.v_adr;
            if (own < 0 || own >= joint.nv) continue;
            return fmt::format("joint '{}' of body '{}', {:.3g} (rad/s or m/s)", names_.joints[j],
                               names_.bodies[joint.body], std::abs(*fastest));
        }
        return "";
    }

    bool equalities_are_open(bool at_the_start) const {
        if (model_.loops.empty() && model_.couplings.empty()) return false;
        constexpr double far = 0.01;  // m, rad
        return (step_.status == StepStatus::equality_open && at_the_start) ||
               failed_.run.summary().totals(&StepReport::equality_error) > far ||
               failed_.run.summary().totals(&StepReport::joint_error) > far;
    }

    void advise_to_assemble() {
        const std::string& path = failed_.options.job.model.path;
        hints_.push_back(fmt::format(
            "'ligament assemble {} --out assembled.xml': it finds a pose in which all equalities are "
            "closed, for 'ligament run assembled.xml --key assembled', or tells which cannot be",
            path == "-" ? "MODEL" : path));
    }

    void suggest_formulation(std::string_view name, std::string_view why) {
        if (simulation_.formulation == name) return;
        // Not every formulation has every integrator.
        hints_.push_back(fmt::format("--formulation {}{}: {}", name,
                                     failed_.settings.integrator == "auto" ? "" : " --integrator auto", why));
    }

    // Those that push things further the way they are off or move.
    void find_wrong_actuators() {
        if (!model_.options.enabled.actuation) return;
        for (std::size_t k = 0; k < model_.actuators.size(); ++k) {
            const Model::Actuator& actuator = model_.actuators[k];
            const bool with_velocity = actuator.bias[2] > 0, with_length = actuator.bias[1] > 0;
            if (!actuator.enabled || (!with_velocity && !with_length)) continue;
            hints_.push_back(fmt::format(
                "another sign of biasprm, kp or kv of actuator '{}': it pushes what it "
                "drives further the way it {} (--disable actuation leaves it out)",
                names_.actuators[k], with_velocity ? "moves" : "is off"));
            return;
        }
    }

    // The stiffest spring, damper or servo, by how fast what it moves would swing or slow down on it alone.
    void find_stiffness() {
        constexpr int max_freedoms = 200;
        if (model_.nv == 0 || model_.nv > max_freedoms || can_.takes_any_stiffness) return;
        const JointState<double>& start = failed_.inputs.start.state;
        Workspace<double> ws(failed_.job.loaded.model);
        forward_kinematics(start, ws);
        const auto nv = static_cast<std::size_t>(model_.nv);
        std::vector<double> M(nv * nv), push(nv), response(nv);
        mass_matrix<double>(start, ws, M);
        SemidefiniteCholesky inertia;
        inertia.factor(M, model_.nv, 1e-13);
        double fastest = 0;
        std::string what;
        for (std::size_t j = 0; j < model_.joints.size(); ++j) {
            const Model::Joint& joint = model_.joints[j];
            const auto [stiffness, damping] = stiffness_and_damping(static_cast<int>(j));
            if (!(stiffness > 0 || damping > 0)) continue;
            for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k) {
                std::fill(push.begin(), push.end(), 0.0);
                push[k] = 1;
                inertia.solve(M, push, response);
                const double swing = std::sqrt(std::max(stiffness * response[k], 0.0));
                const double decay = damping * response[k];
                if (std::max(swing, decay) <= fastest) continue;
                fastest = std::max(swing, decay);
                what = swing >= decay ? fmt::format("swings at {:.3g} Hz on its spring", swing / (2 * pi))
                                      : fmt::format("is slowed down in {:.2g} s by its damper", 1 / decay);
                what = fmt::format("joint '{}' {}", names_.joints[j], what);
            }
        }
        if (fastest * failed_.settings.dt < 0.5) return;
        what += fmt::format(", too fast for steps of {:g} s", failed_.settings.dt);
        // Where the integrator goes by its error, stiffness only takes time.
        if (failed_.settings.integrator != "auto" && failed_.settings.integrator != "rk45")
            hints_.push_back("--integrator auto: " + what);
        suggest_formulation("implicit", hints_.empty() ? what : "it is stable however stiff things are");
        hints_.push_back(fmt::format("--dt {:.1g}{}{}", 0.2 / fastest, hints_.empty() ? ": " : "",
                                     hints_.empty() ? what : ", short enough for that"));
    }

    // About each of its freedoms, with what servos add.
    std::pair<double, double> stiffness_and_damping(int index) const {
        const Model::Joint& joint = model_.joints[index];
        double stiffness = joint.stiffness, damping = joint.damping;
        for (const Model::Actuator& actuator : model_.actuators) {
            if (actuator.joint != index || !actuator.enabled || !model_.options.enabled.actuation) continue;
            const double squared = actuator.gear[0] * actuator.gear[0];
            stiffness += std::max(-actuator.bias[1], 0.0) * squared;
            damping += std::max(-actuator.bias[2], 0.0) * squared;
        }
        return {stiffness, damping};
    }

    // A light body that carries a heavy one.
    void find_mass_ratio() {
        constexpr double large = 100;
        double worst = large;
        std::optional<std::pair<int, int>> found;  // light, heavy
        for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
            const int child = static_cast<int>(b), parent = model_.bodies[b].parent;
            if (parent <= 0 || model_.bodies[b].joint_count == 0) continue;
            const double m = model_.bodies[child].mass, p = model_.bodies[parent].mass;
            if (!(m > 0 && p > 0)) continue;
            const double ratio = m / p;
            if (ratio <= worst) continue;
            worst = ratio;
            found = {parent, child};
        }
        if (!found) return;
        const std::string why = fmt::format("body '{}' carries '{}', {:.2g} times as heavy",
                                            names_.bodies[found->first], names_.bodies[found->second], worst);
        suggest_formulation("implicit", why + ", and implicit steps hold any tension");
        suggest_formulation("reduced", why + "; in joint coordinates joints cannot come apart");
    }

    // Geoms that are in each other from the beginning.
    void find_overlap() {
        if (!model_.options.enabled.constraint || !model_.options.enabled.contact) return;
        Workspace<double> ws(failed_.job.loaded.model);
        CollisionWorkspace contacts(failed_.job.loaded.model);
        find_contacts_at(failed_.job, 0, {}, ws, contacts);
        const std::string deepest = deepest_contact(contacts.contacts);
        if (deepest.empty()) return;
        const std::string& path = failed_.options.job.model.path;
        hints_.push_back(fmt::format(
            "another start: {} there; 'ligament contacts {}' lists such pairs, <exclude> "
            "lets bodies pass",
            deepest, path == "-" ? "MODEL" : path));
    }

    // "geoms 'a' and 'b' are 0.1 m in each other"; nothing where none are by more than a millimetre.
    std::string deepest_contact(const Contacts& contacts) const {
        const Contact* deepest = nullptr;
        for (const Contact& contact : contacts.contacts)
            if (!deepest || contact.distance < deepest->distance) deepest = &contact;
        if (!deepest || deepest->distance > -1e-3) return "";
        const Manifold& manifold = contacts.manifolds[deepest->manifold];
        return fmt::format("geoms '{}' and '{}' are {:.3g} m in each other", names_.geoms[manifold.geom_a],
                           names_.geoms[manifold.geom_b], -deepest->distance);
    }

    const FailedRun& failed_;
    const Model& model_;
    const Names& names_;
    const SimulationOptions& simulation_;
    const formulations::Capabilities& can_;
    const StepReport& step_;
    std::vector<std::string> hints_;
};

}  // namespace

std::string what_to_try(const FailedRun& failed) {
    if (!failed.run.troubled_step()) return {};
    return Adviser(failed).text();
}

}  // namespace lig::app
