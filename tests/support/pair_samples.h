#pragma once

// One or more constraints of every kind of include/ligament/pair_kinds.h, and motions of their frames.

#include "support/random_values.h"

#include <ligament/pair_kinds.h>

#include <memory>
#include <vector>

namespace lig::test {

inline std::vector<std::shared_ptr<const PairConstraint>> pair_samples() {
    const MotionProfile swing{{0.2, -0.3, 0.1, 0.05, -0.02, 0.01}, 0.4, 0.7, 0.3};
    const MotionProfile drift{{-0.1, 0.6, 0, 0, 0, 0}, 0, 0, 0};
    const Quadric saddle{{0.5, -0.8, 0.2, 0.3, -0.4, 0.1}, {0.2, -0.5, 1}, 0.3};
    const Quadric bowl{{1, 1.5, 0, 0, 0, 0}, {0, 0, -1}, 0};
    std::vector<std::shared_ptr<const PairConstraint>> out;
    const auto add = [&](auto constraint) {
        out.push_back(std::make_shared<decltype(constraint)>(std::move(constraint)));
    };
    add(DistanceConstraint(0.7));
    add(PointOnLineConstraint());
    add(PointOnPlaneConstraint(0.3));
    add(CurveConstraint(saddle));
    add(CurveConstraint(saddle, bowl));
    add(CurveConstraint::sphere(0.4));
    add(CurveConstraint::ellipsoid({0.4, 0.7, 1.3}));
    add(CurveConstraint::circle(2));
    add(CurveConstraint::ellipse(0.5, 3));
    add(GearConstraint(-2.5));
    add(RollingBallConstraint(0.6));
    add(RollingDiskConstraint(0.8));
    add(KnifeEdgeConstraint());
    add(PrescribedConstraint({.x = swing, .z = drift}, {}));
    add(PrescribedConstraint({}, {.z = swing}));
    add(PrescribedConstraint({drift, swing, swing}, {swing, drift, swing}));
    const auto surface = [](SurfaceKind kind, std::array<double, 4> sizes, bool inside = false) {
        return std::make_shared<StandardSurface>(kind, sizes, inside);
    };
    add(TangencyConstraint(surface(SurfaceKind::plane, {}), surface(SurfaceKind::sphere, {0.3})));
    add(TangencyConstraint(surface(SurfaceKind::ellipsoid, {0.5, 0.7, 0.4}),
                           surface(SurfaceKind::ellipsoid, {0.3, 0.2, 0.25}), true));
    add(TangencyConstraint(surface(SurfaceKind::cylinder, {0.6}),
                           surface(SurfaceKind::ellipsoid, {0.6, 0.5, 0.7})));
    return out;
}

// Two frames, the origin of each with a constant velocity and each with a constant angular velocity.
struct PairMotion {
    explicit PairMotion(Random& random, double distance = 1) {
        start.X_WA = {rotation_matrix(random_rotation(random)), random_vec(random, 1)};
        // Far from half a turn between the frames, where the rows of a prescribed orientation end.
        start.X_WB = {start.X_WA.R * rotation_matrix(random_rotation(random, 1.2)),
                      start.X_WA.p + distance * random_vec(random, 1)};
        start.V_WA = {random_vec(random, 1), random_vec(random, 1)};
        start.V_WB = {random_vec(random, 1), random_vec(random, 1)};
        start.time = random.uniform(-1, 1);
    }
    PairState at(double t) const {
        const auto moved = [t](const Transformd& X, const Motion<double>& V) {
            return Transformd{rotation_matrix(rotation_exp(t * V.ang)) * X.R, X.p + t * V.lin};
        };
        return {moved(start.X_WA, start.V_WA), moved(start.X_WB, start.V_WB), start.V_WA, start.V_WB,
                start.time + t};
    }
    PairState start;
};

// J v + rate.
inline double row_rate(const PairRow& row, const PairState& state) {
    return dot(row.on_a, state.V_WA) + dot(row.on_b, state.V_WB) + row.rate;
}

}  // namespace lig::test
