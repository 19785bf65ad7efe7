// Rows and accelerations of tracking, on random states of all kinds of joints and targets that move.

#include "constraints/tracking_rows.h"
#include "core/rotation.h"
#include "support/random_scene.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

struct Case {
    std::shared_ptr<const Model> model;
    JointState<double> state;
    MotionClip clip;
    WarmStarts warm;

    static MotionClip random_clip(Random& random, const Model& model) {
        ClipSamples samples;
        for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) samples.joints.push_back(j);
        for (int k = 0; k < 6; ++k) {
            samples.times.push_back(0.4 * k);
            const std::vector<double> q = random_state(random, model).q;
            samples.q.insert(samples.q.end(), q.begin(), q.end());
        }
        return MotionClip(model, samples);
    }
    explicit Case(Random& random, const TreeShape& shape = {})
        : model(compile(random_scene(random, shape))),
          state(random_state(random, *model)),
          clip(random_clip(random, *model)),
          warm(*model) {
        state.time = 0.7;
    }
    Rows rows(Tracking& tracking, double h, const JointState<double>& at) {
        Rows rows;
        std::vector<double> x(model->nv);
        tracking.add(at, {.h = h}, warm, x, rows);
        for (const double y : x) CHECK(y == 0);
        return rows;
    }
};

}  // namespace

TEST_CASE("short rows ask for the accelerations of equation (22), with and without feed-forward") {
    Random random(17);
    for (int trial = 0; trial < 20; ++trial)
        for (const bool feed_forward : {true, false}) {
            Case c(random);
            Tracking tracking(*c.model);
            tracking.set(c.model, c.clip, {.gains = {40, 11}, .feed_forward = feed_forward});
            const std::vector<Tracking::Wanted> wanted = [&] {
                const auto found = tracking.desired_accelerations(c.state);
                return std::vector<Tracking::Wanted>(found.begin(), found.end());
            }();
            // (v⁺ − v)/h is the acceleration and an error of first order, which two lengths take out.
            const double h = 1e-5;
            const Rows one = c.rows(tracking, h, c.state), two = c.rows(tracking, 2 * h, c.state);
            REQUIRE(one.rows.size() == wanted.size());
            for (std::size_t r = 0; r < wanted.size(); ++r) {
                const int dof = one.entries[one.rows[r].entry_begin].dof;
                CHECK(dof == wanted[r].dof);
                const double v = c.state.v[dof];
                const auto rate = [&](const Rows& rows, double length) {
                    return (-rows.rows[r].kept_bias - v) / length;
                };
                CHECK(std::abs(2 * rate(one, h) - rate(two, 2 * h) - wanted[r].acceleration) <
                      1e-3 + 1e-5 * std::abs(wanted[r].acceleration));
                CHECK(std::isinf(wanted[r].max_torque));
            }
        }
}

// The flow of errors is a group: a step is two halves of it, if the positions and velocities that the first
// row asks for are taken on. Exactly, on manifolds too, for targets with and without motion.
TEST_CASE("one step of a row is two half ones") {
    Random random(23);
    for (int trial = 0; trial < 40; ++trial) {
        Case c(random);
        Workspace<double> ws(c.model);
        Tracking tracking(*c.model);
        tracking.set(c.model, c.clip, {.gains = {random.uniform(0, 900), random.uniform(0, 60)}});
        const auto advance = [&](JointState<double> state, double h) {
            const Rows rows = c.rows(tracking, h, state);
            std::vector<double> u(c.model->nv, 0.0);
            for (const Row& row : rows.rows) {
                const int dof = rows.entries[row.entry_begin].dof;
                u[dof] = -row.bias;
                state.v[dof] = -row.kept_bias;
            }
            integrate<double>(ws, state.q, u, h, state.q);
            state.time += h;
            return state;
        };
        const double h = random.uniform(0.01, 0.3);
        const JointState<double> once = advance(c.state, h),
                                 twice = advance(advance(c.state, 0.5 * h), 0.5 * h);
        std::vector<double> apart(c.model->nv);
        difference<double>(ws, once.q, twice.q, apart);
        for (const Model::Joint& joint : c.model->joints)
            for (int k = joint.v_adr; k < joint.v_adr + joint.nv && joint.type != JointType::free; ++k) {
                // Errors beyond half a turn of a ball are taken for the shorter way round, then not.
                if (joint.type == JointType::ball &&
                    length(rotation_log(conjugate(Quatd{once.q[joint.q_adr], once.q[joint.q_adr + 1],
                                                        once.q[joint.q_adr + 2], once.q[joint.q_adr + 3]}) *
                                        Quatd{c.state.q[joint.q_adr], c.state.q[joint.q_adr + 1],
                                              c.state.q[joint.q_adr + 2], c.state.q[joint.q_adr + 3]})) > 2)
                    continue;
                CHECK(std::abs(apart[k]) < 1e-9);
                CHECK(std::abs(once.v[k] - twice.v[k]) < 1e-8 * (1 + std::abs(once.v[k])));
            }
    }
}

TEST_CASE("bounds, free joints, limp times, and torques of PD") {
    Random random(5);
    TreeShape shape;
    shape.bodies = 8;
    Case c(random, shape);
    Tracking tracking(*c.model);
    std::vector<double> limits;
    for (std::size_t j = 0; j < c.model->joints.size(); ++j) limits.push_back(1.0 + static_cast<double>(j));
    limits[1] = 0;
    TrackingOptions options{.torque_limits = limits, .limp = {{2, 3}}};
    tracking.set(c.model, c.clip, options);
    const double h = 0.02;
    const Rows rows = c.rows(tracking, h, c.state);
    int count = 0;
    for (const RowBlock& block : rows.blocks) {
        CHECK(block.kind == RowKind::tracking);
        CHECK(c.model->joints[block.source].type != JointType::free);
        CHECK(block.source != 1);
        for (const Row& row : rows.rows_of(block)) {
            CHECK(row.hi == h * limits[block.source]);
            CHECK(row.lo == -row.hi);
            ++count;
        }
    }
    int freedoms = 0;
    for (std::size_t j = 0; j < c.model->joints.size(); ++j)
        if (c.model->joints[j].type != JointType::free && j != 1) freedoms += c.model->joints[j].nv;
    CHECK(count == freedoms);
    CHECK(tracking.acts(1.9, 0.2));
    CHECK_FALSE(tracking.acts(2.1, 0.2));
    CHECK(tracking.acts(2.9, 0.2));
    JointState<double> limp = c.state;
    limp.time = 2.5;
    CHECK(c.rows(tracking, h, limp).rows.empty());
    CHECK(tracking.desired_accelerations(limp).empty());

    options.method = TrackingMethod::pd;
    tracking.set(c.model, c.clip, options);
    CHECK(tracking.desired_accelerations(c.state).empty());
    std::vector<double> tau(c.model->nv, 0.0), x(c.model->nv, 0.0);
    tracking.add_forces(c.state, tau);
    Rows none;
    tracking.add(c.state, {.h = h}, c.warm, x, none);
    CHECK(none.rows.empty());
    bool at_limit = false;
    for (std::size_t j = 0; j < c.model->joints.size(); ++j) {
        const Model::Joint& joint = c.model->joints[j];
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k) {
            CHECK(x[k] == doctest::Approx(h * tau[k]).epsilon(1e-14));
            CHECK(std::abs(tau[k]) <= (joint.type == JointType::free ? 0 : limits[j]));
            at_limit = at_limit || (tau[k] != 0 && std::abs(tau[k]) == limits[j]);
        }
    }
    CHECK(at_limit);
}
