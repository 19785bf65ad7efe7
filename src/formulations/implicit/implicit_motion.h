#pragma once

// ImplicitMotion: bodies in time by backward differences, everything at the end of the step (Hernandez et al.
// 2011, sec. 3, and beyond it).
//
// A step from time n to the new one, marked ⁺, in the coordinates of bodies (centres of mass x, rotations R):
//     x⁺ = xₙ + Δx + η v⁺,   R⁺ = exp(θ) Rₙ,   w⁺ = Jl(θ) (θ − Δθ) / η        (1)
//     p⁺ = p̂ + η (f⁺ + J⁺ᵀ λ),   p = (m v, R I Rᵀ w)                            (2)
//     C(x⁺, R⁺, t⁺) = 0, or J⁺ u⁺ = 0 for what restrains velocities alone        (3)
// Bodies that deform have S⁺ = Sₙ + ΔS + η Ṡ⁺ besides, and the momenta of their stretches in p; what motion
// does to these, ∂T/∂s, is among the forces. Backward Euler:  η = h, Δ = 0, p̂ = pₙ. BDF2, with ω = h / h₋
// the ratio to the step before:
//     η = h (1 + ω)/(1 + 2ω),  Δ = ω²/(1 + 2ω) (what the step before has moved),
//     p̂ = ((1 + ω)² pₙ − ω² pₙ₋₁) / (1 + 2ω).
// Momenta, not velocities, are what is carried on: a body that nothing turns keeps its angular momentum.
// Joints and equalities hold at the end of every step by their positions; there is no drift, and no
// parameter.
//
// Newton's method on (1)–(3), du = δ/η the change of the velocities at the end, y = −η λ [H11 eq. 3, 4]:
//     ( M + η D + η² K   Jᵀ ) ( du )     ( −(2) )       K: springs, drives, penalties and what tension does
//     ( J                0  ) ( dy )  =  ( −C/η )       (geometric_stiffness.h),  D: dampers
// Joints' springs reach from body to body, so the matrix has the blocks of parents and grandparents of the
// paper's sec. 4; BlockLdlt has no fill on trees with them. Limits, contacts and dry friction are rows beside
// the matrix whose laws each solution meets exactly (stiff_rows.h): which of them act is not a matter of
// Newton's method on the bodies, and what is left for it is smooth. Derivatives in the matrix are symmetric
// and not exact, residuals are. With newton = 1 the first solution is taken: the paper's step, linear in
// everything.

#include "formulations/implicit/body_bushings.h"
#include "formulations/implicit/clip_rows.h"
#include "formulations/implicit/geometric_stiffness.h"
#include "formulations/implicit/joint_stiffness.h"
#include "formulations/implicit/penalties.h"
#include "formulations/implicit/stiff_rows.h"
#include "formulations/maximal/body_dynamics.h"
#include "formulations/maximal/body_flows.h"
#include "formulations/maximal/step_pacer.h"
#include "formulations/surroundings.h"
#include "simulation/contact_events.h"
#include "simulation/momentum_account.h"
#include "simulation/stopwatch.h"

#include <ligament/smooth_motion.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lig::implicit {

using maximal::BodyCoordinates;
using maximal::BodyDynamics;
using maximal::BodyFlows;
using maximal::BodySystem;

enum class Difference {
    euler,
    bdf2
};

struct DifferenceOptions {
    Difference method = Difference::euler;
    double step = 1.0 / 60;
    int newton = 0;           // iterations; 0: until they converge
    double tolerance = 1e-7;  // of the last change of positions, relative to the size of the parts, and rad
    bool geometric_stiffness = true;
    int max_steps = 0;       // 0: any number
    std::function<void(const JointState<double>&, SmoothDynamics&)> control;
};

// Limits, contacts and dry friction in the equations, and where what they leave is kept.
struct ImplicitTouching {
    Penalties penalties;
    ClipRows clips;
    Surroundings surroundings;
    CollisionWorkspace& collision;
    CollisionWorkspace probe;  // to see what is touched without that being an event
    ContactEvents& events;
    double& impulse_time;
    int threads;
};

class ImplicitMotion {
public:
    explicit ImplicitMotion(std::shared_ptr<const Model> model);

    BodyDynamics dynamics;
    StageCount stages;
    // What drives joints to a pose; null: nothing does.
    const PoseTargets* pose_targets = nullptr;
    // What joints follow where things are touched; null: nothing.
    Tracking* tracking = nullptr;
    // Null: nothing is touched.
    std::unique_ptr<ImplicitTouching> touching;

