// The contract of the constraints between two bodies: every kind of the list against differences of what it
// states along motions, and the velocities that the nonholonomic ones restrain against differences of the
// motion itself.

#include "support/pair_samples.h"

#include <doctest/doctest.h>

#include <array>
#include <set>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

using PairRows = std::array<PairRow, PairConstraint::max_rows>;

PairRows rows_of(const PairConstraint& constraint, const PairState& state) {
    PairRows rows;
    constraint.evaluate(state, rows.data());
    return rows;
}

bool finite(const Vec3d& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }
bool finite(const Force<double>& f) { return finite(f.ang) && finite(f.lin); }
bool finite(const PairRow& row) {
    return std::isfinite(row.error) && std::isfinite(row.rate) && std::isfinite(row.product) &&
           std::isfinite(row.scale) && row.scale != 0 && std::isfinite(row.size) && finite(row.on_a) &&
           finite(row.on_b);
}

// Differences over 2t: t² times a third derivative of order 10 (curves and angles of order 1), rounding
// 1e-16/t.
constexpr double t = 1e-5, tolerance = 1e-8;

// Of a disk. Where it is small the lowest point runs around the rim, and differences are poor.
double sine_to_plane(const PairState& s) { return length(cross(s.X_WA.R.z, s.X_WB.R.z)); }

// The velocity, in the axes of A, of a point of B (given in B) seen from A, by differences of positions.
Vec3d seen_from_a(const PairMotion& motion, const Vec3d& point_of_b) {
    const auto place = [&](double when) {
        const PairState s = motion.at(when);
        return s.X_WA.inverse() * (s.X_WB * point_of_b);
    };
    return (1 / (2 * t)) * (place(t) - place(-t));
}

}  // namespace

TEST_CASE("pairs: the samples are of all kinds of the list, with their rows") {
    std::set<std::string_view> seen;
    Random random(1);
    for (const auto& sample : pair_samples()) {
        seen.insert(sample->kind());
        CAPTURE(sample->kind());
        CHECK(sample->fault() == "");
        const auto info = std::find_if(std::begin(pair_list), std::end(pair_list),
                                       [&](const auto& entry) { return entry.name == sample->kind(); });
        REQUIRE(info != std::end(pair_list));
        const int rows = sample->rows();
        CHECK(rows >= info->min_rows);
        CHECK(rows <= info->max_rows);
        const PairRows out = rows_of(*sample, PairMotion(random).start);
        for (int r = 0; r < rows; ++r) {
            CHECK(out[r].holonomic == (r < rows - info->nonholonomic));
            if (!out[r].holonomic) CHECK(out[r].error == 0);
        }
    }
    CHECK(seen.size() == std::size(pair_list));
}

TEST_CASE("pairs: dC/dt = J v + rate, and its derivative at constant velocities is the product") {
    Random random(2);
    for (const auto& sample : pair_samples()) {
        CAPTURE(sample->kind());
        for (int run = 0; run < 40; ++run) {
            CAPTURE(run);
            const PairMotion motion(random);
            if (sample->kind() == "rolling_disk" && sine_to_plane(motion.start) < 0.3) continue;
            const PairState before = motion.at(-t), now = motion.at(0), after = motion.at(t);
            const PairRows rows = rows_of(*sample, now), early = rows_of(*sample, before),
                           late = rows_of(*sample, after);
            for (int r = 0; r < sample->rows(); ++r) {
                CAPTURE(r);
                REQUIRE(finite(rows[r]));
                const double size = std::max(1.0, std::abs(rows[r].product));
                if (rows[r].holonomic)
                    CHECK(std::abs(row_rate(rows[r], now) - (late[r].error - early[r].error) / (2 * t)) <
                          tolerance * size);
                const double product = (row_rate(late[r], after) - row_rate(early[r], before)) / (2 * t);
                // A short distance turns fast: that is in `size`.
                CHECK(std::abs(rows[r].product - product) < tolerance * size * size);
            }
        }
    }
}

TEST_CASE("pairs: both bodies moving as one are restrained by none but the gear, which leans on the world") {
    Random random(3);
    for (const auto& sample : pair_samples()) {
        if (sample->kind() == "gear") continue;
        CAPTURE(sample->kind());
        for (int run = 0; run < 10; ++run) {
            PairState state = PairMotion(random).start;
            state.V_WB = shift(state.V_WA, state.X_WB.p - state.X_WA.p);
            const PairRows rows = rows_of(*sample, state);
            for (int r = 0; r < sample->rows(); ++r)
                CHECK(std::abs(dot(rows[r].on_a, state.V_WA) + dot(rows[r].on_b, state.V_WB)) < 1e-14 * 20);
        }
    }
}

