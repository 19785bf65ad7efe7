#pragma once

// Impulses of a sub-step all at once, where sweeps would need too many: joints and equalities by the factor
// of BodySystem, everything else in anticipation of them (maximal/body_algebra.h), by Newton's method.
//
// Bodies come with velocities u, at which joints are missed by what they have turned since the last sub-step,
// and with what has pushed them within this one. Velocities that are kept meet all rows; those with which
// bodies move remove errors as well, and the difference of the two is the correction. Light links under a
// heavy load are harder to turn, by what the sub-step is too long for (turning_inertia.h): as tension turns
// with a link, so does the moment of a limit that is a circle turn as the joint moves along it.

#include "formulations/impulse/contact_points.h"
#include "formulations/impulse/general_forces.h"
#include "formulations/impulse/joint_blocks.h"
#include "formulations/impulse/joint_limits.h"
#include "formulations/maximal/body_algebra.h"
#include "formulations/turning_inertia.h"

#include <memory>
#include <span>
#include <vector>

namespace lig::impulse {

class DirectSolve {
public:
    // Null: the model is too large, or has what BodySystem does not take (inertia or couplings of
    // tendons).
    static std::unique_ptr<DirectSolve> make(std::shared_ptr<const Model> model, const Contacts& contacts,
                                             const SimulationOptions& options);
    DirectSolve(std::shared_ptr<const Model> model, const Contacts& contacts,
                const SimulationOptions& options);

    struct Parts {
        GeneralForces& general;
        JointBlocks& joints;
        JointLimits& limits;
        ContactPoints& contacts;
    };
    struct Substep {
        double h;
        double longest;  // as long as sub-steps would be without tension; 0: that is not asked
        double removed_share;  // of errors
        double slop, fastest_correction;
        std::span<const Velocity> before;  // velocities before anything acts,
        std::span<const Velocity> pushed;  // … and with what pushes, but for impulses of rows
    };
    // Once a sub-step, with all bodies that are to be solved: those get the velocities from before anything
    // acts, which are read.
    void begin(JointState<double>& state, const Substep& substep, const ChosenBodies& chosen,
               GeneralForces& general, MovingBodies& bodies);
    // Of an island, or all links: finds velocities and corrections, and gives the impulses to the parts.
    // Returns by how much velocities miss the rows; infinity, with everything as it was before begin: there
    // is no solution.
    double solve(std::span<const int> links, JointState<double>& state, Workspace<double>& ws,
                 const Substep& substep, const Parts& parts, MovingBodies& bodies, StepReport& report);
    // (links) Whether the tension of a link tells how long sub-steps may be.
    void follow_tension_of(std::vector<char> links);
    bool follows_all_tension() const { return follows_all_; }
    // Whether links were harder to turn in one of them since begin.
    bool holds_tension() const { return holds_tension_; }
    // How many sub-steps a second follow the tension of these links, as it is after the solutions since
    // begin, 1/s; 0: there is none that the longest do not follow.
    double tension_rate() const { return tension_rate_; }

private:
    struct Task;
    double give_up(const Task& task) const;
    bool prepare(Task& task);
    bool find_turning(const Task& task, std::span<const int> links, double h);
    void look_at_tension(const Task& task);
    void write_problem(const Task& task);
    double find(std::span<const double> b, double removal, double accuracy, ImpulseSolver::Effort effort,
                std::span<double> lambda, StepReport& report);
    double find_velocities(Task& task, double damping, double max_gain);
    double take_velocities(const Task& task);
    bool take_corrections(const Task& task);
    double max_given(std::span<const int> links, const MovingBodies& bodies) const;
    Velocity stretch_change(int deforming) const;
    Motion<double> change_of(int link, const Workspace<double>& ws, const MovingBodies& bodies) const;

    const Model& model_;
    const SimulationOptions& options_;
    maximal::BodyAlgebra algebra_;
    TurningInertia turning_;
    std::vector<char> follows_;   // (links)
    std::vector<int> followed_;   // of an island
    bool follows_all_ = true;
    bool holds_tension_ = false;
    double tension_rate_ = 0;  // 1/s
    double ahead_ = 0;  // half of the sub-step, s
    Rows rows_;
    std::vector<double> x_, v_;                  // (nv)
    std::vector<Force<double>> pushes_, joint_impulses_;  // (links)
    std::vector<Vec3d> joint_forces_;                     // (links) of the last sub-step
    std::vector<HeldLink> held_;
    std::vector<double> b_, b_kept_, lambda_, corrected_;  // (rows)
    std::vector<double> s_free_, s_;             // of the algebra
    std::vector<Velocity> kept_velocities_, kept_corrections_;
    std::vector<char> chosen_;                   // (all bodies) those of the island
};

}  // namespace lig::impulse
