#pragma once

// Friction of contacts along one direction each, by three rows: Kokkevis 2004, 8.1, equations (19)–(21).
//
//   w_n ≥ 0 ⊥ λ_n ≥ 0,   d·w_t + γ ≥ 0 ⊥ f ≥ 0,   μ λ_n − f ≥ 0 ⊥ γ ≥ 0,   λ_t = f d
//
// d is the direction in which friction pushes, against the sliding. f never pulls: what acts across d, or
// along it, is not held. That is exact while a contact slides and d is against its velocity; where it sticks,
// d has to be that of the load. The paper takes the last direction that was in use, and by chance one for a
// contact that is new, which "works fairly well": a contact that is held the wrong way begins to slide, and
// from the next step on its direction is against that. So loads that turn are followed with a slip of one
// step's acceleration, and μ is never exceeded; compare six_rows, which holds in all directions at once at
// twice the number of rows.
//
// The choice depends on nothing but what the step begins with, so a simulation that is restored chooses the
// same.

#include "linalg/lcp.h"

#include <ligament/collision.h>

#include <cstdint>
#include <span>

namespace lig {

// What the direction of a contact is drawn from, where nothing tells it.
struct ContactIdentity {
    int geom_a = 0, geom_b = 0;
    std::uint32_t part = 0, feature = 0;
};

// A unit vector in the axes of the contact's two tangential rows. A contact slides if the velocity `slip`
// that the step begins with is above `still`; the direction is then against `ahead`, what the step would make
// of it without impulses. (Against `slip` itself, friction that brakes a load, too, would overshoot across it
// when sliding ends.) friction: the last impulse of friction.
TangentDirection tangent_of_contact(TangentDirection slip, TangentDirection ahead, double still,
                                    TangentDirection friction, unsigned seed, const ContactIdentity& contact);

// λ of the problem's rows; directions by the row of the normal. Contacts with one tangential row, and
// torsional and rolling rows, have both directions (lcp_expansion.h). The residual of the figures is that of
// the complementarity problem that has been solved. Statuses as those of `lemke`, but nothing is ever
// infeasible.
LcpResult solve_along_tangents(const LcpProblem& problem, std::span<const TangentDirection> directions,
                               const LcpOptions& options, LcpWorkspace& workspace, std::span<double> lambda);

}  // namespace lig
