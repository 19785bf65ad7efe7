#pragma once

// Limits, contacts and dry friction as stiff springs at the end of the step (Hernandez et al. 2011, sec.
// 1–2).
//
// Limits. A bound that is passed by d pushes back along its gradient with N = k d (1 + a ḋ), never inward
// (Hunt and Crossley 1975): what dissipates begins with d, so that nothing jumps where d = 0, and Newton's
// method does not jump to and fro.
//
// Contacts. Points are found once, at the beginning of a step, as far as bodies may get within it; on the
// bodies they stay where they are, and so does the normal n. A pair of points whose distance along n has
// become negative, −d, is pushed apart by the same N. Friction is a spring as well, critically damped: the
// tangential force of the step before, which contacts carry on, less k times how far the points have slipped,
// cut down to the cone μ N (return mapping): what sticks, sticks, with no creeping. The same for twisting and
// rolling, with the coefficient of friction for an arm.
//
// Dry friction in joints. A force −c v, within the friction's bounds; c is so large that the bound is reached
// at creep_speed.
//
// Stiffness is told as a frequency f, k = m (2π f)², with m all that hangs together and moves, against all
// that it meets; so the static depth of what rests on one point is g / (2π f)², however many bodies it has.
// Of limits, m is the inertia of what is outward of the joint.
//
// Derivatives are symmetric and positive semidefinite: of sliding contacts the part by which the normal force
// changes friction is left out, which Newton's method finds by residuals.

#include "constraints/limit_rows.h"
#include "formulations/implicit/stiff_rows.h"
#include "formulations/maximal/body_system.h"
#include "simulation/momentum_account.h"

#include <ligament/collision.h>
#include <ligament/energy_ledger.h>

#include <span>
#include <vector>

namespace lig::implicit {

class Penalties {
public:
    Penalties(const Model& model, double frequency, double dissipation);

    // The contacts of the state that is in ws; how long the impulses that contacts carry have acted, 0: none.
    void begin(const Contacts& contacts, const Workspace<double>& ws, double impulse_time);

    // Whether there is anything that could act: joints need to be read, or there are contacts.
    bool reads_joints() const { return reads_joints_; }

    // Adds forces to the body entries of f, at the bodies that `system` looked at; state has their joints (if
    // reads_joints), u their velocities. Then the blocks: η² k + η c, after find_inertias; what is between
    // two bodies becomes rows.
    void add_forces(maximal::BodySystem& system, const JointState<double>& state,
                    std::span<const double> u, std::span<double> f);
    void add_blocks(maximal::BodySystem& system, double eta, StiffRows& rows) const;

    // What they do at a state, given as to add_forces, per second: the energy that is in the springs of
    // contacts and limits, and where their power goes that does not come from there. Friction's springs hold
    // next to nothing; their power counts as friction.
    struct Work {
        double energy = 0;   // J
        EnergyFlows powers;  // W
    };
    Work work(const maximal::BodySystem& system, const JointState<double>& state,
              std::span<const double> u);

    // The forces of contacts there, for the momentum ledger.
    void add_contacts(const maximal::BodySystem& system, std::span<const double> u,
                      const MomentumAccount& account, OutsideImpulses& sum) const;

    // The last forces into the contacts, as impulses of a second.
    void store(Contacts& contacts) const;
    // Those of limits: one-sided rows along joints, with forces for impulses.
    void add_limit_rows(Rows& rows) const;
    bool act() const;  // whether any of them pushes, or friction does

private:
    struct Touch {
        int contact;
        int link_a, link_b;     // negative: world or kinematic
        Vec3d at_a, at_b;       // points, in the links' axes from their origins
        Vec3d from_a, from_b;   // where they were, in the world
        Mat3d R_a, R_b;         // and how the links were turned
        Vec3d normal, t1, t2;
        double margin;          // distance at which it begins to act
        double stiffness, damping;
        int friction_rows;
        double friction[5];
        double stuck[5];        // of the step before: forces on B along t1, t2, moments about n, t1, t2
        // Of the last add_forces:
        double push = 0;        // N
        double slope = 0, rate_slope = 0;  // −∂N/∂gap, −∂N/∂(its rate)
        double force[5] = {};
        double hold[5] = {};    // share of the stiffness along each that acts
        Vec3d arm_a, arm_b;     // from the centres of mass
    };
    struct Limit {
        int link;
        double force, slope, rate_slope;
        int joint, first, count;
        Vec3d gradient;
    };
    struct Dry {
        int dof, link;
        double bound, damping;
    };
    struct Push {
        double force = 0, slope = 0, rate_slope = 0;
    };
    Push push_of(double stiffness, double gap, double rate) const;
    // How the two bodies of a contact move, at its points a and b.
    struct PointMotions {
        Motion<double> a, b;
    };
    PointMotions motions_of(const Touch& touch, const maximal::BodySystem& system, const Vec3d& a,
                            const Vec3d& b, std::span<const double> u) const;
    void act(Touch& touch, const maximal::BodySystem& system, std::span<const double> u) const;
    void add_work(const Touch& touch, const maximal::BodySystem& system, std::span<const double> u,
                  Work& sum) const;
    void find_joint_inertias();
    double weight_between(int link_a, int link_b) const;

    const Model* model_;
    double by_mass_, damping_by_mass_;       // of friction: k / m, c / m
    double dissipation_;                     // a
    bool reads_joints_ = false;
    std::vector<double> mass_;               // (links) of the tree that the link is of
    std::vector<double> joint_inertia_;      // (nv)
    std::vector<Touch> touches_;
    std::vector<ViolatedLimit> violated_;
    std::vector<Limit> limits_;
    std::vector<Dry> dry_;
    std::vector<double> dry_slope_;          // of the last add_forces
    std::vector<double> tau_;                // (nv)
};

}  // namespace lig::implicit
