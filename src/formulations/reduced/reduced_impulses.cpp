// The part of `reduced` that finds impulses: which solver gets which island, what is done with the guess,
// when contacts are reached and how they bounce.

#include "formulations/reduced/reduced.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

// Sweeps before Newton's method takes over, and where the island is too large for it: of fixed and of
// automatic steps; a third of that for corrections.
constexpr int first_sweeps = 20, large_sweeps = 30, large_automatic_sweeps = 200;
// Islands up to so many freedoms are left to Newton's method: of fixed steps, of automatic ones, and of
// bodies that have no joints between them, whose matrix is narrow.
constexpr int most_newton_freedoms = 64, most_automatic_newton_freedoms = 200,
              most_narrow_newton_freedoms = 360;
constexpr double correction_accuracy = 1e-4;  // m/s, rad/s
// Impacts slower than this do not bounce.
constexpr double least_bounce = 0.01;
// Contacts that would act from farther away than this are approached first.
constexpr double ghost_gap = 2e-4;
constexpr double instant = 1e-5;  // of a step, for a bounce that happens now

}  // namespace

// Impulses that are right in one step may be far off in the next: those of an impact would throw about what
// has been stopped. Of all multiples of the guess up to itself, the one that is best by the work of the
// impulses,
//     f(λ) = ½ |Zᵀ λ|² + ½ λᵀ c λ + λᵀ (b + Z s_free),
// which is never above f(0) = 0: whatever the solver makes of it then takes energy away.
void Reduced::temper(int island, std::span<const double> b, std::span<double> lambda,
                     std::span<double> s) const {
    double square = 0, slope = 0;
    for (const int t : islands_.trees(island))
        for (int k = islands_.all_trees()[t].v_begin; k < islands_.all_trees()[t].v_end; ++k) {
            const double d = s[k] - s_free_[k];
            square += d * d;
            slope += d * s_free_[k];
        }
    for (const int index : islands_.blocks(island))
        for (int r = rows_.blocks[index].begin; r < rows_.blocks[index].begin + rows_.blocks[index].count;
             ++r) {
            square += rows_.rows[r].compliance * lambda[r] * lambda[r];
            slope += lambda[r] * b[r];
        }
    if (!(square > 0) || -slope >= square) return;
    const double share = std::max(0.0, -slope / square);
    for (const int index : islands_.blocks(island))
        for (int r = rows_.blocks[index].begin; r < rows_.blocks[index].begin + rows_.blocks[index].count;
             ++r)
            lambda[r] *= share;
    for (const int t : islands_.trees(island))
        for (int k = islands_.all_trees()[t].v_begin; k < islands_.all_trees()[t].v_end; ++k)
            s[k] = s_free_[k] + share * (s[k] - s_free_[k]);
}

// Whether an island is left to Newton's method.
bool Reduced::is_small(int island) const {
    const int freedoms = islands_.freedoms(island);
    return freedoms <= (options_.stepping == Stepping::automatic ? most_automatic_newton_freedoms
                                                                 : most_newton_freedoms) ||
           (freedoms <= most_narrow_newton_freedoms && islands_.largest_tree(island) <= 6);
}

bool Reduced::has_large_island() const {
    for (int island = 0; island < islands_.count(); ++island)
        if (!is_small(island)) return true;
    return false;
}

// λ and s for the given b, from λ and the s that belongs to it. Returns by which velocity rows are missed.
double Reduced::find_impulses(std::span<const double> b, bool correcting, std::span<double> lambda,
                              std::span<double> s, StepReport& report) {
    const double accuracy = correcting ? correction_accuracy : options_.accuracy;
    double residual = 0;
    for (int island = 0; island < islands_.count(); ++island) {
        const std::span<const int> blocks = islands_.blocks(island);
        temper(island, b, lambda, s);
        if (dense_) {
            residual = std::max(residual, find_densely(blocks, b, lambda, s, report));
            continue;
        }
        const bool automatic = options_.stepping == Stepping::automatic;
        const bool small = is_small(island);
        const int enough = automatic ? large_automatic_sweeps : large_sweeps;
        const int limit = options_.iterations > 0 ? options_.iterations
                          : small                 ? first_sweeps
                          : correcting            ? enough / 3
                                                  : enough;
        if (!sweeps_.prepared(blocks[0])) sweeps_.prepare(blocks);
        const SweepResult swept = sweeps_.run(blocks, b, accuracy, limit, lambda, s);
        report.iterations += swept.sweeps;
        double missed = swept.residual;
        if (!swept.converged && small) {
            const NewtonResult solved = newton_.solve(rows_, response_, blocks, islands_.trees(island), b,
                                                      s_free_, accuracy, lambda, s);
            report.iterations += solved.iterations;
            missed = solved.residual;
        }
        // Not where loops or drives would be let go with the rest.
        if (missed > accuracy && blocks[0] >= two_sided_) temper(island, b, lambda, s);
        residual = std::max(residual, missed);
    }
    return residual;
}

