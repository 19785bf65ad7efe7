// <worldbody>: the tree of bodies and what is in them, with a stack of our own.

#include "bodies/body_list.h"
#include "core/unit_quaternion.h"
#include "io/mjcf_write.h"
#include "joints/joint_list.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace lig::io::mjcf {

namespace {

using Kind = WrittenNames::Kind;

bool is_diagonal(const Sym3d& m) {
    return m.xy == 0 && m.xz == 0 && m.yz == 0;
}

void write_inertial(const InertialSpec& inertial, XmlWriter& xml) {
    xml.open("inertial");
    xml.numbers("pos", span_of(inertial.frame.pos));
    const Quatd quat = unit_quaternion(inertial.frame.quat);
    const Quatd none = Quatd::identity();
    const bool turned = !same_bits(span_of(quat), span_of(none));
    Sym3d inertia = inertial.inertia;
    // Zeros with a sign stay, where they can: in the axes of the body.
    const double products[] = {inertia.xy, inertia.xz, inertia.yz}, zeros[] = {0, 0, 0};
    const bool diagonal = is_diagonal(inertia) && (turned || same_bits(products, zeros));
    if (diagonal)
        xml.numbers("quat", span_of(quat), span_of(none));
    else if (turned)
        // The format has products of inertia in the body's axes only. This is what compile computes.
        inertia = rotate(rotation_matrix(quat), inertia);
    xml.numbers("mass", {&inertial.mass, 1});
    if (diagonal) {
        const double moments[] = {inertia.xx, inertia.yy, inertia.zz};
        xml.numbers("diaginertia", moments);
    } else {
        const double all[] = {inertia.xx, inertia.yy, inertia.zz, inertia.xy, inertia.xz, inertia.yz};
        xml.numbers("fullinertia", all);
    }
    xml.close();
}

// The limits of all coordinates in one attribute.
void write_joint_range(const JointSpec& joint, XmlWriter& xml) {
    if (joint.cone) {
        const double ends[] = {0, *joint.cone};
        xml.numbers("range", ends);
    }
    const joints::JointInfo& info = joints::joint_info(joint.type);
    if (joint.type == JointType::ball || info.placement == joints::Placement::body) return;
    write_ranges(xml, "limited", "range", std::span(joint.range).first(static_cast<std::size_t>(info.nq)));
}

// Unlike `range` it needs no flag: when it is there, it holds, also for a single value.
void write_twist(const Range& twist, XmlWriter& xml) {
    constexpr double largest = std::numeric_limits<double>::max();
    const double ends[] = {std::max(twist.lower, -largest), std::min(twist.upper, largest)};
    xml.numbers("twist", ends);
}

// Where a joint stands and how it moves.
void write_joint_geometry(const JointSpec& joint, XmlWriter& xml) {
    const JointSpec usual;
    const joints::Placement placement = joints::joint_info(joint.type).placement;
    if (placement == joints::Placement::body) return;
    xml.numbers("pos", span_of(joint.pos), span_of(usual.pos));
    xml.numbers("axis", span_of(joint.axis), span_of(usual.axis));
    if (placement == joints::Placement::two_axes)
        xml.numbers("axis2", span_of(joint.axis2), span_of(usual.axis2));
    if (joint.type == JointType::screw) xml.number("pitch", joint.pitch, usual.pitch);
}

}  // namespace

