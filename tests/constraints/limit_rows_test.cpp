// Rows of limits against angles measured by their definitions in long double, their entries against
// differences of those along the motion.

#include "constraints/limit_rows.h"
#include "dynamics/ball_angles.h"
#include "support/random_scene.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

using real = long double;
using Vec = Vec3<real>;

constexpr double pi = std::numbers::pi;

real length_of(const Vec& a) { return std::sqrt(dot(a, a)); }
Vec wide(const Vec3d& a) { return {a.x, a.y, a.z}; }

Vec turned(const Quat<real>& q, const Vec& a) {
    const Vec t = 2 * cross(q.vec(), a);
    return a + q.w * t + cross(q.vec(), t);
}

Quat<real> unit(const Quat<real>& q) {
    const real s = 1 / std::sqrt(dot(q, q));
    return {s * q.w, s * q.x, s * q.y, s * q.z};
}

Quat<real> moved(const Quat<real>& q, const Vec& w) {
    const real angle = length_of(w), s = angle > 0 ? std::sin(angle / 2) / angle : real(0.5);
    return unit(q * Quat<real>{std::cos(angle / 2), s * w.x, s * w.y, s * w.z});
}

real cone_angle(const Quat<real>& q) { return 2 * std::atan2(length_of(q.vec()), std::abs(q.w)); }

real swing_angle(const Quat<real>& q, const Vec& a) {
    const Vec d = turned(q, a);
    return std::atan2(length_of(cross(a, d)), dot(a, d));
}

// The rotation that is left about a when the shortest one from a to where it is has been undone, as the angle
// between some vector across a and its image.
real twist_angle(const Quat<real>& q, const Vec& a) {
    const Vec d = turned(q, a), across = cross(a, d);
    const Quat<real> shortest = unit({1 + dot(a, d), across.x, across.y, across.z});
    const Vec any = std::abs(a.x) < real(0.8) ? Vec{1, 0, 0} : Vec{0, 1, 0};
    Vec e = cross(a, any);
    e = (1 / length_of(e)) * e;
    const Vec image = turned(conjugate(shortest), turned(q, e));
    return std::atan2(dot(a, cross(e, image)), dot(e, image));
}

struct Limits {
    std::optional<double> cone, swing;
    std::optional<Range> twist;
};

std::shared_ptr<const Model> ball_model(const Vec3d& axis, const Limits& limits) {
    Scene scene("ball");
    const BodyId body = scene.add_body(
        world, {.name = "b", .inertial = InertialSpec{1, {}, Sym3d::diagonal(1, 1, 1), {}}});
    scene.add_joint(body, {.name = "j",
                           .type = JointType::ball,
                           .axis = axis,
                           .cone = limits.cone,
                           .swing = limits.swing,
                           .twist = limits.twist});
    return compile(scene);
}

// Every bound is in reach, and the bias is the whole gap over h, also of a violated one.
RowContext everything() {
    return {.h = 0.01, .reach_speed = 1e6, .correction = 1, .fastest_correction = 1e300, .slop = 0};
}

const Row* row_of(const Rows& rows, const WarmStarts& warm, int joint, int slot) {
    for (const Row& row : rows.rows)
        if (row.warm == warm.limit(joint) + slot) return &row;
    return nullptr;
}

Vec3d entries_of(const Rows& rows, const Row& row) {
    REQUIRE(row.entry_count == 3);
    Vec3d out;
    for (int k = 0; k < 3; ++k) {
        REQUIRE(rows.entries[row.entry_begin + k].dof == k);
        out[k] = rows.entries[row.entry_begin + k].value;
    }
    return out;
}

void set_quaternion(JointState<double>& state, const Quatd& q) { state.q = {q.w, q.x, q.y, q.z}; }
Quat<real> quaternion_of(const JointState<double>& state) {
    return unit({state.q[0], state.q[1], state.q[2], state.q[3]});
}

// The angle less its limit, its gradient by differences over `step`, and what the rows say.
template <class Gap>
void check_gap(const Rows& rows, const Row* row, const RowContext& context, const Quat<real>& q, real step,
               double tolerance, Gap&& gap) {
    REQUIRE(row);
    const Vec3d J = entries_of(rows, *row);
    const double size = length(J);
    // A few roundings of angles up to 2π, and of the coordinates.
    CHECK(std::abs(row->bias * context.h - double(gap(q))) < 1e-14 + 1e-15 * size);
    for (int k = 0; k < 3; ++k) {
        Vec e = Vec::zero();
        e[k] = step;
        const real slope = (gap(moved(q, e)) - gap(moved(q, -e))) / (2 * step);
        CHECK(std::abs(J[k] - double(slope)) < tolerance * size);
    }
}

