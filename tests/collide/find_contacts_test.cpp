// Contacts from step to step: found, matched, told, saved, the same for any number of threads.

#include "collide/workspace.h"
#include "support/allocation_counter.h"
#include "support/capsule_clusters.h"
#include "support/random_values.h"

#include <ligament/load.h>
#include <ligament/snapshot.h>

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

// A box of edge 2 above a floor, free to be put anywhere.
struct BoxAndFloor {
    BoxAndFloor(const GeomSpec& box_properties = {}) {
        Scene scene;
        scene.add_geom(world, {.name = "floor", .shape = ShapeType::plane});
        const BodyId body = scene.add_body(world, {.name = "crate"});
        scene.add_joint(body, {.type = JointType::free});
        GeomSpec box = box_properties;
        box.shape = ShapeType::box;
        box.size = {1, 1, 1};
        scene.add_geom(body, box);
        model = compile(scene);
        poses.assign(2, Transformd::identity());
    }

    void put(CollisionWorkspace& ws, const Vec3d& center, double speculative_distance = 0) {
        poses[1].p = center;
        find_contacts(poses, {.speculative_distance = speculative_distance}, ws);
    }

    std::shared_ptr<const Model> model;
    std::vector<Transformd> poses;
};

std::vector<ContactEventKind> kinds(const Contacts& contacts) {
    std::vector<ContactEventKind> out;
    for (const ContactEvent& event : contacts.events) out.push_back(event.kind);
    return out;
}

bool same_bits(const Contacts& a, const Contacts& b) {
    const auto equal = [](const Vec3d& x, const Vec3d& y) { return std::memcmp(&x, &y, sizeof x) == 0; };
    if (a.contacts.size() != b.contacts.size() || a.manifolds.size() != b.manifolds.size() ||
        a.events.size() != b.events.size())
        return false;
    for (std::size_t k = 0; k < a.contacts.size(); ++k) {
        const Contact &x = a.contacts[k], &y = b.contacts[k];
        if (!equal(x.on_a, y.on_a) || !equal(x.on_b, y.on_b) || !equal(x.normal, y.normal) ||
            !equal(x.impulse, y.impulse) || !equal(x.moment_impulse, y.moment_impulse) ||
            std::memcmp(&x.distance, &y.distance, sizeof x.distance) != 0 || x.feature != y.feature ||
            x.manifold != y.manifold || x.previous != y.previous)
            return false;
    }
    for (std::size_t k = 0; k < a.manifolds.size(); ++k) {
        const Manifold &x = a.manifolds[k], &y = b.manifolds[k];
        if (x.geom_a != y.geom_a || x.geom_b != y.geom_b || x.part != y.part || x.begin != y.begin ||
            x.count != y.count || x.active != y.active || !equal(x.normal, y.normal))
            return false;
    }
    for (std::size_t k = 0; k < a.events.size(); ++k)
        if (a.events[k].kind != b.events[k].kind || a.events[k].geom_a != b.events[k].geom_a ||
            a.events[k].geom_b != b.events[k].geom_b)
            return false;
    return true;
}

// What a solver would leave: numbers that tell the contacts apart.
void leave_impulses(Contacts& contacts) {
    for (std::size_t k = 0; k < contacts.contacts.size(); ++k) {
        contacts.contacts[k].impulse = {1.0 + static_cast<double>(k), 0.5, 0.25};
        contacts.contacts[k].moment_impulse = {0, 0, -1.0 - static_cast<double>(k)};
    }
}

}  // namespace

TEST_CASE("events: a box comes to the floor, stays and leaves") {
    using enum ContactEventKind;
    BoxAndFloor scene;
    CollisionWorkspace ws(scene.model);
    scene.put(ws, {0, 0, 1.5});
    CHECK(ws.contacts.contacts.empty());
    CHECK(kinds(ws.contacts).empty());
    scene.put(ws, {0, 0, 0.99});
    CHECK(kinds(ws.contacts) == std::vector{began});
    CHECK(ws.contacts.events[0].geom_a == 0);
    CHECK(ws.contacts.events[0].geom_b == 1);
    scene.put(ws, {0, 0, 0.98});
    CHECK(kinds(ws.contacts) == std::vector{persists});
    scene.put(ws, {0, 0, 1.5});
    CHECK(kinds(ws.contacts) == std::vector{ended});
    scene.put(ws, {0, 0, 1.5});
    CHECK(kinds(ws.contacts).empty());
}

