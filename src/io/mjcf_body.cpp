// <worldbody>: the tree of bodies, walked with a stack of our own in the order of the file.

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
#include "io/mjcf_values.h"
#include "shapes/shape_mass.h"

#include <algorithm>

namespace lig::io::mjcf {

namespace {

// A list of children being read: those of a body, or of a frame in it.
struct Level {
    int next;         // element
    BodyId body;
    Pose frame;       // of the elements of this level in the body
    int of_class;     // for elements that name none
    bool in_frame;
};

class BodyWalk {
public:
    explicit BodyWalk(Context& context) : c_(context) {}

    void run(int section) {
        enter(section, world, Pose{}, DefaultClasses::main, false);
        while (!levels_.empty()) {
            const int element = levels_.back().next;
            if (element < 0) {
                levels_.pop_back();
                continue;
            }
            levels_.back().next = c_.document[element].next_sibling;
            read(element, Level(levels_.back()));
        }
    }

private:
    void enter(int element, BodyId body, const Pose& frame, int of_class, bool in_frame) {
        levels_.push_back({c_.document[element].first_child, body, frame, of_class, in_frame});
    }

    void read(int element, const Level& level) {
        static constexpr std::string_view known[] = {"body", "frame", "inertial", "joint", "freejoint",
                                                     "geom", "site", "camera", "light"};
        const std::string_view kind = c_.document.name(element);
        if (kind == "body")
            read_body(element, level);
        else if (kind == "frame")
            read_frame(element, level);
        else if (kind == "inertial")
            read_inertial(element, level);
        else if (kind == "joint" || kind == "freejoint")
            read_joint(element, level);
        else if (kind == "geom")
            read_geom(element, level);
        else if (kind == "site")
            read_site(element, level);
        else if (kind == "replicate" || kind == "attach" || kind == "composite" || kind == "flexcomp")
            c_.notes.add(codes::U090, "<" + std::string(kind) + "> is not supported",
                         c_.document.where(element), "write the bodies out");
        else if (kind == "plugin")
            c_.notes.element(kind, parent_name(level), c_.document.where(element));
        else if (kind == "camera")
            read_camera(element, level);
        else if (kind == "light") {
            ElementReader in = c_.document.reader(element);
            read_light(in);
            in.warn_unknown();
        } else {
            ElementReader in = c_.document.reader(element);
            report_unknown_element(in, parent_name(level), known);
        }
    }

    static std::string_view parent_name(const Level& level) {
        if (level.in_frame) return "frame";
        return level.body == world ? "worldbody" : "body";
    }

    void read_body(int element, const Level& level) {
        ElementReader in = c_.document.reader(element);
        BodySpec body{.name = in.text_or("name", ""), .where = in.where()};
        PoseFields pose;
        read_pose(in, pose);
        body.pose = compose(level.frame, to_pose(pose, c_.settings));
        body.kinematic = in.boolean("mocap").value_or(false);
        body.gravity_scale = 1 - in.number_or("gravcomp", 0);
        static constexpr std::string_view kinds[] = {"rigid", "planar", "particle"};  // our own
        if (const auto word = in.choice("kind", kinds)) body.kind = static_cast<BodyKind>(*word);
        const int of_class = c_.defaults.select(in, "childclass", level.of_class);
        in.ignore({"user", "sleep", "simple"});
        in.warn_unknown();
        if (body.kinematic && level.body != world)
            in.log().report(codes::E088, in.where("mocap"),
                            in.label() + ": a mocap body must be a child of the world");
        if (c_.settings.inertia == InertiaSource::inertial_only)
            body.inertial = InertialSpec{.where = in.where()};

        c_.X_WB.push_back(compose(c_.X_WB[level.body.index], body.pose));
        const std::string name = body.name;
        const BodyId id = c_.scene.add_body(level.body, std::move(body));
        c_.bodies.add(name, id.index, in.where(), c_.log);
        has_inertial_.push_back(false);
        enter(element, id, Pose{}, of_class, false);
    }

    void read_frame(int element, const Level& level) {
        ElementReader in = c_.document.reader(element);
        PoseFields pose;
        read_pose(in, pose);
        const int of_class = c_.defaults.select(in, "childclass", level.of_class);
        in.ignore({"name"});
        in.warn_unknown();
        enter(element, level.body, compose(level.frame, to_pose(pose, c_.settings)), of_class, true);
    }

    void read_inertial(int element, const Level& level) {
        ElementReader in = c_.document.reader(element);
        if (level.body == world || level.in_frame) {
            in.log().report(codes::E088, in.where(),
                            "<inertial> inside <" + std::string(parent_name(level)) + "> has no meaning",
                            "put it directly into a <body>");
            return;
        }
        if (has_inertial_[level.body.index]) {
            in.log().report(codes::E088, in.where(), "a body has one <inertial>; this is another");
            return;
        }
        has_inertial_[level.body.index] = true;

        InertialSpec inertial{.where = in.where()};
        PoseFields pose;
        if (!in.has("pos")) in.required_text("pos");
        assign(pose.pos, in.vec3("pos"));
        const bool oriented = read_orientation(in, pose.orientation);
        inertial.frame = to_pose(pose, c_.settings);
        if (in.has("mass"))
            assign(inertial.mass, non_negative(in, "mass"));
        else
            in.required_number("mass");
        const auto diagonal = in.vec3("diaginertia");
        const auto full = in.numbers("fullinertia", 6, 6);
        if (in.has("diaginertia") && in.has("fullinertia"))
            in.log().report(codes::E088, in.where("fullinertia"),
                            "<inertial> has both 'diaginertia' and 'fullinertia'", "keep one of them");
        else if (full && oriented)
            in.log().report(codes::E088, in.where("fullinertia"),
                            "<inertial> has both 'fullinertia' and an orientation",
                            "'fullinertia' is in the axes of the body");
        if (diagonal) inertial.inertia = Sym3d::diagonal(diagonal->x, diagonal->y, diagonal->z);
        if (full) {
            const auto& m = *full;
            inertial.inertia = {m[0], m[1], m[2], m[3], m[4], m[5]};
        }
        in.warn_unknown();
        if (c_.settings.inertia != InertiaSource::geoms_only) c_.scene.body(level.body).inertial = inertial;
    }