constexpr int cone_slot = 0, swing_slot = 6, twist_slot = 10;

// All bounds of a ball with all three kinds of limits.
void check_ball(const Vec3d& axis, const Quatd& q0, real step, double tolerance) {
    const Limits limits{1.0, 0.7, Range{-0.3, 0.5}};
    const auto model = ball_model(axis, limits);
    const WarmStarts warm(*model);
    JointState<double> state(*model);
    set_quaternion(state, q0);
    const RowContext context = everything();
    Rows rows;
    add_limit_rows(state, *model, context, warm, rows);
    REQUIRE(rows.blocks.size() == 1);
    const Quat<real> q = quaternion_of(state);
    const Vec a = wide(model->joints[0].twist_axis);
    check_gap(rows, row_of(rows, warm, 0, cone_slot), context, q, step, tolerance,
              [&](const Quat<real>& r) { return real(1) - cone_angle(r); });
    check_gap(rows, row_of(rows, warm, 0, swing_slot), context, q, step, tolerance,
              [&](const Quat<real>& r) { return real(0.7) - swing_angle(r, a); });
    // Of the values of the twist, the one nearest to the middle of the range.
    const auto near_middle = [&](const Quat<real>& r) {
        const real turn = 2 * std::numbers::pi_v<real>, angle = twist_angle(r, a);
        return angle + turn * std::round((real(0.1) - angle) / turn);
    };
    check_gap(rows, row_of(rows, warm, 0, twist_slot), context, q, step, tolerance,
              [&](const Quat<real>& r) { return near_middle(r) - real(-0.3); });
    check_gap(rows, row_of(rows, warm, 0, twist_slot + 1), context, q, step, tolerance,
              [&](const Quat<real>& r) { return real(0.5) - near_middle(r); });
}

Quatd about(const Vec3d& axis, double angle) { return rotation_exp(angle * axis); }

// Impulses that satisfy all rows on a ball of unit inertia, to a tight tolerance.
Vec3d resolved(Rows& rows, Vec3d w) {
    for (Row& row : rows.rows) row.lambda = 0;
    for (int sweep = 0; sweep < 2000; ++sweep)
        for (Row& row : rows.rows) {
            const RowEntry* entry = rows.entries.data() + row.entry_begin;
            const Vec3d J{entry[0].value, entry[1].value, entry[2].value};
            const double next = std::max(row.lambda - (dot(J, w) + row.bias) / dot(J, J), 0.0);
            w += (next - row.lambda) * J;
            row.lambda = next;
        }
    return w;
}

JointState<double> advanced(const Model& model, const JointState<double>& state, const Vec3d& w, double h) {
    const Workspace<double> ws(std::make_shared<Model>(model));
    JointState<double> out = state;
    const std::vector<double> v{w.x, w.y, w.z};
    integrate<double>(ws, state.q, v, h, out.q);
    return out;
}

}  // namespace

TEST_CASE("limits of a ball are the angles they are defined as, and rows their derivatives") {
    Random random(71);
    for (int trial = 0; trial < 300; ++trial) {
        const Vec3d axis = random.uniform(0.5, 2) * random_direction(random);
        // Far enough from half a turn and from none for the differences: third derivatives are below 1e4.
        const Quatd q = random_rotation(random, 2.9);
        const Vec3d a = (1 / length(axis)) * axis;
        const double swing = double(swing_angle(unit({q.w, q.x, q.y, q.z}), wide(a)));
        const double twist = double(twist_angle(unit({q.w, q.x, q.y, q.z}), wide(a)));
        if (swing < 0.05 || length(q.vec()) < 0.05 || std::abs(std::abs(twist - 0.1) - pi) < 1e-3) continue;
        check_ball(axis, q, 1e-6L, 1e-8);
        check_ball(axis, {-q.w, -q.x, -q.y, -q.z}, 1e-6L, 1e-8);  // the same rotation
    }
}