void write_joint_properties(const JointSpec& joint, XmlWriter& xml) {
    const JointSpec usual;
    if (joints::joint_info(joint.type).nq == 1) {
        xml.number("ref", joint.reference, 0);
        // In the format a spring rests at 0 unless told otherwise.
        xml.number("springref", joint.spring_reference.value_or(joint.reference), 0);
    }
    write_joint_range(joint, xml);
    if (joint.swing) xml.numbers("swing", {&*joint.swing, 1});
    if (joint.twist) write_twist(*joint.twist, xml);
    xml.number("margin", joint.margin, 0);
    write_polynomial(xml, "stiffness", joint.stiffness, joint.stiffness_poly);
    write_polynomial(xml, "damping", joint.damping, joint.damping_poly);
    if (joint.axis_stiffness) {
        const Quatd axes = unit_quaternion(joint.stiffness_axes), none = Quatd::identity();
        xml.numbers("axisstiffness", span_of(*joint.axis_stiffness));
        xml.numbers("stiffnessaxes", span_of(axes), span_of(none));
    }
    if (joint.spring_damper) xml.numbers("springdamper", *joint.spring_damper);
    xml.number("armature", joint.armature, 0);
    xml.number("frictionloss", joint.friction_loss, 0);
    write_range(xml, "actuatorfrclimited", "actuatorfrcrange", joint.effort);
    xml.flag("actuatorgravcomp", joint.actuators_carry_gravity);
    if (std::isfinite(joint.velocity_limit)) xml.numbers("velocitylimit", {&joint.velocity_limit, 1});
    write_softness(xml, "solreflimit", "solimplimit", joint.soft_limit);
    write_softness(xml, "solreffriction", "solimpfriction", joint.soft_friction);
    xml.integer("group", joint.group, 0);
}

