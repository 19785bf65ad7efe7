// <worldbody>: the tree of bodies, walked with a stack of our own in the order of the file.

#include "bodies/body_list.h"
#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
#include "io/mjcf_values.h"
#include "shapes/shape_geometry.h"
#include "shapes/shape_mass.h"

#include <algorithm>
#include <cmath>

namespace lig::io::mjcf {

namespace {

enum class LevelKind {
    body,
    frame,
    replicate
};

// A list of children being read: those of a body, or of a frame or replicate in it.
struct Level {
    int next;       // element
    BodyId body;
    Pose frame;     // of the elements of this level in the body
    int of_class;   // for elements that name none
    LevelKind kind;
};

// A frame with a name, or a replicate, that is being read.
struct OpenFrame {
    int depth;  // of its level
    int frame;  // in Context::frames, or −1
    TreeMark begin;
    // replicate
    double count = 0;
    Vec3d offset{0, 0, 0};
    std::array<double, 6> turn{};  // Euler angles in the file's unit
    std::string separator;
    Pose outer;
    SourceLocation where;
};

class BodyWalk {
public:
    explicit BodyWalk(Context& context) : c_(context) {}

    void run(int section) {
        enter(section, world, Pose{}, DefaultClasses::main, LevelKind::body);
        while (!levels_.empty()) {
            const int element = levels_.back().next;
            if (element < 0) {
                leave();
                continue;
            }
            levels_.back().next = c_.document[element].next_sibling;
            read(element, Level(levels_.back()));
        }
    }

private:
    void enter(int element, BodyId body, const Pose& frame, int of_class, LevelKind kind) {
        levels_.push_back({c_.document[element].first_child, body, frame, of_class, kind});
    }

    void leave() {
        const BodyId body = levels_.back().body;
        const bool replicates = levels_.back().kind == LevelKind::replicate;
        levels_.pop_back();
        if (open_.empty() || open_.back().depth != static_cast<int>(levels_.size())) return;
        const OpenFrame done = std::move(open_.back());
        open_.pop_back();
        if (replicates)
            finish_replicate(done, body);
        else
            close_frame(c_.frames[done.frame]);
    }

    void close_frame(NamedFrame& frame) {
        frame.end = TreeMark::of(c_.scene);
        frame.open = false;
    }

    void read(int element, const Level& level) {
        static constexpr std::string_view known[] = {"body", "frame", "inertial", "joint", "freejoint",
                                                     "geom", "site", "camera", "light",
                                                     "replicate", "attach"};
        const std::string_view kind = c_.document.name(element);
        if (kind == "body")
            read_body(element, level);
        else if (kind == "frame")
            read_frame(element, level);
        else if (kind == "replicate")
            read_replicate(element, level);
        else if (kind == "attach")
            read_attach(c_, element, level.body, level.frame);
        else if (kind == "inertial")
            read_inertial(element, level);
        else if (kind == "joint" || kind == "freejoint")
            read_joint(element, level);
        else if (kind == "geom")
            read_geom(element, level);
        else if (kind == "site")
            read_site(element, level);
        else if (kind == "composite" || kind == "flexcomp")
            c_.notes.add(codes::U090, "<" + std::string(kind) + "> is not supported",
                         c_.document.where(element), "write the bodies out");
        else if (kind == "plugin")
            refuse_plugin(element, parent_name(level));
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
        if (level.kind == LevelKind::frame) return "frame";
        if (level.kind == LevelKind::replicate) return "replicate";
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
        if (const auto word = in.choice("kind", bodies::body_words))  // our own
            body.kind = bodies::body_list[*word].kind;
        body.elastic = {in.number_or("young", 0), in.number_or("poisson", 0), in.number_or("damping", 0)};
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
        enter(element, id, Pose{}, of_class, LevelKind::body);
    }

    void read_frame(int element, const Level& level) {
        ElementReader in = c_.document.reader(element);
        PoseFields pose;
        read_pose(in, pose);
        const int of_class = c_.defaults.select(in, "childclass", level.of_class);
        const std::string name = in.text_or("name", "");
        in.warn_unknown();
        if (!name.empty()) {
            c_.frame_names.add(name, static_cast<int>(c_.frames.size()), in.where(), c_.log);
            open_.push_back({.depth = static_cast<int>(levels_.size()),
                             .frame = static_cast<int>(c_.frames.size()),
                             .begin = {}});
            c_.frames.push_back({name, level.body, TreeMark::of(c_.scene), TreeMark::of(c_.scene)});
        }
        enter(element, level.body, compose(level.frame, to_pose(pose, c_.settings)), of_class,
              LevelKind::frame);
    }

