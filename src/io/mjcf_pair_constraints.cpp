// Constraints between two bodies in <equality>, our own addition: an element per kind, named as in
// constraints/pairs/pair_list.h. docs/constraints.md has their attributes.
//
// All have body1, body2 (one that is absent is the world) and a frame on each: pos1, pos2, and quat1, quat2
// or the direction of their z axes, axis1, axis2.

#include "constraints/pairs/pair_list.h"
#include "core/diagnostic_codes.h"
#include "core/length.h"
#include "io/mjcf_equality.h"
#include "io/mjcf_orientation.h"
#include "io/mjcf_values.h"

#include <memory>

namespace lig::io::mjcf {

namespace {

using Made = std::shared_ptr<const PairConstraint>;

// Without a length the points stay as far apart as they are in the reference configuration.
Made make_distance(Context& context, ElementReader& in, const ConstraintSpec& spec) {
    const std::optional<double> given = in.number("length");
    if (given) return std::make_shared<DistanceConstraint>(*given);
    if (in.has("length")) return nullptr;
    const Pose b_in_a = compose(relative_pose(context, {spec.body_a, spec.body_b}), spec.frame_b);
    return std::make_shared<DistanceConstraint>(length(b_in_a.pos - spec.frame_a.pos));
}

std::optional<Quadric> read_quadric(ElementReader& in, const char* attribute) {
    const auto numbers = in.numbers(attribute, 10, 10);
    if (!numbers) return {};
    const std::vector<double>& n = *numbers;
    return Quadric{{n[0], n[1], n[2], n[3], n[4], n[5]}, {n[6], n[7], n[8]}, n[9]};
}

Made make_curve(ElementReader& in) {
    static constexpr std::string_view shapes[] = {"sphere", "ellipsoid", "circle", "ellipse"};
    static constexpr int sizes[] = {1, 3, 1, 2};
    if (in.has("shape")) {
        const std::optional<int> shape = in.choice("shape", shapes);
        if (in.has("quadric") || in.has("quadric2")) {
            in.log().report(codes::E014, in.where("shape"), in.label() + " has both 'shape' and 'quadric'",
                            "a curve is given by one of them");
            return nullptr;
        }
        if (!in.has("size")) in.required_text("size");
        if (!shape) return nullptr;
        const auto given = in.numbers("size", sizes[*shape], sizes[*shape]);
        if (!given) return nullptr;
        for (const double x : *given)
            if (!(x > 0)) {
                in.log().report(codes::E160, in.where("size"), in.label() + ": a size is not positive");
                return nullptr;
            }
        const std::vector<double>& s = *given;
        const auto made = [](CurveConstraint curve) { return std::make_shared<CurveConstraint>(curve); };
        switch (*shape) {
            case 0: return made(CurveConstraint::sphere(s[0]));
            case 1: return made(CurveConstraint::ellipsoid({s[0], s[1], s[2]}));
            case 2: return made(CurveConstraint::circle(s[0]));
            default: return made(CurveConstraint::ellipse(s[0], s[1]));
        }
    }
    if (!in.has("quadric")) in.required_text("quadric");
    const std::optional<Quadric> first = read_quadric(in, "quadric"), second = read_quadric(in, "quadric2");
    if (!first || (in.has("quadric2") && !second)) return nullptr;
    return second ? std::make_shared<CurveConstraint>(*first, *second)
                  : std::make_shared<CurveConstraint>(*first);
}

// A number that must be there.
template <class Constraint>
Made make_by_number(ElementReader& in, const char* attribute) {
    const double given = in.required_number(attribute);
    if (!in.number(attribute)) return nullptr;
    return std::make_shared<Constraint>(given);
}

// x="c0 c1 …" and xwave="amplitude frequency phase". False after an error.
bool read_profile(ElementReader& in, const char* polynomial, const char* wave,
                  std::optional<MotionProfile>& profile) {
    if (!in.has(polynomial) && !in.has(wave)) return true;
    const auto coefficients = in.numbers(polynomial, 1, 6), oscillation = in.numbers(wave, 2, 3);
    if ((in.has(polynomial) && !coefficients) || (in.has(wave) && !oscillation)) return false;
    profile.emplace();
    assign_first(profile->polynomial, coefficients);
    if (!oscillation) return true;
    profile->amplitude = (*oscillation)[0];
    profile->frequency = (*oscillation)[1];
    profile->phase = oscillation->size() > 2 ? (*oscillation)[2] : 0;
    return true;
}

Made make_prescribed(ElementReader& in) {
    PrescribedConstraint::Axes position, rotation;
    bool good = read_profile(in, "x", "xwave", position.x);
    good = read_profile(in, "y", "ywave", position.y) && good;
    good = read_profile(in, "z", "zwave", position.z) && good;
    good = read_profile(in, "rx", "rxwave", rotation.x) && good;
    good = read_profile(in, "ry", "rywave", rotation.y) && good;
    good = read_profile(in, "rz", "rzwave", rotation.z) && good;
    if (!good) return nullptr;
    return std::make_shared<PrescribedConstraint>(position, rotation);
}

Made make(Context& context, ElementReader& in, const ConstraintSpec& spec) {
    const std::string_view kind = in.name();
    if (kind == "distance") return make_distance(context, in, spec);
    if (kind == "point_on_line") return std::make_shared<PointOnLineConstraint>();
    if (kind == "point_on_plane")
        return std::make_shared<PointOnPlaneConstraint>(in.number_or("offset", 0));
    if (kind == "curve") return make_curve(in);
    if (kind == "gear") return make_by_number<GearConstraint>(in, "ratio");
    if (kind == "rolling_ball") return make_by_number<RollingBallConstraint>(in, "radius");
    if (kind == "rolling_disk") return make_by_number<RollingDiskConstraint>(in, "radius");
    if (kind == "knife_edge") return std::make_shared<KnifeEdgeConstraint>();
    return make_prescribed(in);
}

}  // namespace

std::optional<BodyPair> read_body_pair(Context& context, ElementReader& in) {
    if (!in.has("body1") && !in.has("body2")) {
        in.required_text("body1");
        return {};
    }
    const BodyPair pair{in.has("body1") ? BodyId{context.bodies.find(in, "body1")} : world,
                        in.has("body2") ? BodyId{context.bodies.find(in, "body2")} : world};
    return pair.a.index >= 0 && pair.b.index >= 0 ? std::optional(pair) : std::nullopt;
}

// MuJoCo once had a <distance> between two geoms; that one is still refused.
bool is_pair_constraint(ElementReader& in) {
    if (in.node().attribute("geom1") || in.node().attribute("geom2")) return false;
    return std::any_of(std::begin(pairs::pair_list), std::end(pairs::pair_list),
                       [&](const pairs::PairInfo& info) { return info.name == in.name(); });
}

void read_pair_constraint(Context& context, ElementReader& in, ConstraintSpec spec) {
    const bool first = read_frame(in, "pos1", "quat1", "axis1", spec.frame_a);
    const bool second = read_frame(in, "pos2", "quat2", "axis2", spec.frame_b);
    const std::optional<BodyPair> found = read_body_pair(context, in);
    if (found) {
        spec.body_a = found->a;
        spec.body_b = found->b;
    }
    // Lengths are measured between bodies that are there.
    if (first && second && found) spec.constraint = make(context, in, spec);
    if (spec.constraint) {
        in.warn_unknown();
        context.scene.add_constraint(std::move(spec));
    }
}

}  // namespace lig::io::mjcf