namespace {

// <freejoint> is for children of the world and has little to say.
bool is_plain_free(const Scene& scene, const Scene::Joint& owned) {
    const JointSpec& joint = owned.spec;
    if (joint.type != JointType::free) return false;
    if (scene.bodies()[static_cast<std::size_t>(owned.body.index)].parent != world) return false;
    XmlWriter probe;
    JointSpec rest = joint;
    rest.group = 0;
    write_joint_properties(rest, probe);
    return probe.is_empty();
}

void write_joint(const WriteContext& context, int index, XmlWriter& xml) {
    const Scene::Joint& owned = context.scene.joints()[static_cast<std::size_t>(index)];
    const JointSpec& joint = owned.spec;
    const std::string& name = context.names.of(Kind::joint, index);
    if (is_plain_free(context.scene, owned)) {
        xml.open("freejoint");
        xml.text("name", name);
        xml.integer("group", joint.group, 0);
        xml.flag("align", joint.align, context.aligns_free);
        xml.close();
        return;
    }
    xml.open("joint");
    xml.text("name", name);
    if (joint.type != JointType::hinge) xml.word("type", joints::joint_info(joint.type).name);
    if (joint.type == JointType::free) xml.flag("align", joint.align, context.aligns_free);
    write_joint_geometry(joint, xml);
    write_joint_properties(joint, xml);
    xml.close();
}

// A fixed joint leaves nothing but its name, which compile keeps as a site of the body.
void write_fixed_joint(const JointSpec& joint, XmlWriter& xml) {
    xml.open("site");
    xml.text("name", joint.name);
    write_pose(xml, {joint.pos, Quatd::identity()});
    xml.close();
}

void write_geom(const WriteContext& context, int index, XmlWriter& xml) {
    const GeomSpec& geom = context.scene.geoms()[static_cast<std::size_t>(index)].spec;
    const GeomSpec usual;
    xml.open("geom");
    xml.text("name", context.names.of(Kind::geom, index));
    if (geom.shape != usual.shape) xml.word("type", shape_word(geom.shape));
    xml.text(geom.shape == ShapeType::heightfield ? "hfield" : "mesh", geom.mesh);
    // A height field has the size of its asset.
    if (geom.shape != ShapeType::heightfield)
        xml.numbers("size", span_of(geom.size), span_of(usual.size), true);
    write_pose(xml, geom.pose);
    if (geom.mass) xml.numbers("mass", {&*geom.mass, 1});
    xml.number("density", geom.density, usual.density);
    xml.flag("shellinertia", geom.shell);
    xml.integer("contype", geom.collides ? geom.contype : 0, usual.contype);
    xml.integer("conaffinity", geom.collides ? geom.conaffinity : 0, usual.conaffinity);
    xml.integer("condim", geom.condim, usual.condim);
    xml.integer("group", geom.group, usual.group);
    xml.integer("priority", geom.priority, usual.priority);
    xml.numbers("friction", span_of(geom.friction), span_of(usual.friction), true);
    xml.number("restitution", geom.restitution, usual.restitution);
    xml.number("margin", geom.margin, usual.margin);
    xml.number("gap", geom.gap, usual.gap);
    xml.number("adhesion", geom.adhesion, usual.adhesion);
    xml.number("solmix", geom.solmix, usual.solmix);
    write_softness(xml, "solref", "solimp", geom.soft);
    if (geom.fluid) {
        const FluidSpec& fluid = *geom.fluid;
        const FluidSpec plain;
        xml.word("fluidshape", "ellipsoid");
        const double coefficients[] = {fluid.blunt_drag, fluid.slender_drag, fluid.angular_drag,
                                       fluid.kutta_lift, fluid.magnus_lift};
        const double fallback[] = {plain.blunt_drag, plain.slender_drag, plain.angular_drag,
                                   plain.kutta_lift, plain.magnus_lift};
        xml.numbers("fluidcoef", coefficients, fallback);
    }
    write_rgba(xml, geom.rgba);
    xml.close();
}

void write_site(const WriteContext& context, int index, XmlWriter& xml) {
    const SiteSpec& site = context.scene.sites()[static_cast<std::size_t>(index)].spec;
    const SiteSpec usual;
    xml.open("site");
    xml.text("name", context.names.of(Kind::site, index));
    if (site.shape != usual.shape) xml.word("type", shape_word(site.shape));
    xml.numbers("size", span_of(site.size), span_of(usual.size), true);
    write_pose(xml, site.pose);
    xml.integer("group", site.group, usual.group);
    write_rgba(xml, site.rgba);
    xml.close();
}

void write_camera(const WriteContext& context, int index, XmlWriter& xml) {
    constexpr std::string_view modes[] = {"fixed", "track", "trackcom", "targetbody", "targetbodycom"};
    const CameraSpec& camera = context.scene.cameras()[static_cast<std::size_t>(index)].spec;
    const CameraSpec usual;
    xml.open("camera");
    xml.text("name", context.names.of(Kind::camera, index));
    if (camera.mode != usual.mode) xml.word("mode", modes[static_cast<int>(camera.mode)]);
    if (camera.target.index >= 0) xml.word("target", context.names.of(Kind::body, camera.target.index));
    if (camera.orthographic) xml.word("projection", "orthographic");
    write_pose(xml, camera.pose);
    // The angle and the size of the sensor exclude each other.
    if (camera.sensor_size == usual.sensor_size)
        xml.number("fovy", camera.fovy, usual.fovy);
    if (camera.resolution != usual.resolution) xml.integers("resolution", camera.resolution);
    xml.numbers("sensorsize", camera.sensor_size, usual.sensor_size);
    xml.numbers("focal", camera.focal_length, usual.focal_length);
    xml.numbers("principal", camera.principal_point, usual.principal_point);
    xml.close();
}

// What bodies hold, by kind. Elements are written so that reading gives each kind in the order of the scene:
// before a child body stand those of the body's own elements whose index is smaller than any that comes in
// this child or a later one.
constexpr int kinds = 4;
constexpr void (*write_element[kinds])(const WriteContext&, int, XmlWriter&) = {write_joint, write_geom,
                                                                                write_site, write_camera};
constexpr int none_left = std::numeric_limits<int>::max();

class BodyTree {
public:
    explicit BodyTree(const Scene& scene) : nodes_(scene.bodies().size()) {
        const auto& bodies = scene.bodies();
        for (std::size_t j = 0; j < scene.joints().size(); ++j)
            if (scene.joints()[j].spec.type != JointType::fixed) add(0, scene.joints()[j].body, j);
        for (std::size_t g = 0; g < scene.geoms().size(); ++g) add(1, scene.geoms()[g].body, g);
        for (std::size_t s = 0; s < scene.sites().size(); ++s) add(2, scene.sites()[s].body, s);
        for (std::size_t c = 0; c < scene.cameras().size(); ++c) add(3, scene.cameras()[c].body, c);
        for (std::size_t b = bodies.size(); b-- > 1;) {
            Node& parent = nodes_[static_cast<std::size_t>(bodies[b].parent.index)];
            nodes_[b].next_sibling = parent.first_child;
            parent.first_child = static_cast<int>(b);
            for (int kind = 0; kind < kinds; ++kind) {
                // Children come later in the scene, so that of this body is complete. Its siblings to the
                // right have been seen as well.
                const int after =
                    nodes_[b].next_sibling < 0 ? none_left : nodes_[nodes_[b].next_sibling].first[kind];
                nodes_[b].first[kind] = std::min(nodes_[b].first[kind], after);
                parent.first[kind] = std::min(parent.first[kind], nodes_[b].first[kind]);
            }
        }
    }

