#pragma once

// Contacts as sequential impulses: a normal impulse that only pushes, and friction as a motor without speed
// that the normal impulse limits.
//
// A point is found once a step and followed through its sub-steps: the arms to it turn with their bodies, but
// for the part by which a ball or capsule is round, which stays along the normal (a ball that rolls touches
// at its lowest point, not at the one it touched at before). Its gap is then
//     gap = n · (x_b + r_b − x_a − r_a) − (margin − gap of the properties).
// Open gaps may close within the step and no faster (n·v ≥ −gap/h): nothing is passed unseen.
//
// Points go four at a time in lanes. They are coloured: those of one colour share no body that moves, and
// packs are of one colour. A point gets the first colour that neither of its bodies has; the order is that of
// the contacts, so that it is the model's. Points of bodies that deform have packs of their own.

#include "constraints/contact_rows.h"
#include "formulations/impulse/awake_packs.h"
#include "formulations/impulse/chosen_bodies.h"
#include "formulations/impulse/impulse_kernels.h"
#include "formulations/impulse/substep_velocities.h"
#include "formulations/impulse/unmet_trees.h"
#include "simulation/momentum_account.h"

#include <ligament/collision.h>

#include <cstdint>
#include <span>
#include <vector>

namespace lig::impulse {

// Friction against turning about the normal and rolling about the tangents, limited by lengths times the
// normal impulse.
struct ContactTurning {
    int list, pack, lane;  // of the point
    int a, b;
    int count;             // 1: about the normal alone
    Vec3d axis[3];         // n, t1, t2
    double length[3];
    double inverse[3];     // 1/response
    double impulse[3];
    bool chosen = false;
};

class DirectIslands;

class ContactPoints {
public:
    enum List {
        passing,
        footing,  // the same against what does not yield: last, so that what is pressed down is not left in
                  // it
        loose,    // of islands without joints: swept several times
        steady,   // … in which nothing is fast: until they are satisfied
        list_count
    };

    explicit ContactPoints(const MovingBodies& bodies)
        : lists_(bodies.deform() ? 2 * list_count : list_count) {}
    // All points, with the impulses that contacts keep. lists: by bodies, `loose` or `steady` for those of
    // such islands, otherwise `passing`. Bodies that sleep are as good as the world; points among such keep
    // their impulses and are left alone.
    void find(const Contacts& contacts, const MovingBodies& bodies, double dt,
              std::span<const List> lists);
    // How fast something is hit within dt, as things move now: m/s.
    double hit_speed() const { return hit_speed_; }
    void scale(double by);  // the impulses
    // Gaps and responses where the bodies are, and the impulses so far (warm). Returns the deepest
    // penetration.
    double prepare(MovingBodies& bodies, bool warm);
    // One sweep of a list. Errors are removed beside it, if wished.
    Swept sweep(List list, const ContactSettings& settings, const Give& give, const Correction& correction,
                const BodyView& bodies, Scope scope = all);
    // As of JointBlocks; of passing and footing.
    void find_unmet(Scope scope, double bound, UnmetTrees& trees) const;
    void choose(Scope from, const UnmetTrees& trees);
    // As of JointLimits; of passing and footing.
    void ask_hit(double bound, int substeps, DirectIslands& islands) const;
    // What impulses have done in a sub-step.
    void add_work(const SubstepVelocities& u, EnergyFlows& flows) const;
    // Points that were hit fast enough bounce.
    bool may_bounce() const { return bounces_; }
    void restitute(double min_bounce, const BodyView& bodies);
    // What bases have done by all impulses so far.
    double work_of_bases(const SubstepVelocities& u) const;
    // All impulses so far, where the bodies are, for the momentum ledger.
    OutsideImpulses impulses(const MovingBodies& bodies, const MomentumAccount& account) const;
    void store(Contacts& contacts) const;

    // By how much velocities miss what points ask, at most.
    double missed(const BodyView& bodies, double h) const;
    int count() const;
    // f(contact, depth) for those that are deeper than this, m. After prepare.
    template <class F>
    void for_each_deep(double bound, F&& f) const {
        for (const PackList& list : lists_)
            for (const ContactPack& pack : list.packs)
                for (int lane = 0; lane < lanes && any(pack.gap < Four(-bound)); ++lane)
                    if (pack.source[lane] >= 0 && pack.gap[lane] < -bound)
                        f(pack.source[lane], -pack.gap[lane]);
    }
    // Points of chosen bodies as rows (constraints/contact_rows.h), those that may be reached within the
    // sub-step; and the impulses of these rows, in their order. After prepare.
    void add_rows(const MovingBodies& bodies, const Workspace<double>& ws, const RowContext& context,
                  const ChosenBodies& chosen, Rows& rows);
    void take_impulses(std::span<const double> lambda);
    bool empty(List list) const {
        bool none = true;
        for_lists(list, [&](int k) { none = none && lists_[k].packs.empty(); });
        return none;
    }

private:
    struct PackList {
        std::vector<ContactPack> room;  // for packs that were needed once
        std::span<ContactPack> packs;  // those in use
        // By colour, first of points that are at hand, then of those that are away: the pack that has room,
        // −1: none. What is away mostly does nothing, and whole packs of it are soon done.
        std::vector<int> open;
        std::vector<int> filled;            // (packs)
        std::vector<int> chosen;            // packs, rising
        std::vector<StretchPack> stretches;  // beside `room`, if bodies deform

        const StretchPack* beside() const { return stretches.empty() ? nullptr : stretches.data(); }
        ContactRun run(int begin, int count) {
            return {packs.data() + begin, stretches.empty() ? nullptr : stretches.data() + begin, count};
        }
        ContactRun run() { return run(0, static_cast<int>(packs.size())); }
    };
    struct Lane {
        int pack, lane;
    };
    Lane take_lane(int which, int a, int b, bool away, const MovingBodies& bodies);
    Swept sweep_list(int which, const ContactSettings& settings, const Give& give,
                     const Correction& correction, const BodyView& bodies, Scope scope);
    // f(place in lists_) of what belongs to a List.
    template <class F>
    void for_lists(List which, F&& f) const {
        for (int k = which; k < static_cast<int>(lists_.size()); k += list_count) f(k);
    }
    struct Touch;
    void find_points(const Manifold& manifold, const Contacts& contacts, const MovingBodies& bodies,
                     double dt, std::span<const List> lists);
    void add_point(const Contact& contact, int source, const Touch& touch, double approach, int which,
                   const MovingBodies& bodies);
    void find_turning_responses(ContactTurning& turning, const MovingBodies& bodies) const;

    struct Resting {
        int source;
        Vec3d impulse, moment_impulse;
    };

    std::vector<PackList> lists_;  // those of List, then the same of bodies that deform
    std::vector<Resting> resting_;
    std::vector<std::uint64_t> colours_;  // (bodies) that they have
    std::vector<ContactTurning> turnings_;
    double hit_speed_ = 0;
    bool bounces_ = false;  // any of them
    struct RowPoint {
        int list, pack, lane;
        int turning;  // in turnings_, −1: none
        int first, count;  // of the rows: 1 or 3, and those against turning
    };
    std::vector<RowPoint> row_points_;
};

}  // namespace lig::impulse
