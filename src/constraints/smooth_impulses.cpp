#include "constraints/smooth_impulses.h"

#include "constraints/implicit_terms.h"
#include "constraints/length_row.h"
#include "constraints/soft_row.h"
#include "dynamics/drive_rows.h"
#include "dynamics/muscle.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

bool is_bounded(const Range& range) { return range != Range{}; }
double clamped(const Range& range, double x) { return std::max(std::min(x, range.upper), range.lower); }
Range common(const Range& a, const Range& b) {
    return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
}

bool on_joint(const Model::Actuator& actuator) {
    return actuator.transmission == Transmission::joint ||
           actuator.transmission == Transmission::joint_in_parent;
}

bool has_slope(const Model::Actuator& actuator) {
    if (actuator.muscle_gain || actuator.muscle_bias) return true;
    return actuator.gain[1] != 0 || actuator.gain[2] != 0 || actuator.bias[1] != 0 || actuator.bias[2] != 0;
}

// Whether the length changes with the position at all.
bool has_length(const Model& model, const Model::Actuator& actuator) {
    if (on_joint(actuator)) return model.joints[actuator.joint].type != JointType::free;
    return actuator.transmission != Transmission::site || actuator.reference_site >= 0;
}

bool has_limited_effort(const Model::Joint& joint) { return joint.nv == 1 && is_bounded(joint.effort); }

bool moves_limited_joint(const Model& model, const Model::Actuator& actuator) {
    if (acts_on_loop(model, actuator)) return false;
    return std::any_of(model.joints.begin(), model.joints.end(), [&](const Model::Joint& joint) {
        const auto begin = model.row_velocities.begin() + actuator.row.begin;
        return has_limited_effort(joint) &&
               std::find(begin, begin + actuator.row.count, joint.v_adr) != begin + actuator.row.count;
    });
}

bool shares_tendon(const Model& model, const Model::Actuator& actuator) {
    if (actuator.transmission != Transmission::tendon || !is_bounded(model.tendons[actuator.tendon].effort))
        return false;
    return std::count_if(model.actuators.begin(), model.actuators.end(), [&](const Model::Actuator& other) {
               return other.transmission == Transmission::tendon && other.tendon == actuator.tendon;
           }) > 1;
}

DriveHandling handling_of(const Model& model, const Model::Actuator& actuator) {
    if (!has_slope(actuator)) return DriveHandling::constant;
    if (on_joint(actuator)) {
        if (has_limited_effort(model.joints[actuator.joint])) return DriveHandling::joint_row;
        return is_bounded(actuator.force_range) ? DriveHandling::row : DriveHandling::in_joint;
    }
    return moves_limited_joint(model, actuator) || shares_tendon(model, actuator) ? DriveHandling::constant
                                                                                  : DriveHandling::row;
}

// With a gain or a bias that is affine where only the other is a muscle's.
MuscleForce<double> force_of_muscle(const Model::Actuator& actuator, double input, double length,
                                    double speed) {
    const auto affine = [&](const std::array<double, 3>& c) {
        return MuscleForce<double>{c[0] + c[1] * length + c[2] * speed, c[1], c[2]};
    };
    const MuscleForce<double> gain =
        actuator.muscle_gain ? muscle_gain(*actuator.muscle_gain, actuator.length_range, length, speed)
                             : affine(actuator.gain);
    const MuscleForce<double> bias = actuator.muscle_bias
                                         ? muscle_bias(*actuator.muscle_bias, actuator.length_range, length)
                                         : affine(actuator.bias);
    return {gain.value * input + bias.value, gain.by_length * input + bias.by_length,
            gain.by_velocity * input + bias.by_velocity};
}

bool is_slack(const Model::Tendon& tendon, double length) {
    return tendon.spring_length[0] < length && length < tendon.spring_length[1];
}

}  // namespace

SmoothImpulses::SmoothImpulses(const Model& model) : force_(model.nv), act_(model.na) {
    for (const Model::Actuator& actuator : model.actuators) handling_.push_back(handling_of(model, actuator));
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        joint_begin_.push_back(static_cast<int>(joint_members_.size()));
        for (int i = 0; i < model.nu; ++i)
            if (handling_[i] == DriveHandling::joint_row && model.actuators[i].joint == static_cast<int>(j))
                joint_members_.push_back(i);
    }
    joint_begin_.push_back(static_cast<int>(joint_members_.size()));
}

