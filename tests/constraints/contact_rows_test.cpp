// Rows of contacts against differences along the motion: of the gap between spheres in closed form, and of
// the places of material points.

#include "constraints/contact_rows.h"
#include "support/dense_rows.h"
#include "support/random_loops.h"

#include <ligament/collision.h>

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double radius = 0.1;

// Spheres on the bodies of a random tree and on a base that moves, everything in contact with everything.
// Their centres are the origins of the bodies.
struct Spheres {
    explicit Spheres(Random& random, int condim, double margin = 0, double gap = 0)
        : model(make(random, condim, margin, gap)), ws(model), collision(model) {
        state = random_state(random, *model);
        look(state);
    }
    static std::shared_ptr<const Model> make(Random& random, int condim, double margin, double gap) {
        Scene scene = random_scene(random, {.bodies = 7, .kinematic = 2});
        for (int k = 1; k < static_cast<int>(scene.bodies().size()); ++k) {
            GeomSpec geom{.shape = ShapeType::sphere, .size = {radius, 0, 0}};
            geom.condim = condim;
            geom.friction = {0.7, 0.02, 0.003};
            geom.margin = margin;
            geom.gap = gap;
            scene.add_geom({k}, geom);
        }
        return compile(scene);
    }
    void look(const JointState<double>& at) {
        forward_kinematics(at, ws);
        poses.clear();
        for (int b = 0; b < static_cast<int>(model->bodies.size()); ++b) poses.push_back(body_pose(ws, b));
        find_contacts(poses, {.speculative_distance = 100}, collision);
    }
    Rows assemble(const RowContext& context, double scale = 1) {
        Rows rows;
        add_contact_rows(collision.contacts, ws, context, scale, rows);
        return rows;
    }
    int body_of(int geom) const { return model->geoms[geom].body; }

    std::shared_ptr<const Model> model;
    Workspace<double> ws;
    CollisionWorkspace collision;
    JointState<double> state;
    std::vector<Transformd> poses;
};

const RowContext everything{
    .h = 0.01, .reach_speed = 1e6, .correction = 1, .fastest_correction = 1e300, .slop = 0};

// J v of all rows, with what the bases add.
std::vector<double> rates(const Rows& rows, const Workspace<double>& ws, const std::vector<double>& v,
                          const RowContext& context, const Contacts& contacts) {
    const std::vector<double> J = dense_jacobian(rows, ws);
    std::vector<double> out;
    for (const RowBlock& block : rows.blocks)
        for (int r = 0; r < block.count; ++r) {
            const Row& row = rows.rows[block.begin + r];
            const double gap =
                r == 0 ? std::max(contacts.contacts[block.source].distance, 0.0) / context.h : 0.0;
            double sum = row.kept_bias - gap;
            for (std::size_t k = 0; k < v.size(); ++k) sum += J[(block.begin + r) * v.size() + k] * v[k];
            out.push_back(sum);
        }
    return out;
}

}  // namespace

TEST_CASE("a contact frame is right-handed and orthonormal for any normal") {
    Random random(41);
    for (int trial = 0; trial < 200; ++trial) {
        Vec3d n = random_direction(random);
        if (trial < 6)
            n = trial % 2 ? Vec3d{trial == 1 ? 1.0 : 0, trial == 3 ? 1.0 : 0, trial == 5 ? 1.0 : 0}
                          : Vec3d{trial == 0 ? -1.0 : 0, trial == 2 ? -1.0 : 0, trial == 4 ? -1.0 : 0};
        const ContactFrame frame = contact_frame(n);
        CHECK(length(frame.t1) == doctest::Approx(1).epsilon(1e-15));
        CHECK(length(frame.t2) == doctest::Approx(1).epsilon(1e-15));
        CHECK(std::abs(dot(frame.t1, n)) < 1e-15);
        CHECK(std::abs(dot(frame.t2, n)) < 1e-15);
        CHECK(length(cross(frame.t1, frame.t2) - n) < 1e-15);
    }
}

