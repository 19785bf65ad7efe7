// Rays, nearest points, overlaps and times of impact through the public functions, on a small world.

#include "support/random_values.h"

#include <ligament/collision_queries.h>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

enum Geoms {
    floor_geom,
    ball,
    crate,
    pole,
    ghost,
    geom_count
};

struct World {
    World() {
        Scene scene;
        scene.add_geom(world, {.name = "floor", .shape = ShapeType::plane, .group = 2});
        add(scene, {.name = "ball", .shape = ShapeType::sphere, .size = {0.5, 0, 0}, .group = 1});
        add(scene, {.name = "crate", .shape = ShapeType::box, .size = {1, 1, 1}});
        add(scene, {.name = "pole", .shape = ShapeType::capsule, .size = {0.1, 2, 0}});
        add(scene,
            {.name = "ghost", .shape = ShapeType::sphere, .size = {9, 0, 0}, .contype = 0, .conaffinity = 0});
        model = compile(scene);
        poses.assign(model->bodies.size(), Transformd::identity());
        poses[1].p = {-3, 0, 2};
        poses[2].p = {0, 0, 2};
        poses[3].p = {4, 0, 2};
        ws.emplace(model);
        find_contacts(poses, {}, *ws);
    }

    static void add(Scene& scene, const GeomSpec& geom) {
        const BodyId body = scene.add_body(world, {.name = geom.name + "_body"});
        scene.add_joint(body, {.type = JointType::free});
        scene.add_geom(body, geom);
    }

    std::shared_ptr<const Model> model;
    std::vector<Transformd> poses;
    std::optional<CollisionWorkspace> ws;
};

}  // namespace

TEST_CASE("a ray hits the first geom on its way") {
    const World w;
    const auto hit = cast_ray(*w.ws, {-10, 0, 2}, {2, 0, 0}, 100);
    REQUIRE(hit);
    CHECK(hit->geom == ball);
    CHECK(hit->distance == doctest::Approx(3.25).epsilon(1e-14));  // 6.5 m in units of 2 m
    CHECK(hit->point.x == doctest::Approx(-3.5).epsilon(1e-14));
    CHECK(hit->normal.x == doctest::Approx(-1).epsilon(1e-14));

    CHECK(!cast_ray(*w.ws, {-10, 0, 2}, {2, 0, 0}, 3.2));
    CHECK(cast_ray(*w.ws, {-10, 0, 2}, {1, 0, 0}, 100, {.exclude_body = 1})->geom == crate);
    CHECK(cast_ray(*w.ws, {-10, 0, 2}, {1, 0, 0}, 100, {.groups = 1u << 0})->geom == crate);
    CHECK(cast_ray(*w.ws, {10, 0, 2.5}, {-1, 0, 0}, 100)->geom == pole);
    const auto down = cast_ray(*w.ws, {2, 3, 7}, {0, 0, -1}, 100);
    REQUIRE(down);
    CHECK(down->geom == floor_geom);
    CHECK(down->distance == 7);
    CHECK(down->normal.z == 1);
    CHECK(!cast_ray(*w.ws, {2, 3, 7}, {0, 0, 1}, 1e9));
    CHECK(!cast_ray(*w.ws, {2, 3, 7}, {0, 0, 0}, 1));
}

TEST_CASE("rays in all directions agree with asking every geom alone") {
    const World together;
    // Everything but one geom is far away in each of these.
    std::vector<World> alone(4);
    for (int kept = 0; kept < 4; ++kept) {
        for (int other = 1; other < 4; ++other)
            if (other != kept) alone[kept].poses[other].p = {1e4 * other, 1e4, 1e4};
        find_contacts(alone[kept].poses, {}, *alone[kept].ws);
    }
    Random random(11);
    int hits = 0;
    for (int k = 0; k < 2000; ++k) {
        const Vec3d origin = random_vec(random, 6) + Vec3d{0, 0, 7}, direction = random_direction(random);
        const auto first = cast_ray(*together.ws, origin, direction, 50);
        std::optional<RayHit> nearest;
        for (int kept = 0; kept < 4; ++kept) {
            const QueryFilter only{.groups = kept == 0 ? 1u << 2 : 3u};
            const auto found = cast_ray(*alone[kept].ws, origin, direction, 50, only);
            if (found && (!nearest || found->distance < nearest->distance)) nearest = found;
        }
        REQUIRE(first.has_value() == nearest.has_value());
        if (!first) continue;
        ++hits;
        REQUIRE(first->distance == nearest->distance);
        REQUIRE(first->geom == nearest->geom);
        REQUIRE(dot(first->normal, direction) <= 0);
        REQUIRE(length(first->point - (origin + first->distance * direction)) < 1e-12);
    }
    CHECK(hits > 500);
}

