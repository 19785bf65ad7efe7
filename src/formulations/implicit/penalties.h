#pragma once

// Limits, contacts and dry friction as stiff springs at the end of the step (Hernandez et al. 2011, sec.
// 1–2). The laws of their forces are in penalty_law.h, how these are found in stiff_rows.h.
//
// Limits of joints and tendons. A bound that is passed by d pushes back along its gradient with
// N = k d (1 + a ḋ), never inward (Hunt and Crossley 1975): what dissipates begins with d, so that nothing
// jumps where d = 0.
//
// Contacts. They are found once, at the beginning of a step, as far as bodies may get within it; their points
// are followed as bodies move (touch_point.h), the normal n stays. A pair of points whose distance along n
// has become negative, −d, is pushed apart by the same N. Friction is a spring as well, critically damped:
// the tangential force of the step before, which contacts carry on, less k times how far the points have
// slipped, cut down to the cone μ N (return mapping): what sticks, sticks, with no creeping. The same for
// twisting and rolling, with the coefficient of friction for an arm.
//
// Dry friction in joints and tendons. A force −c v, within the friction's bounds; c is so large that the
// bound is reached at creep_speed.
//
// Stiffness is told as a frequency f, k = m (2π f)², so that the static depth of what rests on one point is
// g / (2π f)². For contacts m is the mass that may rest on them (contact_loads.h); for limits the inertia of
// what is outward of the joint (joint_inertias.h), for tendons of all their joints together.

#include "constraints/limit_rows.h"
#include "formulations/implicit/contact_loads.h"
#include "formulations/implicit/geometric_stiffness.h"
#include "formulations/implicit/stiff_rows.h"
#include "formulations/implicit/touch_point.h"
#include "formulations/maximal/body_system.h"
#include "simulation/momentum_account.h"

#include <ligament/collision.h>
#include <ligament/drives.h>
#include <ligament/energy_ledger.h>

#include <span>
#include <vector>

namespace lig::implicit {

class Penalties {
public:
    Penalties(const Model& model, double frequency, double dissipation);

    // A step begins: nothing of the last one is left but what contacts carry.
    void start();
    // The contacts before others are found; they are where the bodies are.
    void remember(const Contacts& contacts) { before_ = contacts.contacts; }
    // Moves contacts that were found anew back to where they were on their bodies: of a face that rests, a
    // corner that presses and has not slipped stays the same. Which four points stand for a face that has
    // more is a matter of tilts of nothing, and on springs that jump from corner to corner nothing comes to
    // rest.
    void hold_corners(Contacts& contacts, const Workspace<double>& ws) const;
    // The contacts of the state that is in ws; how long the impulses that contacts carry have acted, 0: none.
    void begin(const Contacts& contacts, const Workspace<double>& ws, double impulse_time);

    // Whether there is anything that could act on joints: then they need to be read, and for tendons drives
    // to be up to date.
    bool reads_joints() const { return reads_joints_; }
    bool reads_tendons() const { return !tendons_.empty(); }

    // (nv) Of what is outward of each joint, along its freedoms; and the links of these.
    std::span<const double> joint_inertia() const { return joint_inertia_; }
    std::span<const int> links_of_freedoms() const { return link_of_dof_; }

    // Where bodies and joints are, at an iterate: the bodies that `system` looked at, u their velocities;
    // state and drives have their joints, as far as they are read.
    struct Iterate {
        const maximal::BodySystem& system;
        const JointState<double>& state;
        const DriveWorkspace<double>& drives;
        std::span<const double> u;
    };
    // The forces of contacts as they were found last, where they turn with their bodies.
    void add_loads(const maximal::BodySystem& system,
                   std::vector<GeometricStiffness::Load>& loads) const;
    // How forces of limits that were found last turn with their bodies, for the matrix: a ball that N pushes
    // back from its cone about the axis of its rotation φ resists turning across that axis by ½ N cot(φ/2).
    // Without it light links that are pressed against their cones would swing from iterate to iterate.
    void add_blocks(double eta, maximal::BodySystem& system) const;
    // The rows of all that acts, or would if velocities changed by x. After find_freedoms if joints are read.
    void add_rows(const Iterate& at, double eta, std::span<const double> x, StiffRows& rows);
    // The forces that were found for them.
    void keep_forces(double eta, const StiffRows& rows);