// One call of `add`.
struct SmoothImpulses::Job {
    SmoothImpulses& own;
    const JointState<double>& state;
    const Model& model;
    std::span<const double> ctrl;
    const RowContext& context;
    const WarmStarts& warm;
    const DriveWorkspace<double>& drives;
    JointTerms& terms;
    std::span<double> x;
    Rows& rows;

    double h() const { return context.h; }

    Row& add_row(RowKind kind, int source, int slot) {
        rows.begin_block(kind, source);
        Row& row = rows.add_row();
        row.warm = slot;
        row.lambda = warm.lambda[slot];
        return row;
    }

    // x += h times what is in force_.
    void flush() {
        for (int k = 0; k < model.nv; ++k) x[k] += h() * own.force_[k];
        std::fill(own.force_.begin(), own.force_.end(), 0.0);
    }

    void add_tendon(int index) {
        const Model::Tendon& tendon = model.tendons[index];
        const double speed = drives.tendon_velocity[index];
        SoftForce soft{0, speed, 0, 0, tendon.armature};
        if (model.options.enabled.spring) {
            const double length = drives.tendon_length[index];
            const auto [shortest, longest] = tendon.spring_length;
            const double beyond = length - std::clamp(length, shortest, longest);
            soft.force -= beyond * stiffness_at(tendon.stiffness, tendon.stiffness_poly, beyond);
            if (!is_slack(tendon, length))
                soft.stiffness = slope_at(tendon.stiffness, tendon.stiffness_poly, beyond);
        }
        if (model.options.enabled.damper) {
            soft.force -= speed * damping_at(tendon.damping, tendon.damping_poly, speed);
            soft.damping = slope_at(tendon.damping, tendon.damping_poly, std::abs(speed));
        }
        if (!(soft.weight(h()) > 0)) return;
        // add_passive_forces has put it among the forces of the joints.
        add_along_row<double>(model, drives, tendon.row, -soft.force, own.force_);
        Row& row = add_row(RowKind::tendon, index, warm.tendon(index));
        set_soft(row, soft, h(), speed - speed_by_joints(state, model, drives, tendon.row), Range{});
        add_length_entries(model, drives, tendon.row, 1, rows);
    }

    // Force without limits, and its slopes.
    SoftForce soft_force(int index) const {
        const Model::Actuator& actuator = model.actuators[index];
        double input = ctrl[index];
        if (actuator.act_adr >= 0)
            input = (actuator.act_early ? own.act_ : state.act)[actuator.act_adr];
        else if (model.options.enabled.clamp_control)
            input = clamped(actuator.ctrl_range, input);
        const double length = drives.actuator_length[index], speed = drives.actuator_velocity[index];
        const auto soft = [&](double force, double by_length, double by_speed) {
            const double stiffness = has_length(model, actuator) ? std::max(-by_length, 0.0) : 0;
            return SoftForce{force, speed, stiffness, std::max(-by_speed, 0.0)};
        };
        if (actuator.muscle_gain || actuator.muscle_bias) {
            const MuscleForce<double> f = force_of_muscle(actuator, input, length, speed);
            return soft(f.value, f.by_length, f.by_velocity);
        }
        const auto coefficient = [&](int k) { return actuator.gain[k] * input + actuator.bias[k]; };
        return soft(coefficient(0) + coefficient(1) * length + coefficient(2) * speed, coefficient(1),
                    coefficient(2));
    }

    void add_constant(int index) {
        add_along_row<double>(model, drives, model.actuators[index].row, drives.actuator_force[index],
                              own.force_);
    }

    void add_in_joint(int index) {
        const Model::Row& row = model.actuators[index].row;
        const SoftForce soft = soft_force(index);
        const double weight = soft.weight(h());
        add_along_row<double>(model, drives, row, soft.force - h() * soft.stiffness * soft.speed, own.force_);
        for (int k = row.begin; k < row.begin + row.count; ++k)
            for (int l = row.begin; l <= k; ++l)
                terms.added[terms.added_at(model.row_velocities[k], model.row_velocities[l])] +=
                    weight * drives.row_entries[k] * drives.row_entries[l];
    }

    void add_as_row(int index) {
        const Model::Actuator& actuator = model.actuators[index];
        const SoftForce soft = soft_force(index);
        if (!(soft.weight(h()) > 0)) return add_constant(index);
        Range limits = actuator.force_range;
        if (actuator.transmission == Transmission::tendon) {
            // Of a joint the effort is along its coordinate, of a tendon along the actuator.
            Range effort = model.tendons[actuator.tendon].effort;
            const double gear = actuator.gear[0];
            if (acts_on_loop(model, actuator) && gear != 0) {
                effort = {effort.lower / gear, effort.upper / gear};
                if (gear < 0) std::swap(effort.lower, effort.upper);
            }
            limits = common(limits, effort);
        }
        Row& row = add_row(RowKind::drive, index, warm.actuator(index));
        set_soft(row, soft, h(), soft.speed - speed_by_joints(state, model, drives, actuator.row), limits);
        add_length_entries(model, drives, actuator.row, 1, rows);
    }

