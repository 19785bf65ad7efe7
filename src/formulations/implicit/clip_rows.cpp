#include "formulations/implicit/clip_rows.h"

#include "formulations/implicit/tuning.h"

#include <cmath>

namespace lig::implicit {

void ClipRows::begin(Tracking* tracking, const JointState<double>& state, double h,
                     const JointState<double>* last, bool second_order) {
    tracking_ = tracking && tracking->find_ends(state, h, last, second_order) ? tracking : nullptr;
    followed_.clear();
}

void ClipRows::add_rows(const maximal::BodySystem& system, const JointState<double>& state,
                        std::span<const double> inertia, std::span<const int> links, double eta,
                        StiffRows& rows) {
    if (!act()) return;
    pulls_.clear();
    tracking_->find_pulls(state, eta, pulls_);
    const bool first = followed_.empty();
    for (std::size_t k = 0; k < pulls_.size(); ++k) {
        const Tracking::Pull& pull = pulls_[k];
        if (first) followed_.push_back({pull.joint, pull.dof, -1, 0});
        PenaltyLaw law;
        law.kind = PenaltyLaw::Kind::dry;
        law.eta = eta;
        law.bound = pull.max_torque;
        law.damping = std::isinf(pull.slope) ? penalty_tuning.held * inertia[pull.dof] / eta : pull.slope;
        law.rate = pull.rate;
        const double p = eta * followed_[k].force;
        followed_[k].law = rows.begin_law(law, &p);
        rows.add_freedom(system, links[pull.dof], pull.dof, 1);
    }
}

void ClipRows::keep_forces(double eta, const StiffRows& rows) {
    for (Followed& one : followed_) one.force = rows.impulses_of(one.law)[0] / eta;
}

double ClipRows::power(std::span<const double> v) const {
    double sum = 0;
    for (const Followed& one : followed_) sum += one.force * v[one.dof];
    return sum;
}

void ClipRows::add_acting_rows(Rows& rows) const {
    if (!act() || tracking_->options().method == TrackingMethod::pd) return;
    for (const Followed& one : followed_) {
        rows.begin_block(RowKind::tracking, one.joint);
        rows.add_row().lambda = one.force;
        rows.add_entry(one.dof, 1);
    }
}

}  // namespace lig::implicit