TEST_CASE("distances of geoms") {
    const World w;
    const auto apart = geom_distance(*w.ws, ball, crate);
    REQUIRE(apart);
    CHECK(apart->distance == doctest::Approx(1.5).epsilon(1e-14));
    CHECK(apart->on_a.x == doctest::Approx(-2.5).epsilon(1e-14));
    CHECK(apart->on_b.x == doctest::Approx(-1).epsilon(1e-14));
    CHECK(apart->normal.x == doctest::Approx(1).epsilon(1e-14));
    const auto mirrored = geom_distance(*w.ws, crate, ball);
    CHECK(mirrored->distance == apart->distance);
    CHECK(mirrored->normal.x == -apart->normal.x);
    CHECK(geom_distance(*w.ws, floor_geom, crate)->distance == doctest::Approx(1).epsilon(1e-14));
    CHECK(geom_distance(*w.ws, pole, floor_geom)->distance == doctest::Approx(-0.1).epsilon(1e-12));
    CHECK(!geom_distance(*w.ws, floor_geom, floor_geom));
    CHECK_THROWS_AS(geom_distance(*w.ws, ball, geom_count), std::out_of_range);
    CHECK_THROWS_WITH_AS(geom_distance(*w.ws, ball, ghost),
                         "lig::geom_distance: geom 4 takes no part in collisions", std::invalid_argument);
}

TEST_CASE("overlaps of a shape with the world") {
    const World w;
    std::vector<int> found;
    Transformd X = Transformd::identity();
    X.p = {-1.6, 0, 2};
    find_overlaps(*w.ws, ShapeType::sphere, {0.5, 0, 0}, X, 0, found);
    CHECK(found.empty());
    find_overlaps(*w.ws, ShapeType::sphere, {0.5, 0, 0}, X, 0.2, found);
    CHECK(found == std::vector<int>{crate});
    find_overlaps(*w.ws, ShapeType::sphere, {1.0, 0, 0}, X, 0, found);
    CHECK(found == std::vector<int>{ball, crate});
    find_overlaps(*w.ws, ShapeType::box, {10, 10, 10}, X, 0, found);
    CHECK(found == std::vector<int>{floor_geom, ball, crate, pole});
    find_overlaps(*w.ws, ShapeType::box, {10, 10, 10}, X, 0, found, {.exclude_body = 2, .groups = 3});
    CHECK(found == std::vector<int>{ball, pole});
    X.p = {0, 0, 2.9};
    find_overlaps(*w.ws, ShapeType::plane, {0, 0, 0}, X, 0, found);
    CHECK(found == std::vector<int>{ball, crate, pole});
    CHECK_THROWS_AS(find_overlaps(*w.ws, ShapeType::mesh, {1, 1, 1}, X, 0, found), std::invalid_argument);
    CHECK_THROWS_AS(find_overlaps(*w.ws, ShapeType::box, {1, 0, 1}, X, 0, found), std::invalid_argument);
}

TEST_CASE("when a ball reaches a crate") {
    const World w;
    GeomMotion moving{w.poses[1], {Vec3d::zero(), {3, 0, 0}}}, standing{w.poses[2], Motion<double>::zero()};
    const auto touch = time_of_impact(*w.ws, ball, moving, crate, standing, 1, 1e-6);
    REQUIRE(touch);
    CHECK(*touch <= 0.5);
    CHECK(*touch > 0.5 - 1e-6);
    CHECK(!time_of_impact(*w.ws, ball, moving, crate, standing, 0.4, 1e-6));
    CHECK_THROWS_AS(time_of_impact(*w.ws, ball, moving, floor_geom, standing, 1, 1e-6),
                    std::invalid_argument);
}

TEST_CASE("questions before the first find_contacts") {
    const World w;
    const CollisionWorkspace fresh(w.model);
    CHECK_THROWS_AS(cast_ray(fresh, {0, 0, 9}, {0, 0, -1}, 9), std::logic_error);
    CHECK_THROWS_AS(geom_distance(fresh, ball, crate), std::logic_error);
}