    // All servos of a joint of limited effort, along its coordinate. What else acts on it is in force_.
    void add_joint_row(int index, const Model::Joint& joint) {
        const std::span<const int> members(own.joint_members_.data() + own.joint_begin_[index],
                                           own.joint_begin_[index + 1] - own.joint_begin_[index]);
        SoftForce soft{0, state.v[joint.v_adr], 0, 0};
        Range limits{0, 0};  // of all of them
        double constant = 0;
        for (const int i : members) {
            const Model::Actuator& actuator = model.actuators[i];
            const double gear = actuator.gear[0];
            if (!actuator.enabled || gear == 0) continue;
            const SoftForce servo = soft_force(i);
            const Range& range = actuator.force_range;
            constant += gear * drives.actuator_force[i];
            limits.lower += gear * (gear > 0 ? range.lower : range.upper);
            limits.upper += gear * (gear > 0 ? range.upper : range.lower);
            // The row's limits are those of the sum. One of several that is at its own limit stays there.
            if (members.size() > 1 && clamped(range, servo.force) != servo.force) {
                soft.force += gear * drives.actuator_force[i];
                continue;
            }
            soft.force += gear * servo.force;
            soft.stiffness += gear * gear * servo.stiffness;
            soft.damping += gear * gear * servo.damping;
        }
        double& other = own.force_[joint.v_adr];
        if (!(soft.weight(h()) > 0)) {
            other = clamped(joint.effort, other + constant);
            return;
        }
        const Range left{joint.effort.lower - other, joint.effort.upper - other};
        Row& row = add_row(RowKind::drive, members[0], warm.actuator(members[0]));
        // Where both cannot be kept, the joint's effort counts.
        set_soft(row, soft, h(), 0, {clamped(left, limits.lower), clamped(left, limits.upper)});
        rows.add_entry(joint.v_adr, 1);
    }

    void add_actuators() {
        for (int i = 0; i < model.nu; ++i) {
            if (!model.actuators[i].enabled || acts_on_loop(model, model.actuators[i])) continue;
            switch (own.handling_[i]) {
                case DriveHandling::constant: add_constant(i); break;
                case DriveHandling::in_joint: add_in_joint(i); break;
                case DriveHandling::row: add_as_row(i); break;
                case DriveHandling::joint_row: break;
            }
        }
        for (std::size_t j = 0; j < model.joints.size(); ++j) {
            const Model::Joint& joint = model.joints[j];
            if (joint.actuators_carry_gravity && !drives.gravity_force.empty())
                for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
                    own.force_[k] += drives.gravity_force[k];
            if (has_limited_effort(joint)) add_joint_row(static_cast<int>(j), joint);
        }
        for (int i = 0; i < model.nu; ++i) {
            if (!model.actuators[i].enabled || !acts_on_loop(model, model.actuators[i])) continue;
            if (own.handling_[i] == DriveHandling::row)
                add_as_row(i);
            else
                add_constant(i);
        }
    }
};

void SmoothImpulses::add_passive(const Step& step, JointTerms& terms, std::span<double> x, Rows& rows) {
    std::fill(force_.begin(), force_.end(), 0.0);
    add_passive_forces<double>(step.state, step.model, step.drives, force_);
    add_implicit_terms(step.state, step.model, step.context.h, terms, x);
    Job job{*this, step.state, step.model, step.ctrl, step.context, step.warm, step.drives, terms, x, rows};
    for (std::size_t i = 0; i < step.model.tendons.size(); ++i) job.add_tendon(static_cast<int>(i));
    job.flush();
}

// What is in force_ is of the actuators, for the limits of effort.
void SmoothImpulses::add_actuators(const Step& step, JointTerms& terms, std::span<double> x, Rows& rows) {
    actuator_forces<double>(step.state, step.model, step.ctrl, step.drives);
    if (!step.model.options.enabled.actuation || step.model.nu == 0) return;
    if (step.model.na > 0)
        next_activation<double>(step.state, step.model, step.drives, step.model.options.timestep, act_);
    Job job{*this, step.state, step.model, step.ctrl, step.context, step.warm, step.drives, terms, x, rows};
    job.add_actuators();
    job.flush();
}

}  // namespace lig
