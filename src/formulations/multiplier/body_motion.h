#pragma once

// BodyMotion: bodies under forces and constraints in time.
//
// RATTLE (the default). Half a kick, free motion, half a kick, with constraint impulses such that positions
// satisfy their constraints at the end of the free motion and velocities theirs at the end of the step:
//     u½ = uₙ + M⁻¹ (h/2 f(qₙ) + J(qₙ)ᵀ Λ),   qₙ₊₁ = drift(qₙ, u½, h),   C(qₙ₊₁) = 0
//     uₙ₊₁ = u½′ + M⁻¹ (h/2 f(qₙ₊₁) + J(qₙ₊₁)ᵀ Λ′),   J(qₙ₊₁) uₙ₊₁ = 0
// (u½′: what u½ has become by the free motion, which turns bodies.) Free motion is symplectic
// (bodies/free_rotation.h), kicks are, so the step is: second order, reversible, no drift of energy. Λ is
// found by Newton's method with the factor of qₙ, which the end of the step before has left: h J δu = −C, the
// change of J over the step left out, so that the error shrinks by a factor of O(h) each time; one factor per
// step, and where rows are redundant one of its own (factor_beginning). Rows that restrain velocities alone
// have no C; they hold in the mean of both ends of the free motion,
//     J(qₙ) u½ + J(qₙ₊₁) u½′ = 0,
// which reads the same backwards: the step stays reversible and of second order (McLachlan and Perlmutter
// 2006; taken at qₙ alone, J u½ would miss what the free motion turns, and be of first order).  Where that
// does not converge, or where the energy of motion grows by much more than the work of the forces, the step
// is halved.
//
// Rotor inertia moves with the coordinate of its joint: a rotor is a body of its own with one freedom, tied
// to the joint, and its soft row says so: q(poses) − θ = 0 with θ drifting by the rotor's velocity.
//
// Forces that depend on velocities are taken at the end of each half kick's own velocities: at uₙ, and at
// uₙ₊₁ by a prediction and a correction.
//
// Runge–Kutta methods (rk4, rk45) and semi-implicit Euler integrate the accelerations of BodyDynamics, on
// positions, quaternions and velocities; after each step bodies are put back onto their constraints by the
// least change in the measure of their masses, or, with Baumgarte's stabilization, errors are left to decay.

#include "formulations/maximal/body_dynamics.h"
#include "formulations/maximal/body_flows.h"
#include "formulations/maximal/step_pacer.h"
#include "simulation/stopwatch.h"

