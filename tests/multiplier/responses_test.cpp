// What forces along rows do to other rows: the coefficients of anticipation, J M̂⁻¹ Jᵀ with joints that hold,
// against dense algebra in long double on joint coordinates, and against the factors of `reduced`.

#include "constraints/equalities.h"
#include "formulations/maximal/body_algebra.h"
#include "formulations/maximal/body_dynamics.h"
#include "formulations/reduced/joint_algebra.h"
#include "support/dense_rows.h"
#include "support/random_scene.h"
#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

// A block of one row each: on the world, on two links, on freedoms, on both.
void add_random_rows(Random& random, const Model& model, int count, Rows& rows) {
    const int links = static_cast<int>(model.tree.links.size());
    for (int k = 0; k < count; ++k) {
        const int a = k % 4 == 3 ? -1 : random_index(random, links);
        const int b = k % 4 == 1 || k % 4 == 2 ? random_index(random, links) : -1;
        rows.begin_block(RowKind::limit, 0, a, b);
        Row& row = rows.add_row();
        if (a >= 0) row.on_a = {random_vec(random, 1), random_vec(random, 1)};
        if (b >= 0) row.on_b = {random_vec(random, 1), random_vec(random, 1)};
        if (k % 4 < 2) continue;
        for (int e = 0; e <= k % 3; ++e)
            rows.add_entry(random_index(random, model.nv), random.uniform(-1, 1));
    }
}

// Added on the diagonal, and the blocks of joints: what implicit springs and dampers add.
void add_random_terms(Random& random, const Model& model, JointTerms& terms, std::vector<double>& M) {
    for (const TreeLink<double>& link : model.tree.links) {
        if (random_index(random, 2)) continue;
        std::vector<double> root(static_cast<std::size_t>(link.nv) * link.nv);
        for (double& x : root) x = random.uniform(-0.5, 0.5);
        for (int i = 0; i < link.nv; ++i)
            for (int j = 0; j < link.nv; ++j) {
                double sum = i == j ? 0.05 : 0.0;
                for (int k = 0; k < link.nv; ++k) sum += root[i * link.nv + k] * root[j * link.nv + k];
                const int a = link.v_adr + i, b = link.v_adr + j;
                terms.added[terms.added_at(a, b)] = sum;
                M[static_cast<std::size_t>(a) * model.nv + b] += sum;
            }
    }
}

// Column by column, as the change of the rows by unit impulses.
std::vector<double> matrix_of(StepAlgebra& algebra, std::size_t rows) {
    std::vector<double> A(rows * rows), lambda(rows), s(algebra.size());
    for (std::size_t c = 0; c < rows; ++c) {
        std::fill(lambda.begin(), lambda.end(), 0.0);
        std::fill(s.begin(), s.end(), 0.0);
        lambda[c] = 1;
        algebra.apply(lambda, s);
        for (std::size_t r = 0; r < rows; ++r) A[r * rows + c] = algebra.change_of(r, s);
    }
    return A;
}

struct Prepared {
    Prepared(std::shared_ptr<const Model> model, const JointState<double>& state, const JointTerms& terms,
             Rows rows)
        : ws(model),
          own_rows(std::move(rows)),
          other_rows(own_rows),
          bodies(model, contacts, options),
          joints(*model, contacts, options) {
        forward_kinematics(state, ws);
        bodies.terms = terms;
        joints.terms = terms;
        StepReport report;
        REQUIRE(bodies.prepare(state, ws, own_rows, 0, 0, report) == -1);
        REQUIRE(joints.prepare(state, ws, other_rows, 0, 0, report) == -1);
    }

    SimulationOptions options;
    Contacts contacts;
    Workspace<double> ws;
    Rows own_rows, other_rows;
    maximal::BodyAlgebra bodies;
    JointAlgebra joints;
};