TEST_CASE("pairs: the slip of a ball and of a disk is the velocity of the point that touches") {
    Random random(4);
    const RollingBallConstraint ball(0.6);
    const RollingDiskConstraint disk(0.8);
    for (int run = 0; run < 30; ++run) {
        const PairMotion motion(random);
        const PairState& now = motion.start;
        const Vec3d n = now.X_WA.R.z;
        const PairRows of_ball = rows_of(ball, now), of_disk = rows_of(disk, now);

        const Vec3d ball_slip = seen_from_a(motion, transpose_mul(now.X_WB.R, -0.6 * n));
        for (int k = 0; k < 2; ++k)
            CHECK(std::abs(row_rate(of_ball[1 + k], now) - ball_slip[k]) < tolerance);

        if (sine_to_plane(now) < 0.1) continue;
        // The lowest point of the rim by search: golden sections between the neighbours of the best of 64.
        const auto rim = [](double a) { return Vec3d{0.8 * std::cos(a), 0.8 * std::sin(a), 0}; };
        const auto height = [&](double a) { return dot(n, now.X_WB * rim(a) - now.X_WA.p); };
        double best = 0;
        const double step = 2 * 3.14159265358979323846 / 64;
        for (int k = 1; k < 64; ++k)
            if (height(k * step) < height(best)) best = k * step;
        double lo = best - step, hi = best + step;
        for (int k = 0; k < 60; ++k) {
            const double a = lo + 0.382 * (hi - lo), b = lo + 0.618 * (hi - lo);
            (height(a) < height(b) ? hi : lo) = height(a) < height(b) ? b : a;
        }
        best = (lo + hi) / 2;
        // A minimum is found to the root of rounding, its height to rounding.
        CHECK(std::abs(of_disk[0].error - height(best)) < 1e-14);
        const Vec3d disk_slip = seen_from_a(motion, rim(best));
        for (int k = 0; k < 2; ++k)
            CHECK(std::abs(row_rate(of_disk[1 + k], now) - disk_slip[k]) < 1e-6);
    }
}

TEST_CASE("pairs: what a blade and a gear restrain") {
    Random random(5);
    for (int run = 0; run < 30; ++run) {
        const PairMotion motion(random);
        const PairState& now = motion.start;
        const Vec3d across = transpose_mul(now.X_WA.R, now.X_WB.R.y);
        CHECK(std::abs(row_rate(rows_of(KnifeEdgeConstraint(), now)[0], now) -
                       dot(across, seen_from_a(motion, {0, 0, 0}))) < tolerance);
        // Turning about its own z: what its x axis moves along its y axis.
        const auto spin = [&](Transformd PairState::* X) {
            const Vec3d change = (1 / (2 * t)) * ((motion.at(t).*X).R.x - (motion.at(-t).*X).R.x);
            return dot(change, (now.*X).R.y);
        };
        CHECK(std::abs(row_rate(rows_of(GearConstraint(-2.5), now)[0], now) -
                       (spin(&PairState::X_WB) + 2.5 * spin(&PairState::X_WA))) < tolerance);
    }
}

TEST_CASE("pairs: where a constraint is undefined it says so, and its rows are finite") {
    Random random(6);
    PairMotion motion(random);
    PairState state = motion.start;
    state.X_WB = state.X_WA;
    for (const auto& sample : pair_samples()) {
        CAPTURE(sample->kind());
        for (int r = 0; const PairRow& row : rows_of(*sample, state)) {
            if (r++ == sample->rows()) break;
            CHECK(finite(row));
        }
    }
    const RollingDiskConstraint disk(0.8);
    CHECK(disk.undefined_because(state) != "");
    CHECK(std::abs(rows_of(disk, state)[0].error) < 1e-15);
    CHECK(disk.undefined_because(motion.start) == "");
    CHECK(CurveConstraint::sphere(1).undefined_because(state) != "");
    CHECK(CurveConstraint::sphere(1).undefined_because(motion.start) == "");
    state.X_WB.p += Vec3d{2, 0, 0};
    // Two spheres that touch.
    const Quadric unit{{1, 1, 1, 0, 0, 0}, {0, 0, 0}, -1}, beside{{1, 1, 1, 0, 0, 0}, {-6, 0, 0}, 8};
    PairState touching;
    touching.X_WB.p = {1, 0, 0};
    CHECK(CurveConstraint(unit, beside).undefined_because(touching) != "");
}

TEST_CASE("pairs: parameters that cannot be are told") {
    const double nan = std::nan("");
    CHECK(DistanceConstraint(0).fault() != "");
    CHECK(DistanceConstraint(nan).fault() != "");
    CHECK(PointOnPlaneConstraint(nan).fault() != "");
    CHECK(CurveConstraint(Quadric{}).fault() != "");
    CHECK(CurveConstraint(Quadric{{nan, 0, 0, 0, 0, 0}, {0, 0, 0}, 0}).fault() != "");
    CHECK(CurveConstraint::sphere(0).fault() != "");
    CHECK(GearConstraint(0).fault() != "");
    CHECK(RollingBallConstraint(-1).fault() != "");
    CHECK(RollingDiskConstraint(0).fault() != "");
    CHECK(PrescribedConstraint({}, {}).fault() != "");
    CHECK(PrescribedConstraint({.x = MotionProfile{{nan, 0, 0, 0, 0, 0}, 0, 0, 0}}, {}).fault() != "");
}
