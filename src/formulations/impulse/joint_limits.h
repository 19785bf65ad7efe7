#pragma once

// Limits of balls and hinges between rigid bodies as sequential impulses: rows that only push, on the angular
// velocities of the two bodies of a joint, four joints at a time in lanes (impulse_kernels.h). Angles are
// read from the orientations of the bodies; rows are made of limits that may be reached. All other limits go
// by general rows.

#include "constraints/row_context.h"
#include "constraints/warm_starts.h"
#include "formulations/impulse/awake_packs.h"
#include "formulations/impulse/chosen_bodies.h"
#include "formulations/impulse/impulse_kernels.h"
#include "formulations/impulse/substep_velocities.h"
#include "formulations/impulse/unmet_trees.h"
#include "formulations/turning_inertia.h"

#include <span>
#include <vector>

namespace lig::impulse {

class DirectIslands;

class JointLimits {
public:
    JointLimits(const MovingBodies& bodies, const WarmStarts& warm);

    // Whether a joint of the model is here.
    bool has(int joint) const { return here_[joint] != 0; }
    // Once a step: where hinges are, which may have turned any number of times.
    void follow(std::span<const double> q);
    // Impulses as they are kept (WarmStarts::lambda).
    void restore(std::span<const double> kept);
    void store(std::span<double> kept) const;
    void scale(double by);  // the impulses
    // After bodies fell asleep or woke up. Limits that sleep keep their impulses.
    void follow_sleep(const MovingBodies& bodies);
    // Rows where the bodies are, of limits that may be reached within h, and their impulses so far (warm).
    // Returns the largest violation: rad.
    double prepare(MovingBodies& bodies, double h, bool warm);
    // One sweep. Errors are removed beside it, if wished.
    Swept sweep(Scope scope, const ContactSettings& settings, const Give& give, const Correction& correction,
                const BodyView& bodies);
    // As of JointBlocks.
    void find_unmet(Scope scope, double bound, UnmetTrees& trees) const;
    void choose(Scope from, const UnmetTrees& trees);
    // Asks for the islands in which the last sweep has met a limit faster than this, with hardly any impulse
    // before.
    void ask_hit(double bound, int substeps, DirectIslands& islands) const;
    // By how much velocities miss what limits ask, at most.
    double missed(const BodyView& bodies, double h) const;
    // Limits of chosen bodies as rows, those that may be reached within the sub-step; and the impulses of
    // these rows, in their order. After prepare.
    void add_rows(const MovingBodies& bodies, const Workspace<double>& ws, const RowContext& context,
                  const ChosenBodies& chosen, Rows& rows);
    void take_impulses(std::span<const double> lambda);
    // Links that the limits of the last rows hold, with the impulses of a sub-step of this length.
    void hold_by_circles(const MovingBodies& bodies, double h, std::vector<HeldLink>& out) const;
    // What impulses have done in a sub-step.
    void add_work(const SubstepVelocities& u, EnergyFlows& flows) const;

private:
    struct Joint {
        int warm;   // where its impulses are kept
        int q_adr;  // hinge: of its angle; −1: a ball
        int first_slot;
    };
    struct Kept {
        bool here = false;  // instead of in the pack
        double impulse[2], side;
    };
    template <class F>
    void for_each_joint(F&& f) const;

    std::vector<Joint> joints_;
    std::vector<LimitPack> packs_;
    std::vector<PackRun> runs_;  // that are awake
    std::vector<Kept> kept_;     // (joints_) of those that sleep
    struct RowLane {
        int pack, row, lane;
    };
    std::vector<RowLane> row_lanes_;
    std::vector<int> near_;   // (packs) those that have rows,
    int near_count_ = 0;      // … so many,
    std::vector<int> chosen_; // … and those of them that were chosen
    int chosen_count_ = 0;
    std::vector<char> here_;  // (joints)
};

}  // namespace lig::impulse
