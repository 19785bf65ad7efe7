#pragma once

// The constraints between two bodies that the library knows; formulas and examples: docs/constraints.md. p is
// the position of B's origin in A's frame, x, y, z are the axes of the frames.

#include <ligament/pair_constraint.h>
#include <ligament/smooth_surface.h>

#include <array>
#include <memory>
#include <optional>
#include <string_view>

namespace lig {

// The origins of both frames keep a distance.
class DistanceConstraint final : public PairConstraint {
public:
    explicit DistanceConstraint(double length) : length(length) {}
    std::string_view kind() const override { return "distance"; }
    int rows() const override { return 1; }
    void evaluate(const PairState& state, PairRow* out) const override;
    std::string fault() const override;

    const double length;
};

// B's origin stays on the z axis of A.
class PointOnLineConstraint final : public PairConstraint {
public:
    std::string_view kind() const override { return "point_on_line"; }
    int rows() const override { return 2; }
    void evaluate(const PairState& state, PairRow* out) const override;
};

// B's origin stays in the plane z = offset of A.
class PointOnPlaneConstraint final : public PairConstraint {
public:
    explicit PointOnPlaneConstraint(double offset = 0) : offset(offset) {}
    std::string_view kind() const override { return "point_on_plane"; }
    int rows() const override { return 1; }
    void evaluate(const PairState& state, PairRow* out) const override;
    std::string fault() const override;

    const double offset;
};

// The surface pᵀ Q p + b · p + c = 0.
struct Quadric {
    Sym3d Q = Sym3d::zero();
    Vec3d b{0, 0, 0};
    double c = 0;
    friend bool operator==(const Quadric& l, const Quadric& r) {
        return l.Q.xx == r.Q.xx && l.Q.yy == r.Q.yy && l.Q.zz == r.Q.zz && l.Q.xy == r.Q.xy &&
               l.Q.xz == r.Q.xz && l.Q.yz == r.Q.yz && l.b.x == r.b.x && l.b.y == r.b.y && l.b.z == r.b.z &&
               l.c == r.c;
    }
};

// B's origin stays on a quadric of A's frame (one row: a surface), or on two of them (two rows: the curve
// in which they meet).
class CurveConstraint final : public PairConstraint {
public:
    explicit CurveConstraint(const Quadric& surface) : first(surface) {}
    CurveConstraint(const Quadric& first, const Quadric& second) : first(first), second(second) {}

    // About A's origin: a sphere, an ellipsoid by its semi-axes, a circle and an ellipse in the plane z = 0.
    static CurveConstraint sphere(double radius);
    static CurveConstraint ellipsoid(const Vec3d& semi_axes);
    static CurveConstraint circle(double radius);
    static CurveConstraint ellipse(double semi_axis_x, double semi_axis_y);

    std::string_view kind() const override { return "curve"; }
    int rows() const override { return second ? 2 : 1; }
    void evaluate(const PairState& state, PairRow* out) const override;
    std::string fault() const override;
    std::string_view undefined_because(const PairState& state) const override;

    const Quadric first;
    const std::optional<Quadric> second;
};

// The angular velocity of B about its z axis is `ratio` times that of A about its own. Both are counted in
// the world: what the wheels are mounted on stands still. Nonholonomic.
class GearConstraint final : public PairConstraint {
public:
    explicit GearConstraint(double ratio) : ratio(ratio) {}
    std::string_view kind() const override { return "gear"; }
    int rows() const override { return 1; }
    void evaluate(const PairState& state, PairRow* out) const override;
    std::string fault() const override;

    const double ratio;
};

// A sphere about B's origin rolls on the plane z = 0 of A, on the side of z, without slipping. It may spin.
// The first row holds it on the plane, the other two are nonholonomic.
class RollingBallConstraint final : public PairConstraint {
public:
    explicit RollingBallConstraint(double radius) : radius(radius) {}
    std::string_view kind() const override { return "rolling_ball"; }
    int rows() const override { return 3; }
    void evaluate(const PairState& state, PairRow* out) const override;
    std::string fault() const override;

    const double radius;
};

// The rim of a disk about B's origin, across the z axis of B, rolls on the plane z = 0 of A, on the side of
// z. Rows as those of the ball. A disk that lies flat has no lowest point: its centre is then held at the
// plane and its slip is not restrained.
class RollingDiskConstraint final : public PairConstraint {
public:
    // Sine of the angle between the disk and the plane below which it lies flat.
    static constexpr double flat = 1e-6;

