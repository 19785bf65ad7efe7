#pragma once

// The impulses of the last step, kept for the next one by what they belong to. Contacts keep theirs in their
// manifolds (collision.h). Where an entry of some object is never changes, so that snapshots can hold the
// array.

#include <ligament/model.h>

#include <vector>

namespace lig {

struct WarmStarts {
    explicit WarmStarts(const Model& model);

    std::vector<double> lambda;

    // Where the entries of an object begin.
    static constexpr int limits_of_joint = 12;  // as limit_rows.cpp assigns them
    int limit(int joint) const { return limits_ + limits_of_joint * joint; }
    int tendon_limit(int tendon) const { return tendon_limits_ + 2 * tendon; }
    int friction_loss(int dof) const { return friction_losses_ + dof; }
    int tendon_friction(int tendon) const { return tendon_frictions_ + tendon; }
    int tendon(int tendon) const { return tendons_ + tendon; }
    static constexpr int rows_of_bushing = 6;
    int bushing(int bushing) const { return bushings_ + rows_of_bushing * bushing; }
    int actuator(int actuator) const { return actuators_ + actuator; }
    int pose_drive(int dof) const { return pose_drives_ + dof; }
    int tracking(int dof) const { return trackings_ + dof; }
    int coupling(int coupling) const { return couplings_ + coupling; }
    int tendon_coupling(int coupling) const { return tendon_couplings_ + coupling; }
    int loop(int loop) const { return loops_[loop]; }
    int pair(int pair) const { return pairs_[pair]; }
    int subtree(int constraint) const { return subtrees_[constraint]; }
    int group(int constraint) const { return groups_[constraint]; }
    // Of an entry of a loop or pair: where the force (N, N·m) of the step before the last is; −1 for others.
    int earlier(int entry) const {
        return entry >= equalities_ && entry < earlier_ ? entry + earlier_ - equalities_ : -1;
    }

private:
    int limits_, tendon_limits_, friction_losses_, tendon_frictions_, tendons_, bushings_, actuators_;
    int pose_drives_, trackings_, couplings_, tendon_couplings_;
    int equalities_, earlier_;  // where loops and pairs begin, and where they end
    std::vector<int> loops_, pairs_, subtrees_, groups_;
};

}  // namespace lig