    // What they do at the end of a step, by the forces that were kept, per second: the energy that is in the
    // springs of contacts and limits, and where their power goes that does not come from there. Friction's
    // springs hold next to nothing; their power counts as friction.
    struct Work {
        double energy = 0;   // J
        EnergyFlows powers;  // W
    };
    Work work(const Iterate& at);
    // The energy alone, of a state.
    double energy(const Iterate& at);

    // How deep contacts are there, by the points that are followed.
    double depth(const Iterate& at) const;
    // The forces of contacts there, for the momentum ledger.
    void add_contacts(const Iterate& at, const MomentumAccount& account, OutsideImpulses& sum) const;

    // The last forces into the contacts, as impulses of a second, and the points that they acted on: apart by
    // what has slipped within the step.
    void store(const Iterate& at, Contacts& contacts) const;
    // Those on joints and tendons as rows, with forces for impulses.
    void add_acting_rows(const DriveWorkspace<double>& drives, Rows& rows) const;
    bool act() const;  // whether any of them pushes, or friction does

private:
    static constexpr int max_friction = PenaltyLaw::max_friction;
    struct Touch {
        int contact;
        int link_a, link_b;     // negative: world or kinematic
        TouchPoint at_a, at_b;
        Vec3d normal, t1, t2;
        double margin;          // distance at which it begins to act
        double stiffness, damping;
        int friction_rows;
        double friction[max_friction];
        double stuck[max_friction];   // of the step before: forces on B along t1, t2, moments about n, t1, t2
        int law;                      // among the rows, −1: none
        // As they were found last:
        double push;
        double force[max_friction];
        Vec3d axis(int row) const { return row == 0 || row == 3 ? t1 : row == 1 || row == 4 ? t2
                                                                                            : normal; }
    };
    // A contact at an iterate.
    struct Place {
        double gap;
        Vec3d a, b;             // the points
        Vec3d slip;             // of B against A
        Motion<double> V_a, V_b;
    };
    // A bound of a joint, or of a tendon.
    struct Limit {
        int joint, tendon;      // −1: of the other
        int law;
        double sign;            // tendon: 1 lower, −1 upper
        double gap, rate, stiffness, force;
        int first, count;
        Vec3d gradient;
    };
    // Dry friction of a freedom, or of a tendon.
    struct Dry {
        int joint, dof, tendon;
        int law;
        double bound, force;
    };

    bool rests(const Manifold& manifold, const Contacts& contacts, const Transformd& X_a,
               const Transformd& X_b) const;
    double tendon_inertia(int tendon, const DriveWorkspace<double>& drives) const;
    Place place(const Touch& touch, const Iterate& at) const;
    static Force<double> friction_of(const Touch& touch);
    void add_touch(Touch& touch, const Iterate& at, double eta, std::span<const double> x, StiffRows& rows);
    void find_limits(const Iterate& at, double eta, std::span<const double> dv);
    void add_tendon_entries(int tendon, double sign, const Iterate& at, StiffRows& rows) const;
    void add_work(const Touch& touch, const Iterate& at, Work& sum) const;

    const Model* model_;
    double by_mass_, damping_by_mass_;       // of friction: k / m, c / m
    double dissipation_;                     // a
    bool reads_joints_ = false, has_limits_ = false;
    ContactLoads loads_;
    std::vector<double> joint_inertia_;      // (nv)
    std::vector<int> link_of_dof_;           // (nv)
    std::vector<double> changes_;            // (nv)
    std::vector<int> tendons_;               // that have a range
    std::vector<Touch> touches_;
    std::vector<Contact> before_;
    std::vector<NearLimit> near_;
    std::vector<Limit> limits_;
    std::vector<Dry> dry_;
};

}  // namespace lig::implicit
