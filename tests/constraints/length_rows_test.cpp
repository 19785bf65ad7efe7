// Limits and dry friction of tendons, on moving bases too, and dry friction of joints.

#include "constraints/friction_loss_rows.h"
#include "constraints/limit_rows.h"
#include "support/dense_step.h"
#include "support/random_scene.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double h = 0.01;

// Two links below a kinematic body, a tendon from that body to the last link and one over both coordinates.
Scene tendon_scene(Random& random) {
    Scene scene("tendons");
    const BodyId base = scene.add_body(world, {.name = "base", .kinematic = true});
    const BodyId upper = scene.add_body(base, {.name = "upper", .inertial = random_inertial(random)});
    scene.add_joint(upper, {.name = "ball", .type = JointType::ball});
    const BodyId lower = scene.add_body(
        upper, {.name = "lower", .pose = {{0.4, 0.1, 0}, {1, 0, 0, 0}}, .inertial = random_inertial(random)});
    scene.add_joint(lower, {.name = "hinge", .axis = {0, 1, 0.3}});
    scene.add_joint(lower, {.name = "slide", .type = JointType::slide, .axis = {1, 0, 0}});
    // The tendon is fixed to the world, so that the kinematic body's motion changes its length.
    const SiteId from = scene.add_site(world, {.name = "from", .pose = {{-0.3, 0.2, 0.5}, {1, 0, 0, 0}}});
    const SiteId to = scene.add_site(lower, {.name = "to", .pose = {{0.3, 0.1, 0.2}, {1, 0, 0, 0}}});
    TendonSpec spatial;
    spatial.name = "spatial";
    spatial.stops.resize(2);
    spatial.stops[0].site = from;
    spatial.stops[1].site = to;
    spatial.range = {0.2, 1.1};
    spatial.friction_loss = 3;
    scene.add_tendon(spatial);
    TendonSpec fixed;
    fixed.name = "fixed";
    fixed.joints = {{scene.find_joint("hinge"), 0.7}, {scene.find_joint("slide"), -2}};
    fixed.range.upper = 0.3;
    scene.add_tendon(fixed);
    return scene;
}

struct Lengths {
    explicit Lengths(std::shared_ptr<const Model> shared)
        : model(std::move(shared)), ws(model), drives(*model) {}
    void update(const JointState<double>& state) {
        forward_kinematics(state, ws);
        update_drives(state, ws, drives);
    }
    // The length of a tendon when everything has moved on for a short time.
    double length_after(const JointState<double>& state, int tendon, double time) {
        JointState<double> moved = state;
        integrate<double>(ws, state.q, state.v, time, moved.q);
        for (BaseMotion<double>& base : moved.kinematic) {
            base.pos += time * base.velocity.lin;
            base.quat = rotation_exp(time * base.velocity.ang) * base.quat;
        }
        update(moved);
        return drives.tendon_length[tendon];
    }
    std::shared_ptr<const Model> model;
    Workspace<double> ws;
    DriveWorkspace<double> drives;
};

double row_speed(const Rows& rows, const Row& row, const std::vector<double>& v) {
    double sum = 0;
    for (int k = 0; k < row.entry_count; ++k)
        sum += rows.entries[row.entry_begin + k].value * v[rows.entries[row.entry_begin + k].dof];
    return sum;
}

}  // namespace

