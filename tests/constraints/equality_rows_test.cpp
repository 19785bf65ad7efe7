// Rows of equalities against differences of what they constrain.

#include "dynamics/dynamics_parts.h"
#include "model/subtree.h"
#include "support/drive_reference.h"
#include "support/pair_samples.h"
#include "support/random_loops.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

// dC/dt = J v + base_rate and d²C/dt² = product along a motion with v̇ = 0, by central differences; also away
// from C = 0. Returns the number of rows.
int check_derivatives(const std::shared_ptr<const Model>& model, const JointState<double>& state,
                      double tolerance = 1e-6) {
    EqualityRows now(model), other(model);
    now.assemble(state);
    const std::vector<double> J = now.jacobian();
    const int count = static_cast<int>(now.terms.size());
    const auto rates = [&](EqualityRows& at, const JointState<double>& s) {
        at.assemble(s);
        const std::vector<double> own = at.jacobian();
        std::vector<double> out(count);
        for (int r = 0; r < count; ++r) {
            out[r] = at.terms[r].base_rate;
            for (int k = 0; k < model->nv; ++k) out[r] += own[r * model->nv + k] * s.v[k];
        }
        return out;
    };
    // The error of the differences is t² times a third derivative, rounding 1e-16/t.
    const double t = 1e-4;
    std::vector<double> error[2], rate[2];
    for (const int side : {0, 1}) {
        rate[side] = rates(other, later(now.ws, state, side == 0 ? -t : t));
        for (const EqualityTerms& terms : other.terms) error[side].push_back(terms.error);
    }
    const std::vector<double> rate_now = rates(now, state);
    for (int r = 0; r < count; ++r) {
        CAPTURE(r);
        const double speed = (error[1][r] - error[0][r]) / (2 * t),
                     product = (rate[1][r] - rate[0][r]) / (2 * t);
        if (now.terms[r].holonomic) CHECK(std::abs(rate_now[r] - speed) < tolerance * (1 + std::abs(speed)));
        CHECK(std::abs(now.terms[r].product - product) < tolerance * (1 + std::abs(product)));
    }
    return count;
}

}  // namespace

TEST_CASE("loops of every kind: J, the motion of bases and the product of velocities") {
    Random random(11);
    for (const joints::JointInfo& info : joints::joint_list) {
        if (info.type == JointType::free) continue;
        CAPTURE(info.name);
        for (int run = 0; run < 12; ++run) {
            CAPTURE(run);
            Scene scene = random_scene(random, {.bodies = 6, .kinematic = run % 3});
            if (!add_random_loop(random, scene, info.type, "loop")) continue;
            const auto model = compile(scene);
            const JointState<double> state = random_state(random, *model);
            const int count = check_derivatives(model, state);
            CHECK(count == info.rows);

            // The error is the residual that the joint states, with rows that turn times torque_scale.
            EqualityRows rows(model);
            rows.assemble(state);
            std::vector<double> C(info.rows);
            loop_residual(rows.ws, 0, C);
            int scaled = 0;
            for (int r = 0; r < count; ++r) {
                CHECK(rows.terms[r].part == r);
                CHECK(std::abs(rows.terms[r].error - rows.terms[r].scale * C[r]) <
                      1e-14 * (1 + std::abs(C[r])));
                if (rows.terms[r].scale == 1) continue;
                CHECK(rows.terms[r].scale == model->loops[0].torque_scale);
                ++scaled;
            }
            // Rows without a force: 3 of a weld and of a slide, 2 where an axis is kept, …
            const int turning = info.type == JointType::fixed || info.type == JointType::slide ? 3
                                : info.type == JointType::ball                                 ? 0
                                : info.type == JointType::universal                            ? 1
                                                                                               : 2;
            CHECK(scaled == turning);
        }
    }
}

TEST_CASE("a weld without torque keeps its rows of position") {
    Scene scene;
    const InertialSpec solid{1, {}, Sym3d::diagonal(0.1, 0.2, 0.3), {}};
    const BodyId body = scene.add_body(world, {.name = "body", .inertial = solid});
    scene.add_joint(body, {.name = "root", .type = JointType::free});
    scene.add_loop({.type = JointType::fixed, .body_a = world, .body_b = body, .torque_scale = 0});
    EqualityRows rows(compile(scene));
    rows.assemble(JointState<double>(rows.ws.model()));
    REQUIRE(rows.terms.size() == 3);
    for (int r = 0; r < 3; ++r) CHECK(rows.terms[r].part == 3 + r);
}

