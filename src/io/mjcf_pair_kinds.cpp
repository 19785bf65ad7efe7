#include "io/mjcf_pair_kinds.h"

#include "core/diagnostic_codes.h"
#include "core/length.h"
#include "io/mjcf_equality.h"
#include "io/mjcf_values.h"

#include <algorithm>
#include <iterator>

namespace lig::io::mjcf {

namespace {

using Made = std::shared_ptr<const PairConstraint>;

// --- kinds without a number, and with one

template <class Kind>
Made read_plain(const PairSource&, const char*) {
    return std::make_shared<Kind>();
}
template <class Kind>
bool write_plain(const PairConstraint& constraint, const char*, XmlWriter&) {
    return dynamic_cast<const Kind*>(&constraint) != nullptr;
}

// It must be there.
template <class Kind>
Made read_number(const PairSource& from, const char* attribute) {
    const double given = from.in.required_number(attribute);
    if (!from.in.number(attribute)) return nullptr;
    return std::make_shared<Kind>(given);
}
template <class Kind>
Made read_number_or_zero(const PairSource& from, const char* attribute) {
    return std::make_shared<Kind>(from.in.number_or(attribute, 0));
}
template <auto value, class Kind>
bool write_number_of(const PairConstraint& constraint, const char* attribute, XmlWriter& xml) {
    const auto* const own = dynamic_cast<const Kind*>(&constraint);
    if (own) xml.numbers(attribute, {&(own->*value), 1});
    return own;
}

// Without a length the points stay as far apart as they are in the reference configuration.
Made read_distance(const PairSource& from, const char* attribute) {
    const std::optional<double> given = from.in.number(attribute);
    if (given) return std::make_shared<DistanceConstraint>(*given);
    if (from.in.has(attribute)) return nullptr;
    const ConstraintSpec& spec = from.spec;
    const Pose b_in_a = compose(relative_pose(from.context, {spec.body_a, spec.body_b}), spec.frame_b);
    return std::make_shared<DistanceConstraint>(length(b_in_a.pos - spec.frame_a.pos));
}

// --- curves

std::optional<Quadric> read_quadric(ElementReader& in, const char* attribute) {
    const auto numbers = in.numbers(attribute, 10, 10);
    if (!numbers) return {};
    const std::vector<double>& n = *numbers;
    return Quadric{{n[0], n[1], n[2], n[3], n[4], n[5]}, {n[6], n[7], n[8]}, n[9]};
}

Made read_curve(const PairSource& from, const char*) {
    ElementReader& in = from.in;
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

void write_quadric(XmlWriter& xml, std::string_view name, const Quadric& s) {
    const double numbers[] = {s.Q.xx, s.Q.yy, s.Q.zz, s.Q.xy, s.Q.xz, s.Q.yz, s.b.x, s.b.y, s.b.z, s.c};
    xml.numbers(name, numbers);
}

// By their coefficients, whatever they were made from.
bool write_curve(const PairConstraint& constraint, const char*, XmlWriter& xml) {
    const auto* const own = dynamic_cast<const CurveConstraint*>(&constraint);
    if (!own) return false;
    write_quadric(xml, "quadric", own->first);
    if (own->second) write_quadric(xml, "quadric2", *own->second);
    return true;
}

// --- prescribed motion

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

Made read_prescribed(const PairSource& from, const char*) {
    ElementReader& in = from.in;
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

void write_axes(XmlWriter& xml, const std::string& prefix, const PrescribedConstraint::Axes& axes) {
    static constexpr const char* letters[] = {"x", "y", "z"};
    static constexpr double none[6] = {};
    for (int k = 0; k < 3; ++k) {
        if (!axes[k]) continue;
        const MotionProfile& profile = *axes[k];
        const double wave[] = {profile.amplitude, profile.frequency, profile.phase};
        const bool swings = !same_bits(wave, std::span(none).first(3));
        // One of the two tells that the axis is held.
        if (swings)
            xml.numbers(prefix + letters[k], profile.polynomial, none, true);
        else
            xml.numbers(prefix + letters[k], profile.polynomial);
        if (swings) xml.numbers(prefix + letters[k] + "wave", wave);
    }
}

bool write_prescribed(const PairConstraint& constraint, const char*, XmlWriter& xml) {
    const auto* const own = dynamic_cast<const PrescribedConstraint*>(&constraint);
    if (!own) return false;
    write_axes(xml, "", own->position);
    write_axes(xml, "r", own->rotation);
    return true;
}

// --- surfaces

struct SurfaceNames {
    const char *shape, *size, *inside;
};
constexpr SurfaceNames surface_names[] = {{"shape1", "size1", "inside1"}, {"shape2", "size2", "inside2"}};

// Null after an error.
std::shared_ptr<const SmoothSurface> read_surface(ElementReader& in, const SurfaceNames& names) {
    static const std::vector<std::string_view> shapes = [] {
        std::vector<std::string_view> out;
        for (const SurfaceInfo& info : surface_list) out.push_back(info.name);
        return out;
    }();
    if (!in.has(names.shape)) in.required_text(names.shape);
    const std::optional<int> kind = in.choice(names.shape, shapes);
    const bool inside = in.boolean(names.inside).value_or(false);
    if (!kind) return nullptr;
    const int count = surface_list[*kind].sizes;
    std::array<double, 4> sizes{};
    if (count == 0 && in.has(names.size)) {
        in.log().report(codes::E014, in.where(names.size),
                        in.label() + " has '" + names.size + "', but a " + std::string(shapes[*kind]) +
                            " has no size",
                        "remove it");
        return nullptr;
    }
    if (count > 0) {
        if (!in.has(names.size)) in.required_text(names.size);
        const auto given = in.numbers(names.size, count, count);
        if (!given) return nullptr;
        std::copy(given->begin(), given->end(), sizes.begin());
    }
    return std::make_shared<StandardSurface>(static_cast<SurfaceKind>(*kind), sizes, inside);
}

template <bool rolling>
Made read_tangency(const PairSource& from, const char*) {
    const auto first = read_surface(from.in, surface_names[0]);
    const auto second = read_surface(from.in, surface_names[1]);
    if (!first || !second) return nullptr;
    return std::make_shared<TangencyConstraint>(first, second, rolling);
}

// Surfaces of a program's own cannot be written.
template <bool rolling>
bool write_tangency(const PairConstraint& constraint, const char*, XmlWriter& xml) {
    const auto* const own = dynamic_cast<const TangencyConstraint*>(&constraint);
    if (!own || own->rolling != rolling) return false;
    const auto* const a = dynamic_cast<const StandardSurface*>(own->surface_a.get());
    const auto* const b = dynamic_cast<const StandardSurface*>(own->surface_b.get());
    if (!a || !b) return false;
    for (int k = 0; k < 2; ++k) {
        const StandardSurface& surface = k == 0 ? *a : *b;
        const SurfaceNames& names = surface_names[k];
        xml.word(names.shape, surface.kind());
        const int count = surface_list[static_cast<int>(surface.type)].sizes;
        if (count > 0) xml.numbers(names.size, std::span(surface.sizes).first(count));
        xml.flag(names.inside, surface.inside);
    }
    return true;
}

constexpr PairFormat pair_formats[] = {
    {"distance", "length", read_distance, write_number_of<&DistanceConstraint::length, DistanceConstraint>},
    {"point_on_line", "", read_plain<PointOnLineConstraint>, write_plain<PointOnLineConstraint>},
    {"point_on_plane", "offset", read_number_or_zero<PointOnPlaneConstraint>,
     write_number_of<&PointOnPlaneConstraint::offset, PointOnPlaneConstraint>},
    {"curve", "", read_curve, write_curve},
    {"gear", "ratio", read_number<GearConstraint>, write_number_of<&GearConstraint::ratio, GearConstraint>},
    {"rolling_ball", "radius", read_number<RollingBallConstraint>,
     write_number_of<&RollingBallConstraint::radius, RollingBallConstraint>},
    {"rolling_disk", "radius", read_number<RollingDiskConstraint>,
     write_number_of<&RollingDiskConstraint::radius, RollingDiskConstraint>},
    {"knife_edge", "", read_plain<KnifeEdgeConstraint>, write_plain<KnifeEdgeConstraint>},
    {"prescribed", "", read_prescribed, write_prescribed},
    {"tangency", "", read_tangency<false>, write_tangency<false>},
    {"rolling_tangency", "", read_tangency<true>, write_tangency<true>},
};
static_assert(std::ranges::equal(pair_formats, pair_list, {}, &PairFormat::kind, &PairInfo::name));

}  // namespace

const PairFormat* find_pair_format(std::string_view kind) {
    const PairFormat* const found = std::ranges::find(pair_formats, kind, &PairFormat::kind);
    return found == std::end(pair_formats) ? nullptr : found;
}

}  // namespace lig::io::mjcf