    explicit RollingDiskConstraint(double radius) : radius(radius) {}
    std::string_view kind() const override { return "rolling_disk"; }
    int rows() const override { return 3; }
    void evaluate(const PairState& state, PairRow* out) const override;
    std::string fault() const override;
    std::string_view undefined_because(const PairState& state) const override;

    const double radius;
};

// A blade at B's origin along the x axis of B: seen from A, the origin does not move along B's y axis.
// Nonholonomic.
class KnifeEdgeConstraint final : public PairConstraint {
public:
    std::string_view kind() const override { return "knife_edge"; }
    int rows() const override { return 1; }
    void evaluate(const PairState& state, PairRow* out) const override;
};

// A function of time: a polynomial and an oscillation.
struct MotionProfile {
    std::array<double, 6> polynomial{0, 0, 0, 0, 0, 0};  // by rising powers of t
    double amplitude = 0, frequency = 0, phase = 0;      // + amplitude · sin(2π frequency t + phase); Hz, rad

    double value(double t) const;
    double rate(double t) const;
    double acceleration(double t) const;
    friend bool operator==(const MotionProfile&, const MotionProfile&) = default;
};

// B moves in A's frame as prescribed. position: the components of p that follow a profile. rotation: angles
// about x, then the new y, then the new z, which turn a frame F out of A; B has the orientation of F as seen
// about those axes of F that have a profile (the others count as 0 and are for joints to hold, or all three
// are given). At half a turn between B and F the rows are singular.
class PrescribedConstraint final : public PairConstraint {
public:
    struct Axes {
        std::optional<MotionProfile> x = {}, y = {}, z = {};
        const std::optional<MotionProfile>& operator[](int k) const { return k == 0 ? x : k == 1 ? y
                                                                                                 : z; }
        friend bool operator==(const Axes&, const Axes&) = default;
    };

    PrescribedConstraint(const Axes& position, const Axes& rotation)
        : position(position), rotation(rotation) {}
    std::string_view kind() const override { return "prescribed"; }
    int rows() const override;
    void evaluate(const PairState& state, PairRow* out) const override;
    std::string fault() const override;

    const Axes position, rotation;
};

// Two smooth surfaces, one in each frame, touch in a point of both and share its normal; with rolling they do
// not slip there. Where they touch is found in every state anew.
class TangencyConstraint final : public PairConstraint {
public:
    TangencyConstraint(std::shared_ptr<const SmoothSurface> a, std::shared_ptr<const SmoothSurface> b,
                       bool rolling = false)
        : surface_a(std::move(a)), surface_b(std::move(b)), rolling(rolling) {}
    std::string_view kind() const override { return rolling ? "rolling_tangency" : "tangency"; }
    int rows() const override { return rolling ? 3 : 1; }
    void evaluate(const PairState& state, PairRow* out) const override;
    std::string fault() const override;
    std::string_view undefined_because(const PairState& state) const override;
    double size() const;  // of the smaller surface

    const std::shared_ptr<const SmoothSurface> surface_a, surface_b;
    const bool rolling;
};

// All of them, by the names of their kind(). The command line, the readers and writers of files, the contract
// test and the table in docs/constraints.md run on this list.
struct PairInfo {
    std::string_view name;
    int min_rows, max_rows;
    int nonholonomic;  // how many of the rows, from the last
    std::string_view summary;
};
inline constexpr PairInfo pair_list[] = {
    {"distance", 1, 1, 0, "two points keep their distance"},
    {"point_on_line", 2, 2, 0, "a point on a line"},
    {"point_on_plane", 1, 1, 0, "a point on a plane"},
    {"curve", 1, 2, 0, "a point on a quadric, or where two of them meet"},
    {"gear", 1, 1, 1, "a ratio of angular velocities"},
    {"rolling_ball", 3, 3, 2, "a ball rolls on a plane"},
    {"rolling_disk", 3, 3, 2, "a disk or wheel rolls on a plane"},
    {"knife_edge", 1, 1, 1, "a blade moves along its edge only"},
    {"prescribed", 1, 6, 0, "position and angles as functions of time"},
    {"tangency", 1, 1, 0, "two smooth surfaces touch and slide on each other"},
    {"rolling_tangency", 3, 3, 2, "two smooth surfaces touch and roll on each other"},
};

}  // namespace lig
