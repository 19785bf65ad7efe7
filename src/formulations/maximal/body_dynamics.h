#pragma once

// BodyDynamics: what acts on the bodies of a BodySystem, and the accelerations that follow (f = m a).
//
// Springs, dampers, drives, tendons, the medium and what is applied are those of the joint-space functions
// (SmoothDynamics holds the inputs): generalized forces on the freedoms and wrenches on the links, taken over
// to the bodies. Where a model has nothing of that kind, joint coordinates are not even read.

#include "formulations/maximal/body_system.h"
#include "linalg/pseudo_inverse.h"

#include <ligament/smooth_motion.h>

#include <span>
#include <vector>

namespace lig::maximal {

// Which freedoms have an inertia of their own.
std::vector<char> freedoms_with_armature(const Model& model);

class BodyDynamics {
public:
    BodyDynamics(std::shared_ptr<const Model> model, EqualityMethod method);
    // Without soft rows: who solves adds what has inertia along freedoms to blocks between bodies.
    static BodyDynamics with_body_blocks(std::shared_ptr<const Model> model);

    BodySystem system;

    // All forces but gyroscopic ones, into the body entries of f, for the bodies that `system` looked at
    // last. `state` gets their q and v where they matter (or always_read), and `inputs` its workspaces
    // filled.
    void find_forces(SmoothDynamics& inputs, JointState<double>& state, bool always_read,
                     std::span<double> f);
    // Whether forces depend on velocities or on the time in the present inputs.
    bool depends_on_velocity() const { return depends_on_velocity_; }
    bool reads_joints(const SmoothDynamics& inputs) const;

    struct Solved {
        int bad_link = -1;  // whose inertia is not positive
        int redundant_rows = 0;
        int solves = 0;
        double residual = 0;  // of the constraints, relative
    };
    // Accelerations of a joint state (forward dynamics): qacc, and in `solution` those of the bodies and the
    // negative multipliers.
    Solved accelerate(SmoothDynamics& inputs, const JointState<double>& state, std::span<double> qacc);
    // Accelerations of the bodies that `system` looked at last, with f as find_forces left it; then
    // gyroscopic forces are in it, too. alpha: Baumgarte's stabilization, 1/s. Factors the matrix;
    // redundant rows share their forces by least norm, or are left out.
    enum class RedundantRows {
        share,
        left_out
    };
    Solved accelerate_bodies(std::span<double> f, double alpha,
                             RedundantRows redundant = RedundantRows::share);
    std::span<const double> solution() const { return solution_; }
    // Where equalities are open rows may contradict each other: accelerations, from f with gyroscopic forces
    // in it, that hold joints and meet the rows of equalities in the least squares (docs/loops.md). After
    // accelerate_bodies; one solution of the matrix per row, and their number cubed.
    Solved accelerate_off_equalities(std::span<const double> f);

    // Multipliers of equalities, in the order of SmoothDynamics::multipliers.
    void write_multipliers(std::span<double> out) const;

private:
    BodyDynamics(std::shared_ptr<const Model> model, EqualityMethod method, std::span<const char> soft,
                 bool with_body_blocks);

    bool always_joint_forces_ = false, depends_on_velocity_ = false;
    BodyCoordinates bodies_;
    JointState<double> state_;
    std::vector<double> f_, solution_, velocities_, rates_, tau_;
    // Of accelerate_off_equalities: rows of equalities, and what they do to each other.
    std::vector<std::vector<double>> rows_;
    std::vector<double> gram_, missed_, forces_, equality_products_;
    std::vector<char> equality_rows_;
    PseudoInverse pseudo_inverse_;
};

}  // namespace lig::maximal
