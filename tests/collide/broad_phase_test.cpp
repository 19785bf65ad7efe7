// The broad phase against looking at all pairs.

#include "collide/broad_phase.h"
#include "support/random_values.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

using namespace lig;
using namespace lig::collide;
using namespace lig::test;

namespace {

// Spheres on bodies of their own, some of them on the world, and planes.
struct Swarm {
    Swarm(int spheres, int planes, std::uint64_t seed) : random(seed) {
        for (int k = 0; k < spheres + planes; ++k) {
            CollisionModel::Geom geom{};
            const bool plane = k % 10 == 3 && k / 10 < planes;
            geom.geom = k;
            geom.body = k + 1;
            geom.X_BG = Transformd::identity();
            geom.shape.type = plane ? ShapeType::plane : ShapeType::sphere;
            // From a grain of sand to a house.
            geom.shape.size = {plane ? 0 : std::pow(10.0, random.uniform(-3, 1)), 0, 0};
            geom.moves = !plane && k % 7 != 0;
            model.geoms.push_back(geom);
            model.filters.push_back({.contype = 1,
                                     .conaffinity = 1,
                                     .mover = geom.moves ? k : -1,
                                     .parent_mover = -1,
                                     .body = geom.body});
            model.index_of.push_back(k);
        }
        for (std::size_t k = 0; k < model.geoms.size(); ++k) {
            Transformd X = Transformd::identity();
            X.p = random_vec(random, 10);
            if (model.geoms[k].shape.type == ShapeType::plane)
                X.R = rotation_matrix(random_rotation(random));
            placed.push_back({&model.geoms[k].shape, X});
            velocity.push_back(random_vec(random, 0.2));
        }
    }

    void move() {
        for (std::size_t k = 0; k < placed.size(); ++k)
            if (model.geoms[k].moves) placed[k].X_WG.p += velocity[k];
        grown.resize(placed.size(), 0.0);
        tight.clear();
        for (std::size_t k = 0; k < placed.size(); ++k) {
            const double r = model.geoms[k].shape.size.x;
            const Vec3d& p = placed[k].X_WG.p;
            tight.push_back(FloatBox::around({p - Vec3d{r, r, r}, p + Vec3d{r, r, r}}));
        }
    }

    bool near(int a, int b) const {
        const CollisionModel::Geom &ga = model.geoms[a], &gb = model.geoms[b];
        if (ga.shape.type == ShapeType::plane) return near(b, a);
        if (gb.shape.type == ShapeType::plane) {
            if (ga.shape.type == ShapeType::plane) return false;
            const Transformd& X = placed[b].X_WG;
            return dot(X.R.z, placed[a].X_WG.p - X.p) <= ga.shape.size.x + grown[b];
        }
        return overlap(tight[a], tight[b]);
    }

    Random random;
    CollisionModel model;
    std::vector<PlacedShape> placed;
    std::vector<Vec3d> velocity;
    std::vector<FloatBox> tight;
    std::vector<double> grown;  // of planes alone
};

void check_pairs(const Swarm& swarm, BroadPhase& broad) {
    const auto pairs = broad.pairs();
    std::set<std::pair<int, int>> found;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        REQUIRE(pairs[k].a < pairs[k].b);
        REQUIRE(swarm.model.may_collide(pairs[k].a, pairs[k].b));
        if (k > 0)
            REQUIRE(std::pair(pairs[k - 1].a, pairs[k - 1].b) < std::pair(pairs[k].a, pairs[k].b));
        found.emplace(pairs[k].a, pairs[k].b);
    }
    const int count = static_cast<int>(swarm.placed.size());
    int missed = 0;
    for (int a = 0; a < count; ++a)
        for (int b = a + 1; b < count; ++b)
            if (swarm.model.may_collide(a, b) && swarm.near(a, b) && !found.contains({a, b})) ++missed;
    CHECK(missed == 0);
}

}  // namespace

