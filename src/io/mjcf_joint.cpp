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

bool has_one_coordinate(JointType type) { return type == JointType::hinge || type == JointType::slide; }

void set_limits(Context& context, ElementReader& in, const JointFields& fields, JointSpec& joint) {
    if (!is_limited(in, fields.limited, fields.range.has_value(), context.settings.auto_limits, "limited",
                    "range"))
        return;
    const std::vector<bool> angles = angles_of(fields.type);
    if (angles.empty()) {
        in.log().report(codes::E085, in.where("range"), in.label() + ": a free joint has no limits",
                        "write limited=\"false\"");
        return;
    }
    if (!fields.range) {
        in.log().report(codes::E085, in.where("limited"), in.label() + " is limited, but has no range",
                        "add range=\"lower upper\"");
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
            in.log().report(codes::E085, in.where("range"),
                            in.label() + ": the lower end of the range must be smaller than the upper end");
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
            in.log().report(codes::E085, in.where("range"),
                            in.label() + ": the range of a ball starts at 0; its end is the largest angle");
        joint.cone = joint.range[0].upper;
        joint.range[0] = {};
    }
}

void set_force_limit(Context& context, ElementReader& in, const JointFields& fields, JointSpec& joint) {
    const bool limited = is_limited(in, fields.force_limited, fields.force_range.has_value(),
                                    context.settings.auto_limits, "actuatorfrclimited", "actuatorfrcrange");
    if (!limited) return;
    if (!fields.force_range) {
        in.log().report(codes::E085, in.where("actuatorfrclimited"),
                        in.label() + " limits the force of its actuators, but gives no range",
                        "add actuatorfrcrange=\"lower upper\"");
        return;
    }
    const auto [lower, upper] = *fields.force_range;
    if (!is_range(lower, upper, fields.force_limited))
        in.log().report(codes::E085, in.where("actuatorfrcrange"),
                        in.label() + ": the lower end of the force range must be smaller than the upper end");
    else
        joint.effort = {range_end(lower), range_end(upper)};
}

}  // namespace

JointSpec make_joint(Context& context, ElementReader& in, const JointFields& fields, const Pose& frame) {
    JointSpec joint;
    joint.type = fields.type;
    joint.where = in.where();
    joint.armature = fields.armature;
    joint.damping = fields.damping;
    joint.stiffness = fields.stiffness;
    joint.friction_loss = fields.frictionloss;
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
    if (has_one_coordinate(fields.type)) {
        const bool angle = fields.type == JointType::hinge;
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
    set_force_limit(context, in, fields, joint);
    return joint;
}

}  // namespace lig::io::mjcf