TEST_CASE("rows of contacts are the rates of gaps and of sliding, bases that move included") {
    Random random(42);
    int rows_seen = 0, base_rows = 0;
    for (int trial = 0; trial < 40; ++trial) {
        CAPTURE(trial);
        Spheres spheres(random, 6);
        const Rows rows = spheres.assemble(everything);
        const Contacts contacts = spheres.collision.contacts;
        const std::vector<double> found = rates(rows, spheres.ws, spheres.state.v, everything, contacts);
        const std::vector<Transformd> at = spheres.poses;
        const double dt = 1e-5;
        const JointState<double> before = later(spheres.ws, spheres.state, -dt),
                                 after = later(spheres.ws, spheres.state, dt);
        forward_kinematics(spheres.state, spheres.ws);
        std::vector<Motion<double>> velocities;
        for (std::size_t b = 0; b < at.size(); ++b) velocities.push_back(body_velocity(spheres.ws, int(b)));
        spheres.look(before);
        const std::vector<Transformd> X_before = spheres.poses;
        spheres.look(after);
        const std::vector<Transformd> X_after = spheres.poses;
        for (const RowBlock& block : rows.blocks) {
            const Contact& contact = contacts.contacts[block.source];
            const Manifold& manifold = contacts.manifolds[contact.manifold];
            const int a = spheres.body_of(manifold.geom_a), b = spheres.body_of(manifold.geom_b);
            REQUIRE(block.count == 6);
            base_rows += block.link_a < 0 || block.link_b < 0;
            const auto distance = [&](const std::vector<Transformd>& X) {
                return length(X[b].p - X[a].p) - 2 * radius;
            };
            if (distance(at) + 2 * radius < 0.2) continue;  // the third derivative grows towards the centre
            CHECK(contact.distance == doctest::Approx(distance(at)).epsilon(1e-12));
            // Positions are rounded to 1e-16: 1e-11 over dt; the third derivative times dt² is below 1e-8.
            const double gap_rate = (distance(X_after) - distance(X_before)) / (2 * dt);
            CHECK(std::abs(found[block.begin] - gap_rate) < 1e-7);
            // The material points of both that are at p now.
            const Vec3d p = 0.5 * (contact.on_a + contact.on_b);
            const auto material = [&](int body) {
                const Vec3d local = transpose(at[body].R) * (p - at[body].p);
                return (0.5 / dt) * ((X_after[body].p + X_after[body].R * local) -
                                     (X_before[body].p + X_before[body].R * local));
            };
            const Vec3d slip = material(b) - material(a), spin = velocities[b].ang - velocities[a].ang;
            const ContactFrame frame = contact_frame(manifold.normal);
            const double wanted[] = {dot(slip, frame.t1), dot(slip, frame.t2), dot(spin, frame.n),
                                     dot(spin, frame.t1), dot(spin, frame.t2)};
            for (int k = 0; k < 5; ++k) CHECK(std::abs(found[block.begin + 1 + k] - wanted[k]) < 1e-7);
            const double mu[] = {0.7, 0.7, 0.02, 0.003, 0.003};
            for (int k = 0; k < 5; ++k) CHECK(rows.rows[block.begin + 1 + k].friction == mu[k]);
            CHECK(rows.rows[block.begin].friction == 0);
            ++rows_seen;
        }
    }
    CHECK(rows_seen > 300);
    CHECK(base_rows > 50);
}

TEST_CASE("friction rows by condim; coefficients of zero at the end have none") {
    for (const int condim : {1, 3, 4, 6}) {
        Random random(43);
        Spheres spheres(random, condim);
        const Rows rows = spheres.assemble(everything);
        REQUIRE(!rows.blocks.empty());
        for (const RowBlock& block : rows.blocks) CHECK(block.count == condim);
        for (ContactProperties& properties : spheres.collision.contacts.properties)
            properties.friction = {0.7, 0.7, 0, 0, 0};
        const Rows fewer = spheres.assemble(everything);
        for (const RowBlock& block : fewer.blocks) CHECK(block.count == std::min(condim, 3));
        for (ContactProperties& properties : spheres.collision.contacts.properties)
            properties.friction = {0, 0, 0, 0, 0};
        const Rows none = spheres.assemble(everything);
        for (const RowBlock& block : none.blocks) CHECK(block.count == 1);
    }
}