    void read_joint(int element, const Level& level) {
        ElementReader in = c_.document.reader(element);
        if (level.body == world) {
            in.log().report(codes::E088, in.where(), in.label() + ": the world has no joints",
                            "put it into a <body>");
            return;
        }
        JointFields fields;
        if (in.name() == "freejoint") {
            // Not touched by default classes: a free body has no springs or rotors by accident.
            fields.type = JointType::free;
            in.ignore({"group", "align"});
        } else {
            fields = c_.defaults[c_.defaults.select(in, "class", level.of_class)].joint;
            read_joint_fields(in, fields, c_.notes);
        }
        JointSpec joint = make_joint(c_, in, fields, level.frame);
        joint.name = in.text_or("name", "");
        in.warn_unknown();
        note_children(element);
        const Scene::Body& owner = c_.scene.bodies()[level.body.index];
        if (owner.spec.kinematic)
            in.log().report(codes::E088, in.where(), in.label() + ": a mocap body has no joints");
        if (joint.type == JointType::free && owner.parent != world)
            in.log().report(codes::E088, in.where(),
                            in.label() + ": a free joint must be on a child of the world");
        c_.joints.add(joint.name, static_cast<int>(c_.scene.joints().size()), in.where(), c_.log);
        c_.scene.add_joint(level.body, std::move(joint));
    }

    void read_geom(int element, const Level& level) {
        ElementReader in = c_.document.reader(element);
        GeomFields fields = c_.defaults[c_.defaults.select(in, "class", level.of_class)].geom;
        read_geom_fields(in, fields, c_.notes);
        GeomSpec geom = make_geom(c_, in, fields, level.frame);
        geom.name = in.text_or("name", "");
        in.warn_unknown();
        note_children(element);
        c_.geoms.add(geom.name, static_cast<int>(c_.scene.geoms().size()), in.where(), c_.log);
        c_.scene.add_geom(level.body, std::move(geom));
    }

    void read_site(int element, const Level& level) {
        ElementReader in = c_.document.reader(element);
        SiteFields fields = c_.defaults[c_.defaults.select(in, "class", level.of_class)].site;
        read_site_fields(in, fields, c_.notes);
        SiteSpec site = make_site(c_, in, fields, level.frame);
        site.name = in.text_or("name", "");
        in.warn_unknown();
        note_children(element);
        c_.sites.add(site.name, static_cast<int>(c_.scene.sites().size()), in.where(), c_.log);
        c_.scene.add_site(level.body, std::move(site));
    }

    void read_camera(int element, const Level& level) {
        ElementReader in = c_.document.reader(element);
        CameraFields fields = c_.defaults[c_.defaults.select(in, "class", level.of_class)].camera;
        read_camera_fields(in, fields);
        CameraSpec camera = make_camera(c_, in, fields, level.frame);
        camera.name = in.text_or("name", "");
        const bool aimed = in.has("target");
        in.warn_unknown();
        c_.cameras.add(camera.name, static_cast<int>(c_.scene.cameras().size()), in.where(), c_.log);
        const CameraId id = c_.scene.add_camera(level.body, std::move(camera));
        if (aimed) c_.aimed_cameras.emplace_back(id, element);
    }

    void note_children(int element) {
        for (const int child : c_.document.children(element))
            c_.notes.element(c_.document.name(child), c_.document.name(element), c_.document.where(child));
    }

    Context& c_;
    std::vector<Level> levels_;
    // Per body, counted over all <worldbody> sections; the world has none.
    std::vector<bool> has_inertial_ = std::vector<bool>(c_.scene.bodies().size(), false);
};

}  // namespace

void read_worldbody(Context& context, int section) {
    ElementReader in = context.document.reader(section);
    in.warn_unknown();
    BodyWalk(context).run(section);
}

void check_static_shapes(Context& context) {
    const auto& bodies = context.scene.bodies();
    std::vector<bool> moves(bodies.size(), false);
    for (std::size_t i = 1; i < bodies.size(); ++i)
        moves[i] = !bodies[i].joints.empty() || moves[bodies[i].parent.index];
    for (const Scene::Geom& geom : context.scene.geoms()) {
        const bool endless = geom.spec.shape == ShapeType::plane || geom.spec.shape == ShapeType::heightfield;
        if (endless && moves[geom.body.index])
            context.log.report(
                codes::E088, geom.spec.where,
                "a " + std::string(shape_name(geom.spec.shape)) + " cannot be part of a moving body",
                "put it into <worldbody>, or use a thin box");
    }
}

}  // namespace lig::io::mjcf