TEST_CASE("speculative contacts are there before anything touches, and are not told") {
    BoxAndFloor scene;
    CollisionWorkspace ws(scene.model);
    scene.put(ws, {0, 0, 1.25}, 0.3);
    REQUIRE(ws.contacts.contacts.size() == 4);
    for (const Contact& contact : ws.contacts.contacts) {
        CHECK(contact.distance == doctest::Approx(0.25).epsilon(1e-15));
        CHECK(contact.normal.z == 1);
    }
    CHECK(!ws.contacts.manifolds[0].active);
    CHECK(kinds(ws.contacts).empty());
    scene.put(ws, {0, 0, 1.25}, 0.2);
    CHECK(ws.contacts.contacts.empty());
    scene.put(ws, {0, 0, 0.9}, 0.2);
    CHECK(kinds(ws.contacts) == std::vector{ContactEventKind::began});
}

TEST_CASE("a margin reports contacts before they touch") {
    BoxAndFloor scene(GeomSpec{.margin = 0.1});
    CollisionWorkspace ws(scene.model);
    scene.put(ws, {0, 0, 1.05});
    REQUIRE(ws.contacts.contacts.size() == 4);
    CHECK(ws.contacts.manifolds[0].active);
    scene.put(ws, {0, 0, 1.15});
    CHECK(ws.contacts.contacts.empty());
}

TEST_CASE("impulses follow their features") {
    BoxAndFloor scene;
    CollisionWorkspace ws(scene.model);
    scene.put(ws, {0, 0, 0.99});
    REQUIRE(ws.contacts.contacts.size() == 4);
    for (const Contact& contact : ws.contacts.contacts) {
        CHECK(contact.previous == -1);
        CHECK(length(contact.impulse) == 0);
    }
    leave_impulses(ws.contacts);
    const std::vector<Contact> before = ws.contacts.contacts;

    scene.poses[1].R = rotation_matrix(rotation_exp(Vec3d{1e-3, 2e-3, 5e-2}));
    scene.put(ws, {0.3, -0.2, 0.99});
    REQUIRE(ws.contacts.contacts.size() == 4);
    std::vector<bool> seen(4, false);
    for (const Contact& contact : ws.contacts.contacts) {
        REQUIRE(contact.previous >= 0);
        const Contact& last = before[contact.previous];
        CHECK(!seen[contact.previous]);
        seen[contact.previous] = true;
        CHECK(contact.feature == last.feature);
        CHECK(contact.impulse.x == last.impulse.x);
        CHECK(contact.moment_impulse.z == last.moment_impulse.z);
        // It is the same corner: it has moved no farther than the box was moved and turned.
        CHECK(length(contact.on_b - last.on_b) < 0.36 + 0.05 * 1.8);
    }

    clear_contacts(ws);
    scene.put(ws, {0.3, -0.2, 0.99});
    for (const Contact& contact : ws.contacts.contacts) CHECK(contact.previous == -1);
    CHECK(kinds(ws.contacts) == std::vector{ContactEventKind::began});
}