TEST_CASE("couplings of joints") {
    Random random(12);
    for (int run = 0; run < 40; ++run) {
        CAPTURE(run);
        Scene scene = random_scene(random, {.bodies = 5, .compound = 0});
        std::vector<JointId> single;
        for (int j = 0; j < static_cast<int>(scene.joints().size()); ++j) {
            const JointType type = scene.joints()[j].spec.type;
            if (type == JointType::hinge || type == JointType::slide || type == JointType::screw)
                single.push_back({j});
        }
        if (single.size() < 2) continue;
        CouplingSpec coupling{.follower = single[0], .leader = single[1]};
        for (double& c : coupling.coefficients) c = random.uniform(-1, 1);
        scene.add_coupling(coupling);
        scene.add_coupling({.follower = single[1], .coefficients = {0.3, 5, 5, 5, 5}});
        const auto model = compile(scene);
        const JointState<double> state = random_state(random, *model);
        CHECK(check_derivatives(model, state) == 2);

        EqualityRows rows(model);
        rows.assemble(state);
        const Model::Joint& follower = model->joints[model->couplings[0].follower];
        const Model::Joint& leader = model->joints[model->couplings[0].leader];
        const double x = state.q[leader.q_adr] - leader.reference;
        const auto& c = coupling.coefficients;
        const double P = c[0] + c[1] * x + c[2] * x * x + c[3] * x * x * x + c[4] * x * x * x * x;
        CHECK(rows.terms[0].error == doctest::Approx(state.q[follower.q_adr] - P).epsilon(1e-13));
        CHECK(rows.terms[1].error == doctest::Approx(state.q[leader.q_adr] - 0.3).epsilon(1e-13));
    }
}

TEST_CASE("couplings of tendons: fixed, through sites, around obstacles, on a base that moves") {
    Random random(13);
    for (int run = 0; run < 30; ++run) {
        CAPTURE(run);
        Scene scene;
        const InertialSpec solid{1, {{0.1, 0, 0}}, Sym3d::diagonal(0.1, 0.2, 0.15), {}};
        const BodyId cart = scene.add_body(world, {.name = "cart", .kinematic = true});
        const BodyId upper = scene.add_body(cart, {.name = "upper", .inertial = solid});
        const JointId shoulder = scene.add_joint(upper, {.name = "shoulder", .axis = {0, 1, 0}});
        const BodyId lower =
            scene.add_body(upper, {.name = "lower", .pose = {{1, 0, 0}}, .inertial = solid});
        const JointId elbow = scene.add_joint(lower, {.name = "elbow", .axis = {0, 1, 0.2}});
        const SiteId on_world = scene.add_site(world, {.name = "w", .pose = {random_vec(random, 2)}});
        const SiteId on_cart = scene.add_site(cart, {.name = "c", .pose = {{-1, random.uniform(0, 1), 2}}});
        const SiteId above = scene.add_site(upper, {.name = "u", .pose = {{0.3, 0.1, 0.5}}});
        const SiteId below =
            scene.add_site(lower, {.name = "l", .pose = {{0.9, 0, random.uniform(-0.3, 0.3)}}});
        const SiteId side = scene.add_site(lower, {.name = "s", .pose = {{0, 0, 2}}});
        const GeomId drum = scene.add_geom(
            lower, {.name = "drum",
                    .shape = run % 2 ? ShapeType::cylinder : ShapeType::sphere,
                    .pose = {{0.2, 0, 0}, rotation_exp(Vec3d{1.5, 0, 0.1})},
                    .size = {0.2, 1, 0}});
        const TendonId fixed =
            scene.add_tendon({.name = "fixed", .joints = {{shoulder, 0.7}, {elbow, -0.4}}});
        const TendonId straight = scene.add_tendon(
            {.name = "straight", .stops = {{.site = on_world}, {.site = above}, {.site = below}}});
        const TendonId wrapped = scene.add_tendon(
            {.name = "wrapped",
             .stops = {{.site = on_cart},
                       {.site = side},
                       {.kind = TendonStop::Kind::pulley, .divisor = 2},
                       {.site = above},
                       {.kind = TendonStop::Kind::geom, .geom = drum, .side_site = side},
                       {.site = below}}});
        const std::array<double, 5> c{0.1, random.uniform(-1, 1), random.uniform(-1, 1), 0.3, -0.2};
        scene.add_tendon_coupling({.follower = straight, .leader = fixed, .coefficients = c});
        scene.add_tendon_coupling({.follower = fixed, .leader = straight, .coefficients = c});
        scene.add_tendon_coupling({.follower = wrapped, .leader = straight, .coefficients = c});
        scene.add_tendon_coupling({.follower = straight, .leader = wrapped, .coefficients = c});
        scene.add_tendon_coupling({.follower = wrapped, .coefficients = {0.2, 9, 9, 9, 9}});
        const auto model = compile(scene);
        JointState<double> state = random_state(random, *model, 0.4);
        CHECK(check_derivatives(model, state) == 5);
        EqualityRows rows(model);
        rows.assemble(state);
        CHECK(rows.terms[4].error == doctest::Approx(rows.drives.tendon_length[wrapped.index] -
                                                     model->tendons[wrapped.index].length0 - 0.2));
    }
}