#include <ligament/simulation.h>

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace lig::multiplier {

using maximal::BodyCoordinates;
using maximal::BodyDynamics;
using maximal::BodyFlows;
using maximal::BodyMatrix;
using maximal::BodySystem;

enum class Method {
    rattle,
    euler,
    rk4,
    rk45
};

struct BodyMotionOptions {
    Method method = Method::rattle;
    double step = 1.0 / 60;
    double tolerance = 1e-9;  // rk45
    double baumgarte = 0;     // 1/s; 0: projection
    int max_steps = 0;        // 0: any number
    std::function<void(const JointState<double>&, SmoothDynamics&)> control;
};

class BodyMotion {
public:
    BodyMotion(std::shared_ptr<const Model> model, EqualityMethod method);

    BodyDynamics dynamics;
    StageCount stages;

    // What the next call begins with of the one before: belongs to the state.
    struct Pace {
        maximal::StepPacer::Memory steps;
        double longest = 0;  // by stiffness, where it is shorter than wanted
    };
    Pace pace;

    // Moves state (time, activations, kinematic bodies; its q and v are used as the nearest coordinates) and
    // bodies on by the duration. q and v of the state are those of the bodies afterwards. On failure both are
    // those of the last good step.
    MotionReport advance(SmoothDynamics& inputs, JointState<double>& state, BodyCoordinates& bodies,
                         double duration, const BodyMotionOptions& options);

    // Puts bodies onto their constraints, positions and velocities, by the least change in the measure of
    // their masses. False: they cannot be put there. The factor is that of the bodies afterwards.
    bool project(const JointState<double>& state, BodyCoordinates& bodies, MotionReport& report);
    // The same for velocities alone: bodies stay where they are.
    bool fit_velocities(const JointState<double>& state, BodyCoordinates& bodies, MotionReport& report);
    // (nv) Of each freedom: the inertia of its two bodies along it, if nothing else held them.
    void find_freedom_inertias(const JointState<double>& state, const BodyCoordinates& bodies,
                               std::span<double> out);

private:
    // What rounding of positions leaves of errors.
    static double rounding_of(const BodyCoordinates& bodies);

    // One step, from state and bodies.
    struct Step {
        SmoothDynamics& inputs;
        JointState<double>& state;
        BodyCoordinates& bodies;
        double h;
        const BodyMotionOptions& options;
        MotionReport& report;
        double& error;  // relative to the tolerance, rk45 only
    };
    struct Lengths;
    bool make_step(const Step& step, const Lengths& lengths);
    void shorten(const Step& step, Lengths& lengths, maximal::StepPacer& pacer) const;
    void lengthen(const Step& step, Lengths& lengths, maximal::StepPacer& pacer) const;
    // rattle.cpp. False: the step is too long; then bodies and state are as before.
    bool step_rattle(const Step& step);
    bool reject(const Step& step, std::string where);
    bool factor_beginning(const Step& step);
    bool kick_half(const Step& step);
    double try_free_motion(const Step& step);
    void correct_half_kick(const Step& step);
    bool find_free_motion(const Step& step);
    bool finish_step(const Step& step);
    bool admits_energy(const Step& step);
    bool leave_errors(const Step& step);
    bool step_projected(const Step& step);
    // body_stages.cpp: Runge–Kutta methods and semi-implicit Euler.
    bool step_stages(const Step& step);
    bool evaluate_stage(const Step& step, int stage, double when);
    std::span<const double> weigh_stages(double h, std::span<const double> weights);
    void combine_stages(const Step& step, std::span<const double> weights);
    void add_stage_work(const Step& step, std::span<const double> weights);
    template <class Tableau>
    bool run_stages(const Step& step);
    bool step_euler(const Step& step);
    bool find_end_of_stages(const Step& step);
    bool accept_end_of_stages(const Step& step, int redundant_before);
    bool project_positions(const JointState<double>& state, BodyCoordinates& bodies, double enough,
                           MotionReport& report);
    void project_velocities(BodyCoordinates& bodies, MotionReport& report);
    double error_of_stages(const BodyCoordinates& from, const JointState<double>& state,
                           const BodyMotionOptions& options, std::span<const double> change);
    void take_out_rows(ChangeOf of);
    void look(const JointState<double>& state, const BodyCoordinates& bodies);
    void find_forces(SmoothDynamics& inputs, JointState<double>& state, const BodyMotionOptions& options,
                     bool first, std::span<double> f);
    bool factor(MotionReport& report);
    void solve(std::span<double> x, bool last);
    void remove_errors();
    bool shift_by_errors();
    double rotor_errors(const JointState<double>& from, double h);

    BodyFlows flows_;
    EnergyFlows work_;         // of the present step, so far
    Workspace<double> bases_;  // of kinematic bodies
    bool factored_ = false;    // the matrix is that of the bodies as advance left them
    int redundant_ = 0;
    bool by_rattle_ = false;   // the present call
    BodyCoordinates trial_, stage_, moved_from_;
    JointState<double> next_, near_;
    std::vector<double> u_, f_, x_, rates_;    // vectors of the system
    // Of the half kick at the beginning of a step of RATTLE.
    struct {
        double energy = 0, power = 0;  // of motion before it; of forces
        bool constraints_move = false;
    } kick_;
    bool carries_ = false;                     // to remove errors has taken too much velocity
    std::vector<double> carried_;              // errors that the step leaves as they are, if it does
    std::vector<double> missed_rows_, slips_;  // of a trial: what rows are off by, and slips at its beginning
    std::vector<double> rotor_;                // (nv)
    std::vector<std::vector<double>> stages_;  // 13 numbers for each link, then activations: rates
    std::vector<EnergyFlows> powers_;          // of the stages
    std::vector<double> theta_;                // (nq) where rotors have got to
    double contraction_ = 0;       // of Newton's method in the last step, and
    double max_contraction_ = 0;   // … what it may be
    int left_out_ = 0;                         // rows, by all stages of the present step
    int missed_ = 0;                           // steps in a row that ended next to a singular position
    double moved_back_ = HUGE_VAL;             // by projection, of a step from there that was too long
};

}  // namespace lig::multiplier
