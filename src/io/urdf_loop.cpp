// What closes loops in a URDF. The format itself has none; these elements are read:
//
//   <loop_joint name type>             two links with a frame on each, as converters write it
//     <link1 link xyz rpy/> <link2 link xyz rpy/> <axis xyz/>
//   <constraint name type>             as proposed for the format (ros/urdfdom#264)
//     <parent link/> <parent_origin xyz rpy/> <parent_axis xyz/>, and the same of the child
//   <drake:ball_constraint>            Drake
//     <drake:ball_constraint_body_A name/> <drake:ball_constraint_p_AP value/>, and …_body_B, …_p_BQ
//   <gazebo> <joint name type>         Gazebo: a joint in the words of SDF
//     <parent>, <child>, <pose> in the frame of the child, <axis> <xyz>

#include "core/diagnostic_codes.h"
#include "core/rotation.h"
#include "io/urdf_parts.h"
#include "model/compile.h"

#include <algorithm>
#include <cmath>

namespace lig::io::urdf {

namespace {

struct LoopKind {
    std::string_view name;
    JointType type;
};
constexpr LoopKind kinds[] = {
    {"fixed", JointType::fixed},
    {"revolute", JointType::hinge},
    {"continuous", JointType::hinge},
    {"prismatic", JointType::slide},
    {"spherical", JointType::ball},
    {"ball", JointType::ball},
    {"planar", JointType::planar},
    {"cylindrical", JointType::cylindrical},
    {"universal", JointType::universal},
};
constexpr auto kind_names = [] {
    std::array<std::string_view, std::size(kinds)> names;
    for (std::size_t k = 0; k < names.size(); ++k) names[k] = kinds[k].name;
    return names;
}();

bool has_axis(JointType type) { return type != JointType::fixed && type != JointType::ball; }

class LoopReader {
public:
    LoopReader(Reading& reading, pugi::xml_node node) : reading_(reading), in_(reading.element(node)) {
        loop_.where = in_.where();
    }

    LoopJoint loop_joint() {
        read_name_and_type();
        read_end("link1", "link", loop_.a);
        read_end("link2", "link", loop_.b);
        loop_.a.axis = loop_.b.axis = axis("axis").value_or(Vec3d{1, 0, 0});
        static constexpr std::string_view known[] = {"link1", "link2", "axis"};
        return finish(known);
    }

    LoopJoint constraint() {
        read_name_and_type();
        read_end("parent", "link", loop_.a);
        read_end("child", "link", loop_.b);
        loop_.a.origin = origin_of("parent_origin");
        loop_.b.origin = origin_of("child_origin");
        const std::optional<Vec3d> on_parent = axis("parent_axis"), on_child = axis("child_axis");
        loop_.a.axis = on_parent.value_or(on_child.value_or(Vec3d{1, 0, 0}));
        loop_.b.axis = on_child.value_or(loop_.a.axis);
        loop_.two_axes = on_parent && on_child;
        static constexpr std::string_view known[] = {"parent", "parent_origin", "parent_axis",
                                                     "child", "child_origin", "child_axis"};
        return finish(known);
    }

    LoopJoint drake_ball() {
        loop_.type = JointType::ball;
        loop_.name = in_.text_or("name", "");
        read_end("drake:ball_constraint_body_A", "name", loop_.a);
        read_end("drake:ball_constraint_body_B", "name", loop_.b);
        loop_.a.origin.pos = value_of("drake:ball_constraint_p_AP");
        loop_.b.origin.pos = value_of("drake:ball_constraint_p_BQ");
        static constexpr std::string_view known[] = {
            "drake:ball_constraint_body_A", "drake:ball_constraint_body_B", "drake:ball_constraint_p_AP",
            "drake:ball_constraint_p_BQ"};
        return finish(known);
    }

