#pragma once

// Loops, couplings and constraints between two bodies in joint coordinates: accelerations that keep them
// closed, and states that are put back onto them. What is solved, and what happens where rows depend on each
// other, is in docs/loops.md.

#include "constraints/equalities.h"
#include "constraints/limit_rows.h"
#include "dynamics/equality_system.h"
#include "dynamics/tension_stiffness.h"

#include <ligament/drives.h>
#include <ligament/smooth_motion.h>

#include <span>
#include <string>
#include <vector>

namespace lig {

// A contact that keeps its distance while equalities are closed: points of two links, in their frames, or of
// the world and kinematic bodies in theirs.
struct HeldContact {
    int link_a, link_b;
    int geom_a, geom_b;  // that touch
    Vec3d on_a, on_b;
    Vec3d normal;     // world axes, towards B
    double distance;  // wanted
};

// A limit that keeps its gap: of a joint, the slot as in LimitSlots, or of a tendon, 0 below and 1 above, its
// gap over its arm.
struct HeldLimit {
    int joint, tendon;  // −1: the other
    int slot;
    double gap;  // wanted
};

class EqualityClosure {
public:
    explicit EqualityClosure(const Model& model);

    // Further rows of what is assembled, behind those of equalities; null: none.
    const std::vector<HeldContact>* held = nullptr;
    const std::vector<HeldLimit>* held_limits = nullptr;

    // The rows of a state, and tendons with inertia as soft rows besides. After forward_kinematics and
    // update_drives; with_products: after forward_dynamics.
    void assemble(const JointState<double>& state, const Workspace<double>& ws,
                  const DriveWorkspace<double>& drives, bool with_products);

    // The accelerations of the tree alone, without the inertia of tendons, become those with everything.
    // After forward_dynamics. choose_rows: which rows to keep is found anew, else it is as the last time.
    // Returns −1, or the link whose inertia cannot be divided by.
    int accelerate(const JointState<double>& state, const Workspace<double>& ws,
                   const DriveWorkspace<double>& drives, bool choose_rows, std::span<double> qacc);

    EqualityErrors error() const;  // of the rows assembled last; its block is one of rows().blocks

    // The least change of coordinates, in the measure of the inertia, that removes the errors to first order
    // (rows assembled last), truncated where rows depend on each other by less than the tolerance. Returns
    // whether anything is left to remove: rows that do not follow from the others are off.
    bool find_correction(const Workspace<double>& ws, double tolerance, std::span<double> dq);

    // From now on corrections count with their tension, too: the measure of a change is the inertia and the
    // stiffness of all that the last correction and those after it have pulled with. The length of a straight
    // rope is a square of angles; without that stiffness a correction leads from one side to the other. Of a
    // limit that bends it is what keeps a joint from turning along it.
    void stiffen();
    void relax();  // … no longer

    // From now on bodies that deform resist corrections and projections, those of a step of length h, by
    // t C + t² K of their stretches, at the state, with a longer t. 0: by their inertia alone.
    void resist_stretching(const JointState<double>& state, double h);

    // Puts v onto the rows by the least change. Rows assembled last; the same tolerance.
    void project_velocity(const Workspace<double>& ws, double tolerance, std::span<double> v);
    // Whether v satisfies them already, to this share of the fastest velocity.
    bool velocity_fits(const Workspace<double>& ws, std::span<const double> v, double share = 1e-13);

    // Takes from a change of velocities, or of coordinates counted like velocities, what leads off the rows
    // of the last accelerations: as SmoothDynamics::take_out_equalities. Leaves lambda() alone.
    void take_out(const Workspace<double>& ws, std::span<double> change, ChangeOf of);

    // Jᵀ λ of the last accelerations. (nv)
    void joint_forces(const Workspace<double>& ws, std::span<double> out);
    // A row assembled last, towards joint velocities: a row of J. (nv)
    void write_row(const Workspace<double>& ws, int row, std::span<double> out) const;

    // The force and moment of a loop on its body B, at its frame M in world axes. (loops)
    void loop_reactions(const Workspace<double>& ws, std::span<Force<double>> out) const;
    // The same of the constraints between two bodies. (pair_constraints)
    void pair_reactions(const Workspace<double>& ws, std::span<Force<double>> out) const;

    const Rows& rows() const { return rows_; }
    // The same for changes of coordinates: what restrains velocities alone has no say in where a state is
    // put, its rows are empty.
    const Rows& placing_rows();
    const std::vector<EqualityTerms>& terms() const { return terms_; }
    int equality_rows() const { return equalities_; }
    int redundant_rows() const;
    bool is_redundant(int row) const { return system_.is_redundant(row); }  // of the last accelerations
    // Of the last accelerations, or the last correction.
    double smallest_sine() const { return system_.smallest_sine(); }
    std::span<const double> lambda() const { return lambda_; }  // of the last accelerations, row by row
    // Forces on what the objects state, in the order of smooth_motion.h; zero where there is no row.
    void write_multipliers(std::span<double> out) const;
    // The opposite, for the rows assembled last: lambda() becomes that of these.
    void take_multipliers(std::span<const double> multipliers);
    void take_lambda(std::span<const double> lambda);  // … row by row
    // "loop 'knee'"
    std::string name_of_block(int block) const;

private:
    void add_held(const Workspace<double>& ws);
    void add_held_limits(const JointState<double>& state, const DriveWorkspace<double>& drives);
    Force<double> on_b(const Workspace<double>& ws, const RowBlock& block, const Vec3d& M) const;
    // f(row, its place among multipliers) for every row of an equality.
    template <class Function>
    void for_each_multiplier(const Function& f) const;
    bool factor(const Workspace<double>& ws);
    int factor_inertia(const Workspace<double>& ws);
    int factor_with_tension(const Workspace<double>& ws);
    // x += the least change that makes J x what is in target_, for the rows chosen.
    void correct(const Workspace<double>& ws, std::span<double> x);
    // J x, row by row.
    void multiply(const Workspace<double>& ws, std::span<const double> x, std::span<double> out);

    const Model& model_;
    const Equalities list_;
    Rows rows_;
    Rows placing_;  // of placing_rows
    std::vector<EqualityTerms> terms_;
    int equalities_ = 0;  // rows before those of tendons
    int met_rows_ = -1;   // of these, the rank in the least squares of the last accelerations, or −1
    JointFactor factor_;
    EqualitySystem system_;
    bool stiffened_ = false;
    TensionStiffness tension_;
    JointTerms joint_terms_;      // of which `turning` is the tension's, and `added` that of limits
    JointTerms elastic_terms_;    // of stretches, where they resist
    bool resists_ = false;
    std::vector<LimitBend> bends_;  // (limits held)
    std::vector<double> pulled_;  // (rows) by the corrections that count with their tension
    std::vector<double> lambda_, target_, product_, impulse_;  // (rows)
    std::vector<double> s_, change_;                 // (nv)
    std::vector<Motion<double>> motion_;             // (links)
    std::vector<Force<double>> force_;               // (links)
};

}  // namespace lig
