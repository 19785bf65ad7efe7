#pragma once

// Springs, dampers, drives and rotor inertias of joints: forces along the freedoms of a link that change with
// their velocities within the sub-step.
//
// An implicit step has the impulses μ = x − A (v⁺ − v) along the freedoms of a link, A = h C + h² K with the
// armature on its diagonal (JointTerms), x what would act if velocities stayed (smooth_impulses.h). With
// K = W M⁻¹ Wᵀ, by which velocities answer, a block that has applied μ already is off by
//     r = x − μ − A (W u − v),    and    Δμ = (1 + A K)⁻¹ r
// settles it at once. A may be singular: nothing divides by it. The inverse is found from the root K = L Lᵀ,
//     (1 + A K)⁻¹ = L⁻ᵀ (1 + Lᵀ A L)⁻¹ Lᵀ,
// whose middle is positive definite. μ is kept from sub-step to sub-step: a spring that holds something up
// begins with what it held before. Freedoms without A are pushed by x, and that is that; so are stretches, of
// which A is in the mass of their bodies (MovingBodies::resist_stretching).

#include "dynamics/joint_terms.h"
#include "formulations/impulse/chosen_bodies.h"
#include "formulations/impulse/freedoms.h"

#include <span>
#include <vector>

namespace lig::impulse {

class JointForces {
public:
    JointForces(const Model& model, const Freedoms& freedoms);

    // v: of the coordinates, before anything acts. Pushes what does not change.
    void prepare(const Freedoms& freedoms, const JointTerms& terms, std::span<const double> v,
                 std::span<const double> x, MovingBodies& bodies);
    // After the mobilities of the freedoms have been renewed.
    void renew_inverses(const Freedoms& freedoms);
    void warm_start(const Freedoms& freedoms, const BodyView& bodies) const;
    // One sweep, from the first to the last or back. Returns the largest change of a velocity.
    double sweep(bool back, const Freedoms& freedoms, const BodyView& bodies);
    // By how much velocities are off what such a sweep would make of each of them, at most.
    double missed(const Freedoms& freedoms, const BodyView& bodies) const;
    // The impulses that belong to the velocities of chosen bodies.
    void settle(const Freedoms& freedoms, const BodyView& bodies, const ChosenBodies& chosen);
    // x of what is not pushed yet, else 0.
    double waiting(int dof) const { return pushed_[dof] ? 0 : x_[dof]; }

    // What has acted along a freedom in this sub-step.
    double impulse_of(int dof) const { return pushed_[dof] ? x_[dof] : impulses[dof]; }

    // The largest share by which velocities answer to what resists their change: A K. Large where a spring or
    // rotor is stiffer than the inertia it acts on.
    double stiffness() const { return stiffness_; }

    // (nv) μ: of freedoms that are not in a block 0.
    std::vector<double> impulses;
    void clear_blocks();

private:
    struct Block {
        int link;
        int first, count;  // dofs
        int matrices;      // where its matrices begin, as those of Freedoms do
    };

    // x − μ − A (W u − v)
    void find_misses(const Block& block, const Freedoms& freedoms, const BodyView& bodies,
                     double* miss) const;

    const Model& model_;
    std::vector<Block> blocks_;
    double stiffness_ = 0;
    std::vector<double> A_, inverse_;
    std::vector<double> x_, start_;  // (nv)
    std::vector<char> pushed_;       // (nv) not in a block
};

}  // namespace lig::impulse
