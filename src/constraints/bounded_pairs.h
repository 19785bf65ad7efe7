#pragma once

// Constraints between two bodies whose forces have bounds (ConstraintSpec::force): no equalities, but rows of
// a velocity step. One whose force may have either sign drives (RowKind::pair_drive): while its force
// suffices, C goes to 0 as exp(−t/τ) with the time constant τ of its softness, or within a step if that is
// longer. One whose force has one sign acts on one side, as a limit does (RowKind::pair_limit): C ≥ 0 with a
// force along the row, C ≤ 0 with one against it.

#include "constraints/equality_terms.h"
#include "constraints/row_context.h"
#include "constraints/warm_starts.h"

#include <ligament/workspace.h>

#include <vector>

namespace lig {

class BoundedPairs {
public:
    explicit BoundedPairs(const Model& model);

    bool empty() const { return pairs_.empty(); }
    // Whether one drives: it acts at all times, not only where something is reached.
    bool drive() const { return drive_; }

    // Rows for those that may act within the step. After forward_kinematics; with_products: as add_pair.
    void add_rows(const Workspace<double>& ws, const RowContext& context, const WarmStarts& warm,
                  bool with_products, Rows& rows);
    // By how much the farthest is on its wrong side, m or rad. After forward_kinematics.
    double largest_violation(const Workspace<double>& ws, double time);

private:
    bool set_limit(Row& row, const RowBlock& block, const EqualityTerms& terms, const Workspace<double>& ws,
                   const RowContext& context) const;

    std::vector<int> pairs_;  // that act
    bool drive_ = false;
    Rows scratch_;
    std::vector<EqualityTerms> terms_;
};

}  // namespace lig