    LoopJoint sdf_joint() {
        read_name_and_type();
        read_text_end("parent", loop_.a);
        read_text_end("child", loop_.b);
        loop_.a.is_placed = false;
        if (const std::vector<double> pose = numbers_in(in_.node().child("pose"), 6); !pose.empty())
            loop_.b.origin = {{pose[0], pose[1], pose[2]}, quaternion_from_rpy({pose[3], pose[4], pose[5]})};
        const pugi::xml_node axis_node = in_.node().child("axis");
        if (const std::vector<double> xyz = numbers_in(axis_node.child("xyz"), 3); !xyz.empty())
            loop_.b.axis = checked_axis({xyz[0], xyz[1], xyz[2]}, reading_.source.locate(axis_node));
        else
            loop_.b.axis = {0, 0, 1};  // SDF's default
        in_.warn_unknown();
        warn_of_others(in_.node(), {"parent", "child", "pose", "axis"});
        warn_of_others(axis_node, {"xyz"});
        check_axes();
        return std::move(loop_);
    }

private:
    void read_name_and_type() {
        loop_.name = in_.text_or("name", "");
        if (!in_.has("type")) in_.required_text("type");
        loop_.type = kinds[in_.choice("type", kind_names).value_or(0)].type;
    }

    LoopJoint finish(std::span<const std::string_view> known) {
        in_.warn_unknown();
        check_children(reading_, in_, known);
        check_axes();
        return std::move(loop_);
    }

    void check_axes() {
        if (loop_.type == JointType::universal && !loop_.two_axes)
            reading_.log.report(codes::E009, loop_.where, in_.label() + " is universal and needs two axes",
                                "write <constraint> with <parent_axis> and <child_axis>");
        const Vec3d off = cross(loop_.a.axis, loop_.b.axis);
        const bool one_axis = loop_.type == JointType::slide || loop_.type == JointType::planar;
        if (one_axis && loop_.two_axes && dot(off, off) > 1e-12)
            reading_.log.report(codes::E069, loop_.where,
                                in_.label() + " has two axes, which its type does not tell how to join",
                                "turn the origins instead, and give one axis");
    }

    // Elements of SDF that are not read. Their values are texts, so they are no mistakes of URDF.
    void warn_of_others(pugi::xml_node node, std::initializer_list<std::string_view> known) {
        for (const pugi::xml_node part : node.children()) {
            const std::string_view name = part.name();
            if (part.type() != pugi::node_element ||
                std::find(known.begin(), known.end(), name) != known.end())
                continue;
            reading_.log.report(codes::W011, reading_.source.locate(part),
                                "<" + std::string(name) + "> of " + in_.label() +
                                    ", which closes a loop, is not known and was not read");
        }
    }

    // The child, or nothing after an error.
    std::optional<ElementReader> required_child(const char* name) {
        const pugi::xml_node node = only_child(reading_, in_.node(), name);
        if (node) return reading_.element(node);
        reading_.log.report(codes::E009, in_.where(), in_.label() + " has no <" + name + ">", "add it");
        return {};
    }

    // A link, with the frame on it where the element says it.
    void read_end(const char* name, const char* attribute, LoopJoint::End& end) {
        std::optional<ElementReader> element = required_child(name);
        if (!element) return;
        end.link = element->required_text(attribute);
        end.where = element->where(attribute);
        if (std::string_view(name).starts_with("link")) end.origin = read_pose(reading_, *element);
        element->warn_unknown();
    }
    void read_text_end(const char* name, LoopJoint::End& end) {
        const std::optional<ElementReader> element = required_child(name);
        if (!element) return;
        end.link = std::string(words_of(element->node()));
        end.where = element->where();
    }

    static std::string_view words_of(pugi::xml_node node) {
        std::string_view text = node.child_value();
        const std::size_t first = text.find_first_not_of(" \t\r\n");
        if (first == text.npos) return {};
        text.remove_prefix(first);
        return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    }

    // The text of an element as so many numbers; empty where it is absent, or after an error.
    std::vector<double> numbers_in(pugi::xml_node node, std::size_t count) {
        if (!node) return {};
        std::vector<double> numbers;
        std::string_view rest = words_of(node);
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
            const std::optional<double> number = parse_number(rest.substr(0, end));
            if (!number) break;
            numbers.push_back(*number);
            rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n", end), rest.size()));
        }
        if (numbers.size() == count && rest.empty()) return numbers;
        reading_.log.report(codes::E007, reading_.source.locate(node),
                            "<" + std::string(node.name()) + "> of " + in_.label() + " needs " +
                                std::to_string(count) + " numbers");
        return {};
    }

