// <tendon>: fixed and spatial tendons, their paths checked by MuJoCo's rules.

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
#include "io/mjcf_values.h"
#include "joints/joint_list.h"

namespace lig::io::mjcf {

namespace {

using Kind = TendonStop::Kind;

// One stop, and where it stands in the file.
struct PlacedStop {
    TendonStop stop;
    int element;
};

void report(Context& context, int element, const std::string& what, std::string hint = {}) {
    context.log.report(codes::E121, context.document.where(element),
                       "<" + std::string(context.document.name(element)) + "> of a tendon: " + what,
                       std::move(hint));
}

bool read_site_stop(Context& context, ElementReader& in, TendonStop& stop) {
    stop.kind = Kind::site;
    if (!in.has("site")) in.required_text("site");
    stop.site = {context.sites.find(in, "site")};
    return stop.site.index >= 0;
}

bool read_geom_stop(Context& context, ElementReader& in, TendonStop& stop) {
    stop.kind = Kind::geom;
    if (!in.has("geom")) in.required_text("geom");
    stop.geom = {context.geoms.find(in, "geom")};
    stop.side_site = {context.sites.find(in, "sidesite")};
    if (stop.geom.index < 0) return false;
    const ShapeType shape = context.scene.geoms()[stop.geom.index].spec.shape;
    if (shape == ShapeType::sphere || shape == ShapeType::cylinder) return true;
    in.log().report(codes::E121, in.where("geom"), "a tendon wraps around spheres and cylinders only",
                    "give the geom that shape, or use another geom");
    return false;
}

bool read_pulley_stop(ElementReader& in, TendonStop& stop) {
    stop.kind = Kind::pulley;
    if (!in.has("divisor")) in.required_number("divisor");
    assign(stop.divisor, in.number("divisor"));
    if (stop.divisor > 0) return true;
    in.log().report(codes::E121, in.where("divisor"), "the divisor of a pulley must be positive");
    return false;
}

// Which stops may stand next to each other. A branch, the stops between two pulleys, has at least two sites;
// a geom is between two sites.
bool path_is_good(Context& context, int element, const std::vector<PlacedStop>& path) {
    const int count = static_cast<int>(path.size());
    if (count < 2) {
        report(context, element, "its path needs at least two stops");
        return false;
    }
    const auto kind_at = [&](int i) {
        return i < 0 || i >= count ? Kind::pulley : path[i].stop.kind;  // the ends of the path end a branch
    };
    bool good = true;
    const auto fail = [&](int i, const std::string& what, std::string hint = {}) {
        report(context, path[i].element, what, std::move(hint));
        good = false;
    };
    for (int i = 0; i < count; ++i) {
        const TendonStop& stop = path[i].stop;
        switch (stop.kind) {
            case Kind::pulley:
                if (i == count - 1)
                    fail(i, "the path ends with a pulley", "add two sites behind it");
                else if (kind_at(i + 1) == Kind::pulley)
                    fail(i, "another pulley follows at once");
                break;
            case Kind::site:
                if (kind_at(i - 1) == Kind::pulley && kind_at(i + 1) == Kind::pulley)
                    fail(i, "the site is alone in its branch", "a branch needs two sites");
                else if (kind_at(i + 1) == Kind::site && i + 1 < count && path[i + 1].stop.site == stop.site)
                    fail(i, "the same site follows at once");
                break;
            case Kind::geom:
                if (kind_at(i - 1) != Kind::site || kind_at(i + 1) != Kind::site)
                    fail(i, "a geom must stand between two sites");
                break;
        }
    }
    return good;
}

bool read_spatial_path(Context& context, int element, TendonSpec& tendon) {
    static constexpr std::string_view known[] = {"site", "geom", "pulley"};
    std::vector<PlacedStop> path;
    bool good = true;
    for (const int child : context.document.children(element)) {
        ElementReader in = context.document.reader(child);
        TendonStop stop;
        if (in.name() == "site")
            good &= read_site_stop(context, in, stop);
        else if (in.name() == "geom")
            good &= read_geom_stop(context, in, stop);
        else if (in.name() == "pulley")
            good &= read_pulley_stop(in, stop);
        else {
            report_unknown_element(in, "spatial", known);
            continue;
        }
        in.warn_unknown();
        path.push_back({stop, child});
    }
    if (!good || !path_is_good(context, element, path)) return false;
    for (const PlacedStop& placed : path) {
        if (placed.stop.kind == Kind::geom && tendon.armature != 0) {
            report(context, placed.element, "a tendon with armature cannot wrap around geoms",
                   "remove the armature or the geom");
            return false;
        }
        tendon.stops.push_back(placed.stop);
    }
    return true;
}

bool read_fixed_path(Context& context, int element, TendonSpec& tendon) {
    static constexpr std::string_view known[] = {"joint"};
    bool good = true;
    for (const int child : context.document.children(element)) {
        ElementReader in = context.document.reader(child);
        if (in.name() != "joint") {
            report_unknown_element(in, "fixed", known);
            continue;
        }
        if (!in.has("joint")) in.required_text("joint");
        TendonSpec::JointTerm term;
        const bool on_loop = closes_loop(context, in, "joint");
        if (on_loop)
            term.loop = {context.loops.find(in, "joint")};
        else
            term.joint = {context.joints.find(in, "joint")};
        term.coefficient = in.required_number("coef");
        in.warn_unknown();
        if (term.joint.index < 0 && term.loop.index < 0) {
            good = false;
            continue;
        }
        const JointType type = on_loop ? context.scene.loops()[term.loop.index].type
                                       : context.scene.joints()[term.joint.index].spec.type;
        if (joints::joint_info(type).nq > 1) {
            in.log().report(codes::E121, in.where("joint"), "a tendon runs over joints of one coordinate");
            good = false;
        }
        tendon.joints.push_back(term);
    }
    if (good && tendon.joints.empty()) {
        report(context, element, "it runs over no joint", "add <joint joint=\"…\" coef=\"1\"/>");
        return false;
    }
    return good;
}

void set_properties(Context& context, ElementReader& in, const TendonFields& fields, TendonSpec& tendon) {
    const bool auto_limits = context.settings.auto_limits;
    tendon.range = range_in_force(in, fields.length, auto_limits, "limited", "range");
    tendon.effort = range_in_force(in, fields.force, auto_limits, "actuatorfrclimited", "actuatorfrcrange");
    if (tendon.effort.lower > 0 || tendon.effort.upper < 0)
        in.log().report(codes::E120, in.where("actuatorfrcrange"),
                        in.label() + ": 'actuatorfrcrange' must contain zero");
    tendon.stiffness = fields.stiffness[0];
    tendon.stiffness_poly = {fields.stiffness[1], fields.stiffness[2]};
    tendon.damping = fields.damping[0];
    tendon.damping_poly = {fields.damping[1], fields.damping[2]};
    if (fields.spring_length != std::array<double, 2>{-1, -1}) {
        if (fields.spring_length[0] > fields.spring_length[1])
            in.log().report(codes::E120, in.where("springlength"),
                            in.label() + ": the first spring length must not exceed the second");
        tendon.spring_length = fields.spring_length;
    }
    tendon.margin = fields.margin;
    tendon.armature = fields.armature;
    tendon.friction_loss = fields.friction_loss;
    tendon.soft_limit = fields.soft_limit;
    tendon.soft_friction = fields.soft_friction;
    tendon.group = fields.group;
    tendon.width = fields.width;
    if (fields.width <= 0)
        in.log().report(codes::E006, in.where("width"), in.label() + ": 'width' must be positive");
    if (!fields.material.empty()) {
        const int material = context.materials.find(fields.material, in.where("material"), in.log());
        if (material >= 0) tendon.rgba = context.material_colours[material];
    }
    if (fields.rgba) tendon.rgba = *fields.rgba;
}

}  // namespace

void read_tendon(Context& context, int section) {
    static constexpr std::string_view known[] = {"fixed", "spatial"};
    for (const int child : context.document.children(section)) {
        ElementReader in = context.document.reader(child);
        const bool spatial = in.name() == "spatial";
        if (!spatial && in.name() != "fixed") {
            report_unknown_element(in, "tendon", known);
            continue;
        }
        TendonFields fields =
            context.defaults[context.defaults.select(in, "class", DefaultClasses::main)].tendon;
        read_tendon_fields(in, fields, spatial);
        TendonSpec tendon{.name = in.text_or("name", ""), .where = in.where()};
        in.warn_unknown();
        set_properties(context, in, fields, tendon);
        if (spatial)
            read_spatial_path(context, child, tendon);
        else
            read_fixed_path(context, child, tendon);
        // Kept even when its path is wrong, so that what refers to it is not reported as well.
        context.tendons.add(tendon.name, static_cast<int>(context.scene.tendons().size()), in.where(),
                            context.log);
        context.scene.add_tendon(std::move(tendon));
    }
}

}  // namespace lig::io::mjcf