TEST_CASE("a heap: contacts are those of all pairs looked at one by one") {
    const CapsuleClusters heap(40, 0.75, 1);
    CollisionWorkspace ws(heap.model);
    std::vector<Transformd> poses;
    for (const double time : {0.0, 0.1, 0.2, 5.0}) {
        heap.poses(time, poses);
        find_contacts(poses, {}, ws);
        const CollisionModel& model = *heap.model->collision;
        collide::NarrowOutput found;
        std::size_t next = 0, contacts = 0;
        for (int a = 0; a < int(model.geoms.size()); ++a)
            for (int b = a + 1; b < int(model.geoms.size()); ++b) {
                if (!model.may_collide(a, b)) continue;
                const auto place = [&](int k) {
                    return collide::PlacedShape{&model.geoms[k].shape,
                                                poses[model.geoms[k].body] * model.geoms[k].X_BG};
                };
                found.manifolds.clear();
                collide::collide_shapes(place(a), place(b), 0, found);
                for (const collide::PairManifold& manifold : found.manifolds) {
                    REQUIRE(next < ws.contacts.manifolds.size());
                    const Manifold& other = ws.contacts.manifolds[next++];
                    REQUIRE(other.geom_a == model.geoms[a].geom);
                    REQUIRE(other.geom_b == model.geoms[b].geom);
                    REQUIRE(other.count == manifold.count);
                    for (int k = 0; k < manifold.count; ++k)
                        REQUIRE(ws.contacts.contacts[other.begin + k].distance ==
                                manifold.points[k].distance);
                    contacts += manifold.count;
                }
            }
        CHECK(next == ws.contacts.manifolds.size());
        CHECK(contacts == ws.contacts.contacts.size());
        if (time < 1) CHECK(contacts > 300);  // it is a heap
    }
}

TEST_CASE("the same bits for any number of threads and any past of the boxes") {
    const CapsuleClusters heap(60, 0.75, 2);
    std::vector<Transformd> poses;
    CollisionWorkspace one(heap.model);
    std::vector<CollisionWorkspace> others;
    const std::vector<int> threads{2, 3, 7};
    for (std::size_t k = 0; k < threads.size(); ++k) others.emplace_back(heap.model);
    std::size_t carried = 0;
    for (int step = 0; step < 20; ++step) {
        heap.poses(step / 60.0, poses);
        find_contacts(poses, {}, one);
        for (const Contact& contact : one.contacts.contacts) carried += contact.previous >= 0;
        // A workspace that has seen nothing but the manifolds of the step before.
        if (step > 0) {
            CollisionWorkspace fresh(heap.model);
            restore_contacts(save_contacts(others[0]), fresh);
            find_contacts(poses, {}, fresh);
            CHECK(same_bits(one.contacts, fresh.contacts));
        }
        for (std::size_t k = 0; k < threads.size(); ++k) {
            find_contacts(poses, {.threads = threads[k]}, others[k]);
            CHECK(same_bits(one.contacts, others[k].contacts));
            leave_impulses(others[k].contacts);
        }
        leave_impulses(one.contacts);
    }
    CHECK(carried > 1000);
}

TEST_CASE("a snapshot holds the contacts") {
    const CapsuleClusters heap(10, 0.7, 2);
    std::vector<Transformd> poses;
    CollisionWorkspace ws(heap.model), other(heap.model);
    heap.poses(0, poses);
    find_contacts(poses, {}, ws);
    leave_impulses(ws.contacts);
    JointState<double> state(*heap.model), back(*heap.model);
    const Snapshot snapshot = Snapshot::from_bytes(save(*heap.model, state, ws).to_bytes());
    restore(*heap.model, snapshot, back, other);
    heap.poses(1.0 / 60, poses);
    find_contacts(poses, {}, ws);
    find_contacts(poses, {}, other);
    CHECK(ws.contacts.contacts.size() > 20);
    CHECK(same_bits(ws.contacts, other.contacts));

    // One without contacts forgets them.
    restore(*heap.model, save(*heap.model, state), back, other);
    CHECK(other.contacts.manifolds.empty());
}

