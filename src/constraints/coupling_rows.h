#pragma once

// Rows of couplings. With x the leader's coordinate counted from its reference and P(x) = Σ c_k x^k,
//     joints    C = q_follower − P(x),   J = e_follower − P'(x) e_leader,   product −P''(x) ẋ²
// (the follower's own reference is in c_0); without a leader C = q_follower − c_0. For tendons both lengths
// are counted from those of the reference configuration, the unit vectors are their rows (on the freedoms, or
// on the bodies that the tendons touch), and the product has
// the accelerations that the lengths have while v̇ = 0: l̈_follower − P'(x) l̈_leader − P''(x) ẋ².

#include "constraints/equality_terms.h"
#include "constraints/rows.h"

#include <ligament/drives.h>

#include <vector>

namespace lig {

// One coupling, its terms behind those that are there.
void add_coupling(const JointState<double>& state, const Model& model, int coupling, Rows& rows,
                  std::vector<EqualityTerms>& terms);
// After update_drives; with_products: after forward_dynamics. Without drives: on bodies. Spatial tendons are
// then pulls on the links that they touch; fixed ones have entries all the same.
void add_tendon_coupling(const JointState<double>& state, const Workspace<double>& ws,
                         const DriveWorkspace<double>* drives, int coupling, bool with_products, Rows& rows,
                         std::vector<EqualityTerms>& terms);

// The acceleration of a tendon's length while v̇ = 0. After update_drives and forward_dynamics. On pieces
// that wrap around an obstacle the turning of their ends is differentiated numerically, to about ten digits.
double tendon_acceleration(const Workspace<double>& ws, int tendon);

}  // namespace lig
