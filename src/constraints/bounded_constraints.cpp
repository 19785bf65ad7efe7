#include "constraints/bounded_constraints.h"

#include "bodies/body.h"
#include "constraints/base_motion.h"
#include "constraints/equalities.h"
#include "constraints/group_rows.h"
#include "constraints/pair_rows.h"
#include "dynamics/dynamics_parts.h"

#include <ligament/group_constraint.h>

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

// Which side of C = 0 a one-sided constraint keeps to.
double side_of(const Range& force) { return force.lower == 0 ? 1 : -1; }

// J v of a row: by its links, without what their bases do, and by its entries.
double speed_of(const Row& row, const RowBlock& block, const Workspace<double>& ws, std::span<const double> v,
                const Rows& rows) {
    double sum = 0;
    for (const auto& [link, on] : {std::pair{block.link_a, row.on_a}, std::pair{block.link_b, row.on_b}})
        if (link >= 0) sum += dot(on, carrier_velocity(ws, link) - velocity_by_base(ws, link));
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
        sum += rows.entries[e].value * v[rows.entries[e].dof];
    return sum;
}

// What a limit is written from.
struct LimitState {
    const Workspace<double>& ws;
    std::span<const double> v;
    const RowContext& context;
};

// The row of a one-sided constraint, turned so that its gap is not to become negative. False: it cannot be
// reached within the step.
bool set_limit(Row& row, const RowBlock& block, const EqualityTerms& terms, double side, const LimitState& at,
               Rows& rows) {
    const RowContext& context = at.context;
    const double size = std::abs(terms.scale);
    row.on_a = side * row.on_a;
    row.on_b = side * row.on_b;
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e) rows.entries[e].value *= side;
    const double base_rate = side * terms.base_rate, gap = terms.holonomic ? side * terms.error : 0;
    const double rate = base_rate + speed_of(row, block, at.ws, at.v, rows);
    RowContext scaled = context;  // by what the row is of a length or an angle
    scaled.slop *= size;
    scaled.fastest_correction *= size;
    scaled.reach_speed *= size;
    set_gap(row, scaled, gap, base_rate);
    row.curved_rate = side * context.product_share * context.h * terms.product;
    row.bias += row.curved_rate;
    row.kept_bias += row.curved_rate;
    return within_reach(scaled, gap, rate);
}

}  // namespace

template <class Constraint>
void BoundedConstraints::add(const Constraint& constraint, int source, bool of_group) {
    all_.push_back({source, of_group, constraint.is_one_sided(), constraint.force,
                    constraint.soft.solref[0]});
    drive_ = drive_ || !constraint.is_one_sided();
}

BoundedConstraints::BoundedConstraints(const Model& model) {
    if (!equalities_are_enabled(model)) return;
    // Of one constraint: on the freedoms of joints, and on the stretches of its bodies.
    std::size_t entries = 2 * PairConstraint::max_rows * bodies::max_body_dim, pulls = 0;
    for (int k = 0; k < static_cast<int>(model.pair_constraints.size()); ++k)
        if (bounded_pair_acts(model, k)) add(model.pair_constraints[k], k, false);
    for (int k = 0; k < static_cast<int>(model.group_constraints.size()); ++k) {
        if (!bounded_group_acts(model, k)) continue;
        add(model.group_constraints[k], k, true);
        entries = GroupConstraint::max_rows *
                  (static_cast<std::size_t>(model.nv) + max_group_bodies * bodies::max_body_dim);
        pulls = max_group_bodies + model.tree.links.size();
    }
    constexpr int max_rows = std::max(PairConstraint::max_rows, GroupConstraint::max_rows);
    terms_.reserve(max_rows);
    scratch_.rows.reserve(max_rows);
    scratch_.blocks.reserve(1);
    scratch_.entries.reserve(entries);
    scratch_.pulls.reserve(pulls);
}

// Its block, with its terms alone.
void BoundedConstraints::write(const Bounded& of, const Workspace<double>& ws, double time,
                               bool with_products, Rows& rows) {
    terms_.clear();
    if (of.of_group)
        add_group(ws, of.source, {time, false, with_products}, rows, terms_);
    else
        add_pair(ws, of.source, time, with_products, rows, terms_);
    rows.blocks.back().kind = of.of_group ? (of.one_sided ? RowKind::group_limit : RowKind::group_drive)
                                          : (of.one_sided ? RowKind::pair_limit : RowKind::pair_drive);
}

void BoundedConstraints::add_rows(const Workspace<double>& ws, std::span<const double> v,
                                  const RowContext& context, const WarmStarts& warm, bool with_products,
                                  Rows& rows) {
    for (const Bounded& of : all_) {
        const std::size_t first_entry = rows.entries.size();
        write(of, ws, context.time, with_products, rows);
        const RowBlock& block = rows.blocks.back();
        const int kept = of.of_group ? warm.group(of.source) : warm.pair(of.source);
        bool within = false;
        for (int r = 0; r < block.count; ++r) {
            Row& row = rows.rows[block.begin + r];
            const EqualityTerms& terms = terms_[r];
            set_equality(row, terms, context, warm, kept);
            if (of.one_sided) {
                row.lo = 0;
                row.hi = context.h * std::max(of.force.upper, -of.force.lower);
                within = set_limit(row, block, terms, side_of(of.force), {ws, v, context}, rows) || within;
            } else {
                row.curved_rate = row.kept_bias - row.base_rate;
                row.kept_bias += terms.error / std::max(of.time_constant, context.h);
                row.bias = row.kept_bias;
                row.lo = context.h * of.force.lower;
                row.hi = context.h * of.force.upper;
            }
            row.lambda = std::clamp(row.lambda, row.lo, row.hi);
        }
        if (!of.one_sided || within) continue;
        // Nothing of it can be reached. Its rows are the last, and have no pulls.
        rows.entries.resize(first_entry);
        rows.rows.resize(block.begin);
        rows.blocks.pop_back();
    }
}

double BoundedConstraints::largest_violation(const Workspace<double>& ws, double time) {
    double largest = 0;
    for (const Bounded& of : all_) {
        if (!of.one_sided) continue;
        scratch_.clear();
        write(of, ws, time, false, scratch_);
        for (const EqualityTerms& terms : terms_)
            if (terms.holonomic)
                largest = std::max(largest, -side_of(of.force) * terms.error / std::abs(terms.scale));
    }
    return largest;
}

}  // namespace lig