TEST_CASE("damaged contacts are refused and change nothing") {
    const CapsuleClusters heap(10, 0.7, 2), smaller(9, 0.7, 2);
    std::vector<Transformd> poses;
    CollisionWorkspace ws(heap.model), other(smaller.model);
    heap.poses(0, poses);
    find_contacts(poses, {}, ws);
    const std::vector<std::byte> bytes = save_contacts(ws);
    const std::size_t manifolds = ws.contacts.manifolds.size();

    CHECK_THROWS_AS(restore_contacts(bytes, other), std::invalid_argument);
    for (std::size_t length = 0; length < bytes.size(); length += length < 64 ? 1 : 97)
        CHECK_THROWS_AS(restore_contacts(std::span(bytes).first(length), ws), std::invalid_argument);
    // Counts, geoms, order.
    for (const std::size_t place : {0, 8, 16, 23, 24, 31, 32, 36, 44}) {
        CAPTURE(place);
        std::vector<std::byte> damaged = bytes;
        damaged[place] ^= std::byte{0x7f};
        CHECK_THROWS_AS(restore_contacts(damaged, ws), std::invalid_argument);
    }
    CHECK(ws.contacts.manifolds.size() == manifolds);
    CHECK_NOTHROW(restore_contacts(bytes, ws));
    CHECK(save_contacts(ws) == bytes);
}

TEST_CASE("poses that are none are refused, and the contacts stay") {
    BoxAndFloor scene;
    CollisionWorkspace ws(scene.model);
    scene.put(ws, {0, 0, 0.9});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS(scene.put(ws, {0, nan, 0.9}),
                         "lig::find_contacts: the pose of body 'crate' (1) is not finite",
                         std::invalid_argument);
    CHECK(ws.contacts.contacts.size() == 4);
    CHECK_THROWS_AS(find_contacts({}, {}, ws), std::invalid_argument);
    const std::array<Transformd, 2> poses{};
    const std::array<double, 2> reach{0, nan};
    CHECK_THROWS_WITH_AS(
        find_contacts(poses, {.reach = reach}, ws),
        "lig::find_contacts: how far body 'crate' (1) may move is negative or not finite",
        std::invalid_argument);
    CHECK_THROWS_AS(scene.put(ws, {0, 0, 1}, -1), std::invalid_argument);
    CHECK_THROWS_AS(scene.put(ws, {0, 0, 1}, nan), std::invalid_argument);
    CHECK(ws.contacts.contacts.size() == 4);
}

namespace {

// The shipped scene in which every shape rests on something, with all bodies moved a little.
struct TouchingScene {
    TouchingScene() {
        Diagnostics log;
        model = compile(load_scene(LIG_SOURCE_DIR "/scenes/touching.xml", {}, log), log);
    }
    std::vector<Transformd> poses(std::uint64_t seed, double by) const {
        Random random(seed);
        std::vector<Transformd> out;
        for (std::size_t b = 0; b < model->bodies.size(); ++b) {
            Transformd X = model->bodies[b].X_WB0;
            if (b > 0) {
                X.R = rotation_matrix(rotation_exp(random_vec(random, by))) * X.R;
                X.p += random_vec(random, by) + Vec3d{0, 0, -by};
            }
            out.push_back(X);
        }
        return out;
    }
    std::shared_ptr<const Model> model;
};

}  // namespace

TEST_CASE("every shape rests on its full manifold, and keeps it") {
    const TouchingScene scene;
    const auto count_of = [&](const Contacts& contacts, std::string_view name) {
        int count = 0;
        for (const Manifold& manifold : contacts.manifolds)
            if (scene.model->geoms[manifold.geom_b].spec.name == name) count += manifold.count;
        return count;
    };
    CollisionWorkspace ws(scene.model);
    for (const double by : {0.0, 1e-12, 1e-9, 1e-6}) {
        CAPTURE(by);
        // Two roundings of the poses are enough to be just apart.
        find_contacts(scene.poses(1, by), {.speculative_distance = 4 * by}, ws);
        CHECK(count_of(ws.contacts, "crate") == 4);
        CHECK(count_of(ws.contacts, "drum") == 4);
        CHECK(count_of(ws.contacts, "log") == 2);
        CHECK(count_of(ws.contacts, "wedge") == 4);
        CHECK(count_of(ws.contacts, "egg") == 1);
        CHECK(count_of(ws.contacts, "marble") == 1);
        CHECK(count_of(ws.contacts, "ball") == 2);
        if (by == 0) continue;
        for (const Contact& contact : ws.contacts.contacts) {
            CAPTURE(scene.model->geoms[ws.contacts.manifolds[contact.manifold].geom_b].spec.name);
            CHECK(contact.previous >= 0);
        }
    }
}