    void read_replicate(int element, const Level& level) {
        ElementReader in = c_.document.reader(element);
        OpenFrame open{.depth = static_cast<int>(levels_.size()),
                       .frame = -1,
                       .begin = TreeMark::of(c_.scene),
                       .separator = in.text_or("sep", ""),
                       .outer = level.frame,
                       .where = in.where("count")};
        open.count = in.required_number("count");
        if (open.count < 0 || open.count != std::floor(open.count)) {
            in.log().report(codes::E006, in.where("count"),
                            "attribute 'count' of <replicate> must be a whole number that is not negative");
            open.count = 0;
        }
        // Before anything is read: a count beyond all bounds needs no second look.
        if (!c_.assembly.fits(c_.scene, open.count, 1, in.where("count"), c_.log)) open.count = 0;
        open.offset = in.vec3_or("offset", {0, 0, 0});
        if (const auto euler = in.vec3("euler")) open.turn = {euler->x, euler->y, euler->z, 0, 0, 0};
        const int of_class = c_.defaults.select(in, "childclass", level.of_class);
        in.warn_unknown();
        open_.push_back(std::move(open));
        ++c_.pattern_depth;
        enter(element, level.body, Pose{}, of_class, LevelKind::replicate);
    }

    // Copy i is turned by i times the angles, and stands where the offsets of the copies before it lead, each
    // in the axes of its copy.
    void finish_replicate(const OpenFrame& open, BodyId body) {
        --c_.pattern_depth;
        const TreePart part = TreePart::between(body, open.begin, TreeMark::of(c_.scene));
        double count = open.count;
        if (count > 1 && !c_.assembly.fits(c_.scene, count, part.size(), open.where, c_.log)) count = 0;
        const std::size_t digits = std::to_string(static_cast<long long>(count)).size();
        std::vector<Pose> frames;
        std::vector<Affix> names;
        Pose step;
        for (int i = 0; i < static_cast<int>(count); ++i) {
            Orientation turn{OrientationForm::euler, open.turn};
            for (double& angle : turn.values) angle *= i;
            step.quat = to_quaternion(turn, c_.settings);
            frames.push_back(compose(open.outer, step));
            step.pos += rotation_matrix(step.quat) * open.offset;
            std::string number = std::to_string(i);
            number.insert(0, digits - std::min(digits, number.size()), '0');
            names.push_back({{}, open.separator + number});
        }
        c_.assembly.replicate(c_, part, frames, names, open.where);
    }

    void read_inertial(int element, const Level& level) {
        ElementReader in = c_.document.reader(element);
        if (level.body == world || level.kind != LevelKind::body) {
            in.log().report(codes::E088, in.where(),
                            "<inertial> inside <" + std::string(parent_name(level)) + "> has no meaning",
                            "put it directly into a <body>");
            return;
        }
        has_inertial_.resize(c_.scene.bodies().size(), false);
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
        std::optional<bool> align;
        if (in.name() == "freejoint") {
            // Not touched by default classes: a free body has no springs or rotors by accident.
            fields.type = JointType::free;
            assign(fields.group, integer(in, "group"));
        } else {
            fields = c_.defaults[c_.defaults.select(in, "class", level.of_class)].joint;
            read_joint_fields(in, fields, c_.notes);
        }
        if (fields.type == JointType::free) {  // of <joint> it is an addition of ours
            static constexpr std::string_view words[] = {"false", "true", "auto"};
            if (const auto word = in.choice("align", words); word && *word != 2) align = *word == 1;
        }
        JointSpec joint = make_joint(c_, in, fields, level.frame);
        joint.name = in.text_or("name", "");
        joint.align = joint.type == JointType::free && align.value_or(c_.settings.align_free);
        in.warn_unknown();
        check_children(element);
        const Scene::Body& owner = c_.scene.bodies()[level.body.index];
        if (owner.spec.kinematic)
            in.log().report(codes::E088, in.where(), in.label() + ": a mocap body has no joints");
        // Deeper in the tree it is an addition of ours, and has to be asked for with <joint>.
        if (in.name() == "freejoint" && owner.parent != world)
            in.log().report(codes::E088, in.where(),
                            in.label() + ": a free joint must be on a child of the world",
                            "elsewhere, write <joint type=\"free\"/>");
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
        check_children(element);
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
        check_children(element);
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

    // Joints, geoms and sites hold nothing but plugins.
    void check_children(int element) {
        for (const int child : c_.document.children(element)) {
            if (c_.document.name(child) == "plugin") {
                refuse_plugin(child, c_.document.name(element));
                continue;
            }
            ElementReader in = c_.document.reader(child);
            report_unknown_element(in, c_.document.name(element), {});
        }
    }

    void refuse_plugin(int element, std::string_view parent) {
        c_.notes.add(codes::U115, "<plugin> in <" + std::string(parent) + "> is not supported",
                     c_.document.where(element), "Ligament has no plugins; take it out");
    }

    Context& c_;
    std::vector<Level> levels_;
    std::vector<OpenFrame> open_;
    std::vector<bool> has_inertial_;  // per body
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
        if (!is_convex(geom.spec.shape) && moves[geom.body.index])
            context.log.report(
                codes::E088, geom.spec.where,
                "a " + std::string(shape_name(geom.spec.shape)) + " cannot be part of a moving body",
                "put it into <worldbody>, or use a thin box");
    }
}

}  // namespace lig::io::mjcf
