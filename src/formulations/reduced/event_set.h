#pragma once

// What acts between two events: contacts that are closed, bounds of joints and tendons that are reached, and
// dry friction, each in its mode. The constraint set C of Kokkevis 2004, section 7.
//
// From one event to the next the set stays as it is while bodies move, so its rows are wanted at any state:
// contacts are found again by their feature, in pairs of geoms that are known. A feature that is not found
// there (an edge has taken over from a corner) is as if its points were fixed to their bodies.
//
// A row's acceleration is d/dt (J v) = J v̇ + γ, γ = J̇ v. Since J v is the rate of a gap or the slip at the
// point of contact wherever that moves to, γ has the curvature of the surfaces in it: a ball that rolls keeps
// its distance, though the point of it that touches is drawn upwards. No shape needs to know about that: γ is
// the central difference of J v along the motion, with contacts found anew on either side.

#include "collide/narrow_phase.h"
#include "constraints/bounded_constraints.h"
#include "constraints/rows.h"
#include "constraints/warm_starts.h"

#include <ligament/collision.h>
#include <ligament/drives.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace lig {

// A contact that is closed.
struct ClosedContact {
    int geom_a, geom_b;
    std::uint32_t part, feature;
    int properties;                 // in Contacts::properties
    Vec3d on_a, on_b, normal;       // fixed to A, to B, and to A
    int source;                     // in Contacts::contacts
    Vec3d impulse;                  // its last one
    bool loaded;                    // pushed,
    bool holds;                     // and it sticks
    // How B slides and turns against A, in world axes, when the set was made; both zero: it sticks.
    Vec3d slip = Vec3d::zero(), spin = Vec3d::zero();
    bool slides = false;
};
// A bound of a joint or tendon that is reached.
struct ReachedBound {
    RowKind kind;  // limit, tendon_limit
    int source;
    int warm;      // tells the bounds of one joint apart: the place of its impulse in WarmStarts
    bool loaded;   // pushed
    double gap;
};
// Dry friction of a freedom or tendon.
struct Rubbing {
    RowKind kind;  // friction_loss, tendon_friction
    int source;
    int warm;
    double most;   // N or N·m
    int sign = 0;  // of the velocity; 0: it sticks
    double speed = 0;    // when the set was made
    bool holds = false;  // it sticks
};

// A row of a constraint whose force has bounds.
struct BoundedRow {
    bool one_sided;  // the other kind drives
    double lower, upper;  // N or N·m
    // One-sided: its gap, how fast that grows; of one that drives, by how much it is too fast.
    double gap = 0, rate = 0;
    bool acts = false;  // it is reached, or drives with a force that is not known by the rate
};

class EventSet {
public:
    explicit EventSet(std::shared_ptr<const Model> model);

    std::vector<ClosedContact> contacts;  // in the order of Contacts::contacts
    std::vector<ReachedBound> bounds;
    std::vector<Rubbing> rubbings;        // all there are, whatever the set
    std::vector<BoundedRow> bounded;      // likewise

    void clear();
    // Which of the bounded rows are reached. After forward_kinematics.
    void find_bounded(const JointState<double>& state, const Workspace<double>& ws, const WarmStarts& warm,
                      double gap, double speed);
    // Adds a contact of what find_contacts has found. After forward_kinematics.
    void add(const Contacts& found, int contact, const Workspace<double>& ws);

    // Appends the rows: one block per bound, then per rubbing, then per contact, as in the lists, then those
    // of constraints with bounds. kept_bias: what the motion of kinematic bodies adds to J v; all else is
    // left to the caller. After forward_kinematics and update_drives.
    void add_rows(const JointState<double>& state, const Workspace<double>& ws,
                  const DriveWorkspace<double>& drives, const WarmStarts& warm,
                  const std::vector<ContactProperties>& properties, Rows& rows);
    // The gaps of the contacts whose rows were added last, in their order.
    const std::vector<double>& gaps() const { return gaps_; }
    // … and where they are: what the sources of their blocks are in.
    const Contacts& found() const { return here_; }

    // γ of all rows, in the order of add_rows.
    void find_products(const JointState<double>& state, const WarmStarts& warm,
                       const std::vector<ContactProperties>& properties, std::vector<double>& out);

private:
    void find_again(const Workspace<double>& ws, const std::vector<ContactProperties>& properties);
    void add_bound_rows(const JointState<double>& state, const Workspace<double>& ws,
                        const DriveWorkspace<double>& drives, const WarmStarts& warm, Rows& rows);
    void add_bounded_rows(const JointState<double>& state, const Workspace<double>& ws,
                          const WarmStarts& warm, Rows& rows);

    const Model& model_;
    BoundedConstraints constraints_;
    Contacts here_;  // the closed contacts at the state asked about last
    std::vector<double> gaps_;
    collide::NarrowOutput narrow_;
    Rows scratch_, rows_;
    // For γ: a place beside the state.
    Workspace<double> ws_;
    DriveWorkspace<double> drives_;
    JointState<double> beside_;
    std::vector<double> step_;
};

}  // namespace lig