TEST_CASE("no near pair is missed while everybody moves") {
    for (const int threads : {1, 3}) {
        CAPTURE(threads);
        Swarm swarm(300, 2, 5);
        BroadPhase broad(swarm.model);
        Parallel parallel;
        parallel.set_threads(threads);
        for (int step = 0; step < 60; ++step) {
            CAPTURE(step);
            swarm.move();
            if (step % 20 == 19) {  // some are put elsewhere, others stand still from now on
                for (std::size_t k = 1; k < swarm.placed.size(); k += 5)
                    if (swarm.model.geoms[k].moves) swarm.placed[k].X_WG.p = random_vec(swarm.random, 10);
                for (std::size_t k = 2; k < swarm.placed.size(); k += 3) swarm.velocity[k] = Vec3d::zero();
                swarm.move();
            }
            broad.update(swarm.tight, swarm.grown, swarm.placed, parallel);
            check_pairs(swarm, broad);
        }
    }
}

TEST_CASE("a plane that reaches higher is met by those above it") {
    Swarm swarm(50, 1, 8);
    swarm.velocity.assign(swarm.velocity.size(), Vec3d::zero());
    BroadPhase broad(swarm.model);
    Parallel parallel;
    swarm.move();
    for (const double height : {0.0, 1.0, 1.05, 3.0, 0.5, 30.0, 0.0}) {
        swarm.grown[3] = height;
        broad.update(swarm.tight, swarm.grown, swarm.placed, parallel);
        check_pairs(swarm, broad);
    }
}

TEST_CASE("a plane that moves is met by those it comes to") {
    Swarm swarm(50, 1, 6);
    swarm.model.geoms[3].moves =
        true;  // the plane is on a kinematic body, so it does not meet what stands still
    swarm.placed[3].X_WG = {Mat3d::identity(), {0, 0, -30}};
    swarm.velocity.assign(swarm.velocity.size(), Vec3d::zero());
    BroadPhase broad(swarm.model);
    Parallel parallel;
    for (int step = 0; step < 30; ++step) {
        swarm.velocity[3] = {0, 0, 2};
        swarm.move();
        broad.update(swarm.tight, swarm.grown, swarm.placed, parallel);
        check_pairs(swarm, broad);
    }
}

TEST_CASE("who stays in his box is left alone") {
    Swarm swarm(200, 0, 8);
    swarm.velocity.assign(swarm.velocity.size(), Vec3d::zero());
    swarm.move();
    BroadPhase broad(swarm.model);
    Parallel parallel;
    broad.update(swarm.tight, swarm.grown, swarm.placed, parallel);
    const auto first = broad.pairs();
    // A mark at the pairs shows whether they were found anew.
    for (GeomPair& pair : broad.pairs()) pair.properties = 42;
    for (PlacedShape& placed : swarm.placed) placed.X_WG.p += Vec3d{1e-5, 0, 0};
    swarm.move();
    broad.update(swarm.tight, swarm.grown, swarm.placed, parallel);
    REQUIRE(broad.pairs().size() == first.size());
    CHECK(std::all_of(broad.pairs().begin(), broad.pairs().end(),
                      [](const GeomPair& pair) { return pair.properties == 42; }));
}

TEST_CASE("boxes rounded to single precision are not smaller than they were") {
    Random random(3);
    for (int k = 0; k < 10000; ++k) {
        const double size = std::pow(10.0, random.uniform(-12, 6));
        const Vec3d center = random_vec(random, std::pow(10.0, random.uniform(-6, 6)));
        const Bounds box{center - Vec3d{size, size, size}, center + Vec3d{size, size, size}};
        const FloatBox rounded = FloatBox::around(box);
        for (int axis = 0; axis < 3; ++axis) {
            REQUIRE(double(rounded.lower[axis]) <= box.lower[axis]);
            REQUIRE(double(rounded.upper[axis]) >= box.upper[axis]);
        }
    }
}
