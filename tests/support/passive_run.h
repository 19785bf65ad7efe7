#pragma once

// One run of a passive scene, and whether it was true: energy, joints, loops, limits and contacts measured
// from the state and the poses of bodies, not from what steps report of themselves.

#include "core/rotation.h"
#include "formulations/promises.h"

#include <ligament/drives.h>
#include <ligament/simulation.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

namespace lig::test {

enum class Verdict {
    ok,        // every step is ok, and true
    energy,    // every step is ok, but energy has been made
    off,       // … but loops are open, or limits or surfaces passed
    failed,    // a step has ended with another status
    non_finite,  // a number of the state is none
    slow       // a step or the run has taken too long
};
inline constexpr int verdicts = 6;
inline const char* name_of(Verdict verdict) {
    constexpr const char* names[verdicts] = {"true", "energy", "off", "failed", "nan", "slow"};
    return names[static_cast<int>(verdict)];
}

// What a run may be wrong by. A passive scene may only lose energy; what the guard admits besides, and
// rounding, is in AdmittedRise.
struct Allowed {
    double loop = 1e-6;      // of the size of the scene, unless the formulation promises less
    double depth = 5e-3;     // m
    double limit = 0.02;     // rad, m
    double step_seconds = 20, run_seconds = 120;
};

struct PassiveRun {
    Verdict verdict = Verdict::ok;
    StepStatus status = StepStatus::ok;
    std::string where;     // of a step that has failed
    double time = 0;       // simulated
    double rise = 0;       // J, above the start
    double excess = 0;     // … over what is allowed; 1: just so
    double later_rise = 0;  // J, above the lowest so far
    double kinetic = 0;    // J, the largest
    double joint_error = 0, equality_error = 0;  // m, rad
    double size = 0;       // of the scene, m
    double depth = 0;      // m
    double limit = 0;      // rad, m
    double seconds = 0;    // of the processor
    int guarded = 0;
};

// How far the state is off.
class StateErrors {
public:
    explicit StateErrors(std::shared_ptr<const Model> model)
        : model_(model), ws_(model), drives_(*model), collision_(model), X_WB_(model->bodies.size()) {}

