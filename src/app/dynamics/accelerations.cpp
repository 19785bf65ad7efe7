#include "app/dynamics/accelerations.h"

#include "formulations/formulation_list.h"
#include "formulations/maximal/body_dynamics.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>

namespace lig::app {

Accelerations::Accelerations(std::shared_ptr<const Model> model, std::string_view formulation,
                             EqualityMethod method)
    : dynamics(model) {
    if (model->options.enabled.constraint && model->deforming.empty()) touching_.emplace(model);
    // Of formulations on bodies the accelerations are the same; they differ in time.
    if (const formulations::FormulationInfo* info = formulations::find_formulation(formulation);
        info && info->can.on_bodies)
        bodies_ = std::make_unique<maximal::BodyDynamics>(std::move(model), method);
}

Accelerations::~Accelerations() = default;

// The best of some calls: the first one pays for cold caches, and others for what else the machine does.
template <class Evaluate>
double Accelerations::time_of(const Evaluate& evaluate) {
    using Clock = std::chrono::steady_clock;
    double best = std::numeric_limits<double>::infinity();
    constexpr double long_enough = 1e4;  // µs: once tells
    for (int call = 0; call < 5 && !(best > long_enough && call > 0); ++call) {
        const Clock::time_point start = Clock::now();
        evaluate();
        best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
    return best;
}

Accelerated Accelerations::find(const StateInput& input, std::span<const double> tau, bool external) {
    Accelerated result;
    result.qacc.resize(dynamics.model().nv);
    dynamics.ctrl = input.ctrl;
    dynamics.qfrc_applied = input.qfrc_applied;
    std::fill(dynamics.xfrc_applied.begin(), dynamics.xfrc_applied.end(), Force<double>::zero());
    for (const auto& [body, f] : input.xfrc_applied)
        dynamics.xfrc_applied[body] += {{f[3], f[4], f[5]}, {f[0], f[1], f[2]}};
    if (touches(input.state)) {
        find_touching(input, result);
    } else if (bodies_) {
        maximal::BodyDynamics::Solved solved;
        result.microseconds =
            time_of([&] { solved = bodies_->accelerate(dynamics, input.state, result.qacc); });
        if (solved.bad_link >= 0) {
            const std::vector<Model::Body>& all = dynamics.model().bodies;
            result.bad_body = static_cast<int>(
                std::ranges::find(all, solved.bad_link, &Model::Body::link) - all.begin());
            return result;
        }
        result.redundant_rows = solved.redundant_rows;
        result.constraint_residual = solved.residual;
        std::vector<double> multipliers(dynamics.multipliers.size());
        bodies_->write_multipliers(multipliers);
        dynamics.take_multipliers(input.state, multipliers);
        result.equality_rows = dynamics.equality_rows;
    } else if (dynamics.has_equalities()) {
        result.microseconds = time_of([&] {
            const std::span<const double> found = dynamics.accelerate(input.state);
            std::copy(found.begin(), found.end(), result.qacc.begin());
        });
        result.equality_rows = dynamics.equality_rows;
        result.redundant_rows = dynamics.redundant_rows;
    } else {
        result.microseconds = time_of([&] {
            forward_dynamics<double>(input.state, tau, dynamics.ws, dynamics.drives, result.qacc, external);
        });
    }
    return result;
}

bool Accelerations::touches(const JointState<double>& state) {
    if (!touching_) return false;
    try {
        return touching_->touches(state);
    } catch (const std::invalid_argument&) {
        return false;  // something is not finite, which accelerations tell by name
    }
}

void Accelerations::find_touching(const StateInput& input, Accelerated& result) {
    SmoothDynamics& to = touching_->inputs();
    to.ctrl = dynamics.ctrl;
    to.qfrc_applied = dynamics.qfrc_applied;
    to.xfrc_applied = dynamics.xfrc_applied;
    TouchingStatus status = TouchingStatus::ok;
    result.microseconds = time_of([&] { status = touching_->accelerate(input.state); });
    if (status != TouchingStatus::ok) {
        result.failure = touching_->where;
        return;
    }
    result.touching = &*touching_;
    result.qacc = touching_->qacc;
    if (!dynamics.has_equalities()) return;
    dynamics.take_multipliers(input.state, touching_->loops.multipliers);
    result.equality_rows = dynamics.equality_rows;
    result.redundant_rows =
        dynamics.equality_rows - (dynamics.model().nv - touching_->loops.freedoms());
}

}  // namespace lig::app
