#include "constraints/bounded_pairs.h"

#include "constraints/base_motion.h"
#include "constraints/equalities.h"
#include "constraints/pair_rows.h"
#include "dynamics/dynamics_parts.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

// Which side of C = 0 a one-sided constraint keeps to.
double side_of(const Model::PairConstraint& pair) { return pair.force.lower == 0 ? 1 : -1; }

}  // namespace

BoundedPairs::BoundedPairs(const Model& model) {
    if (!equalities_are_enabled(model)) return;
    int most = 0;
    for (int k = 0; k < static_cast<int>(model.pair_constraints.size()); ++k) {
        if (!bounded_pair_acts(model, k)) continue;
        pairs_.push_back(k);
        drive_ = drive_ || !model.pair_constraints[k].is_one_sided();
        most = std::max(most, model.pair_constraints[k].rows);
    }
    terms_.reserve(most);
    scratch_.rows.reserve(most);
    scratch_.blocks.reserve(1);
}

void BoundedPairs::add_rows(const Workspace<double>& ws, const RowContext& context, const WarmStarts& warm,
                            bool with_products, Rows& rows) {
    const Model& model = ws.model();
    for (const int index : pairs_) {
        const Model::PairConstraint& pair = model.pair_constraints[index];
        terms_.clear();
        add_pair(ws, index, context.time, with_products, rows, terms_);
        RowBlock& block = rows.blocks.back();
        block.kind = pair.is_one_sided() ? RowKind::pair_limit : RowKind::pair_drive;
        bool within = false;
        for (int r = 0; r < block.count; ++r) {
            Row& row = rows.rows[block.begin + r];
            const EqualityTerms& terms = terms_[r];
            set_equality(row, terms, context, warm, warm.pair(index));
            if (pair.is_one_sided()) {
                row.lo = 0;
                row.hi = context.h * std::max(pair.force.upper, -pair.force.lower);
                within = set_limit(row, block, terms, ws, context) || within;
            } else {
                row.curved_rate = row.kept_bias - row.base_rate;
                row.kept_bias += terms.error / std::max(pair.soft.solref[0], context.h);
                row.bias = row.kept_bias;
                row.lo = context.h * pair.force.lower;
                row.hi = context.h * pair.force.upper;
            }
            row.lambda = std::clamp(row.lambda, row.lo, row.hi);
        }
        if (!pair.is_one_sided() || within) continue;
        // Nothing of it can be reached. Its rows are the last, and have neither entries nor pulls.
        rows.rows.resize(block.begin);
        rows.blocks.pop_back();
    }
}

// The row of a one-sided constraint, turned so that its gap is not to become negative. False: it cannot be
// reached within the step.
bool BoundedPairs::set_limit(Row& row, const RowBlock& block, const EqualityTerms& terms,
                             const Workspace<double>& ws, const RowContext& context) const {
    const Model::PairConstraint& pair = ws.model().pair_constraints[block.source];
    const double side = side_of(pair), size = std::abs(terms.scale);
    row.on_a = side * row.on_a;
    row.on_b = side * row.on_b;
    const double base_rate = side * terms.base_rate, gap = terms.holonomic ? side * terms.error : 0;
    double rate = base_rate;
    for (const auto& [link, on] : {std::pair{block.link_a, row.on_a}, std::pair{block.link_b, row.on_b}})
        if (link >= 0) rate += dot(on, carrier_velocity(ws, link) - velocity_by_base(ws, link));
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

double BoundedPairs::largest_violation(const Workspace<double>& ws, double time) {
    double largest = 0;
    for (const int index : pairs_) {
        const Model::PairConstraint& pair = ws.model().pair_constraints[index];
        if (!pair.is_one_sided()) continue;
        scratch_.clear();
        terms_.clear();
        add_pair(ws, index, time, false, scratch_, terms_);
        for (const EqualityTerms& terms : terms_)
            if (terms.holonomic)
                largest = std::max(largest, -side_of(pair) * terms.error / std::abs(terms.scale));
    }
    return largest;
}

}  // namespace lig
