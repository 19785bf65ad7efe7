#include "io/mjcf_orientation.h"

#include "core/diagnostic_codes.h"
#include "core/unit_quaternion.h"
#include "io/mjcf_values.h"

#include <cmath>

namespace lig::io::mjcf {

namespace {

// Directions shorter than this are taken for a mistake.
constexpr double shortest = 1e-14;

struct FormEntry {
    const char* attribute;
    OrientationForm form;
    int count;
};
constexpr FormEntry forms[] = {{"quat", OrientationForm::quat, 4},
                               {"axisangle", OrientationForm::axisangle, 4},
                               {"xyaxes", OrientationForm::xyaxes, 6},
                               {"zaxis", OrientationForm::zaxis, 3},
                               {"euler", OrientationForm::euler, 3}};

double length(const Vec3d& v) { return std::hypot(v.x, v.y, v.z); }
Vec3d normalized(const Vec3d& v) { return (1 / length(v)) * v; }
Vec3d triple(const std::array<double, 6>& values, int first) {
    return {values[first], values[first + 1], values[first + 2]};
}

Quatd about(const Vec3d& unit_axis, double angle) {
    const double s = std::sin(angle / 2);
    return {std::cos(angle / 2), s * unit_axis.x, s * unit_axis.y, s * unit_axis.z};
}

// Of the four parts of the quaternion the largest is found from the diagonal, the others from sums and
// differences across it.
Quatd from_matrix(const Mat3d& R) {
    const double w = 1 + R.x.x + R.y.y + R.z.z, x = 1 + R.x.x - R.y.y - R.z.z;
    const double y = 1 - R.x.x + R.y.y - R.z.z, z = 1 - R.x.x - R.y.y + R.z.z;
    const double largest = std::max({w, x, y, z});
    Quatd q;
    if (largest == w)
        q = {w, R.y.z - R.z.y, R.z.x - R.x.z, R.x.y - R.y.x};
    else if (largest == x)
        q = {R.y.z - R.z.y, x, R.y.x + R.x.y, R.z.x + R.x.z};
    else if (largest == y)
        q = {R.z.x - R.x.z, R.y.x + R.x.y, y, R.z.y + R.y.z};
    else
        q = {R.x.y - R.y.x, R.z.x + R.x.z, R.z.y + R.y.z, z};
    return unit_quaternion(q);
}

// What is wrong with an orientation, or nothing.
std::string_view problem(const Orientation& orientation) {
    const auto& v = orientation.values;
    switch (orientation.form) {
        case OrientationForm::quat:
            if (std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2]), std::abs(v[3])}) < shortest)
                return "the quaternion has no length";
            break;
        case OrientationForm::axisangle:
        case OrientationForm::zaxis:
            if (length(triple(v, 0)) < shortest) return "the axis has no length";
            break;
        case OrientationForm::xyaxes: {
            const Vec3d x = triple(v, 0), y = triple(v, 3);
            if (length(x) < shortest || length(y) < shortest) return "an axis has no length";
            if (length(cross(normalized(x), normalized(y))) < shortest) return "the two axes are parallel";
            break;
        }
        case OrientationForm::euler: break;
    }
    return {};
}

Quatd from_euler(const std::array<double, 6>& angles, const Settings& settings) {
    Quatd q = Quatd::identity();
    for (int i = 0; i < 3; ++i) {
        const char axis = settings.euler_sequence[i];
        Vec3d unit = Vec3d::zero();
        unit[(axis | 0x20) - 'x'] = 1;
        const Quatd turn = about(unit, settings.angle(angles[i]));
        const bool turns_along = axis >= 'x';
        q = turns_along ? q * turn : turn * q;
    }
    return q;
}

}  // namespace

bool read_orientation(ElementReader& in, Orientation& orientation) {
    const FormEntry* used = nullptr;
    for (const FormEntry& entry : forms) {
        const auto values = in.numbers(entry.attribute, entry.count, entry.count);
        if (!in.has(entry.attribute)) continue;
        if (used) {
            in.log().report(codes::E083, in.where(entry.attribute),
                            in.label() + " gives its orientation both as '" + used->attribute + "' and as '" +
                                entry.attribute + "'",
                            "keep one of them");
            return true;
        }
        used = &entry;
        if (!values) continue;
        Orientation read{.form = entry.form};
        std::copy(values->begin(), values->end(), read.values.begin());
        const std::string_view trouble = problem(read);
        if (trouble.empty())
            orientation = read;
        else
            in.log().report(codes::E083, in.where(entry.attribute),
                            "attribute '" + std::string(entry.attribute) + "' of " + in.label() + ": " +
                                std::string(trouble));
    }
    return used != nullptr;
}

