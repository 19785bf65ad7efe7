#pragma once

// Equalities: what a model holds exactly, as one list. Loops, constraints between two bodies, couplings of
// joints and of tendons are entries of one kind; whoever needs their rows, multipliers or impulses walks over
// the list. A kind of equality is one line of the table in equalities.cpp and a file that writes its rows.

#include "constraints/equality_terms.h"
#include "constraints/row_context.h"
#include "constraints/rows.h"
#include "constraints/warm_starts.h"

#include <ligament/drives.h>

#include <span>
#include <string>
#include <vector>

namespace lig {

struct Equality {
    RowKind kind;
    int source;      // in the model's list of its kind
    int rows;        // that it states; with a torque_scale of 0 some of them do not appear
    int multiplier;  // where its multipliers begin, in the order of smooth_motion.h
    int warm;        // where its impulses begin in WarmStarts
};

// The state that rows are of. After forward_kinematics and update_drives; with_products: after
// forward_dynamics, or inverse_dynamics with v̇ = 0, which leave the accelerations of links behind.
struct EqualityState {
    const JointState<double>& state;
    const Workspace<double>& ws;
    const DriveWorkspace<double>* drives;  // null: rows on bodies, by pulls where they reach over several
    double time;
    bool with_products;
};

class Equalities {
public:
    explicit Equalities(const Model& model);

    // Those that act: they are active, not switched off, and something that they hold moves.
    std::span<const Equality> acting() const { return acting_; }
    // Of all of them, acting or not.
    static int multiplier_count(const Model& model);

    // The block of one of them with its rows, and their terms behind those that are there. What a loop with a
    // closing time leaves open for now is taken off.
    static void add(const Equality& equality, const EqualityState& at, Rows& rows,
                    std::vector<EqualityTerms>& terms);
    // All of them for a velocity step, on the velocities at its end: J v⁺ + base_rate + h product = 0, the
    // rows' own turning included. `bias` removes a share of the error. `terms` is scratch, its contents are
    // those of the rows added.
    void add_rows(const EqualityState& at, const RowContext& context, const WarmStarts& warm, Rows& rows,
                  std::vector<EqualityTerms>& terms) const;

    // "loop 'knee' between 'thigh' and 'shin'"
    static std::string name_of(const Model& model, RowKind kind, int source);
    // In the file.
    static SourceLocation where_of(const Model& model, RowKind kind, int source);

private:
    std::vector<Equality> acting_;
};

// Whether the model's equalities count at all.
bool equalities_are_enabled(const Model& model);

// Bias, bounds and guess of a row of an equality within a velocity step.
void set_equality(Row& row, const EqualityTerms& terms, const RowContext& context, const WarmStarts& warm,
                  int warm_begin);

}  // namespace lig
