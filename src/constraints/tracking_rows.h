#pragma once

// Joints that follow a clip: Simulation::track. Kokkevis 2004, sec. 8.3, as rows of a velocity step.
//
// With the error e = q − q_d of a joint from its target, equation (22) with the target's own acceleration is
//     ë + K_d ė + K_p e = 0.                                                                        (1)
// Put explicitly into a step, v⁺ = v + h q̈, it is unstable once h K_d exceeds about 2, and damped too little
// long before that. But (1) is linear: where it leads from (e, ė) within h is known,
//     (e⁺, ė⁺) = exp(h [0 1; −K_p −K_d]) (e, ė),                                                    (2)
// for every h. A velocity step moves coordinates by q⁺ = q ⊕ h u and keeps velocities v⁺, and rows may ask
// for two velocities (rows.h: `bias` for u, `kept_bias` for v⁺). So tracking asks for
//     u = (q_d(t+h) + e⁺ − q)/h   and   v⁺ = q̇_d(t+h) + ė⁺,
// and with enough torque q and v are those of (1) and (2) after each step, to the solver's accuracy and
// whatever the lengths of the steps. Without a second velocity, u = v⁺, only one of the two could be right:
// a velocity that is a mean would be taken for one at the end, and decays at half the rate.
//
// Without feed-forward, as (22) stands, (1) has −q̈_d on its right; with q̈_d constant within the step, that
// is (1) for e + q̈_d/K_p.
//
// Ball joints. The error is the rotation vector φ = log(q_d⁻¹ q), for which (1) and (2) hold component by
// component; q⁺ = q_d(t+h) exp φ⁺ and u = log(q⁻¹ q⁺)/h. With E = exp φ and velocities in the axes of the
// child, φ̇ is the rate that belongs to ω − Eᵀ ω_d, and v⁺ = Eᵀ ω_d + what belongs to φ̇⁺
// (core/rotation_vector.h); q̈_d above is the second rate of φ that belongs to Eᵀ ω̇_d.
//
// Targets beyond a coordinate's range are not asked for: q⁺ ends there, and v⁺ = u. A row without a bound
// would contradict that of the limit. Cones, swings and twists of balls are left to their own rows.
//
// |λ| ≤ h τ_max in both. The same with plain torques instead, TrackingMethod::pd:
//     τ = I₀ (K_p (q_d − q) + K_d (q̇_d − q̇) + q̈_d),  |τ| ≤ τ_max,
// I₀ the diagonal of the joint-space inertia at the reference configuration, at the beginning of the step.
//
// Steps that take everything at their end (formulations/implicit) have one velocity, from where a step begins
// and ends: Tracking::find_ends. By backward Euler that is (1) with differences of e for its rates; by BDF2
// velocities are good enough for (2). Torques of TrackingMethod::pd are those at the end.
//
// Nothing here changes with a step: targets are functions of the time.

#include "constraints/row_context.h"
#include "constraints/warm_starts.h"

#include <ligament/tracking.h>
#include <ligament/workspace.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lig {

// exp(h [0 1; −K_p −K_d]).
struct ErrorFlow {
    double ee, ev, ve, vv;

    ErrorFlow(const TrackingGains& gains, double h);
    // The same by backward Euler.
    static ErrorFlow backward(const TrackingGains& gains, double h);

private:
    ErrorFlow() = default;
};

class Tracking {
public:
    explicit Tracking(const Model& model);

    // Throws std::invalid_argument for a clip of another model and options that make no sense; nothing is
    // changed then.
    void set(std::shared_ptr<const Model> model, const MotionClip& clip, const TrackingOptions& options);
    void release();

    const MotionClip* clip() const { return clip_ ? &*clip_ : nullptr; }
    const TrackingOptions& options() const { return options_; }
    bool is_limp(double time) const;
    // Whether joints are followed at any time of a step.
    bool acts(double time, double duration) const;

    // Rows, or h τ added to x. After forward_kinematics.
    void add(const JointState<double>& state, const RowContext& context, const WarmStarts& warm,
             std::span<double> x, Rows& rows);

    // Equation (22) as it stands at a state, for steps on accelerations: v̇ of a freedom and the largest
    // torque for it. Empty while joints are limp and with TrackingMethod::pd, whose torques are those of
    // add_forces.
    struct Wanted {
        int joint, dof;
        double acceleration, max_torque;
    };
    std::span<const Wanted> desired_accelerations(const JointState<double>& state);
    // Adds the torques of TrackingMethod::pd to tau (nv); none while joints are limp.
    void add_forces(const JointState<double>& state, std::span<double> tau);

    // For steps that take everything at their end: where joints are to be then. last: time and coordinates
    // where the step before began, null: there was none. False: nothing acts in it.
    bool find_ends(const JointState<double>& state, double h, const JointState<double>* last,
                   bool second_order);
    // At an iterate of such a step, of length η: with w the change of its velocity the torque of a freedom is
    // −slope (rate + w), within ± max_torque. Slope ∞: whatever makes rate + w vanish.
    struct Pull {
        int joint, dof;
        double rate, slope, max_torque;
    };
    void find_pulls(const JointState<double>& state, double eta, std::vector<Pull>& out);

    // (nv) How far joints are from their targets: the velocities that lead there in unit time. 0 for others.
    void errors(const JointState<double>& state, std::span<double> out);

private:
    struct Joint {
        int index;  // in Model::joints
        int q_adr, v_adr, nv;
        bool ball;
        double max_torque;
        std::array<Range, 3> range;  // of its coordinates; none of a ball
    };
    // The motion of a joint, and of its target.
    struct Errors {
        Vec3d e, rate;  // of a ball; of other joints coordinate by coordinate
    };

    double clip_time(double time) const { return time - options_.start; }
    void sample(double time);
    // Where a joint is to be at the end of a step: the velocity that leads there, and the one to have then.
    struct End {
        Vec3d u, v;
    };
    End end_of(const Joint& joint, const JointState<double>& state, const Errors& now,
               const ErrorFlow& flow, double h) const;
    Errors errors_of(const Joint& joint, const JointState<double>& state) const;
    // Of TrackingMethod::pd, about freedom k of the joint.
    double torque(const Joint& joint, const Errors& now, int k) const;
    void add_row(int dof, double position_velocity, double velocity, const Joint& joint,
                 const RowContext& context, const WarmStarts& warm, Rows& rows);

    std::optional<MotionClip> clip_;
    TrackingOptions options_;
    std::vector<Joint> joints_;
    std::vector<double> inertia_;              // (nv) I₀; of TrackingMethod::pd
    std::vector<Wanted> wanted_;
    std::vector<double> q_, v_, a_;            // of the target at the beginning of a step,
    std::vector<double> next_q_, next_v_;      // … and at its end
    std::vector<double> ends_;                 // (nq) of find_ends
    std::vector<double> last_errors_;          // (nv)
    int row_block_ = -1;                       // the joint whose block was begun last
};

}  // namespace lig