TEST_CASE("limits of a ball near their singular positions") {
    Random random(72);
    for (int trial = 0; trial < 100; ++trial) {
        const Vec3d axis = random_direction(random);
        const Vec3d across = unit_across(axis, random_vec(random, 1));
        const double away = std::pow(10.0, -random.uniform(1, 5));
        const real step = 1e-4L * away;
        // The rounding of the coordinates turns directions by 1e-16 / away.
        const double tolerance = 1e-7 + 1e-15 / away;
        const double twist = random.uniform(-1, 1);
        check_ball(axis, about(across, away) * about(axis, twist), step, tolerance);       // swing near 0
        check_ball(axis, about(across, pi - away) * about(axis, twist), step, tolerance);  // and near π
        check_ball(axis, about(random_direction(random), away), step, tolerance);          // cone near 0
        check_ball(axis, about(random_direction(random), pi - away), step, tolerance);     // and near π
    }
}

TEST_CASE("limits of a ball at their singular positions are finite, and exact for the motion at hand") {
    Random random(73);
    const Vec3d axis = random_direction(random);
    const Vec3d across = unit_across(axis, random_vec(random, 1));
    const auto model = ball_model(axis, {1.0, 0.7, Range{-0.3, 0.5}});
    const WarmStarts warm(*model);
    const RowContext context = everything();
    const Vec3d a = model->joints[0].twist_axis;
    const Quatd half_about_across{0, across.x, across.y, across.z};
    const Quatd half_about_axis{0, a.x, a.y, a.z};
    const Quatd positions[] = {
        {1, 0, 0, 0}, {-1, 0, 0, 0}, half_about_across, half_about_axis, about(a, 0.4)};
    for (const Quatd& q : positions)
        for (const Vec3d& w : {Vec3d::zero(), Vec3d{0.3, -2, 1}, 3 * a}) {
            JointState<double> state(*model);
            set_quaternion(state, q);
            state.v = {w.x, w.y, w.z};
            Rows rows;
            add_limit_rows(state, *model, context, warm, rows);
            REQUIRE(rows.rows.size() == 12);  // six of the cone, four of the swing, two of the twist
            for (const Row& row : rows.rows) {
                CHECK(std::isfinite(row.bias));
                CHECK(std::isfinite(row.kept_bias));
                for (int k = 0; k < 3; ++k) CHECK(std::isfinite(rows.entries[row.entry_begin + k].value));
            }
            for (const int slot : {cone_slot, swing_slot}) {
                const double size = length(entries_of(rows, *row_of(rows, warm, 0, slot)));
                CHECK(size == doctest::Approx(1).epsilon(1e-14));
            }
        }
    // From no rotation, every motion opens cone and swing at its speed.
    JointState<double> state(*model);
    const Vec3d w{0.3, -2, 1};
    state.v = {w.x, w.y, w.z};
    Rows rows;
    add_limit_rows(state, *model, context, warm, rows);
    CHECK(dot(entries_of(rows, *row_of(rows, warm, 0, cone_slot)), w) ==
          doctest::Approx(-length(w)).epsilon(1e-14));
    CHECK(dot(entries_of(rows, *row_of(rows, warm, 0, swing_slot)), w) ==
          doctest::Approx(-length(w - dot(a, w) * a)).epsilon(1e-14));
}

TEST_CASE("a ball that moves along its bound stays there to third order") {
    Random random(74);
    for (const bool is_cone : {false, true})
        for (const double limit : {0.4, 1.2}) {
            const Vec3d axis = random_direction(random);
            const auto model =
                is_cone ? ball_model(axis, {limit, {}, {}}) : ball_model(axis, {{}, limit, {}});
            const WarmStarts warm(*model);
            const RowContext context{.h = 1.0 / 60};
            for (const double aside : {0.01, 0.03, 0.1}) {  // rad in the step
                JointState<double> state(*model);
                const Vec3d across = unit_across(axis, random_vec(random, 1));
                set_quaternion(state, about(across, limit));
                // A swing moves aside by turning about a × j, which is across both; a rotation by any
                // axis across.
                const Vec3d w = (aside / context.h) * cross(axis, across);
                state.v = {w.x, w.y, w.z};
                Rows rows;
                add_limit_rows(state, *model, context, warm, rows);
                REQUIRE(rows.rows.size() == 1);
                const double kept = rows.rows[0].kept_bias;
                CHECK(std::abs(kept) < 1e-12);  // velocities do not gain
                const Vec3d v = resolved(rows, w);
                const JointState<double> next = advanced(*model, state, v, context.h);
                const double violation = largest_limit_violation(next, *model).size;
                CHECK(violation < aside * aside * aside);
                // Without knowing the bound's curve: half the square of the way over the radius.
                rows.rows[0].bias = kept;
                const JointState<double> straight = advanced(*model, state, resolved(rows, w), context.h);
                CHECK(largest_limit_violation(straight, *model).size > 0.15 * aside * aside);
            }
        }
}