void check_responses(Random& random, int trial, int kinds, double tolerance) {
    CAPTURE(trial);
    const auto model = compile(random_scene(random, {.bodies = 1 + trial % 14,
                                                     .chain = trial % 3 * 0.45,
                                                     .kinematic = trial % 4,
                                                     .kinds = kinds}));
    const int nv = model->nv;
    if (nv == 0) return;
    const JointState<double> state = random_state(random, *model);
    std::vector<double> M(static_cast<std::size_t>(nv) * nv);
    {
        Workspace<double> ws(model);
        mass_matrix<double>(state, ws, M);
    }
    JointTerms terms(*model);
    if (trial % 2) add_random_terms(random, *model, terms, M);
    Rows rows;
    add_random_rows(random, *model, 24, rows);
    const std::size_t n = rows.rows.size();
    Prepared made(model, state, terms, rows);
    const std::vector<double> A = matrix_of(made.bodies, n), B = matrix_of(made.joints, n);

    const std::vector<double> J = dense_jacobian(rows, made.ws);
    const LongCholesky dense(M, nv);
    std::vector<double> wanted(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::vector<double> x = dense.solve({J.begin() + i * nv, J.begin() + (i + 1) * nv});
        for (std::size_t k = 0; k < n; ++k)
            wanted[i * n + k] = dot_of({J.begin() + k * nv, J.begin() + (k + 1) * nv}, x);
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k) {
            // By Cauchy and Schwarz no entry is larger than this.
            const double size = std::sqrt(wanted[i * n + i] * wanted[k * n + k]);
            // What remains is the condition of M, for both.
            REQUIRE(std::abs(A[i * n + k] - wanted[i * n + k]) <= tolerance * size + 1e-300);
            REQUIRE(std::abs(A[i * n + k] - B[i * n + k]) <= tolerance * size + 1e-300);
        }

    // Impulses on the freedoms: M̂⁻¹ x.
    const std::vector<double> x = random_numbers(random, nv, 1), b(n, 0.0), change = dense.solve(x);
    std::vector<double> s(made.bodies.size()), v(nv);
    made.bodies.free_change(x, b, s);
    made.bodies.outward(s, v);
    for (int k = 0; k < nv; ++k)
        CHECK(std::abs(v[k] - change[k]) <= 10 * tolerance * (largest(change) + 1e-300));
}

}  // namespace

TEST_CASE("responses: of rows on random trees, as by dense algebra and as by joint coordinates") {
    Random random(81);
    for (int trial = 0; trial < 100; ++trial) check_responses(random, trial, 0, 1e-10);
}
TEST_CASE("responses: on bodies of all kinds") {
    Random random(82);
    for (int trial = 0; trial < 60; ++trial) check_responses(random, trial, 1 + trial % 3, 1e-8);
}