    void measure(const Simulation& simulation, PassiveRun& run) {
        const JointState<double>& state = simulation.state();
        forward_kinematics(state, ws_);
        update_drives(state, ws_, drives_);
        if (run.size == 0) run.size = size();
        run.limit = std::max(run.limit, limits(state));
        simulation.body_poses(X_WB_);
        run.joint_error = std::max(run.joint_error, joints());
        run.equality_error = std::max(run.equality_error, loops(state));
        find_contacts(X_WB_, {}, collision_);
        for (const Contact& contact : collision_.contacts.contacts)
            run.depth = std::max(run.depth, -contact.distance);
    }

private:
    double size() const {
        Vec3d low{0, 0, 0}, high = low;
        for (int body = 1; body < static_cast<int>(model_->bodies.size()); ++body) {
            const Vec3d at = body_pose(ws_, body).p;
            for (int k = 0; k < 3; ++k) {
                low[k] = body == 1 ? at[k] : std::min(low[k], at[k]);
                high[k] = body == 1 ? at[k] : std::max(high[k], at[k]);
            }
        }
        return std::max(0.1, std::sqrt(dot(high - low, high - low)));
    }
    // How far bodies are from where the joints' coordinates have them, seen from their parents. Leaves the
    // poses that bodies have in the workspace.
    double joints() {
        const auto& links = model_->tree.links;
        X_PL_.resize(links.size());
        const auto parent_pose = [&](int parent) {
            return parent >= 0 ? ws_.poses[parent].X_WL : ws_.bases[-1 - parent].X_WL;
        };
        for (std::size_t i = 0; i < links.size(); ++i)
            X_PL_[i] = parent_pose(links[i].parent).inverse() * ws_.poses[i].X_WL;
        for (std::size_t b = 0; b < X_WB_.size(); ++b)
            if (const Model::Body& body = model_->bodies[b]; body.link >= 0)
                ws_.poses[body.link].X_WL = X_WB_[b] * body.X_LB.inverse();
        double most = 0;
        for (std::size_t i = 0; i < links.size(); ++i) {
            const Transformd off = (parent_pose(links[i].parent) * X_PL_[i]).inverse() * ws_.poses[i].X_WL;
            const Vec3d turn = quaternion(off.R).vec();
            most = std::max({most, std::sqrt(dot(off.p, off.p)), 2 * std::sqrt(dot(turn, turn))});
        }
        return most;
    }
    static double polynomial(const std::array<double, 5>& coefficients, double x) {
        double sum = 0;
        for (int k = 4; k >= 0; --k) sum = sum * x + coefficients[k];
        return sum;
    }
    double loops(const JointState<double>& state) {
        double most = 0;
        const auto take = [&](double error) { most = std::max(most, std::abs(error)); };
        std::vector<double> residual(6);
        for (int k = 0; k < static_cast<int>(model_->loops.size()); ++k) {
            const auto rows = std::span(residual).first(model_->loops[k].rows);
            loop_residual(ws_, k, rows);
            for (const double error : rows) take(error);
        }
        for (const Model::PairConstraint& pair : model_->pair_constraints) {
            const PairState poses{.X_WA = body_pose(ws_, pair.body_a) * pair.X_AF,
                                  .X_WB = body_pose(ws_, pair.body_b) * pair.X_BM,
                                  .time = state.time};
            PairRow rows[lig::PairConstraint::max_rows];
            pair.constraint->evaluate(poses, rows);
            for (int k = 0; k < pair.rows; ++k) take(rows[k].error / rows[k].scale);
        }
        const auto leads_by = [&](int joint) {
            return joint < 0 ? 0 : state.q[model_->joints[joint].q_adr] - model_->joints[joint].reference;
        };
        for (const Model::Coupling& coupling : model_->couplings)
            take(state.q[model_->joints[coupling.follower].q_adr] -
                 polynomial(coupling.coefficients, leads_by(coupling.leader)));
        const auto stretch = [&](int tendon) {
            return drives_.tendon_length[tendon] - model_->tendons[tendon].length0;
        };
        for (const Model::TendonCoupling& coupling : model_->tendon_couplings)
            take(stretch(coupling.follower) -
                 polynomial(coupling.coefficients, coupling.leader < 0 ? 0 : stretch(coupling.leader)));
        return most;
    }
    static double beyond(const Range& range, double x) {
        return std::max({0.0, range.lower - x, x - range.upper});
    }
    double limits(const JointState<double>& state) const {
        double most = 0;
        for (const Model::Joint& joint : model_->joints) {
            const double* const q = state.q.data() + joint.q_adr;
            if (joint.type == JointType::ball) {
                const double sine = std::sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
                if (joint.cone) most = std::max(most, 2 * std::atan2(sine, std::abs(q[0])) - *joint.cone);
            } else if (joint.nq == joint.nv)
                for (int k = 0; k < std::min(joint.nq, 3); ++k)
                    most = std::max(most, beyond(joint.range[k], q[k]));
        }
        // Of tendons as the angle or length that one joint is off by.
        for (std::size_t k = 0; k < model_->tendons.size(); ++k) {
            const Model::Row& row = model_->tendons[k].row;
            double arm = 0;
            for (int i = row.begin; i < row.begin + row.count; ++i)
                arm = std::max(arm, std::abs(drives_.row_entries[i]));
            const double excess = beyond(model_->tendons[k].range, drives_.tendon_length[k]);
            if (arm > 0) most = std::max(most, excess / arm);
        }
        return most;
    }

