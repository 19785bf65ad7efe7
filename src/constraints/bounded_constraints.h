#pragma once

// Constraints between bodies, two or any number of them, whose forces have bounds (ConstraintSpec::force): no
// equalities, but rows of a velocity step. One whose force may have either sign drives (RowKind::pair_drive,
// group_drive): while its force suffices, C goes to 0 as exp(−t/τ) with the time constant τ of its softness,
// or within a step if that is longer. One whose force has one sign acts on one side, as a limit does
// (RowKind::pair_limit, group_limit): C ≥ 0 with a force along the row, C ≤ 0 with one against it.

#include "constraints/equality_terms.h"
#include "constraints/row_context.h"
#include "constraints/warm_starts.h"

#include <ligament/workspace.h>

#include <span>
#include <vector>

namespace lig {

class BoundedConstraints {
public:
    explicit BoundedConstraints(const Model& model);

    bool empty() const { return all_.empty(); }
    // Whether one drives: it acts at all times, not only where something is reached.
    bool drive() const { return drive_; }

    // Rows for those that may act within the step, from the velocities v. After forward_kinematics;
    // with_products: as add_pair.
    void add_rows(const Workspace<double>& ws, std::span<const double> v, const RowContext& context,
                  const WarmStarts& warm, bool with_products, Rows& rows);
    // By how much the farthest is on its wrong side, m or rad. After forward_kinematics.
    double largest_violation(const Workspace<double>& ws, double time);

private:
    struct Bounded {
        int source;     // in the model's list
        bool of_group;  // in that of groups, else of pairs
        bool one_sided;
        Range force;
        double time_constant;
    };
    template <class Constraint>
    void add(const Constraint& constraint, int source, bool of_group);
    void write(const Bounded& of, const Workspace<double>& ws, double time, bool with_products, Rows& rows);

    std::vector<Bounded> all_;  // that act
    bool drive_ = false;
    Rows scratch_;
    std::vector<EqualityTerms> terms_;
};

}  // namespace lig