TEST_CASE("rows of a velocity step") {
    Random random(14);
    Scene scene = random_scene(random, {.bodies = 8, .kinematic = 1});
    int loops = 0;
    while (loops < 4)
        loops += add_random_loop(random, scene, JointType::hinge, "loop" + std::to_string(loops));
    Scene inactive = scene;
    inactive.options.enabled.equality = false;
    const auto model = compile(scene);
    const JointState<double> state = random_state(random, *model);
    EqualityRows all(model);
    all.assemble(state);
    WarmStarts warm(*model);
    for (std::size_t k = 0; k < warm.lambda.size(); ++k) warm.lambda[k] = 0.25 * double(k);

    const RowContext context{.h = 0.01};
    Rows rows;
    std::vector<EqualityTerms> terms;
    Equalities(*model).add_rows({state, all.ws, &all.drives, 0, true}, context, warm, rows, terms);
    REQUIRE(rows.rows.size() == 20);
    for (int r = 0; r < 20; ++r) {
        CAPTURE(r);
        const Row& row = rows.rows[r];
        const EqualityTerms& own = all.terms[r];
        // On the velocities at the end of the step: what they change by themselves within it is in the bias.
        const double kept = own.base_rate + context.h * own.product;
        CHECK(row.kept_bias == doctest::Approx(kept).epsilon(1e-14));
        const double fastest = context.fastest_correction * own.scale;
        CHECK(row.bias ==
              doctest::Approx(kept +
                              std::clamp(context.correction * own.error / context.h, -fastest, fastest)));
        CHECK(row.lo == -HUGE_VAL);
        CHECK(row.hi == HUGE_VAL);
        CHECK(row.warm == warm.loop(r / 5) + r % 5);
        CHECK(row.lambda == warm.lambda[row.warm]);
    }
    rows.clear();
    CHECK(Equalities(*compile(inactive)).acting().empty());
    const EqualityState now{state, all.ws, &all.drives, 0, true};
    Equalities(*compile(inactive)).add_rows(now, context, warm, rows, terms);
    CHECK(rows.rows.empty());
    CHECK(rows.blocks.empty());
}

TEST_CASE("constraints between two bodies: their rows on the links, with the motion of bases and of time") {
    Random random(19);
    for (const auto& sample : pair_samples()) {
        CAPTURE(sample->kind());
        int checked = 0;
        for (int run = 0; run < 12; ++run) {
            CAPTURE(run);
            Scene scene = random_scene(random, {.bodies = 6, .kinematic = run % 3});
            const int count = static_cast<int>(scene.bodies().size());
            scene.add_constraint({.body_a = {random_index(random, count)},
                                  .body_b = {random_index(random, count)},
                                  .frame_a = {random_vec(random, 0.4), random_rotation(random)},
                                  .frame_b = {random_vec(random, 0.4), random_rotation(random)},
                                  .constraint = sample});
            const auto model = compile(scene);
            if (!pair_acts(*model, 0)) continue;
            JointState<double> state = random_state(random, *model);
            state.time = random.uniform(-1, 1);
            checked += check_derivatives(model, state, 1e-5) > 0;
        }
        CHECK(checked > 3);
    }
}

