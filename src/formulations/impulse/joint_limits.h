#pragma once

// Limits of balls and hinges as sequential impulses: rows that only push, on the angular velocities of the
// two bodies of a joint. Angles are read from the orientations of the bodies; of rows there are those of
// limits that may be reached. All other limits go by general rows (row_blocks.h).

#include "constraints/warm_starts.h"
#include "formulations/impulse/moving_bodies.h"
#include "formulations/impulse/give.h"

#include <span>
#include <vector>

namespace lig::impulse {

struct LimitRow {
    int a, b;
    int warm;        // where its impulse is kept
    Vec3d axis;      // on b; a gets the opposite
    double gap;
    double inverse;  // 1/response
    double impulse;
    double correction = 0;
};

class JointLimits {
public:
    JointLimits(const MovingBodies& bodies, const WarmStarts& warm);

    // Whether a joint of the model is here.
    bool has(int joint) const { return here_[joint] != 0; }
    // Rows of limits that may be reached within h. q: coordinates of the tree, for the turns of hinges.
    void find(const MovingBodies& bodies, double h, std::span<const double> q, std::span<const double> kept);
    void warm_start(const BodyView& bodies) const;
    // accumulated: bounds hold for the sums of impulses.
    double sweep(double h, double slop, const Give& soft, bool accumulated, const BodyView& bodies);
    void correct(double rate, double slop, const BodyView& corrections);
    // The impulses of rows that were not found are 0.
    void store(std::span<double> kept) const;
    double largest_violation() const;

    std::vector<LimitRow> rows;

private:
    struct Joint {
        int a, b;
        int q_adr;            // hinge: of its angle
        int warm;
        Quatd before, own;    // frames F and M in the principal axes of the two bodies
        Vec3d axis;           // ball: of swing and twist, in M
        double cone, swing;   // no limit: more than π
        double lower, upper;  // of the twist, or of the angle of a hinge
        double reference;
        // Beyond these sines of half angles limits are near.
        bool hinge;
    };
    void add(const Joint& joint, int slot, double gap, const Vec3d& axis, const MovingBodies& bodies,
             std::span<const double> kept);
    void find_hinge(const Joint& joint, const MovingBodies& bodies, double reach, std::span<const double> q,
                    std::span<const double> kept);
    void find_ball(const Joint& joint, const MovingBodies& bodies, double reach,
                   std::span<const double> kept);

    std::vector<Joint> joints_;
    std::vector<char> here_;  // (joints)
};

}  // namespace lig::impulse
