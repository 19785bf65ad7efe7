// From the attributes of a joint to a JointSpec: units, limits, the frame it stands in.

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
#include "joints/joint_list.h"

namespace lig::io::mjcf {

namespace {

// Which coordinates a range may bound, in their order; true for angles. A ball has one range, of its angle.
std::vector<bool> angles_of(JointType type) {
    const joints::JointInfo& info = joints::joint_info(type);
    if (info.placement == joints::Placement::body) return {};
    std::vector<bool> angles;
    for (int k = 0; k < info.nq; ++k) {
        if (info.coordinate_kinds[k] == joints::Coordinate::quaternion) return {true};
        angles.push_back(info.coordinate_kinds[k] == joints::Coordinate::angle);
    }
    return angles;
}

bool has_one_coordinate(JointType type) { return joints::joint_info(type).nq == 1; }

void report(ElementReader& in, const char* attribute, const std::string& what, std::string hint = {}) {
    in.log().report(codes::E085, in.where(attribute), in.label() + what, std::move(hint));
}

// A class may preset limits for all joints; on a free joint they have no effect, which is worth a word only
// when they are written in the joint itself.
void warn_of_free_limits(ElementReader& in) {
    if (in.has("range") || in.has("limited"))
        in.log().report(codes::W094, in.where("range"), in.label() + ": a free joint has no limits",
                        "remove 'range' and 'limited'");
}

void set_limits(Context& context, ElementReader& in, const JointFields& fields, JointSpec& joint) {
    if (!is_limited(in, fields.limited, fields.range.has_value(), context.settings.auto_limits, "limited",
                    "range"))
        return;
    const std::vector<bool> angles = angles_of(fields.type);
    if (angles.empty()) {
        warn_of_free_limits(in);
        return;
    }
    if (fields.type == JointType::ball && fields.limited == Limited::yes &&
        (!fields.range ||
         (fields.range->size() == 2 && fields.range->front() == 0 && fields.range->back() < 0))) {
        in.log().report(codes::W095, in.where("limited"),
                        in.label() + " is limited, but its range leaves no angle: it does not turn",
                        "add range=\"0 angle\", or limited=\"false\"");  // as in MuJoCo
        joint.cone = 0;
        return;
    }
    if (!fields.range) {
        report(in, "limited", " is limited, but has no range", "add range=\"lower upper\"");
        return;
    }
    const std::vector<double>& numbers = *fields.range;
    if (numbers.size() != 2 * angles.size()) {
        in.log().report(codes::E007, in.where("range"),
                        in.label() + " needs " + std::to_string(2 * angles.size()) +
                            " numbers in its range, not " + std::to_string(numbers.size()),
                        "lower and upper for each coordinate");
        return;
    }
    for (std::size_t i = 0; i < angles.size(); ++i) {
        const double lower = numbers[2 * i], upper = numbers[2 * i + 1];
        if (!is_range(lower, upper, fields.limited)) {
            if (fields.limited == Limited::yes)
                report(in, "range", ": the lower end of the range must be smaller than the upper end");
            else  // as in MuJoCo
                in.log().report(
                    codes::W094, in.where("range"),
                    in.label() +
                        ": the lower end of the range is not below the upper end, so it does not hold",
                    "swap the numbers, or remove it");
            return;
        }
        const auto end = [&](double number) {
            const double value = range_end(number);
            return angles[i] ? context.settings.angle(value) : value;
        };
        joint.range[i] = {end(lower), end(upper)};
    }
    if (fields.type == JointType::ball) {
        if (numbers[0] != 0)
            report(in, "range", ": the range of a ball starts at 0; its end is the largest angle");
        joint.cone = joint.range[0].upper;
        joint.range[0] = {};
    }
}

// `cone` says the same as the range of a ball, under a name that says what it is; `swing` and `twist` are
// about the ball's `axis`.
void set_ball_limits(const Context& context, ElementReader& in, const JointFields& fields, JointSpec& joint) {
    if (fields.type != JointType::ball) {
        for (const char* attribute : {"cone", "swing", "twist"})
            if (in.has(attribute))
                report(in, attribute, ": '" + std::string(attribute) + "' is a limit of balls",
                       "use 'range'");
        return;
    }
    const Settings& settings = context.settings;
    if (fields.cone) {
        if (joint.cone) report(in, "cone", " has both 'range' and 'cone'", "keep one");
        joint.cone = settings.angle(*fields.cone);
    }
    if (fields.swing) joint.swing = settings.angle(*fields.swing);
    if (!fields.twist) return;
    const auto [lower, upper] = *fields.twist;
    if (lower > upper) report(in, "twist", ": the lower end of 'twist' must not exceed the upper end");
    joint.twist = Range{settings.angle(range_end(lower)), settings.angle(range_end(upper))};
}

// Stiffnesses about the axes of the frame the joint stands in, or about `stiffnessaxes` in it.
void set_axis_stiffness(ElementReader& in, const JointFields& fields, const Pose& frame, JointSpec& joint) {
    if (fields.type != JointType::ball) {
        for (const char* attribute : {"axisstiffness", "stiffnessaxes"})
            if (in.has(attribute))
                in.log().report(codes::E170, in.where(attribute),
                                in.label() + ": '" + attribute + "' is for balls", "use 'stiffness'");
        return;
    }
    if (!fields.axis_stiffness) return;
    joint.axis_stiffness = fields.axis_stiffness;
    joint.stiffness_axes = compose(frame, {{0, 0, 0}, fields.stiffness_axes}).quat;
}

}  // namespace

JointSpec make_joint(Context& context, ElementReader& in, const JointFields& fields, const Pose& frame) {
    JointSpec joint;
    joint.type = fields.type;
    joint.where = in.where();
    joint.armature = fields.armature;
    joint.damping = fields.damping[0];
    joint.damping_poly = {fields.damping[1], fields.damping[2]};
    joint.stiffness = fields.stiffness[0];
    joint.stiffness_poly = {fields.stiffness[1], fields.stiffness[2]};
    set_axis_stiffness(in, fields, frame, joint);
    if (fields.springdamper[0] > 0) joint.spring_damper = fields.springdamper;
    joint.friction_loss = fields.frictionloss;
    joint.margin = fields.margin;  // never in degrees
    joint.actuators_carry_gravity = fields.actuators_carry_gravity;
    joint.soft_limit = fields.soft_limit;
    joint.soft_friction = fields.soft_friction;
    joint.group = fields.group;
    if (fields.type != JointType::free) {
        joint.pos = compose(frame, {fields.pos, Quatd::identity()}).pos;
        joint.axis = fields.axis;
        joint.axis2 = fields.axis2;
        if (!is_identity(frame)) {
            const Mat3d R = rotation_matrix(frame.quat);
            joint.axis = R * fields.axis;
            joint.axis2 = R * fields.axis2;
        }
    }
    if (fields.type == JointType::screw) joint.pitch = fields.pitch;
    if (fields.velocity_limit) joint.velocity_limit = *fields.velocity_limit;
    if (has_one_coordinate(fields.type)) {
        const bool angle = fields.type != JointType::slide;
        joint.reference = angle ? context.settings.angle(fields.ref) : fields.ref;
        // In MJCF the spring rests at 0 unless told otherwise, whatever the reference is.
        joint.spring_reference = angle ? context.settings.angle(fields.springref) : fields.springref;
    } else if (in.has("ref") || in.has("springref")) {
        const char* attribute = in.has("ref") ? "ref" : "springref";
        in.log().report(codes::W094, in.where(attribute),
                        "attribute '" + std::string(attribute) + "' of " + in.label() +
                            " has no effect on joints of this type");
    }
    set_limits(context, in, fields, joint);
    set_ball_limits(context, in, fields, joint);
    joint.effort = range_in_force(in, fields.force, context.settings.auto_limits, "actuatorfrclimited",
                                  "actuatorfrcrange");
    return joint;
}

}  // namespace lig::io::mjcf