// The same for one island, by the LCP solver that the options name.
double Reduced::find_densely(std::span<const int> blocks, std::span<const double> b, std::span<double> lambda,
                             std::span<double> s, StepReport& report) {
    const DenseImpulses::Result solved =
        dense_->solve(rows_, response_, collision.contacts, blocks, b, s_free_, lambda, s);
    report.iterations += solved.iterations;
    if (solved.fallback && report.fallbacks++ == 0)
        report.fallback = "solver " + options_.solver + " ended with " +
                          std::string(name_of(solved.given_up)) + " on " + std::to_string(solved.rows) +
                          " rows; " + std::string(dense_->name_of_fallback(solved)) + " took over";
    if (solved.rows > DenseImpulses::most_rows) {
        report.status = StepStatus::overflow;
        report.where = std::to_string(solved.rows) + " rows depend on each other; the solver '" +
                       options_.solver + "' takes " + std::to_string(DenseImpulses::most_rows) +
                       ", 'sweeps' any number";
    } else if (solved.status == LcpStatus::not_finite || solved.status == LcpStatus::invalid) {
        report.status = StepStatus::non_finite;
        report.where =
            "the solver '" + options_.solver + "' found no impulses: " + std::string(name_of(solved.status));
    }
    return solved.residual;
}

// Impulses for the velocities that are kept: s_ and lambda_.
bool Reduced::resolve(StepReport& report) {
    const Stopwatch watch(report, StepStage::resolve, options_.timed);
    std::copy(s_free_.begin(), s_free_.end(), s_.begin());
    sweeps_.apply(lambda_, s_);
    missed_ = find_impulses(b_kept_, false, lambda_, s_, report);
    landing_ = lambda_;
    return report.status == StepStatus::ok;
}

double Reduced::gap_of(const RowBlock& block) const {
    const Contacts& found = collision.contacts;
    const Contact& contact = found.contacts[block.source];
    const ContactProperties& properties = found.properties[found.manifolds[contact.manifold].properties];
    return contact.distance - (properties.margin - properties.gap);
}

// The approach of a contact that bounces: when within the step it is reached and how fast, from the motion
// that it would have without impulses.
struct Reduced::Approach {
    double time, speed, restitution;
};

std::optional<Reduced::Approach> Reduced::approach_of(std::size_t index, double h) const {
    const RowBlock& block = rows_.blocks[index];
    if (block.kind != RowKind::contact || !(lambda_[block.begin] > 0)) return std::nullopt;
    const Contacts& found = collision.contacts;
    const Contact& contact = found.contacts[block.source];
    const ContactProperties& properties = found.properties[found.manifolds[contact.manifold].properties];
    const double gap = std::max(0.0, gap_of(block));
    if (!(properties.restitution > 0) && gap <= ghost_gap) return std::nullopt;
    const double before = b_kept_[block.begin] - gap / h;
    const double acceleration = sweeps_.velocity_change(index, s_free_) / h;
    // gap + before t + acceleration t²/2 = 0, by the form that does not cancel.
    const double squared = before * before - 2 * acceleration * gap;
    const double speed = std::sqrt(std::max(squared, 0.0));
    const double time = gap > 0 ? 2 * gap / (speed - before) : 0.0;
    if (!(speed > least_bounce) || (before > 0 && acceleration >= 0)) return std::nullopt;
    return Approach{time, speed, properties.restitution};
}

// The time of the first impact that bounces, at most h.
double Reduced::first_impact(double h) const {
    double first = h;
    for (std::size_t i = 0; i < rows_.blocks.size(); ++i)
        if (const std::optional<Approach> approach = approach_of(i, h)) {
            if (approach->time > instant * h)
                first = std::min(first, approach->time);
            else if (approach->restitution >
                     0)  // it is there: the bounce takes no time, and nothing else happens
                first = std::min(first, instant * h);
        }
    return first;
}

// Contacts that have been reached and bounce: further impulses, for the velocities after the step.
void Reduced::restitute(double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::resolve, options_.timed);
    std::copy(s_.begin(), s_.end(), s_after_.begin());
    bool bounces = false;
    for (std::size_t i = 0; i < rows_.blocks.size(); ++i) {
        const std::optional<Approach> approach = approach_of(i, h);
        if (!approach || !(approach->restitution > 0)) continue;
        const int r = rows_.blocks[i].begin;
        const Row& row = rows_.rows[r];
        const double base_rate = row.kept_bias - std::max(0.0, gap_of(rows_.blocks[i])) / h;
        b_after_[r] = rate_[r] + base_rate - approach->restitution * approach->speed;
        bounces = true;
    }
    if (!bounces) return;
    find_impulses(b_after_, false, lambda_, s_after_, report);
}

}  // namespace lig