    std::shared_ptr<const Model> model_;
    Workspace<double> ws_;
    DriveWorkspace<double> drives_;
    CollisionWorkspace collision_;
    std::vector<Transformd> X_WB_, X_PL_;
};

// What the formulation promises, m or rad.
inline double promised(const SimulationOptions& options, double StepReport::* figure) {
    for (std::size_t k = 0; k < formulations::promise_count; ++k)
        if (formulations::promise_kinds[k].figure == figure)
            return formulations::promises_of(options).most[k];
    return 0;
}

// From the first keyframe, or the reference configuration where there is none.
inline PassiveRun run_passive(const std::shared_ptr<const Model>& model, const SimulationOptions& options,
                              double dt, double duration, const Allowed& allowed = {}) {
    // Of the processor, so that what else runs on the machine does not count.
    const auto seconds_since = [](std::clock_t then) {
        return static_cast<double>(std::clock() - then) / CLOCKS_PER_SEC;
    };
    PassiveRun run;
    Simulation simulation(model, options);
    if (!model->keyframes.empty()) simulation.reset(0);
    const std::clock_t begin = std::clock();
    std::clock_t step_begin = begin;
    bool late = false;
    // It does nothing but end steps that last for ever.
    simulation.callbacks.control = [&](const JointState<double>&, SmoothDynamics&) {
        late = seconds_since(step_begin) > allowed.step_seconds || seconds_since(begin) > allowed.run_seconds;
        if (late) throw std::runtime_error("too slow");
    };
    StateErrors errors(model);
    const auto total = [](const Energy<double>& energy) { return energy.kinetic + energy.potential; };
    const Energy<double> energy = simulation.energy();
    const double start = total(energy);
    double lowest = start;
    // Where there is no guard, by what it would be.
    SimulationOptions guarded = options;
    if (!(guarded.energy_guard > 0)) guarded.energy_guard = SimulationOptions().energy_guard;
    AdmittedRise admitted(formulations::guard_share(guarded),
                          idle_energy(*model, formulations::resting_depth(options)));
    run.kinetic = energy.kinetic;
    // Errors of the state at frames of 1/60 s.
    const int steps = static_cast<int>(std::lround(duration / dt));
    const int frame = std::max(1, static_cast<int>(std::lround(1 / (60 * dt))));
    for (int k = 0; k < steps && run.verdict == Verdict::ok; ++k) {
        step_begin = std::clock();
        const StepReport report = simulation.step(dt);
        run.guarded += report.guarded;
        if (report.status != StepStatus::ok) {
            run.status = report.status;
            run.where = report.where;
            run.verdict = late ? Verdict::slow : Verdict::failed;
            break;
        }
        const Energy<double> now = simulation.energy();
        if (!std::isfinite(total(now))) {
            run.verdict = Verdict::non_finite;
            break;
        }
        admitted.note(now.kinetic, dt);
        run.kinetic = std::max(run.kinetic, now.kinetic);
        const double rise = total(now) - start;
        run.rise = std::max(run.rise, rise);
        run.later_rise = std::max(run.later_rise, total(now) - lowest);
        lowest = std::min(lowest, total(now));
        const double room = admitted.most() + 1e-9 * (std::abs(start) + 1e-6);
        run.excess = std::max(run.excess, rise / room);
        if ((k + 1) % frame == 0 || k + 1 == steps) errors.measure(simulation, run);
    }
    run.time = simulation.state().time;
    run.seconds = seconds_since(begin);
    if (run.verdict == Verdict::ok) {
        const auto is_open = [&](double error, double StepReport::* figure) {
            return error > std::max(allowed.loop * run.size, promised(options, figure));
        };
        if (run.excess > 1)
            run.verdict = Verdict::energy;
        else if (is_open(run.joint_error, &StepReport::joint_error) ||
                 is_open(run.equality_error, &StepReport::equality_error) || run.depth > allowed.depth ||
                 run.limit > allowed.limit)
            run.verdict = Verdict::off;
    }
    return run;
}

}  // namespace lig::test