TEST_CASE("limits and friction of tendons") {
    Random random(101);
    const auto model = compile(tendon_scene(random));
    Lengths lengths(model);
    WarmStarts warm(*model);
    for (std::size_t k = 0; k < warm.lambda.size(); ++k) warm.lambda[k] = double(k);
    const RowContext context{
        .h = h, .reach_speed = 1e6, .correction = 1, .fastest_correction = 1e300, .slop = 0};
    for (int trial = 0; trial < 50; ++trial) {
        const JointState<double> state = random_state(random, *model);
        const double small = 1e-5;
        double length[2], speed[2];
        for (int t = 0; t < 2; ++t) {
            const double later = lengths.length_after(state, t, small);
            speed[t] = (later - lengths.length_after(state, t, -small)) / (2 * small);
            length[t] = lengths.length_after(state, t, 0);
        }
        lengths.update(state);
        Rows rows;
        add_tendon_limit_rows(state, *model, lengths.drives, context, warm, rows);
        add_tendon_friction_rows(state, *model, lengths.drives, context, warm, rows);
        REQUIRE(rows.blocks.size() == 3);
        REQUIRE(rows.rows.size() == 4);  // two bounds, one bound, friction
        const double gaps[] = {length[0] - 0.2, 1.1 - length[0], 0.3 - length[1]};
        const double rates[] = {speed[0], -speed[0], -speed[1]};
        double worst = 0;
        for (int k = 0; k < 3; ++k) {
            const Row& row = rows.rows[k];
            // Where the gap is after the step: with its rate by differences, good to 1e-9.
            CHECK(row_speed(rows, row, state.v) + row.bias ==
                  doctest::Approx(gaps[k] / h + rates[k]).epsilon(1e-8).scale(10));
            CHECK(row.lambda == double(row.warm));
            CHECK(row.hi == HUGE_VAL);
            worst = std::max(worst, -gaps[k]);
        }
        CHECK(rows.blocks[0].kind == RowKind::tendon_limit);
        CHECK(rows.blocks[1].source == 1);
        CHECK(largest_tendon_limit_violation(*model, lengths.drives).size == doctest::Approx(worst).scale(1));
        const Row& friction = rows.rows[3];
        CHECK(rows.blocks[2].kind == RowKind::tendon_friction);
        CHECK(row_speed(rows, friction, state.v) + friction.bias ==
              doctest::Approx(speed[0]).epsilon(1e-8).scale(10));
        CHECK(friction.lo == -3 * h);
        CHECK(friction.hi == 3 * h);
    }
}

TEST_CASE("switches for limits and friction of tendons and joints") {
    Random random(102);
    Scene scene = tendon_scene(random);
    scene.joint(JointId{0}).friction_loss = 1;
    const RowContext context{.h = h, .reach_speed = 1e6};
    const auto counts = [&] {
        const auto model = compile(scene);
        Lengths lengths(model);
        const WarmStarts warm(*model);
        const JointState<double> state(*model);
        lengths.update(state);
        Rows limits, friction;
        add_tendon_limit_rows(state, *model, lengths.drives, context, warm, limits);
        add_tendon_friction_rows(state, *model, lengths.drives, context, warm, friction);
        add_friction_loss_rows(*model, context, warm, friction);
        return std::pair{limits.rows.size(), friction.rows.size()};
    };
    CHECK(counts() == std::pair<std::size_t, std::size_t>{3, 4});  // a ball has three
    scene.options.enabled.limit = false;
    CHECK(counts() == std::pair<std::size_t, std::size_t>{0, 4});
    scene.options.enabled.friction_loss = false;
    CHECK(counts() == std::pair<std::size_t, std::size_t>{0, 0});
    scene.options.enabled = {};
    scene.options.enabled.constraint = false;
    CHECK(counts() == std::pair<std::size_t, std::size_t>{0, 0});
}

TEST_CASE("dry friction holds a joint, slows it down, stops it") {
    Scene scene("hinge");
    scene.options.gravity = {0, 0, 0};
    const BodyId body = scene.add_body(
        world, {.name = "b", .inertial = InertialSpec{2, {}, Sym3d::diagonal(0.5, 0.5, 0.5), {}}});
    scene.add_joint(body, {.name = "j", .friction_loss = 2});
    const auto model = compile(scene);
    const WarmStarts warm(*model);
    Workspace<double> ws(model);
    JointFactor factor(*model);
    const auto step = [&](double v, double torque) {
        JointState<double> state(*model);
        state.v[0] = v;
        forward_kinematics(state, ws);
        REQUIRE(factor.factor(ws) == -1);
        Rows rows;
        add_friction_loss_rows(*model, {.h = h}, warm, rows);
        REQUIRE(rows.rows.size() == 1);
        return stepped(factor, state.v, {h * torque}, rows)[0];
    };
    CHECK(std::abs(step(0, 1.9)) < 1e-16);
    CHECK(step(0, 3) == doctest::Approx(h * 1 / 0.5));
    CHECK(step(0, -3) == doctest::Approx(-h * 1 / 0.5));
    CHECK(step(1, 0) == doctest::Approx(1 - h * 2 / 0.5));
    CHECK(std::abs(step(0.03, 0)) < 1e-16);
}
