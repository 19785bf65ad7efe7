// Reaches of single bodies: pairs are reported from the sum of both on, and from nowhere else.

#include "support/random_values.h"

#include <ligament/collision.h>
#include <ligament/load.h>

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

constexpr int count = 40;

// Balls of different radii; the last body is the floor's, which stands still.
struct Balls {
    explicit Balls(Random& random) {
        Scene scene;
        scene.add_geom(world, {.name = "floor", .shape = ShapeType::plane});
        radii.push_back(0);
        for (int k = 0; k < count; ++k) {
            radii.push_back(random.uniform(0.02, 0.2));
            const BodyId body = scene.add_body(world, {.name = "ball" + std::to_string(k)});
            scene.add_joint(body, {.type = JointType::free});
            scene.add_geom(body, {.shape = ShapeType::sphere, .size = {radii.back(), 0, 0}});
        }
        model = compile(scene);
        poses.assign(count + 1, Transformd::identity());
    }
    void scatter(Random& random) {
        for (int k = 1; k <= count; ++k)
            poses[k].p = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0, 2)};
    }
    double distance(int a, int b) const {
        if (a == 0) return poses[b].p.z - radii[b];
        return length(poses[b].p - poses[a].p) - radii[a] - radii[b];
    }

    std::shared_ptr<const Model> model;
    std::vector<double> radii;
    std::vector<Transformd> poses;
};

std::vector<std::pair<int, int>> pairs_of(const CollisionWorkspace& ws) {
    std::vector<std::pair<int, int>> out;
    for (const Manifold& m : ws.contacts.manifolds)
        out.push_back({ws.model().geoms[m.geom_a].body, ws.model().geoms[m.geom_b].body});
    return out;
}

}  // namespace

TEST_CASE("a pair is reported from the sum of its bodies' reaches on") {
    Random random(31);
    Balls balls(random);
    CollisionWorkspace ws(balls.model), many(balls.model);
    int seen = 0, more = 0;
    for (int step = 0; step < 60; ++step) {
        if (step % 3 == 0) balls.scatter(random);  // else only the reaches change
        std::vector<double> reach(count + 1, 0.0);
        for (double& x : reach) x = random.uniform(0, 1) < 0.5 ? 0 : random.uniform(0, 0.4);
        const double speculative = step % 2 ? 0.05 : 0;
        find_contacts(balls.poses, {.speculative_distance = speculative, .reach = reach}, ws);
        std::vector<std::pair<int, int>> wanted;
        for (int a = 0; a <= count; ++a)
            for (int b = a + 1; b <= count; ++b) {
                const double within = reach[a] + reach[b] + speculative, d = balls.distance(a, b);
                REQUIRE(std::abs(d - within) > 1e-8);  // nothing that rounding decides
                if (d <= within) wanted.push_back({a, b});
                more += d <= within && d > speculative;
            }
        CHECK(pairs_of(ws) == wanted);
        seen += static_cast<int>(wanted.size());
        // What is seen from afar does not touch: events tell of touching alone.
        for (const Manifold& m : ws.contacts.manifolds)
            CHECK(m.active == (ws.contacts.contacts[m.begin].distance <= 0));
        find_contacts(balls.poses, {.speculative_distance = speculative, .reach = reach, .threads = 3}, many);
        CHECK(pairs_of(many) == wanted);
    }
    CHECK(seen > 500);
    CHECK(more > 300);  // that reaches alone have brought
}

TEST_CASE("contacts found from afar are the contacts that are found near") {
    Random random(32);
    Balls balls(random);
    balls.scatter(random);
    balls.poses[7].p = balls.poses[3].p + Vec3d{0.01, 0, 0};
    CollisionWorkspace near(balls.model), far(balls.model);
    const std::vector<double> reach(count + 1, 0.3);
    find_contacts(balls.poses, {}, near);
    find_contacts(balls.poses, {.reach = reach}, far);
    REQUIRE(!near.contacts.contacts.empty());
    CHECK(far.contacts.contacts.size() > near.contacts.contacts.size());
    for (const Manifold& m : near.contacts.manifolds) {
        bool found = false;
        for (const Manifold& other : far.contacts.manifolds) {
            if (other.geom_a != m.geom_a || other.geom_b != m.geom_b) continue;
            found = true;
            const Contact &a = near.contacts.contacts[m.begin], &b = far.contacts.contacts[other.begin];
            CHECK(a.distance == b.distance);
            CHECK(a.feature == b.feature);
            CHECK(length(a.on_a - b.on_a) == 0);
        }
        CHECK(found);
    }
}

TEST_CASE("reaches that make no sense are refused, and what was found before stays") {
    Random random(33);
    Balls balls(random);
    balls.scatter(random);
    CollisionWorkspace ws(balls.model);
    std::vector<double> reach(count + 1, 0.3);
    find_contacts(balls.poses, {.reach = reach}, ws);
    const std::vector<std::pair<int, int>> before = pairs_of(ws);
    REQUIRE(!before.empty());
    const std::vector<double> short_one(count, 0.1);
    CHECK_THROWS_AS(find_contacts(balls.poses, {.reach = short_one}, ws), std::invalid_argument);
    for (const double bad :
         {-1e-9, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        reach[5] = bad;
        CHECK_THROWS_AS(find_contacts(balls.poses, {.reach = reach}, ws), std::invalid_argument);
    }
    CHECK(pairs_of(ws) == before);
}

// Beyond the range of float, in which boxes are kept: balls are found from any distance, and nothing is found
// that is not there.
TEST_CASE("reaches and places beyond all bounds find what there is, and nothing that there is not") {
    Random random(34);
    Balls balls(random);
    balls.scatter(random);
    CollisionWorkspace ws(balls.model);
    std::vector<double> reach(count + 1, 1e60);
    reach[0] = 0;
    for (int turn = 0; turn < 3; ++turn) {
        find_contacts(balls.poses, {.reach = reach}, ws);
        CHECK(pairs_of(ws).size() >= count * (count - 1) / 2);
        for (const auto& [a, b] : pairs_of(ws)) CHECK((0 <= a && a < b && b <= count));
    }
    balls.poses[9].p.x = 1e80;
    find_contacts(balls.poses, {.reach = reach}, ws);
    CHECK(pairs_of(ws).size() >= (count - 1) * (count - 2) / 2);  // all but the one
}