    // What a step leaves for the next one besides the bodies; belongs to the state.
    struct History {
        maximal::StepPacer::Memory pace;
        double before = 0;                 // how long the last step was; 0: none, the next is backward Euler
        BodyCoordinates bodies;            // at the beginning of the last step (velocities are not used)
        std::vector<double> momenta;       // (body entries) there,
        std::vector<double> velocities;    // (nv) and of the joints
        double impulse_time = 0;           // η of the impulses; 0: there are none
        std::vector<double> impulses;      // (size) y
        EnergyFlows work;                  // of the last step,
        OutsideImpulses outside;           // … and its impulses, where they are asked for
        double penalties = unknown;        // the energy in their springs
        static constexpr double unknown = -1;
    };
    History history;
    // What springs are followed by, likewise.
    std::vector<Vec3d>& springs() { return joints_.springs.accepted(); }
    const std::vector<Vec3d>& springs() const { return joints_.springs.accepted(); }
    // The state was set.
    void forget(const JointState<double>& state);

    // Moves state and bodies on, as BodyMotion::advance does.
    MotionReport advance(SmoothDynamics& inputs, JointState<double>& state, BodyCoordinates& bodies,
                         double duration, const DifferenceOptions& options);

private:
    // The coefficients of a step, and what (1) and (2) take from the past.
    struct Stage {
        double eta;
        double of_last;                     // how much of what the last step has changed is added
        std::vector<Vec3d> shift, turn;     // (links) Δx, Δθ
        std::vector<Sym3d> stretch;         // (Tree::stretches) ΔS
        std::vector<double> momenta;        // (body entries) p̂
        std::vector<double> velocities;     // (nv) of rotors, in the place of momenta
    };
    void look(const JointState<double>& state, const BodyCoordinates& bodies);
    void prepare_stage(const BodyCoordinates& bodies, double h, bool second_order);
    void find_velocities(const BodyCoordinates& from, BodyCoordinates& to) const;
    bool find_impulses(SmoothDynamics& inputs, JointState<double>& state, const BodyCoordinates& bodies,
                       MotionReport& report);
    void find_residual(SmoothDynamics& inputs, JointState<double>& state);
    void add_stiffness(SmoothDynamics& inputs, const JointState<double>& state, bool careful,
                       const DifferenceOptions& options);
    EnergyFlows powers_at_end(SmoothDynamics& inputs, const JointState<double>& state, bool second_order);
    void look_around(SmoothDynamics& inputs, const JointState<double>& state, double h,
                     MotionReport& report);
    bool factor(MotionReport& report);
    bool solve(const SmoothDynamics& inputs, double tolerance);
    Penalties::Iterate penalties_at(const SmoothDynamics& inputs, const JointState<double>& state) const {
        return {dynamics.system, state, inputs.drives, u_};
    }
    const JointState<double>* find_last(const JointState<double>& state);
    void update_tendons(SmoothDynamics& inputs, const JointState<double>& state);
    bool iterate(SmoothDynamics& inputs, const JointState<double>& state, const BodyCoordinates& bodies,
                 double h, bool predict, const DifferenceOptions& options, MotionReport& report);
    bool looks_right(const BodyCoordinates& from, double off);
    void keep_touching(const SmoothDynamics& inputs, MotionReport& report);
    bool has_passed(SmoothDynamics& inputs, double h, const DifferenceOptions& options);
    std::string what_failed() const;
    bool step(SmoothDynamics& inputs, JointState<double>& state, BodyCoordinates& bodies, double h,
              const DifferenceOptions& options, MotionReport& report);

    // Why the last attempt was none. In words only where there is no other: words are allocated.
    enum class Failure {
        none,
        rows,        // those that the system has now
        matrix,      // at failed_link_
        velocities,
        turn
    };
    Failure failure_ = Failure::none;
    int failed_link_ = -1;
    Workspace<double> bases_;
    GeometricStiffness geometric_;
    std::vector<GeometricStiffness::Load> loads_;
    JointStiffness joints_;
    BodyBushings bushings_;
    StiffRows stiff_rows_;
    // In the present step: joint coordinates are needed; springs are all that acts on joints.
    bool reads_joints_ = false, springs_alone_ = false;
    int redundant_ = 0;
    Stage stage_;
    BodyFlows flows_;
    OutsideImpulses outside_;  // forces at the end
    BodyCoordinates trial_;
    JointState<double> next_, last_;
    std::vector<double> u_, p_, f_, y_, x_, right_, rates_;  // vectors of the system
    std::vector<double> start_velocities_, tau_;  // (nv)
};

}  // namespace lig::implicit
