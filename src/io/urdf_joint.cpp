// <joint>: the frame of the child link is that of the joint, so its origin is the child's pose and its axis
// is given in the child's axes.

#include "core/diagnostic_codes.h"
#include "io/urdf_parts.h"

#include <limits>

namespace lig::io::urdf {

namespace {

// In the order of kind_names.
enum class Kind {
    fixed,
    revolute,
    continuous,
    prismatic,
    floating,
    planar,
};
constexpr std::string_view kind_names[] = {"fixed", "revolute", "continuous",
                                           "prismatic", "floating", "planar"};

JointType joint_type(Kind kind) {
    switch (kind) {
        case Kind::revolute:
        case Kind::continuous: return JointType::hinge;
        case Kind::prismatic: return JointType::slide;
        case Kind::floating: return JointType::free;
        case Kind::planar: return JointType::planar;
        case Kind::fixed: break;
    }
    return JointType::fixed;
}

void read_link_name(Reading& reading, ElementReader& joint, const char* role, std::string& name,
                    SourceLocation& where) {
    const pugi::xml_node node = only_child(reading, joint.node(), role);
    if (!node) {
        reading.log.report(codes::E009, joint.where(), joint.label() + " has no <" + role + ">",
                           "add <" + std::string(role) + " link=\"…\"/>");
        return;
    }
    ElementReader element = reading.element(node);
    name = element.required_text("link");
    where = element.where("link");
    element.warn_unknown();
    check_children(reading, element, {});
}

void read_axis(Reading& reading, ElementReader& joint, Kind kind, JointSpec& spec) {
    spec.axis = {1, 0, 0};
    const pugi::xml_node node = only_child(reading, joint.node(), "axis");
    if (!node) return;
    ElementReader element = reading.element(node);
    if (!element.has("xyz")) element.required_text("xyz");
    const Vec3d axis = element.vec3_or("xyz", spec.axis);
    element.warn_unknown();
    check_children(reading, element, {});
    // Exporters write axis="0 0 0" for joints that have none.
    if (kind == Kind::fixed || kind == Kind::floating) return;
    if (axis.x == 0 && axis.y == 0 && axis.z == 0)
        reading.log.report(codes::E069, element.where("xyz"), "the axis of " + joint.label() + " is zero",
                           "give it a direction, such as \"0 0 1\"");
    else
        spec.axis = axis;
}

// A bound on |force| or |velocity|. Without it the joint is unlimited, which the specification does not
// allow but many files mean.
double read_bound(Reading& reading, ElementReader& limit, const char* attribute, double unlimited) {
    const double value = limit.number_or(attribute, unlimited);
    if (value >= 0) return value;
    reading.log.report(
        codes::W071, limit.where(attribute),
        "attribute '" + std::string(attribute) + "' of <limit> is negative and taken as unlimited",
        "leave it out for no limit");
    return unlimited;
}

// Exporters write all zeros when their user has filled in nothing: a joint without force, speed and range.
bool is_empty_form(ElementReader& limit) {
    for (const char* const attribute : {"lower", "upper", "effort", "velocity"})
        if (parse_number(limit.text_or(attribute, "")) != 0.0) return false;
    return true;
}

// The specification sets an absent bound to 0. Where both are absent that would lock the joint, which nobody
// means who writes <limit> for effort and velocity alone.
void read_range(Reading& reading, ElementReader& joint, ElementReader& limit, Kind kind, JointSpec& spec) {
    const bool revolute = kind == Kind::revolute;
    const bool given = limit.has("lower") || limit.has("upper");
    const double lower = limit.number_or("lower", 0), upper = limit.number_or("upper", 0);
    if (revolute || kind == Kind::prismatic) {
        if (!given) {
            reading.log.report(
                codes::W071, limit.where(),
                "<limit> of " + joint.label() + " has neither 'lower' nor 'upper', taken as unlimited",
                revolute ? "add them, or make the joint continuous" : "add them");
            return;
        }
        if (lower > upper)
            reading.log.report(codes::E070, limit.where("lower"),
                               "the lower limit of " + joint.label() + " is above the upper",
                               revolute ? "swap them, or make the joint continuous" : "swap them");
        else if (lower == upper)
            reading.log.report(codes::W071, limit.where(),
                               "the limits of " + joint.label() + " are equal: it cannot move",
                               "make it fixed if that is meant");
        spec.range[0] = {lower, upper};
    } else if (kind != Kind::fixed && (lower != 0 || upper != 0)) {
        // Exporters write zeros where there is nothing to say.
        reading.log.report(codes::W071, limit.where(),
                           "'lower' and 'upper' have no effect on " + joint.label() + ", which is " +
                               std::string(kind_names[static_cast<int>(kind)]),
                           kind == Kind::continuous ? "make it revolute if they are meant" : "remove them");
    }
}

void read_limit(Reading& reading, ElementReader& joint, Kind kind, JointSpec& spec) {
    const bool has_range = kind == Kind::revolute || kind == Kind::prismatic;
    const pugi::xml_node node = only_child(reading, joint.node(), "limit");
    if (!node) {
        if (has_range)
            reading.log.report(codes::W071, joint.where(),
                               joint.label() + " has no <limit> and is taken as unlimited",
                               kind == Kind::revolute ? "add <limit>, or make it continuous" : "add <limit>");
        return;
    }
    ElementReader limit = reading.element(node);
    const double effort = read_bound(reading, limit, "effort", spec.effort.upper);
    spec.effort = {-effort, effort};
    spec.velocity_limit = read_bound(reading, limit, "velocity", spec.velocity_limit);
    if (has_range && is_empty_form(limit)) {
        reading.log.report(codes::W071, limit.where(),
                           "all values of <limit> of " + joint.label() + " are 0, taken as unlimited",
                           "fill in the limits");
        spec.effort = {};
        spec.velocity_limit = std::numeric_limits<double>::infinity();
        limit.warn_unknown();
        return;
    }
    if (has_range && !(limit.has("effort") && limit.has("velocity")))
        reading.log.report(
            codes::W071, limit.where(),
            "<limit> of " + joint.label() + " lacks 'effort' or 'velocity', taken as unlimited",
            "the specification requires both");
    read_range(reading, joint, limit, kind, spec);
    limit.warn_unknown();
    check_children(reading, limit, {});
}

double read_not_negative(Reading& reading, ElementReader& element, const char* attribute) {
    const double value = element.number_or(attribute, 0);
    if (value >= 0) return value;
    reading.log.report(codes::E006, element.where(attribute),
                       "attribute '" + std::string(attribute) + "' of " + element.label() + " is negative",
                       "it would add energy");
    return 0;
}

void read_dynamics(Reading& reading, ElementReader& joint, JointSpec& spec) {
    const pugi::xml_node node = only_child(reading, joint.node(), "dynamics");
    if (!node) return;
    ElementReader dynamics = reading.element(node);
    spec.damping = read_not_negative(reading, dynamics, "damping");
    spec.friction_loss = read_not_negative(reading, dynamics, "friction");
    dynamics.warn_unknown();
    check_children(reading, dynamics, {});
}

std::optional<Mimic> read_mimic(Reading& reading, ElementReader& joint) {
    const pugi::xml_node node = only_child(reading, joint.node(), "mimic");
    if (!node) return {};
    ElementReader element = reading.element(node);
    Mimic mimic;
    mimic.where = element.where();
    mimic.where_leader = element.where("joint");
    mimic.leader = element.required_text("joint");
    mimic.multiplier = element.number_or("multiplier", 1);
    mimic.offset = element.number_or("offset", 0);
    element.warn_unknown();
    check_children(reading, element, {});
    return mimic;
}

}  // namespace

Joint read_joint(Reading& reading, pugi::xml_node node) {
    ElementReader element = reading.element(node);
    Joint joint;
    joint.where = element.where();
    joint.name = element.required_text("name");
    if (!element.has("type")) element.required_text("type");
    const Kind kind = static_cast<Kind>(element.choice("type", kind_names).value_or(0));
    read_link_name(reading, element, "parent", joint.parent, joint.where_parent);
    read_link_name(reading, element, "child", joint.child, joint.where_child);
    joint.origin = read_origin(reading, node);

    joint.moves = kind != Kind::fixed;
    joint.spec.name = joint.name;
    joint.spec.type = joint_type(kind);
    joint.spec.where = joint.where;
    read_axis(reading, element, kind, joint.spec);
    read_limit(reading, element, kind, joint.spec);
    read_dynamics(reading, element, joint.spec);
    joint.mimic = read_mimic(reading, element);
    // A joint is frozen by changing its type alone; what it said about its motion is then without meaning.
    if (!joint.moves) joint.mimic.reset();

    element.warn_unknown();
    constexpr std::string_view known[] = {"origin", "parent", "child",
                                          "axis", "calibration", "dynamics",
                                          "limit", "mimic", "safety_controller"};
    check_children(reading, element, known);
    return joint;
}

}  // namespace lig::io::urdf
