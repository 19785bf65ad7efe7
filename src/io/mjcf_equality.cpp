// <equality>: equalities. Constraints between two bodies are in mjcf_pair_constraints.cpp.

#include "io/mjcf_equality.h"
#include "core/diagnostic_codes.h"
#include "io/mjcf_values.h"
#include "joints/joint_list.h"

#include <ligament/pair_kinds.h>

#include <algorithm>

namespace lig::io::mjcf {

Pose relative_pose(const Context& context, const BodyPair& pair) {
    return compose(inverse(context.X_WB[pair.a.index]), context.X_WB[pair.b.index]);
}

namespace {

// body1 and body2 of an equality; body2 is the world when absent. Nothing after an error.
std::optional<BodyPair> find_pair(Context& context, ElementReader& in) {
    if (!in.has("body1")) {
        in.required_text("body1");
        return {};
    }
    const BodyId a{context.bodies.find(in, "body1")};
    const BodyId b = in.has("body2") ? BodyId{context.bodies.find(in, "body2")} : world;
    if (a.index < 0 || b.index < 0) return {};
    return BodyPair{a, b};
}

// Equality constraints may hold two sites together instead of two bodies. Returns whether that form is used.
bool read_site_form(Context& context, ElementReader& in, LoopSpec& loop, bool& good) {
    const bool first = in.has("site1"), second = in.has("site2");
    if (!first && !second) return false;
    good = false;
    for (const char* attribute : {"body1", "body2", "anchor", "relpose"})
        if (in.node().attribute(attribute)) {
            in.log().report(codes::E014, in.where(attribute),
                            in.label() + " has both sites and '" + attribute + "'",
                            "two sites or two bodies, not both");
            return true;
        }
    for (const char* attribute : {"site1", "site2"})
        if (!in.has(attribute)) {
            in.required_text(attribute);
            return true;
        }
    const int a = context.sites.find(in, "site1"), b = context.sites.find(in, "site2");
    if (a < 0 || b < 0) return true;
    const auto& sites = context.scene.sites();
    loop.body_a = sites[a].body;
    loop.body_b = sites[b].body;
    loop.frame_a = sites[a].spec.pose;
    loop.frame_b = sites[b].spec.pose;
    good = true;
    return true;
}

// The two bodies share a point, given in the frame of the first; where it is on the second follows from the
// reference configuration.
bool read_connect(Context& context, ElementReader& in, LoopSpec& loop) {
    loop.type = JointType::ball;
    bool good = true;
    const auto anchor = in.vec3("anchor");
    in.ignore({"body1", "body2"});
    if (read_site_form(context, in, loop, good)) return good;
    if (!in.has("anchor")) in.required_text("anchor");
    const auto pair = find_pair(context, in);
    if (!pair || !anchor) return false;
    loop.body_a = pair->a;
    loop.body_b = pair->b;
    loop.frame_a = {*anchor, Quatd::identity()};
    loop.frame_b = compose(inverse(relative_pose(context, *pair)), loop.frame_a);
    return true;
}

// The two bodies keep their relative pose: `relpose` (body 2 in body 1) or that of the reference
// configuration.
bool read_weld(Context& context, ElementReader& in, LoopSpec& loop) {
    loop.type = JointType::fixed;
    const double torque_scale = in.number_or("torquescale", 1);
    if (torque_scale == 0)
        loop.type = JointType::ball;
    else
        loop.torque_scale = torque_scale;
    const Vec3d anchor = in.vec3_or("anchor", {0, 0, 0});
    const auto given = in.numbers("relpose", 7, 7);
    in.ignore({"body1", "body2"});
    bool good = true;
    if (read_site_form(context, in, loop, good)) return good;
    const auto pair = find_pair(context, in);
    if (!pair) return false;
    Pose relative = relative_pose(context, *pair);
    // A quaternion of zeros stands for "as in the reference configuration".
    if (given && ((*given)[3] != 0 || (*given)[4] != 0 || (*given)[5] != 0 || (*given)[6] != 0)) {
        const auto& v = *given;
        const Orientation orientation{OrientationForm::quat, {v[3], v[4], v[5], v[6], 0, 0}};
        relative = {{v[0], v[1], v[2]}, to_quaternion(orientation, context.settings)};
    }
    loop.body_a = pair->a;
    loop.body_b = pair->b;
    loop.frame_b = {anchor, Quatd::identity()};
    loop.frame_a = compose(relative, loop.frame_b);
    return true;
}

// What the joint of a loop has, by the attributes of <joint>; classes preset nothing of it.
void read_loop_joint(Context& context, ElementReader& in, LoopSpec& loop) {
    JointFields fields;
    read_joint_fields(in, fields, context.notes);
    fields.type = loop.type;
    loop.joint = make_joint(context, in, fields, {});
    for (const char* attribute : {"pos", "axis2"})
        if (in.node().attribute(attribute))
            in.log().report(codes::W094, in.where(attribute),
                            "attribute '" + std::string(attribute) + "' of " + in.label() + " has no effect",
                            "the frames of a loop are in pos1, quat1, pos2 and quat2");
    if (loop.type != JointType::ball && in.node().attribute("axis"))
        in.log().report(codes::W094, in.where("axis"),
                        "attribute 'axis' of " + in.label() + " has no effect on loops of this type",
                        "the axis is z of the frames; 'axis' is for swing and twist of a ball");
}

// Our own addition: a joint of any kind that closes a loop. Frame 1 is fixed to body 1, frame 2 to body 2;
// when frame 2 is not given, it coincides with frame 1 in the reference configuration.
bool read_loop(Context& context, ElementReader& in, LoopSpec& loop) {
    static constexpr joints::JointWords kinds = joints::joint_words_except(JointType::free);
    if (!in.has("type")) in.required_text("type");
    const auto word = in.choice("type", kinds.words);
    if (word) loop.type = kinds.types[*word];
    loop.pitch = in.number_or("pitch", 0);
    if (word && loop.type != JointType::fixed) read_loop_joint(context, in, loop);
    loop.torque_scale = in.number_or("torquescale", 1);
    loop.frame_a.pos = in.vec3_or("pos1", {0, 0, 0});
    loop.frame_b.pos = in.vec3_or("pos2", {0, 0, 0});
    const bool first = read_frame_quat(in, "quat1", loop.frame_a.quat);
    const bool second = read_frame_quat(in, "quat2", loop.frame_b.quat);
    in.ignore({"body2"});
    const auto pair = find_pair(context, in);
    if (!word || !first || !second || !pair) return false;
    loop.body_a = pair->a;
    loop.body_b = pair->b;
    if (!in.has("pos2") && !in.has("quat2"))
        loop.frame_b = compose(inverse(relative_pose(context, *pair)), loop.frame_a);
    return true;
}

// The common part of couplings of joints and of tendons: `1` as a polynomial of `2`. False after an error.
template <class Coupling>
bool read_coupling(ElementReader& in, const NameTable& names, const char* first, const char* second,
                   Coupling& coupling) {
    if (!in.has(first)) in.required_text(first);
    coupling.follower = {names.find(in, first)};
    coupling.leader = {names.find(in, second)};
    assign_first(coupling.coefficients, in.numbers("polycoef", 1, 5));
    in.warn_unknown();
    return coupling.follower.index >= 0 && (coupling.leader.index >= 0 || !in.has(second));
}

// Both joints are counted from their reference; without joint2, joint1 is held.
void read_joint_coupling(Context& context, ElementReader& in, CouplingSpec coupling) {
    for (const char* attribute : {"joint1", "joint2"})
        if (closes_loop(context, in, attribute)) {
            in.log().report(codes::E085, in.where(attribute),
                            in.label() + " names a joint that closes a loop",
                            "couple fixed tendons: <fixed> with the joint, and <tendon> here");
            return;
        }
    if (!read_coupling(in, context.joints, "joint1", "joint2", coupling)) return;
    const auto& joints = context.scene.joints();
    for (const auto& [joint, attribute] :
         {std::pair{coupling.follower, "joint1"}, std::pair{coupling.leader, "joint2"}}) {
        if (joint.index < 0) continue;
        const JointType type = joints[joint.index].spec.type;
        if (type == JointType::hinge || type == JointType::slide) continue;
        in.log().report(codes::E085, in.where(attribute), "only hinges and slides can be coupled");
        return;
    }
    if (coupling.follower == coupling.leader) {
        in.log().report(codes::E085, in.where("joint2"), in.label() + " couples a joint with itself");
        return;
    }
    coupling.coefficients[0] += joints[coupling.follower.index].spec.reference;
    context.scene.add_coupling(std::move(coupling));
}

// Lengths are counted from those of the reference configuration.
void read_tendon_coupling(Context& context, ElementReader& in, TendonCouplingSpec coupling) {
    if (!read_coupling(in, context.tendons, "tendon1", "tendon2", coupling)) return;
    if (coupling.follower == coupling.leader) {
        in.log().report(codes::E085, in.where("tendon2"), in.label() + " couples a tendon with itself");
        return;
    }
    context.scene.add_tendon_coupling(std::move(coupling));
}

// Our own addition: the centre of mass or the momentum of a body and all below it.
void read_subtree_constraint(Context& context, ElementReader& in, SubtreeConstraintSpec held) {
    if (!in.has("body")) in.required_text("body");
    held.body = {context.bodies.find(in, "body")};
    bool good = held.body.index >= 0;
    if (in.has("axes")) {
        held.axes = {false, false, false};
        for (const char c : in.text_or("axes", "")) {
            const std::size_t k = std::string_view("xyz").find(c);
            if (k == std::string_view::npos || held.axes[k]) {
                in.log().report(codes::E163, in.where("axes"),
                                in.label() + ": 'axes' has letters other than one each of x, y and z");
                good = false;
                break;
            }
            held.axes[k] = true;
        }
    }
    held.target = in.vec3("target");
    if (in.has("target") && !held.target) good = false;
    in.warn_unknown();
    if (good) context.scene.add_subtree_constraint(std::move(held));
}

bool closes_a_loop(std::string_view kind) { return kind == "connect" || kind == "weld" || kind == "loop"; }

// What all equalities have.
struct EqualityHead {
    EqualityHead(Context& context, ElementReader& in)
        : fields(context.defaults[context.defaults.select(in, "class", DefaultClasses::main)].equality),
          name(in.text_or("name", "")) {
        read_equality_fields(in, fields, context.notes);
        context.equalities.add(name, 0, in.where(), context.log);
    }
    EqualityFields fields;
    std::string name;
};

}  // namespace

// Before what names their joints.
void read_loops(Context& context, int section) {
    for (const int child : context.document.children(section)) {
        ElementReader in = context.document.reader(child);
        const std::string_view kind = in.name();
        if (!closes_a_loop(kind)) continue;
        const EqualityHead head(context, in);
        LoopSpec loop{.name = head.name,
                      .active = head.fields.active,
                      .soft = head.fields.soft,
                      .where = in.where()};
        const bool good = kind == "connect" ? read_connect(context, in, loop)
                          : kind == "weld"  ? read_weld(context, in, loop)
                                            : read_loop(context, in, loop);
        loop.closing_time = in.number_or("closingtime", 0);
        in.warn_unknown();
        if (!context.loops.has(loop.name))  // otherwise that has been said
            context.loops.add(loop.name,
                              good ? static_cast<int>(context.scene.loops().size()) : NameTable::left_out,
                              in.where(), context.log);
        if (good) context.scene.add_loop(std::move(loop));
    }
}

void read_equality(Context& context, int section) {
    std::vector<std::string_view> known{"connect", "weld", "joint", "tendon", "loop"};
    for (const PairInfo& info : pair_list) known.push_back(info.name);
    known.insert(known.end(), std::begin(subtree_quantity_words), std::end(subtree_quantity_words));
    static constexpr std::string_view refused[] = {"flex", "flexvert", "flexstrain", "distance"};
    for (const int child : context.document.children(section)) {
        ElementReader in = context.document.reader(child);
        const std::string_view kind = in.name();
        const bool is_pair = is_pair_constraint(in);
        if (!is_pair && std::find(std::begin(refused), std::end(refused), kind) != std::end(refused)) {
            in.log().report(codes::U129, in.where(), in.label() + " in <equality> is not supported",
                            "remove it");
            continue;
        }
        if (std::find(known.begin(), known.end(), kind) == known.end()) {
            report_unknown_element(in, "equality", known);
            continue;
        }
        if (closes_a_loop(kind)) continue;  // read_loops
        const auto [fields, name] = EqualityHead(context, in);
        if (kind == "joint") {
            read_joint_coupling(
                context, in,
                {.name = name, .active = fields.active, .soft = fields.soft, .where = in.where()});
            continue;
        }
        if (kind == "tendon") {
            read_tendon_coupling(
                context, in,
                {.name = name, .active = fields.active, .soft = fields.soft, .where = in.where()});
            continue;
        }
        if (const auto word = std::find(std::begin(subtree_quantity_words),
                                        std::end(subtree_quantity_words), kind);
            word != std::end(subtree_quantity_words)) {
            read_subtree_constraint(
                context, in,
                {.name = name,
                 .quantity = static_cast<SubtreeQuantity>(word - std::begin(subtree_quantity_words)),
                 .active = fields.active,
                 .soft = fields.soft,
                 .where = in.where()});
            continue;
        }
        if (is_pair)
            read_pair_constraint(
                context, in,
                {.name = name, .active = fields.active, .soft = fields.soft, .where = in.where()});
    }
}

}  // namespace lig::io::mjcf
