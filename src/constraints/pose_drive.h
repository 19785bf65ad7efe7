#pragma once

// Springs on joints towards a pose, as strong as the bodies they join ask for: Simulation::drive_to_pose.
//
// A drive of the frequency f and damping ratio ζ pulls with
//     tau = K e + C (v_target − v),   K = ω² I,  C = 2 ζ ω I,  ω = 2π f,
// e the `difference` from where the joint is to where it is to be, I the inertia of the joint's two bodies
// against each other, each by itself and with what is fused to it:
//     ball        I = (I_A⁻¹ + I_B⁻¹)⁻¹, a 3 × 3 matrix, of the rotational inertias about the centres of mass
//     angles      aᵀ I a, a the axis, for each angle of a joint by itself
//     lengths     (1/m_A + 1/m_B)⁻¹
//     screw       the second, and the third times the square of the pitch
// The world and kinematic bodies are infinitely heavy. So the frequency is that of two bodies that float,
// joined at their centres of mass; arms to the joint and what else hangs on the bodies make it slower. The
// forces do not depend on any of that, which is what game engines mean by a frequency.
//
// The step takes tau at its end: K and C go into JointTerms::added, which may be as stiff as one likes.
// Where the torque is limited, the drive is soft rows with bounds instead (soft_row.h), one per freedom;
// those of a ball are about the principal axes of I, in which K and C are diagonal.
//
// Bodies without rotational inertia about an axis count as if they had 10⁻⁸ of their largest; without any, a
// joint's drive has no force.

#include "constraints/row_context.h"
#include "constraints/warm_starts.h"
#include "dynamics/joint_terms.h"

#include <ligament/workspace.h>

#include <span>
#include <vector>

namespace lig {

// Where joints are driven to and how.
struct PoseTargets {
    struct Joint {
        double frequency = 0;  // hertz; 0: not driven
        double damping_ratio = 0;
        double max_torque = 0;  // of each freedom: N·m, of lengths N
    };
    std::vector<Joint> joints;  // (joints)
    std::vector<double> q, v;   // (nq), (nv); v of a ball in the axes of its child at the target

    explicit PoseTargets(const Model& model);

    // Free joints are left out, others than the given ones stay as they are; all, if none are given. Throws
    // std::invalid_argument for numbers that make no sense; nothing is changed then.
    void set(const Model& model, std::span<const double> pose, std::span<const double> velocity,
             double frequency, double damping_ratio, double max_torque, std::span<const int> which);
    void release();
    bool active() const;  // whether any joint is driven
};

class PoseDrive {
public:
    explicit PoseDrive(const Model& model);

    // What drives add to: terms.added += h C + h² K and x += h (K (e − h v) + C (v_target − v)), or rows.
    struct Sums {
        JointTerms& terms;
        std::span<double> x;
        Rows& rows;
    };
    // After forward_kinematics.
    void add(const PoseTargets& targets, const JointState<double>& state, const Workspace<double>& ws,
             const RowContext& context, const WarmStarts& warm, const Sums& sums) const;

private:
    struct Job;

    // How easily a link moves by itself: 1/m, and I⁻¹ about its centre of mass in its own axes.
    struct Mobility {
        bool has_mass = false, has_inertia = false;
        double mass = 0;
        Sym3d rotation = Sym3d::zero();
    };
    std::vector<Mobility> links_;
};

}  // namespace lig