    struct Node {
        int first_child = -1, next_sibling = -1;
        std::array<std::vector<int>, kinds> own;
        // The smallest index of each kind in this body, its siblings to the right and all below them.
        std::array<int, kinds> first{none_left, none_left, none_left, none_left};
    };
    const Node& operator[](int body) const { return nodes_[static_cast<std::size_t>(body)]; }

private:
    void add(int kind, BodyId body, std::size_t index) {
        Node& node = nodes_[static_cast<std::size_t>(body.index)];
        node.own[static_cast<std::size_t>(kind)].push_back(static_cast<int>(index));
        node.first[static_cast<std::size_t>(kind)] =
            std::min(node.first[static_cast<std::size_t>(kind)], static_cast<int>(index));
    }
    std::vector<Node> nodes_;
};

class BodyWriter {
public:
    BodyWriter(const WriteContext& context, XmlWriter& xml)
        : context_(context), xml_(xml), tree_(context.scene) {}

    void run() {
        levels_.push_back({0, tree_[0].first_child, {}});
        while (!levels_.empty()) {
            Level& level = levels_.back();
            const int child = level.next_child;
            for (int kind = 0; kind < kinds; ++kind)
                write_until(level, kind, child < 0 ? none_left : tree_[child].first[kind]);
            if (child >= 0) {
                level.next_child = tree_[child].next_sibling;
                open_body(child);
                levels_.push_back({child, tree_[child].first_child, {}});
            } else {
                if (level.body != 0) xml_.close();
                levels_.pop_back();
            }
        }
    }

private:
    struct Level {
        int body;
        int next_child;
        std::array<std::size_t, kinds> written;
    };

    void write_until(Level& level, int kind, int end) {
        const std::vector<int>& own = tree_[level.body].own[static_cast<std::size_t>(kind)];
        std::size_t& at = level.written[static_cast<std::size_t>(kind)];
        for (; at < own.size() && own[at] < end; ++at) write_element[kind](context_, own[at], xml_);
    }

    void open_body(int index) {
        const Scene::Body& body = context_.scene.bodies()[static_cast<std::size_t>(index)];
        if (body.spec.kind == BodyKind::program)
            throw std::invalid_argument("lig::write_mjcf: body '" + body.spec.name +
                                        "' is of a kind that only the program has that made it: a file "
                                        "cannot hold it");
        xml_.open("body");
        xml_.text("name", context_.names.of(Kind::body, index));
        if (body.spec.kind != BodyKind::rigid) xml_.word("kind", bodies::body_info(body.spec.kind).name);
        xml_.number("young", body.spec.elastic.young, 0);
        xml_.number("poisson", body.spec.elastic.poisson, 0);
        xml_.number("damping", body.spec.elastic.damping, 0);
        write_pose(xml_, body.spec.pose);
        xml_.flag("mocap", body.spec.kinematic);
        xml_.number("gravcomp", 1 - body.spec.gravity_scale, 0);
        if (body.spec.inertial) write_inertial(*body.spec.inertial, xml_);
        const auto spec = [&](JointId id) -> const JointSpec& {
            return context_.scene.joints()[static_cast<std::size_t>(id.index)].spec;
        };
        if (std::all_of(body.joints.begin(), body.joints.end(),
                        [&](JointId id) { return spec(id).type == JointType::fixed; }))
            for (const JointId id : body.joints) write_fixed_joint(spec(id), xml_);
    }

    const WriteContext& context_;
    XmlWriter& xml_;
    BodyTree tree_;
    std::vector<Level> levels_;
};

}  // namespace

bool aligns_all_free_joints(const Scene& scene) {
    bool any = false;
    for (const Scene::Joint& joint : scene.joints()) {
        if (joint.spec.type != JointType::free) continue;
        if (!joint.spec.align) return false;
        any = true;
    }
    return any;
}

void write_worldbody(const WriteContext& context, XmlWriter& xml) { BodyWriter(context, xml).run(); }

}  // namespace lig::io::mjcf
