// The factor of the joint-space inertia against the dense matrix, in long double.

#include "dynamics/joint_factor.h"
#include "support/dense_rows.h"
#include "support/random_scene.h"

#include <doctest/doctest.h>

#include <string>

using namespace lig;
using namespace lig::test;

namespace {

// A random tree, its inertia with random additions on the blocks of the links, dense and factored.
struct Case {
    explicit Case(Random& random, const TreeShape& shape, const Vec3d& origin = Vec3d::zero(),
                  bool more = true)
        : model(compile(moved(random_scene(random, shape), origin))),
          ws(model),
          factor(*model),
          terms(*model),
          nv(model->nv) {
        state = random_state(random, *model);
        for (BaseMotion<double>& base : state.kinematic) base.pos += origin;
        M.resize(static_cast<std::size_t>(nv) * nv);
        mass_matrix<double>(state, ws, M);
        forward_kinematics(state, ws);
        for (int link = 0; more && link < static_cast<int>(factor.links.size()); ++link) {
            // B Bᵀ, which keeps the matrix positive definite.
            const int n = factor.links[link].nv, at = factor.links[link].v_adr;
            const std::vector<double> B = random_numbers(random, n * n, 0.7);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) {
                    double sum = 0;
                    for (int k = 0; k < n; ++k) sum += B[i * n + k] * B[j * n + k];
                    terms.added[terms.added_at(at + i, at + j)] = sum;
                    M[(at + i) * nv + at + j] += sum;
                }
        }
        REQUIRE(factor.factor(ws, terms) == -1);
    }
    static Scene moved(Scene scene, const Vec3d& origin) {
        for (int k = 1; k < static_cast<int>(scene.bodies().size()); ++k)
            if (scene.bodies()[k].parent.index == 0) scene.body({k}).pose.pos += origin;
        return scene;
    }

    std::shared_ptr<const Model> model;
    Workspace<double> ws;
    JointFactor factor;
    JointTerms terms;
    int nv;
    JointState<double> state;
    std::vector<double> M;
};

// Largest |M x − b| beside |M| |x|: what elimination leaves behind, whatever the condition of M.
double backward_error(const std::vector<double>& M, const std::vector<double>& x,
                      const std::vector<double>& b) {
    const std::size_t n = b.size();
    double worst = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
        long double sum = -b[i];
        double terms = 0;
        for (std::size_t j = 0; j < n; ++j) {
            sum += static_cast<long double>(M[i * n + j]) * x[j];
            terms += std::fabs(M[i * n + j] * x[j]);
        }
        worst = std::max(worst, std::fabs(static_cast<double>(sum)));
        size = std::max(size, terms);
    }
    return worst / size;
}

}  // namespace

TEST_CASE("inward and outward are the inverse of the inertia, and each other's transpose") {
    Random random(81);
    for (int trial = 0; trial < 120; ++trial) {
        CAPTURE(trial);
        Case c(random, {.bodies = 2 + trial % 17,
                        .chain = trial % 3 * 0.45,
                        .compound = trial % 2 * 0.6,
                        .kinematic = trial % 3});
        const std::vector<double> x = random_numbers(random, c.nv, 3);
        std::vector<double> s = x, v(c.nv);
        c.factor.inward(s);
        c.factor.outward(s, v);
        // Some 20 links one after another, a few hundred roundings each.
        CHECK(backward_error(c.M, v, x) < 1e-13);
        const std::vector<double> wanted = LongCholesky(c.M, c.nv).solve(x);
        CHECK(dot_of(s, s) == doctest::Approx(dot_of(x, wanted)).epsilon(1e-10));
        // y · Outward s = Inward y · s.
        const std::vector<double> other = random_numbers(random, c.nv, 2),
                                  y = random_numbers(random, c.nv, 2);
        std::vector<double> inward_y = y;
        c.factor.inward(inward_y);
        c.factor.outward(other, v);
        const double size = std::sqrt(dot_of(y, y) * dot_of(v, v)) +
                            std::sqrt(dot_of(inward_y, inward_y) * dot_of(other, other));
        CHECK(std::abs(dot_of(y, v) - dot_of(inward_y, other)) < 1e-13 * size);
    }
}

TEST_CASE("forces on links count as the forces on freedoms that do the same work") {
    Random random(82);
    for (int trial = 0; trial < 60; ++trial) {
        CAPTURE(trial);
        Case c(random, {.bodies = 2 + trial % 12, .kinematic = trial % 2});
        const int links = static_cast<int>(c.factor.links.size());
        std::vector<Force<double>> forces;
        Rows rows;  // a row per link, its force
        for (int i = 0; i < links; ++i) {
            forces.push_back({random_vec(random, 2), random_vec(random, 2)});
            rows.begin_block(RowKind::contact, i, i);
            rows.add_row().on_a = forces.back();
        }
        const std::vector<double> J = dense_jacobian(rows, c.ws), own = random_numbers(random, c.nv, 2);
        std::vector<double> together = own, s = own, plain;
        for (int i = 0; i < links; ++i)
            for (int k = 0; k < c.nv; ++k) together[k] += J[i * c.nv + k];
        c.factor.inward(s, forces);
        plain = together;
        c.factor.inward(plain);
        CHECK(largest_difference(s, plain) < 1e-12 * (1 + largest(plain)));

        // What outward says of the links' velocities is what J says.
        std::vector<double> v(c.nv);
        c.factor.outward(s, v);
        for (int i = 0; i < links; ++i) {
            long double rate = 0;
            double size = 0;
            for (int k = 0; k < c.nv; ++k) {
                rate += static_cast<long double>(J[i * c.nv + k]) * v[k];
                size += std::fabs(J[i * c.nv + k] * v[k]);
            }
            const double told = dot(c.factor.link_motion(i), forces[i]);
            CHECK(std::abs(told - static_cast<double>(rate)) < 1e-12 * (1 + size));
        }
    }
}

