#pragma once

// Springs and dampers of hinges and balls as an implicit step needs them (Hernandez et al. 2011, appendix A,
// whose derivative (7) is corrected in dynamics/rotation_spring.h),
// straight from the orientations of the two bodies: torques on both, and their derivatives as blocks that
// concern turning alone.
//
// A ball's spring pulls back along its rotation vector e. Of one rotation there are many: e + 2πn u. The
// shortest jumps to the other side where the joint passes half a turn, and the spring with it. Here the
// vector is followed from step to step (its branch is part of the state), so that a spring goes on winding up
// to nearly a whole turn; e of a state that was set is the shortest. The tangent is the symmetrized one of
// dynamics/rotation_spring.h, with what yields sideways left out; or, where that leads nowhere, the one that
// leads back to rest, which is stiffer and never does.
//
// Where nothing else acts on joints, these and bushings are all forces that there are, and joint coordinates
// need not be read at all. Elsewhere joint space has forces and slopes of everything (add_smooth_forces,
// add_implicit_terms), and what is different about balls is added.

#include "dynamics/joint_terms.h"
#include "formulations/maximal/body_system.h"

#include <ligament/smooth_motion.h>

#include <span>
#include <vector>

namespace lig::implicit {

class TurningSprings {
public:
    explicit TurningSprings(const Model& model);

    // Whether nothing else acts but bushings and weight: of the model, and with these inputs.
    bool alone(const SmoothDynamics& inputs) const;

    // Angles and rotation vectors at the bodies that `system` looked at, nearest to those accepted last.
    void follow(const maximal::BodySystem& system);
    // What was followed last is near enough to where the step has ended to choose the next branch by.
    void accept() { std::swap(accepted_, now_); }
    void start(const JointState<double>& state);

    // Alone: forces into the body entries of f; η² k + η c into the matrix, after find_inertias.
    void add_forces(const maximal::BodySystem& system, std::span<double> f) const;
    void add_blocks(double eta, bool returning, maximal::BodySystem& system) const;
    // Beside others: torques beyond those of add_smooth_forces, which takes the shortest vectors; tangents of
    // balls, times h², beyond those of add_implicit_terms.
    void add_torques(std::span<double> tau) const;
    void add_terms(double h, bool returning, JointTerms& terms) const;

    // Angles (x) and vectors accepted last: part of the state.
    std::vector<Vec3d>& accepted() { return accepted_; }
    const std::vector<Vec3d>& accepted() const { return accepted_; }

private:
    struct Spring {
        int link, parent, q_adr, v_adr;
        bool ball, by_axes;
        Quatd q_PF, to_rest;  // ball: rest⁻¹ of what turns F into M, in the spring's axes
        double reference, rest;  // hinge, about z of F: the coordinate where F and M coincide; of the spring
        Vec3d stiffness;      // hinge: x
        double damping;
        Mat3d R_MS;           // ball: axes of the spring in the joint's
    };
    Vec3d shortest(const Spring& spring, const Quatd& q_FM) const;
    Sym3d stiffness_of(std::size_t k, bool returning) const;

    bool alone_ = true;
    std::vector<Spring> springs_;
    std::vector<Vec3d> shortest_, now_, accepted_;  // in the axes of the springs
    std::vector<char> beyond_;                      // now_ is not the shortest
    std::vector<Mat3d> R_WS_;                       // axes of the springs, in the world
};

}  // namespace lig::implicit