// One-sided rows between trees, some of which a loop joins, and free bodies: impulses that the roots of
// groups lead to, against velocities by whole solves.
TEST_CASE("responses: impulses along rows meet their bounds where loops join trees and where none do") {
    const auto model = model_of(R"(<mujoco><worldbody>
      <body name="a" pos="0 0 1"><joint axis="0 1 0"/><geom type="box" size=".3 .05 .05" pos=".3 0 0"/>
        <body name="b" pos=".6 0 0"><joint axis="0 1 0" damping=".2"/>
        <geom type="box" size=".2 .05 .05" pos=".2 0 0"/></body></body>
      <body name="c" pos="1 0 1.5"><joint type="ball"/>
        <geom type="box" size=".05 .05 .2" pos="0 0 -.2"/></body>
      <body name="d" pos="3 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/></body>
      <body name="e" pos="4 0 1"><freejoint/><geom type="box" size=".3 .2 .1"/>
        <body pos=".3 0 0"><joint axis="0 0 1"/><geom size=".1" pos=".2 0 0"/></body></body>
      </worldbody><equality><connect body1="b" body2="c" anchor=".4 0 0"/></equality></mujoco>)");
    Random random(84);
    for (int trial = 0; trial < 30; ++trial) {
        CAPTURE(trial);
        const JointState<double> state(*model);
        Workspace<double> ws(model);
        forward_kinematics(state, ws);
        Rows rows;
        std::vector<EqualityTerms> terms;
        const DriveWorkspace<double> drives(*model);
        Equalities(*model).add_rows({state, ws, &drives, 0, true}, {.h = 0.01}, WarmStarts(*model), rows,
                                    terms);
        const int loops = static_cast<int>(rows.blocks.size());
        REQUIRE(loops == 1);
        add_random_rows(random, *model, 9, rows);
        const std::size_t n = rows.rows.size();
        SimulationOptions options;
        Contacts contacts;
        maximal::BodyAlgebra bodies(model, contacts, options);
        StepReport report;
        REQUIRE(bodies.prepare(state, ws, rows, 0, loops, report) == -1);
        // Some motion that the loop allows meets all of them.
        std::vector<double> b(n, 0.0), lambda(n, 0.0), s_free(bodies.size()), s(bodies.size());
        bodies.free_change(random_numbers(random, model->nv, 1), b, s);
        for (std::size_t block = static_cast<std::size_t>(loops); block < rows.blocks.size(); ++block)
            b[rows.blocks[block].begin] = random.uniform(0, 0.1) - bodies.change_of(block, s);
        bodies.free_change(random_numbers(random, model->nv, 1), b, s_free);
        s = s_free;
        const double missed =
            bodies.solve({b, s_free, 1e-10, ImpulseSolver::Effort::most}, lambda, s, report);
        CHECK(missed < 1e-9);
        int pushing = 0;
        for (std::size_t block = static_cast<std::size_t>(loops); block < rows.blocks.size(); ++block) {
            const int r = rows.blocks[block].begin;
            const double w = b[r] + bodies.change_of(block, s);
            pushing += lambda[r] > 0;
            CHECK(lambda[r] >= 0);
            CHECK(w > -1e-8);
            CHECK(lambda[r] * w < 1e-8);
        }
        CHECK(pushing > 0);
    }
}

// Half a solve per row and products along the elimination tree, against a whole solve per row.
TEST_CASE("responses: by halves as by whole solves") {
    Random random(83);
    for (int trial = 0; trial < 40; ++trial) {
        CAPTURE(trial);
        const auto model =
            compile(random_scene(random, {.bodies = 2 + trial % 20, .chain = trial % 3 * 0.5}));
        if (model->nv == 0) continue;
        const JointState<double> state = random_state(random, *model);
        const std::vector<char> soft = maximal::freedoms_with_armature(*model);
        maximal::BodySystem system(model, EqualityMethod::direct, soft);
        Workspace<double> ws(model);
        forward_kinematics(state, ws);
        maximal::BodyCoordinates bodies;
        system.poses.from_joints(ws, state, bodies);
        system.poses.look(bodies, ws.bases, 0);
        system.matrix.set_armature();
        system.matrix.find_inertias();
        system.matrix.find_rows(false);
        REQUIRE(system.matrix.factor().bad_node == -1);

        const int n = 11;
        std::vector<double> values;
        std::vector<BlockTerm> terms;
        std::vector<int> links;
        for (int r = 0; r < n; ++r) links.push_back(random_index(random, system.graph.links()));
        values.reserve(6 * n);
        for (int r = 0; r < n; ++r) {
            terms.push_back({r, links[r], values.data() + values.size()});
            values.resize(values.size() + 6, 0.0);
            system.poses.add_wrench_to(links[r], {random_vec(random, 1), random_vec(random, 1)},
                                       values.data() + 6 * r);
        }
        std::vector<double> halves(n * n), whole(n * n), general(n * n);
        BlockResponse response;
        response.workless(system.matrix.blocks(), terms, n, halves);
        response.general(system.matrix.blocks(), terms, terms, n, general);
        response.by_solves(system.matrix.blocks(), terms, terms, n, whole);
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < n; ++k) {
                const double size = std::sqrt(whole[i * n + i] * whole[k * n + k]);
                CHECK(std::abs(halves[i * n + k] - whole[i * n + k]) <= 1e-10 * size);
                CHECK(std::abs(general[i * n + k] - whole[i * n + k]) <= 1e-10 * size);
                CHECK(halves[i * n + k] == halves[k * n + i]);
            }
    }
}
