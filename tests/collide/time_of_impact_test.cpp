// Times of impact against closed forms and against a fine scan of the distance.

#include "collide/time_of_impact.h"
#include "collide/convex.h"
#include "support/convex_cases.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;
using namespace lig::collide;

namespace {

const CollisionShape ball{.type = ShapeType::sphere, .size = {0.5, 0, 0}};
const CollisionShape rod{.type = ShapeType::capsule, .size = {0.05, 1, 0}};
const CollisionShape plate{.type = ShapeType::box, .size = {1, 1, 0.001}};

MovingShape still(const CollisionShape& shape, const Vec3d& at) {
    return {&shape, {Mat3d::identity(), at}, {Vec3d::zero(), Vec3d::zero()}};
}
MovingShape moving(const CollisionShape& shape, const Vec3d& at, const Vec3d& velocity,
                   const Vec3d& spin = {0, 0, 0}) {
    return {&shape, {Mat3d::identity(), at}, {spin, velocity}};
}
double distance_at(const MovingShape& a, const MovingShape& b, double t) {
    return convex_distance({a.shape, pose_after(a, t)}, {b.shape, pose_after(b, t)}).distance;
}

}  // namespace

TEST_CASE("time of impact: two balls, by the quadratic equation") {
    Random random(31);
    int hits = 0, misses = 0;
    for (int k = 0; k < 2000; ++k) {
        const double scale = std::pow(10, random.uniform(-3, 3));
        const CollisionShape a{.type = ShapeType::sphere, .size = {scale * random.uniform(0.1, 1), 0, 0}};
        const CollisionShape b{.type = ShapeType::sphere, .size = {scale * random.uniform(0.1, 1), 0, 0}};
        const Vec3d p = (scale * random.uniform(2.1, 5)) * random_direction(random);
        const Vec3d v = (-random.uniform(0.1, 20)) * (p + random_vec(random, 1.5 * scale));
        const Vec3d drift = random_vec(random, 100 * scale);
        const double tolerance = 1e-6 * scale, r = a.size.x + b.size.x;
        const auto found =
            convex_time_of_impact(moving(a, {0, 0, 0}, drift, random_vec(random, 9)),
                                  moving(b, p, v + drift, random_vec(random, 9)), 1, tolerance);
        // |p + t v| = r, and where it is r + tolerance.
        const auto first = [&](double radius) {
            const double vv = dot(v, v), pv = dot(p, v), d = pv * pv - vv * (dot(p, p) - radius * radius);
            return d < 0 ? 2.0 : (-pv - std::sqrt(d)) / vv;
        };
        const double touch = first(r), near = first(r + tolerance);
        if (touch <= 1) {
            ++hits;
            REQUIRE(found);
            REQUIRE(found->time <= touch);
            REQUIRE(found->time >= near - 1e-12);
            REQUIRE(!found->exhausted);
        } else if (near > 1) {
            ++misses;
            REQUIRE(!found);
        }
    }
    CHECK(hits > 300);
    CHECK(misses > 300);
}

TEST_CASE("time of impact: a spinning rod") {
    // It turns about y from along z; its end comes down on a ball at the angle at which the line through
    // the origin is r + r' from the ball's centre: sin(angle between) = (r + r') / |centre|.
    const double pi = 3.141592653589793, omega = 7;
    for (const double angle : {0.5, 1.0, 1.5, 2.5}) {
        const Vec3d centre{0.9 * std::sin(angle), 0, 0.9 * std::cos(angle)};
        const CollisionShape small{.type = ShapeType::sphere, .size = {0.1, 0, 0}};
        const auto found = convex_time_of_impact(moving(rod, {0, 0, 0}, {0, 0, 0}, {0, omega, 0}),
                                                 still(small, centre), 1, 1e-9);
        const double width = std::asin(0.15 / 0.9);
        // The other half of the rod is half a turn ahead, and comes from the other side.
        const double turn = angle - width > 0 ? angle - width : angle - width + pi;
        REQUIRE(found);
        CHECK(found->time <= turn / omega);
        CHECK(found->time == doctest::Approx(turn / omega).epsilon(1e-7));
        CHECK(!found->exhausted);
    }
    // A fraction of a millimetre out of reach.
    const auto missed = convex_time_of_impact(moving(rod, {0, 0, 0}, {0, 0, 0}, {0, 50, 0}),
                                              still(ball, {1.5505, 0, 0}), 1, 1e-5);
    CHECK(!missed);
}

