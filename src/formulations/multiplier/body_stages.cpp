// Runge–Kutta methods on the coordinates of bodies: positions, quaternions as four numbers, velocities.

#include "formulations/multiplier/body_motion.h"

#include "core/rotation.h"
#include "simulation/butcher.h"
#include "simulation/kinematic_motion.h"

#include <algorithm>
#include <cmath>

namespace lig::multiplier {

namespace {

constexpr int numbers_of_link = 13;  // position 3, quaternion 4, velocity 6

void write_rates(const BodySystem& system, const BodyCoordinates& bodies, std::span<const double> a,
                 double* out) {
    for (int i = 0; i < system.links(); ++i, out += numbers_of_link) {
        const Motion<double>& V = bodies.V[i];
        const Quatd turning = Quatd{0, V.ang.x, V.ang.y, V.ang.z} * bodies.quat[i];
        const Motion<double> accelerated = system.motion_of(a, i);
        for (int k = 0; k < 3; ++k) {
            out[k] = V.lin[k];
            out[7 + k] = accelerated.ang[k];
            out[10 + k] = accelerated.lin[k];
        }
        out[3] = 0.5 * turning.w;
        out[4] = 0.5 * turning.x;
        out[5] = 0.5 * turning.y;
        out[6] = 0.5 * turning.z;
    }
}

void move(const BodyCoordinates& from, const double* change, BodyCoordinates& to) {
    for (std::size_t i = 0; i < from.x.size(); ++i, change += numbers_of_link) {
        to.x[i] = from.x[i] + Vec3d{change[0], change[1], change[2]};
        const Quatd& q = from.quat[i];
        to.quat[i] = normalized(
            Quatd{q.w + change[3], q.x + change[4], q.y + change[5], q.z + change[6]});
        to.V[i] = from.V[i] +
                  Motion<double>{{change[7], change[8], change[9]}, {change[10], change[11], change[12]}};
    }
}

}  // namespace

// One step by stages; error: relative to the tolerance, rk45 only. False: it is too large, or accelerations
// could not be had; then bodies and state are as before.
bool BodyMotion::step_stages(SmoothDynamics& inputs, JointState<double>& state, BodyCoordinates& bodies,
                             double h, const BodyMotionOptions& options, BodyMotionReport& report,
                             double& error) {
    BodySystem& system = dynamics.system;
    const std::size_t of_links = static_cast<std::size_t>(numbers_of_link * system.links());
    const std::size_t size = of_links + state.act.size();
    if (stages_.empty()) stages_.assign(butcher::most_stages + 1, std::vector<double>(size));
    std::vector<double>& sum = stages_.back();
    stage_ = bodies;
    next_ = state;
    factored_ = false;
    system.leave_out({});
    const auto evaluate = [&](int stage, double when) {
        next_.time = state.time + when;
        for (std::size_t k = 0; k < state.kinematic.size(); ++k)
            next_.kinematic[k] = moved(state.kinematic[k], when);
        look(next_, stage_);
        find_forces(inputs, next_, options, true, f_);
        const BodyDynamics::Solved solved = dynamics.accelerate_bodies(f_, options.baumgarte);
        if (stage == 0) {
            report.redundant_rows = solved.redundant_rows;
            if (solved.redundant_rows > 0) system.leave_out(system.redundant());
        }
        // In a step that is too long stages may be anywhere.
        if (solved.bad_link >= 0) {
            error = HUGE_VAL;
            report.where = "a body's inertia or its acceleration, which is not finite,";
            return false;
        }
        write_rates(system, stage_, dynamics.solution(), stages_[stage].data());
        if (!state.act.empty())
            std::copy(inputs.drives.act_dot.begin(), inputs.drives.act_dot.end(),
                      stages_[stage].begin() + of_links);
        for (const double x : stages_[stage])
            if (!std::isfinite(x)) {
                error = HUGE_VAL;
                report.where = "accelerations, which are not finite,";
                return false;
            }
        return true;
    };
    const auto combine = [&](const double* weights, int count) {
        std::fill(sum.begin(), sum.end(), 0.0);
        for (int s = 0; s < count; ++s)
            for (std::size_t k = 0; k < size; ++k) sum[k] += h * weights[s] * stages_[s][k];
        move(bodies, sum.data(), stage_);
        for (std::size_t k = 0; k < state.act.size(); ++k) next_.act[k] = state.act[k] + sum[of_links + k];
    };
    const auto run = [&](auto method) {
        using Tableau = decltype(method);
        for (int s = 0; s < Tableau::stages; ++s) {
            if (s > 0) combine(Tableau::a[s], s);
            if (!evaluate(s, Tableau::c[s] * h)) return false;
        }
        return true;
    };
    if (options.method == Method::rk4) {
        if (!run(butcher::Rk4{})) return false;
        combine(butcher::Rk4::b, butcher::Rk4::stages);
    } else if (options.method == Method::rk45) {
        using Tableau = butcher::DormandPrince;
        if (!run(Tableau{})) return false;
        combine(Tableau::error, Tableau::stages);
        error = 0;
        for (std::size_t i = 0; i < bodies.x.size(); ++i) {
            const double* e = sum.data() + numbers_of_link * i;
            const auto count = [&](double size_of, const double* part, int entries) {
                for (int k = 0; k < entries; ++k)
                    error = std::max(error, std::abs(part[k]) / (options.tolerance * (1 + size_of)));
            };
            const Vec3d &x = bodies.x[i], &v = bodies.V[i].lin, &w = bodies.V[i].ang;
            count(std::sqrt(dot(x, x)), e, 3);
            count(0, e + 3, 4);
            count(std::sqrt(dot(w, w)), e + 7, 3);
            count(std::sqrt(dot(v, v)), e + 10, 3);
        }
        for (std::size_t k = 0; k < state.act.size(); ++k)
            error = std::max(
                error, std::abs(sum[of_links + k]) / (options.tolerance * (1 + std::abs(state.act[k]))));
        if (!(error <= 1)) return false;
        combine(Tableau::a[Tableau::stages - 1], Tableau::stages - 1);
    } else {
        // Semi-implicit: velocities first, then positions with the new ones.
        if (!evaluate(0, 0)) return false;
        const double one = 1;
        combine(&one, 1);
        for (std::size_t i = 0; i < bodies.x.size(); ++i) {
            stage_.x[i] = bodies.x[i] + h * stage_.V[i].lin;
            stage_.quat[i] = normalized(rotation_exp(h * stage_.V[i].ang) * bodies.quat[i]);
        }
    }
    system.leave_out({});
    next_.time = state.time + h;
    for (std::size_t k = 0; k < state.kinematic.size(); ++k)
        next_.kinematic[k] = moved(state.kinematic[k], h);
    if (options.baumgarte == 0) {
        if (!project(next_, stage_, report)) return false;
    } else {
        look(next_, stage_);
        system.find_errors();
        report.joint_error = std::max(report.joint_error, system.joint_error());
        report.loop_error = std::max(report.loop_error, system.loop_error());
    }
    std::swap(bodies, stage_);
    std::swap(state, next_);
    return true;
}

}  // namespace lig::multiplier
