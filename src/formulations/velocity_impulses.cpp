// The part of a velocity step that finds impulses: when contacts are reached and how they bounce.

#include "constraints/contact_rows.h"
#include "formulations/velocity_step.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr double correction_accuracy = 1e-4;  // m/s, rad/s
// Impacts slower than this do not bounce.
constexpr double least_bounce = 0.01;
// Contacts that would act from farther away than this are approached first.
constexpr double ghost_gap = 2e-4;
constexpr double instant = 1e-5;  // of a step, for a bounce that happens now
constexpr double far_away = 1e12;  // m/s: what parts so fast is not touched

}  // namespace

double VelocityStep::find_impulses(std::span<const double> b, bool correcting,
                                   std::span<double> lambda, std::span<double> s, StepReport& report) {
    using Effort = ImpulseSolver::Effort;
    const Effort effort = correcting                                        ? Effort::correction
                          : context_.options.stepping == Stepping::velocity ? Effort::step
                                                                            : Effort::most;
    return algebra_.solve({b, s_free_, correcting ? correction_accuracy : context_.options.accuracy, effort},
                          lambda, s, report);
}

// Impulses for the velocities that are kept: s_ and lambda_.
bool VelocityStep::resolve(StepReport& report) {
    const Stopwatch watch(report, StepStage::resolve, context_.options.timed);
    std::copy(s_free_.begin(), s_free_.end(), s_.begin());
    algebra_.apply(lambda_, s_);
    missed_ = find_impulses(b_kept_, false, lambda_, s_, report);
    landing_ = lambda_;
    return report.status == StepStatus::ok;
}

double VelocityStep::gap_of(const RowBlock& block) const {
    return contact_gap(context_.collision.contacts, context_.collision.contacts.contacts[block.source]);
}

// The approach of a contact that bounces: when within the step it is reached and how fast, from the motion
// that it would have without impulses.
struct VelocityStep::Approach {
    double time, speed, restitution;
};

std::optional<VelocityStep::Approach> VelocityStep::approach_of(std::size_t index, double h) {
    const RowBlock& block = context_.rows.blocks[index];
    if (block.kind != RowKind::contact || !(lambda_[block.begin] > 0)) return std::nullopt;
    const Contacts& found = context_.collision.contacts;
    const Contact& contact = found.contacts[block.source];
    const ContactProperties& properties = found.properties[found.manifolds[contact.manifold].properties];
    const double gap = std::max(0.0, gap_of(block));
    if (!(properties.restitution > 0) && gap <= ghost_gap) return std::nullopt;
    const double before = b_kept_[block.begin] - gap / h;
    const double acceleration = algebra_.change_of(index, s_free_) / h;
    // gap + before t + acceleration t²/2 = 0, by the form that does not cancel.
    const double squared = before * before - 2 * acceleration * gap;
    const double speed = std::sqrt(std::max(squared, 0.0));
    const double time = gap > 0 ? 2 * gap / (speed - before) : 0.0;
    if (!(speed > least_bounce) || (before > 0 && acceleration >= 0)) return std::nullopt;
    return Approach{time, speed, properties.restitution};
}

// The time of the first impact that bounces, at most h.
double VelocityStep::first_impact(double h) {
    double first = h;
    for (std::size_t i = 0; i < context_.rows.blocks.size(); ++i)
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
void VelocityStep::restitute(double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::resolve, context_.options.timed);
    std::copy(s_.begin(), s_.end(), s_after_.begin());
    bool bounces = false;
    for (std::size_t i = 0; i < context_.rows.blocks.size(); ++i) {
        const std::optional<Approach> approach = approach_of(i, h);
        if (!approach || !(approach->restitution > 0)) continue;
        const int r = context_.rows.blocks[i].begin;
        const Row& row = context_.rows.rows[r];
        const double base_rate = row.kept_bias - std::max(0.0, gap_of(context_.rows.blocks[i])) / h;
        b_after_[r] = rate_[r] + base_rate - approach->restitution * approach->speed;
        bounces = true;
    }
    if (!bounces) return;
    if (context_.options.impact != ImpactLaw::simultaneous && has_several_pairs())
        bounce_in_turn(h, report);
    else
        find_impulses(b_after_, false, lambda_, s_after_, report);
}

// Whether more than one pair of bodies touches and pushes: then it matters who bounces first.
bool VelocityStep::has_several_pairs() const {
    const RowBlock* first = nullptr;
    for (const RowBlock& block : context_.rows.blocks) {
        if (block.kind != RowKind::contact || !(lambda_[block.begin] > 0)) continue;
        if (!first) first = &block;
        if (block.link_a != first->link_a || block.link_b != first->link_b) return true;
    }
    return false;
}

// The impact at the end of the step, pair by pair. It begins with the velocities that there would be without
// the contacts that bounce; what is not closed by then takes no part.
void VelocityStep::bounce_in_turn(double h, StepReport& report) {
    const Contacts& found = context_.collision.contacts;
    restitution_.assign(context_.rows.blocks.size(), 0.0);
    std::copy(b_kept_.begin(), b_kept_.end(), b_after_.begin());
    std::copy(landing_.begin(), landing_.end(), lambda_.begin());
    struck_.assign(b_kept_.begin(), b_kept_.end());
    for (std::size_t i = static_cast<std::size_t>(two_sided_); i < context_.rows.blocks.size(); ++i) {
        const RowBlock& block = context_.rows.blocks[i];
        const int r = block.begin;
        if (block.kind != RowKind::contact) {
            for (int k = r; k < r + block.count; ++k)
                if (b_kept_[k] - rate_[k] > ghost_gap / h) struck_[k] = far_away;
            continue;
        }
        const std::optional<Approach> approach = approach_of(i, h);
        const double gap = std::max(0.0, gap_of(block));
        const bool arrives = approach && approach->time > 0.99 * h;
        struck_[r] = arrives || gap <= ghost_gap ? b_kept_[r] - gap / h : far_away;
        const Contact& contact = found.contacts[block.source];
        restitution_[i] = found.properties[found.manifolds[contact.manifold].properties].restitution;
        if (!approach || !(approach->restitution > 0)) continue;
        b_after_[r] = far_away;
        for (int k = r; k < r + block.count; ++k) lambda_[k] = 0;
    }
    std::copy(s_free_.begin(), s_free_.end(), s_after_.begin());
    algebra_.apply(lambda_, s_after_);
    find_impulses(b_after_, false, lambda_, s_after_, report);
    impacts_.resolve({context_.rows, equalities_begin_, two_sided_, struck_, restitution_, algebra_},
                     s_after_, report);
    for (std::size_t r = 0; r < lambda_.size(); ++r) lambda_[r] += impacts_.impulses()[r];
}

}  // namespace lig
