// Bodies put onto their constraints, by the least change in the measure of their masses.

#include "core/rotation.h"
#include "formulations/multiplier/body_motion.h"
#include "formulations/multiplier/tuning.h"
#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig::multiplier {

namespace {

constexpr const MotionTuning& tuning = motion_tuning;

}  // namespace

double BodyMotion::rounding_of(const BodyCoordinates& bodies) {
    double far = 1;
    for (const Vec3d& x : bodies.x) far = std::max({far, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    return 1e-12 + 1e-14 * far;
}

// Takes out of trial_, with whose factor the step has ended, what is left of errors. Velocities stay. At a
// singular position that needs factors of its own, damped: errors there are squares of distances, and each
// turn leaves a quarter.
void BodyMotion::remove_errors() {
    BodySystem& system = dynamics.system;
    const std::span<const double> errors = system.matrix.errors().subspan(system.graph.body_entries());
    bool better = shift_by_errors();
    const double most = tuning.left_error * system.graph.extent();
    for (int k = 0; k < tuning.max_removals && largest_of(errors) > (better ? 0.2 : 1) * most; ++k) {
        system.matrix.find_inertias();
        system.matrix.find_rows(false);
        factored_ = false;
        if (system.matrix.factor(BodyMatrix::least_damping).bad_node >= 0) return;
        better = shift_by_errors();
        if (!better) return;
    }
}

// Moves the bodies of trial_ by the least change that removes errors to first order. False: they would not
// become smaller; then bodies are as before.
bool BodyMotion::shift_by_errors() {
    BodySystem& system = dynamics.system;
    const std::span<const double> errors = system.matrix.errors();
    const int nb = system.graph.body_entries();
    const double before = largest_of(errors.subspan(nb));
    std::fill(x_.begin(), x_.end(), 0.0);
    for (int k = nb; k < system.graph.size(); ++k) x_[k] = -errors[k];
    solve(x_, true);
    stage_ = trial_;
    for (int i = 0; i < system.graph.links(); ++i) system.poses.displace(i, 1, x_, trial_);
    look(next_, trial_);
    system.matrix.find_errors();
    if (largest_of(errors.subspan(nb)) < 0.9 * before) {
        factored_ = false;
        return true;
    }
    std::swap(trial_, stage_);
    look(next_, trial_);
    system.matrix.find_errors();
    return false;
}

// enough: an error that may be left where iterations do not make it smaller. The factor is that of the bodies
// afterwards.
bool BodyMotion::project_positions(const JointState<double>& state, BodyCoordinates& bodies, double enough,
                                   MotionReport& report) {
    BodySystem& system = dynamics.system;
    const int nb = system.graph.body_entries(), n = system.graph.size();
    const std::span<const double> errors = system.matrix.errors();
    // Next to a singular position, x away, velocities turn off by what is left over x²: all is removed that
    // can be. Rows of trees are independent everywhere.
    const double tolerance = (system.graph.equalities().empty() ? 1 : 1e-3) * rounding_of(bodies);
    double before = std::numeric_limits<double>::infinity();
    const auto move = [&](double share) {
        for (int i = 0; i < system.graph.links(); ++i) system.poses.displace(i, share, x_, bodies);
    };
    double share = 1;
    for (int iteration = 0;; ++iteration) {
        look(state, bodies);
        system.matrix.find_errors();
        // Next to a singular position corrections are too far for their direction to hold.
        for (; !(largest_of(errors.subspan(nb)) <= before) && share > tuning.min_share;
             system.matrix.find_errors()) {
            bodies.x = moved_from_.x;
            bodies.quat = moved_from_.quat;
            bodies.shapes = moved_from_.shapes;
            move(share *= 0.25);
            look(state, bodies);
        }
        system.matrix.find_inertias();
        system.matrix.find_rows(false);
        if (!factor(report)) return false;
        const double off = largest_of(errors.subspan(nb));
        if (off <= tolerance || (off > 0.5 * before && off <= enough)) return true;
        const bool stuck = iteration > 5 && off > 0.9 * before && !(share < 1 && off < before);
        if (!std::isfinite(off) || iteration == tuning.max_iterations || stuck) {
            report.where = system.matrix.name_of_worst();
            return false;
        }
        before = off;
        ++report.newton_iterations;
        std::fill(x_.begin(), x_.end(), 0.0);
        for (int k = nb; k < n; ++k) x_[k] = -errors[k];
        solve(x_, true);
        moved_from_.x = bodies.x;
        moved_from_.quat = bodies.quat;
        moved_from_.shapes = bodies.shapes;
        move(share = 1);
    }
}

bool BodyMotion::project(const JointState<double>& state, BodyCoordinates& bodies, MotionReport& report) {
    if (!project_positions(state, bodies, tuning.small_error, report)) return false;
    project_velocities(bodies, report);
    return true;
}

bool BodyMotion::fit_velocities(const JointState<double>& state, BodyCoordinates& bodies,
                                MotionReport& report) {
    look(state, bodies);
    dynamics.system.matrix.find_inertias();
    dynamics.system.matrix.find_rows(false);
    if (!factor(report)) return false;
    project_velocities(bodies, report);
    return true;
}

// Of the bodies looked at, whose factor is there.
void BodyMotion::project_velocities(BodyCoordinates& bodies, MotionReport& report) {
    BodySystem& system = dynamics.system;
    const int nb = system.graph.body_entries(), n = system.graph.size();
    const std::span<const double> base = system.matrix.base_rates();
    system.poses.velocities(u_);
    system.matrix.row_velocities(u_, rates_);
    system.poses.momenta(u_, x_);
    for (int k = nb; k < n; ++k) x_[k] = -base[k];
    for (const int dof : system.graph.soft_freedoms())
        x_[system.graph.soft_row(dof)] = rates_[system.graph.soft_row(dof)];
    solve(x_, true);
    system.poses.read_velocities(x_, bodies);
    report.joint_error = std::max(report.joint_error, system.matrix.joint_error());
    report.equality_error = std::max(report.equality_error, system.matrix.equality_error());
}

}  // namespace lig::multiplier
