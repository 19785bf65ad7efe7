#pragma once

// Springs of ball joints as an implicit step needs them (Hernandez et al. 2011, appendix A).
//
// A ball's spring pulls back along its rotation vector e. Joint coordinates know the rotation, of which e is
// one of many vectors: e + 2πn u. The shortest jumps to the other side where the joint passes half a turn,
// and the spring with it. Here the vector is followed from step to step (its branch is part of the state), so
// that a spring goes on winding up to nearly a whole turn; e of a state that was set is the shortest.
//
// Their tangent is the symmetrized one of dynamics/rotation_spring.h, with what yields sideways left out.

#include "dynamics/joint_terms.h"

#include <ligament/model.h>
#include <ligament/state.h>

#include <span>
#include <vector>

namespace lig::implicit {

class BallSprings {
public:
    explicit BallSprings(const Model& model);

    bool empty() const { return springs_.empty(); }

    // Vectors of the state's rotations, nearest to those that were accepted last; the shortest.
    void follow(const JointState<double>& state);
    void accept() { accepted_ = now_; }
    void start(const JointState<double>& state);

    // Of what is followed: torques beyond those of add_smooth_forces, which takes the shortest vectors;
    // tangents, times h², beyond those of add_implicit_terms.
    void add_torques(std::span<double> tau) const;
    void add_terms(double h, JointTerms& terms) const;

    // The vectors accepted last.
    std::vector<Vec3d>& accepted() { return accepted_; }
    const std::vector<Vec3d>& accepted() const { return accepted_; }

private:
    struct Spring {
        int q_adr, v_adr;
        Vec3d stiffness;
        Mat3d R_MS;   // its axes in the joint's
        bool by_axes;
    };
    Vec3d shortest(const Spring& spring, const JointState<double>& state) const;

    const Model* model_;
    std::vector<Spring> springs_;
    std::vector<Vec3d> shortest_, now_, accepted_;  // in the axes of the springs
    std::vector<char> beyond_;                      // now_ is not the shortest
};

}  // namespace lig::implicit