TEST_CASE("links that are harder to turn: Jᵀ N J is added to the inertia") {
    Random random(83);
    for (int trial = 0; trial < 30; ++trial) {
        CAPTURE(trial);
        Case c(random, {.bodies = 2 + trial % 12});
        std::vector<Sym3d> turning;
        for (std::size_t i = 0; i < c.factor.links.size(); ++i) {
            const Vec3d a{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
            turning.push_back(Sym3d{a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z});
        }
        c.terms.turning = turning;
        REQUIRE(c.factor.factor(c.ws, c.terms) == -1);
        // Column by column: the angular velocities of all links by one freedom.
        std::vector<double> M = c.M;
        const auto turns = [&](int k) {
            std::vector<Vec3d> w(c.factor.links.size(), Vec3d::zero());
            for (std::size_t i = 0; i < w.size(); ++i) {
                const JointFactor::Link& link = c.factor.links[i];
                if (link.parent >= 0) w[i] = w[link.parent];
                if (k >= link.v_adr && k < link.v_adr + link.nv) w[i] += c.ws.S[k].ang;
            }
            return w;
        };
        for (int k = 0; k < c.nv; ++k)
            for (int l = 0; l < c.nv; ++l) {
                const std::vector<Vec3d> a = turns(k), b = turns(l);
                for (std::size_t i = 0; i < a.size(); ++i) M[k * c.nv + l] += dot(a[i], turning[i] * b[i]);
            }
        const std::vector<double> x = random_numbers(random, c.nv, 3);
        std::vector<double> s = x, v(c.nv);
        c.factor.inward(s);
        c.factor.outward(s, v);
        CHECK(backward_error(M, v, x) < 1e-13);
    }
}

TEST_CASE("the factor does not know where it is") {
    for (const double away : {1e2, 1e4}) {
        for (int trial = 0; trial < 10; ++trial) {
            Random here(90 + trial), there(90 + trial);
            Case near(here, {.bodies = 12, .free_joints = false, .kinematic = 1});
            Case far(there, {.bodies = 12, .free_joints = false, .kinematic = 1}, {away, -away, 0.5 * away});
            const std::vector<double> x = random_numbers(here, near.nv, 3);
            std::vector<double> s_near = x, s_far = x;
            near.factor.inward(s_near);
            far.factor.inward(s_far);
            // Positions are rounded to 1e-16 · away, and everything is about the links' own origins.
            CHECK(largest_difference(s_near, s_far) < 1e-13 * away * (1 + largest(s_near)));
        }
    }
}

TEST_CASE("what is added holds alone where the inertia has nothing, and a link without any is named") {
    Scene scene;
    const BodyId arm = scene.add_body(world, {.name = "arm"});
    scene.add_joint(arm, {.name = "swing", .type = JointType::hinge, .axis = {0, 1, 0}});
    scene.add_geom(arm, {.shape = ShapeType::sphere, .pose = {.pos = {0.5, 0, 0}}, .size = {0.1, 0, 0}});
    // A mass on its own joint axis: nothing turns it.
    const BodyId bead = scene.add_body(arm, {.name = "bead",
                                             .pose = {.pos = {1, 0, 0}},
                                             .inertial = InertialSpec{2, {}, Sym3d::diagonal(0, 0, 0), {}}});
    scene.add_joint(bead, {.name = "spin", .type = JointType::hinge, .axis = {1, 0, 0}, .armature = 1});
    const auto model = compile(scene);
    JointState<double> state(*model);
    Workspace<double> ws(model);
    forward_kinematics(state, ws);
    JointFactor factor(*model);
    const int last = static_cast<int>(factor.links.size()) - 1;
    CHECK(factor.factor(ws) == -1);
    JointTerms terms(*model);
    double& added = terms.added[terms.added_at(1, 1)];  // on the bead's joint
    added = -1;
    CHECK(factor.factor(ws, terms) == last);
    added = NAN;
    CHECK(factor.factor(ws, terms) == last);
    added = 3;
    REQUIRE(factor.factor(ws, terms) == -1);
    std::vector<double> s{0, 8}, v(2);
    factor.inward(s);
    factor.outward(s, v);
    CHECK(v[1] == doctest::Approx(2).epsilon(1e-15));  // 8 / (1 + 3)
    CHECK(v[0] == doctest::Approx(0));
    terms.clear_added();
    for (const double x : terms.added) CHECK(x == 0);
}
