#pragma once

// The freedoms of joints as rows on the bodies before and after them: v_k = W_k u reads the velocity of a
// coordinate, and a force along it acts by W_kᵀ.
//
// Joint rows N with N u = 0 may be added to W at will: nothing changes where joints hold. Of all these
//     W' = W − (W M⁻¹ Nᵀ) (N M⁻¹ Nᵀ)⁻¹ N
// is the one whose impulses leave the rows of its own joint alone, M that of the two bodies. A drive that
// pushes along it finds the inertia that it really moves, the arm to the joint with it, instead of one about
// the centres of mass that sweeps would have to correct. Momentum is kept: rows of N are opposite on the two
// bodies.

#include "formulations/impulse/moving_bodies.h"

#include <algorithm>
#include <span>
#include <vector>

namespace lig::impulse {

// A row between two bodies: on b as it stands, on a −lin and ang_a. Of a stretch: between the world and the
// place of its body's rates.
struct Freedom {
    int a, b;
    Vec3d lin, ang_a, ang_b;

    LIG_INLINE double velocity(const BodyView& bodies) const {
        const Velocity &before = bodies.u[a], &own = bodies.u[b];
        return dot(lin, own.v - before.v) + dot(ang_a, before.w) + dot(ang_b, own.w);
    }
    LIG_INLINE void push(double impulse, const BodyView& bodies) const {
        bodies.push_alone(b, impulse * lin, impulse * ang_b);
        bodies.push_alone(a, -impulse * lin, impulse * ang_a);
        if (!bodies.shapes) return;
        bodies.push_shape(b, impulse * lin, impulse * ang_b);
        bodies.push_shape(a, -impulse * lin, impulse * ang_a);
    }
};

class Freedoms {
public:
    explicit Freedoms(const MovingBodies& bodies);

    // Where the bodies are; `poses` has their links there. q: coordinates of the tree, read from them.
    void find(const MovingBodies& bodies, std::span<const PoseWork<double>> poses, double* q);
    // The mobilities where the bodies are now, of freedoms as they were found.
    void renew_mobilities(const MovingBodies& bodies);
    // Links that sleep are not looked at again; after they have been set, they are.
    void forget() { std::fill(found_asleep_.begin(), found_asleep_.end(), 0); }
    const Freedom& operator[](int dof) const { return list_[dof]; }
    // W M⁻¹ Wᵀ of the freedoms of a link's frame (maximal::frame_freedoms): how their velocities answer.
    // Lower triangle, rows as far apart as there are freedoms.
    const double* mobility(int link) const { return mobilities_.data() + mobility_begin_[link]; }
    int mobility_begin(int link) const { return mobility_begin_[link]; }
    int mobility_size() const { return static_cast<int>(mobilities_.size()); }

private:
    void find_mobility(int link, const MovingBodies& bodies);

    std::vector<Freedom> list_;        // (nv)
    std::vector<int> mobility_begin_;  // (links)
    std::vector<double> mobilities_;
    std::vector<char> found_asleep_;   // (links)
};

}  // namespace lig::impulse
