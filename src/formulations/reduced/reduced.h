#pragma once

// `reduced`: simulation on joint coordinates, after Kokkevis 2004 and Featherstone.
//
// Solved in a velocity step of length h, with the joint-space inertia and what implicit springs and dampers add,
//     M̂ (v⁺ − v) = h (τ − bias forces − h K v) + Jᵀ λ,    rows of rows.h on J v⁺,    q⁺ = q ⊕ h v⁺.
// Joints are exact by construction. Unknowns: λ, one per row; cost: O(n) for n freedoms, and per row and sweep the
// way from its links to the root. Contacts and limits that could be reached within the step have rows already
// (their gaps enter the bias), so nothing is passed unseen. Errors of position are removed in q⁺ alone; v⁺ is
// computed without them.
// Where no such row acts, a step is left to the smooth integrator.
// Not handled: bodies that are not rigid (refused by name).

#include "constraints/row_context.h"
#include "constraints/equality_terms.h"
#include "constraints/rows.h"
#include "constraints/smooth_impulses.h"
#include "constraints/warm_starts.h"
#include "dynamics/joint_factor.h"
#include "formulations/reduced/newton_impulses.h"
#include "formulations/reduced/row_response.h"
#include "formulations/reduced/sweeps.h"

#include <ligament/simulation.h>

#include <optional>
#include <vector>

namespace lig {

class Reduced {
public:
    Reduced(std::shared_ptr<const Model> model, const SimulationOptions& options);

    // Moves the state on by dt. On failure the report says why, and the state is as it was.
    StepReport step(JointState<double>& state, double dt, const Callbacks& callbacks);
    // Forgets impulses and contacts.
    void forget();

    SmoothMotion motion;           // with the inputs
    CollisionWorkspace collision;
    WarmStarts warm;
    double impulse_time = 0;       // how long the impulses that are kept acted; 0: there are none

private:
    void look(const JointState<double>& state, double h, StepReport& report);
    double longest_step(const JointState<double>& state, double h) const;
    bool assemble(const JointState<double>& state, double h, StepReport& report);
    bool factor(const JointState<double>& state, StepReport& report);
    void resolve(double h, StepReport& report);
    struct Approach;
    double gap_of(const RowBlock& contact) const;
    std::optional<Approach> approach_of(std::size_t block, double h) const;
    double first_impact(double h) const;
    void restitute(double h, StepReport& report);
    bool advance(JointState<double>& state, double h, StepReport& report);
    bool smooth_step(JointState<double>& state, double h, const Callbacks& callbacks, StepReport& report);
    void keep_impulses(double h);
    double row_rate(const RowBlock& block, const Row& row, std::span<const double> v) const;

    const SimulationOptions& options_;
    JointFactor factor_;
    SmoothImpulses smooth_impulses_;
    std::vector<EqualityTerms> loop_terms_;
    int two_sided_ = 0;  // the first blocks: drives, tendons and loops, which do not count as touching anything
    Rows rows_;
    RowResponse response_;
    Sweeps sweeps_;
    NewtonImpulses newton_;
    std::vector<Transformd> poses_;       // (nbody)
    std::vector<double> radius_;          // (nbody) of the geoms about the body's origin
    std::vector<double> reach_;           // (nbody)
    std::vector<double> tau_, x_, s_free_, s_, s_after_, zero_, change_, correction_;  // (nv)
    std::vector<double> b_, b_kept_, b_after_, rate_, lambda_, landing_;  // (rows)
    JointState<double> start_;
};

}  // namespace lig