TEST_CASE("time of impact: bullets do not pass through thin plates") {
    Random random(32);
    for (int k = 0; k < 300; ++k) {
        const OwnedShape bullet = random_shape(random, convex_types[k % 6], 0.01);
        const double speed = std::pow(10, random.uniform(1, 4)), from = random.uniform(0.5, 5);
        MovingShape a = moving(bullet.shape, {random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), from},
                               {0, 0, -speed}, random_vec(random, 50));
        a.X_WG.R = rotation_matrix(random_rotation(random));
        const MovingShape b = still(plate, {0, 0, 0});
        const auto found = convex_time_of_impact(a, b, 1, 1e-6);
        REQUIRE(found);
        REQUIRE(!found->exhausted);
        REQUIRE(found->distance <= 1e-6);
        REQUIRE(found->distance >= 0);
        // Its lowest point is still above the plate.
        const Transformd X = pose_after(a, found->time);
        REQUIRE(X.p.z - support_function(bullet.shape, transpose_mul(X.R, Vec3d{0, 0, -1})) > 0.001);
        REQUIRE(distance_at(a, b, found->time) == doctest::Approx(found->distance).epsilon(1e-6).scale(1e-9));
    }
}

TEST_CASE("time of impact: against a fine scan of the distance") {
    Random random(33);
    int hits = 0, misses = 0, exhausted = 0;
    for (int k = 0; k < 400; ++k) {
        const OwnedShape a = random_shape(random, convex_types[random_index(random, 6)], 1);
        const OwnedShape b = random_shape(random, convex_types[random_index(random, 6)], 0.7);
        MovingShape ma = moving(a.shape, {0, 0, 0}, random_vec(random, 3), random_vec(random, 8));
        const Vec3d from = 3.0 * random_direction(random);
        MovingShape mb =
            moving(b.shape, from, ma.velocity.lin - from + random_vec(random, 2), random_vec(random, 8));
        ma.X_WG.R = rotation_matrix(random_rotation(random));
        mb.X_WG.R = rotation_matrix(random_rotation(random));
        if (distance_at(ma, mb, 0) < 0.01) continue;
        const double tolerance = 1e-4;
        const auto found = convex_time_of_impact(ma, mb, 1, tolerance);
        const double end = found ? found->time : 1;
        if (found && found->exhausted) ++exhausted;
        // Before: apart.
        constexpr int steps = 200;
        for (int i = 0; i <= steps; ++i) REQUIRE(distance_at(ma, mb, end * i / steps) > 0);
        if (found) {
            ++hits;
            if (!found->exhausted) REQUIRE(distance_at(ma, mb, end) <= tolerance);
        } else {
            ++misses;
        }
    }
    CHECK(hits > 100);
    CHECK(misses > 100);
    CHECK(exhausted == 0);
}

TEST_CASE("time of impact: overlapping, parting, resting, huge and tiny") {
    const auto time = [](const MovingShape& a, const MovingShape& b, double tolerance) {
        return convex_time_of_impact(a, b, 1, tolerance);
    };
    // Overlapping at the beginning, even when parting.
    const auto overlapping = time(still(ball, {0, 0, 0}), moving(ball, {0.9, 0, 0}, {5, 0, 0}), 1e-6);
    REQUIRE(overlapping);
    CHECK(overlapping->time == 0);
    CHECK(overlapping->distance == doctest::Approx(-0.1));
    // Apart and parting, resting, too slow.
    CHECK(!time(still(ball, {0, 0, 0}), moving(ball, {1.5, 0, 0}, {5, 0, 0}), 1e-6));
    CHECK(!time(still(ball, {0, 0, 0}), still(ball, {1.5, 0, 0}), 1e-6));
    CHECK(!time(still(ball, {0, 0, 0}), moving(ball, {1.5, 0, 0}, {-0.4, 0, 0}), 1e-6));
    // Just at the end.
    const auto at_end = time(still(ball, {0, 0, 0}), moving(ball, {1.5, 0, 0}, {-0.5, 0, 0}), 1e-6);
    REQUIRE(at_end);
    CHECK(at_end->time == doctest::Approx(1).epsilon(1e-5));

    // A grain on a mountain far from the world's origin, with no tolerance at all.
    const CollisionShape mountain{.type = ShapeType::box, .size = {1e3, 1e3, 1e3}};
    const CollisionShape grain{.type = ShapeType::ellipsoid, .size = {1e-3, 2e-3, 1e-3}};
    const auto grain_hits =
        time(still(mountain, {1e4, 0, 0}), moving(grain, {1e4, 3, 1e3 + 2}, {0, 0, -4}, {30, 20, 10}), 0);
    REQUIRE(grain_hits);
    CHECK(grain_hits->time < 0.5);
    CHECK(grain_hits->time > (2 - 2.1e-3) / 4);
    CHECK(grain_hits->distance < 1e-8);
}