TEST_CASE("A and B exchanged give the same contacts, exchanged, for every pair that collides") {
    const TouchingScene scene;
    const CollisionModel& model = *scene.model->collision;
    const std::vector<Transformd> poses = scene.poses(2, 0.02);
    int manifolds = 0;
    for (std::size_t a = 0; a < model.geoms.size(); ++a)
        for (std::size_t b = 0; b < model.geoms.size(); ++b) {
            if (a == b || !collide::can_collide(model.geoms[a].shape.type, model.geoms[b].shape.type))
                continue;
            const auto place = [&](std::size_t k, const Vec3d& to) {
                Transformd X = poses[model.geoms[k].body] * model.geoms[k].X_BG;
                X.p = to;
                return collide::PlacedShape{&model.geoms[k].shape, X};
            };
            collide::NarrowOutput ab, ba;
            const collide::PlacedShape first = place(a, {0, 0, 0}), second = place(b, {0.02, 0.01, 0.1});
            collide::collide_shapes(first, second, 0.05, ab);
            collide::collide_shapes(second, first, 0.05, ba);
            REQUIRE(ab.manifolds.size() == ba.manifolds.size());
            for (std::size_t m = 0; m < ab.manifolds.size(); ++m) {
                ++manifolds;
                const collide::PairManifold &x = ab.manifolds[m], y = collide::mirrored(ba.manifolds[m]);
                REQUIRE(x.count == y.count);
                // Two shapes of one kind are not put in order, so only rounding may differ.
                CHECK(length(x.normal - y.normal) < 1e-7);
                double nearest_x = 1, nearest_y = 1;
                for (int k = 0; k < x.count; ++k) {
                    nearest_x = std::min(nearest_x, x.points[k].distance);
                    nearest_y = std::min(nearest_y, y.points[k].distance);
                }
                CHECK(std::abs(nearest_x - nearest_y) < 1e-12);
            }
        }
    CHECK(manifolds > 50);
}

TEST_CASE("every shape in motion allocates nothing") {
    const TouchingScene scene;
    std::vector<std::vector<Transformd>> poses;
    for (std::uint64_t k = 0; k < 20; ++k) poses.push_back(scene.poses(10 + k, 0.02));
    CollisionWorkspace ws(scene.model);
    const auto round = [&] {
        for (const auto& at : poses) find_contacts(at, {.speculative_distance = 0.01}, ws);
    };
    round();
    round();
    CHECK(ws.contacts.contacts.size() >= 12);
    CHECK(count_allocations(round) == 0);
}

TEST_CASE("a steady heap allocates nothing") {
    const CapsuleClusters heap(40, 0.75, 0.5);
    std::vector<std::vector<Transformd>> poses(10);
    for (std::size_t k = 0; k < poses.size(); ++k) heap.poses(0.01 * static_cast<double>(k), poses[k]);
    for (const int threads : {1, 2}) {
        CAPTURE(threads);
        CollisionWorkspace ws(heap.model);
        // To and fro once; from then on nothing is new.
        const auto round = [&] {
            for (std::size_t k = 0; k < poses.size(); ++k) find_contacts(poses[k], {.threads = threads}, ws);
            for (std::size_t k = poses.size(); k-- > 0;) find_contacts(poses[k], {.threads = threads}, ws);
        };
        round();
        round();
        CHECK(ws.contacts.contacts.size() > 300);
        if (threads == 1) CHECK(count_allocations(round) == 0);
        // With several threads, who gets which piece differs, and with it what each has to keep.
        else
            CHECK(count_allocations(round) < 20);
    }
}