    Pose origin_of(const char* name) {
        const pugi::xml_node node = only_child(reading_, in_.node(), name);
        if (!node) return {};
        ElementReader element = reading_.element(node);
        const Pose pose = read_pose(reading_, element);
        element.warn_unknown();
        return pose;
    }

    Vec3d value_of(const char* name) {
        std::optional<ElementReader> element = required_child(name);
        if (!element) return {0, 0, 0};
        if (!element->has("value")) element->required_text("value");
        const Vec3d value = element->vec3_or("value", {0, 0, 0});
        element->warn_unknown();
        return value;
    }

    std::optional<Vec3d> axis(const char* name) {
        const pugi::xml_node node = only_child(reading_, in_.node(), name);
        if (!node) return {};
        ElementReader element = reading_.element(node);
        if (!element.has("xyz")) element.required_text("xyz");
        const Vec3d axis = element.vec3_or("xyz", {1, 0, 0});
        element.warn_unknown();
        return checked_axis(axis, element.where("xyz"));
    }
    Vec3d checked_axis(const Vec3d& axis, const SourceLocation& where) {
        const double squared = dot(axis, axis);
        if (!has_axis(loop_.type) || (squared > 0 && std::isfinite(squared))) return axis;
        reading_.log.report(codes::E069, where, "the axis of " + in_.label() + " is zero or beyond measure",
                            "give it a direction, such as \"0 0 1\"");
        return {1, 0, 0};
    }

    Reading& reading_;
    ElementReader in_;
    LoopJoint loop_;
};

// The frame of a loop has its axis along z; that of a universal joint has its first along x of one frame and
// its second along y of the other.
Pose turned_to_axis(const Pose& origin, const LoopJoint& loop, const Vec3d& axis, bool is_first) {
    if (!has_axis(loop.type)) return origin;
    const Transformd X = compiling::transform(origin);
    const Mat3d R = compiling::axis_frame((1 / std::sqrt(dot(axis, axis))) * axis);
    if (loop.type != JointType::universal) return {X.p, quaternion(X.R * R)};
    const Mat3d turned = is_first ? Mat3d{R.z, R.x, R.y} : Mat3d{R.y, R.z, R.x};
    return {X.p, quaternion(X.R * turned)};
}

}  // namespace

std::vector<LoopJoint> read_loops(Reading& reading, pugi::xml_node robot) {
    std::vector<LoopJoint> loops;
    for (const pugi::xml_node node : robot.children()) {
        const std::string_view name = node.name();
        if (name == "loop_joint") loops.push_back(LoopReader(reading, node).loop_joint());
        if (name == "constraint") loops.push_back(LoopReader(reading, node).constraint());
        if (name == "drake:ball_constraint") loops.push_back(LoopReader(reading, node).drake_ball());
        if (name != "gazebo") continue;
        for (const pugi::xml_node joint : node.children("joint"))
            loops.push_back(LoopReader(reading, joint).sdf_joint());
    }
    return loops;
}

LoopSpec loop_spec(const LoopJoint& loop, BodyId a, BodyId b, const Transformd& X_WA,
                   const Transformd& X_WB) {
    LoopSpec spec{.name = loop.name, .type = loop.type, .body_a = a, .body_b = b, .where = loop.where};
    spec.frame_b = turned_to_axis(loop.b.origin, loop, loop.b.axis, false);
    if (loop.a.is_placed) {
        spec.frame_a = turned_to_axis(loop.a.origin, loop, loop.a.axis, true);
    } else {
        const Transformd X_AM = X_WA.inverse() * (X_WB * compiling::transform(spec.frame_b));
        spec.frame_a = {X_AM.p, quaternion(X_AM.R)};
    }
    return spec;
}

}  // namespace lig::io::urdf