void read_pose(ElementReader& in, PoseFields& pose) {
    assign(pose.pos, in.vec3("pos"));
    read_orientation(in, pose.orientation);
}

namespace {

Quatd quaternion_of(const Orientation& orientation, const Settings& settings) {
    const auto& v = orientation.values;
    switch (orientation.form) {
        case OrientationForm::quat: return {v[0], v[1], v[2], v[3]};
        case OrientationForm::axisangle: return about(normalized(triple(v, 0)), settings.angle(v[3]));
        case OrientationForm::xyaxes: {
            const Vec3d x = normalized(triple(v, 0));
            const Vec3d z = normalized(cross(x, normalized(triple(v, 3))));
            return from_matrix({x, cross(z, x), z});
        }
        case OrientationForm::zaxis: return quaternion_of_z(triple(v, 0));
        case OrientationForm::euler: return from_euler(v, settings);
    }
    return Quatd::identity();
}

}  // namespace

Quatd to_quaternion(const Orientation& orientation, const Settings& settings) {
    return unit_quaternion(quaternion_of(orientation, settings));
}

Pose to_pose(const PoseFields& pose, const Settings& settings) {
    return {pose.pos, to_quaternion(pose.orientation, settings)};
}

Quatd quaternion_of_z(const Vec3d& direction) {
    const Vec3d d = normalized(direction);
    const double sine = std::hypot(d.x, d.y);
    if (sine < 1e-10) return about({1, 0, 0}, std::atan2(0.0, d.z));
    return unit_quaternion(about({-d.y / sine, d.x / sine, 0}, std::atan2(sine, d.z)));
}

bool is_identity(const Pose& pose) {
    return pose.pos.x == 0 && pose.pos.y == 0 && pose.pos.z == 0 && pose.quat.w == 1 && pose.quat.x == 0 &&
           pose.quat.y == 0 && pose.quat.z == 0;
}

Pose compose(const Pose& outer, const Pose& inner) {
    // Not even the sign of a zero changes in a frame that is the body's own.
    if (is_identity(outer)) return inner;
    return {outer.pos + rotation_matrix(outer.quat) * inner.pos, unit_quaternion(outer.quat * inner.quat)};
}

Pose inverse(const Pose& pose) {
    return {-transpose_mul(rotation_matrix(pose.quat), pose.pos), conjugate(pose.quat)};
}

bool read_frame_quat(ElementReader& in, const char* attribute, Quatd& quat) {
    const auto values = in.numbers(attribute, 4, 4);
    if (!values) return !in.has(attribute);
    const auto& v = *values;
    if (v[0] == 0 && v[1] == 0 && v[2] == 0 && v[3] == 0) {
        in.log().report(codes::E083, in.where(attribute), in.label() + ": the quaternion has no length");
        return false;
    }
    quat = to_quaternion({OrientationForm::quat, {v[0], v[1], v[2], v[3], 0, 0}}, {});
    return true;
}

bool read_frame(ElementReader& in, const char* pos, const char* quat, const char* axis, Pose& frame) {
    frame.pos = in.vec3_or(pos, {0, 0, 0});
    if (!read_frame_quat(in, quat, frame.quat)) return false;
    if (!in.has(axis)) return true;
    const std::optional<Vec3d> direction = in.vec3(axis);
    if (!direction) return false;
    if (in.has(quat)) {
        in.log().report(codes::E014, in.where(axis),
                        in.label() + " has both '" + quat + "' and '" + axis + "'",
                        "one of them gives the orientation of the frame");
        return false;
    }
    if (!(length(*direction) > 0)) {
        in.log().report(codes::E032, in.where(axis), in.label() + ": '" + axis + "' has no direction");
        return false;
    }
    frame.quat = quaternion_of_z(*direction);
    return true;
}

}  // namespace lig::io::mjcf