TEST_CASE("narrow cones and swings hold whatever the velocity") {
    Random random(75);
    const RowContext context{.h = 1.0 / 60};
    for (const double limit : {0.03, 1e-3, 0.0})
        for (const bool is_cone : {false, true})
            for (int trial = 0; trial < 50; ++trial) {
                const Vec3d axis = random_direction(random);
                const auto model =
                    is_cone ? ball_model(axis, {limit, {}, {}}) : ball_model(axis, {{}, limit, {}});
                const WarmStarts warm(*model);
                JointState<double> state(*model);
                const Vec3d off = limit * random.uniform(0, 1) * unit_across(axis, random_vec(random, 1));
                set_quaternion(state, is_cone ? about(random_direction(random), limit * random.uniform(0, 1))
                                              : rotation_exp(off) * about(axis, random.uniform(-3, 3)));
                const Vec3d w = random_vec(random, 3);  // up to 0.08 rad in a step
                state.v = {w.x, w.y, w.z};
                Rows rows;
                add_limit_rows(state, *model, context, warm, rows);
                CHECK(rows.rows.size() == (is_cone ? 6 : 4));
                const Vec3d v = resolved(rows, w);
                // The corner of a box around the circle, or the sphere; a twist of 0.05 on the way bends it.
                const double corner = (is_cone ? std::sqrt(3.0) : std::sqrt(2.0)) - 1;
                const JointState<double> next = advanced(*model, state, v, context.h);
                CHECK(largest_limit_violation(next, *model).size <= (corner + 0.03) * limit + 1e-14);
                // What is free stays free.
                if (!is_cone) CHECK(std::abs(dot(axis, v - w)) < 1e-12);
            }
}

TEST_CASE("limits that bind nothing have no rows; a twist counts from the middle of its range") {
    const RowContext context = everything();
    const auto rows_of = [&](const Limits& limits, const Quatd& q) {
        const auto model = ball_model({0, 0, 1}, limits);
        JointState<double> state(*model);
        set_quaternion(state, q);
        Rows rows;
        add_limit_rows(state, *model, context, WarmStarts(*model), rows);
        return rows;
    };
    CHECK(rows_of({pi, 4.0, Range{-pi, pi}}, {1, 0, 0, 0}).blocks.empty());
    CHECK(rows_of({{}, {}, {}}, {1, 0, 0, 0}).blocks.empty());
    // 200° is within 90° to 270°, and −170° is the same position.
    for (const double angle : {200.0, -160.0}) {
        const Rows rows = rows_of({{}, {}, Range{pi / 2, 3 * pi / 2}}, about({0, 0, 1}, angle * pi / 180));
        REQUIRE(rows.rows.size() == 2);
        CHECK(rows.rows[0].bias * context.h == doctest::Approx(110 * pi / 180));
        CHECK(rows.rows[1].bias * context.h == doctest::Approx(70 * pi / 180));
    }
    // One-sided.
    const Rows rows = rows_of({{}, {}, Range{-0.5, HUGE_VAL}}, about({0, 0, 1}, 0.2));
    REQUIRE(rows.rows.size() == 1);
    CHECK(rows.rows[0].bias * context.h == doctest::Approx(0.7));
}