TEST_CASE("loops that close gradually: rows with the motion of time") {
    Random random(20);
    int checked = 0;
    for (int run = 0; run < 12; ++run) {
        Scene scene = random_scene(random, {.bodies = 5});
        if (!add_random_loop(random, scene, JointType::fixed, "loop")) continue;
        Scene closing = random_scene(random, {.bodies = 5});
        LoopSpec loop = scene.loops()[0];
        loop.closing_time = 0.8;
        closing.add_loop(loop);
        const auto model = compile(closing);
        if (!loop_acts(*model, 0)) continue;
        JointState<double> state(*model);
        EqualityRows rows(model);
        rows.assemble(state);  // at the reference configuration it is closed for its time
        for (const EqualityTerms& terms : rows.terms) CHECK(std::abs(terms.error) < 1e-14);
        state = random_state(random, *model);
        for (const double time : {0.1, 0.4, 0.7}) {
            state.time = time;
            checked += check_derivatives(model, state);
        }
        // After its time it is as any other.
        state.time = 0.9;
        rows.assemble(state);
        std::vector<double> C(6);
        loop_residual(rows.ws, 0, C);
        for (const EqualityTerms& terms : rows.terms)
            CHECK(std::abs(terms.error - terms.scale * C[terms.part]) < 1e-14);
    }
    CHECK(checked > 50);
}

TEST_CASE("centres of mass and momenta of subtrees: their rows on the freedoms, with the motion of bases") {
    Random random(21);
    for (int run = 0; run < 30; ++run) {
        CAPTURE(run);
        Scene scene = random_scene(random, {.bodies = 8, .kinematic = run % 3});
        const int count = static_cast<int>(scene.bodies().size());
        const BodyId body{run % 5 == 0 ? 0 : random_index(random, count)};
        const auto moves = [&] {
            const auto model = compile(scene);
            bool any = false;
            for_each_moving(*model, model->find_body(scene.bodies()[body.index].spec.name),
                            [&](const Model::Body& own) { any = any || own.mass > 0; });
            return any;
        };
        if (body.index > 0 && !moves()) continue;
        for (const SubtreeQuantity quantity :
             {SubtreeQuantity::center_of_mass, SubtreeQuantity::linear_momentum,
              SubtreeQuantity::angular_momentum})
            scene.add_subtree_constraint(
                {.body = body, .quantity = quantity, .target = random_vec(random, 1)});
        const auto model = compile(scene);
        const JointState<double> state = random_state(random, *model);
        CHECK(check_derivatives(model, state, 1e-5) == 9);
        // What the sensors of the same names read.
        EqualityRows rows(model);
        rows.assemble(state);
        const std::vector<double> J = rows.jacobian();
        const Model::SubtreeConstraint& held = model->subtree_constraints[0];
        Vec3d centre = Vec3d::zero(), momentum = Vec3d::zero(), angular = Vec3d::zero();
        for (const bool second : {false, true})
            for_each_moving(*model, held.body, [&](const Model::Body& own) {
                const Transformd X = carrier_pose(rows.ws, own.link) * own.X_LB;
                const Vec3d x = X * own.com;
                const Motion<double> V = shift(carrier_velocity(rows.ws, own.link),
                                               x - carrier_pose(rows.ws, own.link).p);
                if (!second) {
                    centre += (own.mass / held.mass) * x;
                    momentum += own.mass * V.lin;
                } else {
                    angular += rotate(X.R, own.inertia) * V.ang + own.mass * cross(x - centre, V.lin);
                }
            });
        for (int k = 0; k < 3; ++k) {
            CHECK(rows.terms[k].error == doctest::Approx(centre[k] - held.target[k]).epsilon(1e-12));
            for (int q = 1; q < 3; ++q) {
                const Model::SubtreeConstraint& own = model->subtree_constraints[q];
                const int r = 3 * q + k;
                double rate = rows.terms[r].base_rate;
                for (int v = 0; v < model->nv; ++v) rate += J[r * model->nv + v] * state.v[v];
                const double unit = q == 1 ? own.mass : own.mass * own.radius * own.radius;
                const double wanted = (q == 1 ? momentum[k] : angular[k]) - own.target[k];
                CHECK(std::abs(unit * rate - wanted) < 1e-10 * (1 + std::abs(wanted)));
            }
        }
    }
}
