#include "app/dynamics/support.h"

#include "app/failure.h"
#include "app/table.h"

#include <fmt/format.h>

#include <cmath>

namespace lig::app {

namespace {

[[noreturn]] void refuse(const SourceLocation& where, const std::string& what, std::string_view word) {
    app::refuse(where, fmt::format("{}; '--disable {}' computes without", what, word));
}

std::string quoted(std::string_view kind, std::string_view name) {
    return name.empty() ? fmt::format("a {}", kind) : fmt::format("the {} '{}'", kind, name);
}

// Within rounding of a limit is not beyond it.
constexpr double tolerance = 1e-9;

std::string beyond(const Range& range, double value) {
    if (value >= range.lower - tolerance && value <= range.upper + tolerance) return "";
    return fmt::format("{}, outside of {} … {}", number_text(value), number_text(range.lower),
                       number_text(range.upper));
}

std::string beyond_ball_limit(const Model::Joint& joint, const double* q) {
    const Quatd r{q[0], q[1], q[2], q[3]};
    const double length = std::sqrt(dot(r.vec(), r.vec()));
    if (joint.cone) {
        const double angle = 2 * std::atan2(length, std::abs(r.w));
        if (angle > *joint.cone + tolerance)
            return fmt::format("turned by {}, more than {}", number_text(angle), number_text(*joint.cone));
    }
    const Vec3d& axis = joint.twist_axis;
    if (joint.swing) {
        const Vec3d turned = rotation_matrix(r) * axis;
        const Vec3d sine = cross(axis, turned);
        const double angle = std::atan2(std::sqrt(dot(sine, sine)), dot(axis, turned));
        if (angle > *joint.swing + tolerance)
            return fmt::format("swung by {}, more than {}", number_text(angle), number_text(*joint.swing));
    }
    if (joint.twist) {
        // Of the two quaternions of the rotation the one with w ≥ 0, so that the twist lies within half a
        // turn.
        const double sign = r.w < 0 ? -1 : 1;
        const std::string text = beyond(*joint.twist, 2 * std::atan2(sign * dot(axis, r.vec()), sign * r.w));
        if (!text.empty()) return "twisted by " + text;
    }
    return "";
}

std::string beyond_limit(const Model::Joint& joint, const double* q) {
    if (joint.type == JointType::free) return "";
    if (joint.type == JointType::ball) return beyond_ball_limit(joint, q);
    for (int k = 0; k < joint.nq; ++k)
        if (const std::string text = beyond(joint.range[k], q[k]); !text.empty()) return "at " + text;
    return "";
}

}  // namespace

void refuse(const SourceLocation& where, const std::string& what) {
    const std::string place = where.to_string();
    throw Failure(Exit::unsupported,
                  fmt::format("{}{}error: {}", place, place.empty() ? "" : ": ", what));
}

void require_supported_model(const Model& model, const Names& names) {
    const Switches& enabled = model.options.enabled;
    if (!enabled.constraint) return;
    for (const Model::PairConstraint& pair : model.pair_constraints)
        if (enabled.equality && pair.active && !pair.is_equality())
            refuse(pair.where,
                   fmt::format("the range of forces of {} between '{}' and '{}' is not honoured with "
                               "bodies that deform",
                               quoted(pair.constraint->kind(), pair.name), names.bodies[pair.body_a],
                               names.bodies[pair.body_b]),
                   "equality");
    if (!enabled.friction_loss) return;
    for (std::size_t j = 0; j < model.joints.size(); ++j)
        if (model.joints[j].friction_loss > 0)
            refuse(model.joints[j].where,
                   fmt::format("the dry friction of joint '{}' is not honoured with bodies that deform",
                               names.joints[j]),
                   "frictionloss");
    for (std::size_t t = 0; t < model.tendons.size(); ++t)
        if (model.tendons[t].friction_loss > 0)
            refuse(model.tendons[t].where,
                   fmt::format("the dry friction of tendon '{}' is not honoured with bodies that deform",
                               names.tendons[t]),
                   "frictionloss");
}

void require_within_limits(const Names& names, const JointState<double>& state, std::size_t index,
                           Workspace<double>& ws, DriveWorkspace<double>& drives) {
    const Model& model = ws.model();
    if (!model.options.enabled.constraint || !model.options.enabled.limit) return;
    const auto refuse_state = [&](const SourceLocation& where, const std::string& what) {
        refuse(where,
               fmt::format("in state {} {}, and forces of limits are not computed with bodies that deform",
                           index, what),
               "limit");
    };
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const std::string text = beyond_limit(model.joints[j], state.q.data() + model.joints[j].q_adr);
        if (!text.empty())
            refuse_state(model.joints[j].where, fmt::format("the joint '{}' is {}", names.joints[j], text));
    }
    forward_kinematics(state, ws);
    update_drives(state, ws, drives);
    for (std::size_t t = 0; t < model.tendons.size(); ++t) {
        const std::string text = beyond(model.tendons[t].range, drives.tendon_length[t]);
        if (!text.empty())
            refuse_state(model.tendons[t].where,
                         fmt::format("the tendon '{}' is at length {}", names.tendons[t], text));
    }
}

}  // namespace lig::app