TEST_CASE("ranges of coordinates, joints of all kinds, one or several on a body") {
    Random random(76);
    TreeShape shape;
    shape.bodies = 25;
    Scene scene = random_scene(random, shape);
    for (std::size_t i = 0; i < scene.joints().size(); ++i) {
        JointSpec& joint = scene.joint(JointId{static_cast<int>(i)});
        const joints::JointInfo& info = joints::joint_info(joint.type);
        if (info.nq != info.nv) continue;
        for (int k = 0; k < info.nq; ++k) {
            joint.range[k] = {random.uniform(-1, 0), random.uniform(0, 1)};
            if (random_index(random, 4) == 0) joint.range[k].lower = -HUGE_VAL;
            if (random_index(random, 4) == 0) joint.range[k].upper = HUGE_VAL;
        }
    }
    const auto model = compile(scene);
    WarmStarts warm(*model);
    for (std::size_t k = 0; k < warm.lambda.size(); ++k) warm.lambda[k] = double(k);
    const JointState<double> state = random_state(random, *model);
    const RowContext context = everything();
    Rows rows;
    add_limit_rows(state, *model, context, warm, rows);
    std::size_t expected = 0, blocks = 0;
    double worst = 0;
    for (const Model::Joint& joint : model->joints) {
        const std::size_t before = expected;
        for (int k = 0; k < std::min(joint.nq, 3); ++k)
            for (const double bound : {joint.range[k].lower, joint.range[k].upper}) {
                if (!std::isfinite(bound)) continue;
                const double sign = bound == joint.range[k].lower ? 1 : -1;
                const double gap = sign * (state.q[joint.q_adr + k] - bound);
                worst = std::max(worst, -gap);
                const Row& row = rows.rows[expected++];
                CHECK(row.bias == doctest::Approx(gap / context.h).epsilon(1e-15));
                CHECK(row.kept_bias == doctest::Approx(std::max(gap, 0.0) / context.h).epsilon(1e-15));
                CHECK(row.lo == 0);
                CHECK(row.hi == HUGE_VAL);
                CHECK(row.lambda == double(row.warm));
                REQUIRE(row.entry_count == 1);
                CHECK(rows.entries[row.entry_begin].dof == joint.v_adr + k);
                CHECK(rows.entries[row.entry_begin].value == sign);
            }
        blocks += expected > before;
    }
    CHECK(rows.rows.size() == expected);
    CHECK(rows.blocks.size() == blocks);
    CHECK(expected > 20);
    CHECK(worst > 0);
    const LimitViolation violation = largest_limit_violation(state, *model);
    CHECK(violation.size == worst);
    const Model::Joint& guilty = model->joints[violation.source];
    double own = 0;
    for (int k = 0; k < std::min(guilty.nq, 3); ++k)
        own = std::max({own, guilty.range[k].lower - state.q[guilty.q_adr + k],
                        state.q[guilty.q_adr + k] - guilty.range[k].upper});
    CHECK(own == worst);
}

TEST_CASE("only bounds that can be reached have rows, and switches are honoured") {
    Scene scene("hinge");
    const BodyId body = scene.add_body(
        world, {.name = "b", .inertial = InertialSpec{1, {}, Sym3d::diagonal(1, 1, 1), {}}});
    scene.add_joint(body, {.name = "j", .range = {Range{-1, 1}, Range{}, Range{}}, .margin = 0.5});
    const RowContext context{.h = 0.01};  // reach: 0.05 rad, and 0.02 s of the speed
    const auto count = [&](double q, double v) {
        const auto model = compile(scene);
        JointState<double> state(*model);
        state.q[0] = q;
        state.v[0] = v;
        Rows rows;
        add_limit_rows(state, *model, context, WarmStarts(*model), rows);
        CHECK(rows.blocks.size() == (rows.rows.empty() ? 0 : 1));
        return rows.rows.size();
    };
    CHECK(count(0, 0) == 0);
    CHECK(count(0.9, 0) == 0);
    CHECK(count(0.96, 0) == 1);
    CHECK(count(-0.96, 0) == 1);
    CHECK(count(0.9, 3) == 1);
    CHECK(count(0.9, -3) == 0);
    CHECK(count(0, 60) == 1);
    CHECK(count(1.5, -3) == 1);
    scene.joint(JointId{0}).range[0] = {-0.01, 0.02};
    CHECK(count(0, 0) == 2);
    scene.options.enabled.limit = false;
    CHECK(count(1.5, 0) == 0);
    JointState<double> out(*compile(scene));
    out.q[0] = 2;
    CHECK(largest_limit_violation(out, *compile(scene)).source == -1);
    scene.options.enabled.limit = true;
    CHECK(largest_limit_violation(out, *compile(scene)).size == 1.98);
    CHECK(largest_limit_violation(out, *compile(scene)).source == 0);
    scene.options.enabled.constraint = false;
    CHECK(count(1.5, 0) == 0);
}