TEST_CASE("impulses return through the contacts to the rows they came from") {
    for (const int condim : {1, 3, 4, 6}) {
        Random random(44);
        Spheres spheres(random, condim);
        Rows rows = spheres.assemble(everything);
        REQUIRE(!rows.blocks.empty());
        for (const RowBlock& block : rows.blocks)
            for (int r = 0; r < block.count; ++r)
                rows.rows[block.begin + r].lambda = r == 0 ? random.uniform(0, 2) : random.uniform(-1, 1);
        // A contact without rows loses what it had.
        const int silent = rows.blocks.back().source;
        spheres.collision.contacts.contacts[silent].impulse = {1, 2, 3};
        rows.rows.resize(rows.rows.size() - condim);
        rows.blocks.pop_back();
        store_contact_impulses(rows, spheres.collision.contacts);
        CHECK(length(spheres.collision.contacts.contacts[silent].impulse) == 0);
        const Rows again = spheres.assemble(everything, 0.5);
        REQUIRE(again.rows.size() == rows.rows.size() + condim);
        for (std::size_t k = 0; k < rows.rows.size(); ++k)
            CHECK(again.rows[k].lambda == doctest::Approx(0.5 * rows.rows[k].lambda).epsilon(1e-14));
        // On B, along the normal from A to B.
        for (const RowBlock& block : rows.blocks) {
            const Contact& contact = spheres.collision.contacts.contacts[block.source];
            CHECK(dot(contact.impulse, contact.normal) ==
                  doctest::Approx(rows.rows[block.begin].lambda).epsilon(1e-13));
        }
    }
}

TEST_CASE("margins move the surface; gaps become biases") {
    Random random(45);
    Spheres spheres(random, 3, 0.05, 0.02);
    for (BaseMotion<double>& base : spheres.state.kinematic) base.velocity = Motion<double>::zero();
    spheres.look(spheres.state);
    const RowContext context{
        .h = 0.01, .reach_speed = 1e6, .correction = 0.25, .fastest_correction = 3, .slop = 1e-4};
    const Rows rows = spheres.assemble(context);
    int inside = 0, outside = 0;
    for (const RowBlock& block : rows.blocks) {
        const Row& normal = rows.rows[block.begin];
        const Contact& contact = spheres.collision.contacts.contacts[block.source];
        const Manifold& manifold = spheres.collision.contacts.manifolds[contact.manifold];
        const ContactProperties& properties = spheres.collision.contacts.properties[manifold.properties];
        CHECK(properties.margin > properties.gap);
        const double gap = contact.distance - (properties.margin - properties.gap);
        CHECK(normal.kept_bias == doctest::Approx(std::max(gap, 0.0) / context.h).epsilon(1e-11));
        if (gap >= -context.slop) {
            CHECK(normal.bias == normal.kept_bias);
            ++outside;
        } else {
            const double speed = std::max(0.25 * (gap + context.slop) / context.h, -3.0);
            CHECK(normal.bias == doctest::Approx(speed).epsilon(1e-11));
            ++inside;
        }
    }
    CHECK(outside > 0);
    CHECK(inside > 0);
}

TEST_CASE("a bound has a row from where it might be reached") {
    const RowContext context{.h = 0.01, .reach_speed = 5};
    CHECK(within_reach(context, -1, 0));
    CHECK(within_reach(context, 0.0499, 0));
    CHECK_FALSE(within_reach(context, 0.0501, 0));
    CHECK_FALSE(within_reach(context, 0.0501, 100));  // it opens
    CHECK(within_reach(context, 0.0501, -100));  // closes by 1 in the step, and may be twice as fast
    CHECK(within_reach(context, 2.0499, -100));
    CHECK_FALSE(within_reach(context, 2.0501, -100));
    CHECK_FALSE(within_reach(context, std::nan(""), 0));

    // The rows that are left out are just those.
    Random random(46);
    for (int trial = 0; trial < 20; ++trial) {
        Spheres spheres(random, 1);
        const Rows all = spheres.assemble({.h = 0.05, .reach_speed = 1e6});
        const RowContext near{.h = 0.05, .reach_speed = 5};
        const Rows some = spheres.assemble(near);
        const std::vector<double> rate =
            rates(all, spheres.ws, spheres.state.v, {.h = 0.05}, spheres.collision.contacts);
        std::size_t next = 0;
        for (std::size_t k = 0; k < all.blocks.size(); ++k) {
            const double gap = spheres.collision.contacts.contacts[all.blocks[k].source].distance;
            const bool kept = next < some.blocks.size() && some.blocks[next].source == all.blocks[k].source;
            CHECK(kept == (gap <= 0.05 * (5 + 2 * std::max(-rate[k], 0.0))));
            next += kept;
        }
        CHECK(next == some.blocks.size());
    }
}
