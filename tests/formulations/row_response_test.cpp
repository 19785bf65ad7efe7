// z of rows against J M⁻¹ Jᵀ by dense algebra in long double.

#include "formulations/rows/row_response.h"
#include "support/dense_rows.h"
#include "support/random_scene.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

enum class Between {
    world,
    same_link,
    links,
    entries,
    mixed
};

void add_random_block(Random& random, const JointFactor& factor, int nv, Between between, int count,
                      Rows& rows) {
    const int links = static_cast<int>(factor.links.size());
    const int a = random_index(random, links), b = random_index(random, links);
    const bool bodies = between != Between::entries;
    const bool entries = between == Between::entries || between == Between::mixed;
    rows.begin_block(RowKind::loop, 0, bodies ? a : -1,
                     between == Between::same_link         ? a
                     : bodies && between != Between::world ? b
                                                           : -2);
    for (int r = 0; r < count; ++r) {
        Row& row = rows.add_row();
        row.on_a = {random_vec(random, 1), random_vec(random, 1)};
        row.on_b = {random_vec(random, 1), random_vec(random, 1)};
        for (int e = 0; entries && e < 1 + r; ++e)
            rows.add_entry(random_index(random, nv), random.uniform(-1, 1));
    }
}

// z of a row, spread out.
std::vector<double> spread(const RowResponse& response, std::size_t block, int row, int nv) {
    const ResponseBlock& own = response.blocks[block];
    std::vector<double> out(nv, 0.0);
    for (int j = 0; j < own.support_count; ++j)
        out[response.support[own.support_begin + j]] =
            response.z[own.z_begin + static_cast<std::size_t>(own.width * j + row)];
    return out;
}

}  // namespace

TEST_CASE("products of z are the responses of rows to each other") {
    Random random(61);
    for (int trial = 0; trial < 60; ++trial) {
        CAPTURE(trial);
        const auto model = compile(random_scene(
            random, {.bodies = 2 + trial % 14, .chain = trial % 3 * 0.45, .kinematic = trial % 4}));
        const int nv = model->nv;
        const JointState<double> state = random_state(random, *model);
        Workspace<double> ws(model);
        std::vector<double> M(static_cast<std::size_t>(nv) * nv);
        mass_matrix<double>(state, ws, M);
        forward_kinematics(state, ws);
        JointFactor factor(*model);
        JointTerms terms(*model);
        for (int link = 0; link < static_cast<int>(factor.links.size()); ++link)
            for (int k = 0; k < factor.links[link].nv; ++k) {
                const double more = random.uniform(0, 1);
                const int dof = factor.links[link].v_adr + k;
                terms.added[terms.added_at(dof, dof)] = more;
                M[dof * (nv + 1)] += more;
            }
        REQUIRE(factor.factor(ws, terms) == -1);

        Rows rows;
        for (const Between between :
             {Between::world, Between::same_link, Between::links, Between::entries, Between::mixed})
            for (int count = 1; count <= 6; ++count)
                if (nv > 0) add_random_block(random, factor, nv, between, count, rows);
        if (nv == 0) continue;
        RowResponse response;
        for (const RowBlock& block : rows.blocks) response.add(rows, block, factor);
        REQUIRE(response.blocks.size() == rows.blocks.size());

        std::vector<std::vector<double>> z;
        for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
            const ResponseBlock& own = response.blocks[b];
            CHECK(own.rows == rows.blocks[b].count);
            CHECK(own.width >= own.rows);
            for (int j = 0; j < own.support_count; ++j) {
                if (j > 0)  // strictly falling
                    CHECK(response.support[own.support_begin + j] <
                          response.support[own.support_begin + j - 1]);
                for (int r = own.rows; r < own.width; ++r)
                    CHECK(response.z[own.z_begin + static_cast<std::size_t>(own.width * j + r)] == 0);
            }
            for (int r = 0; r < own.rows; ++r) z.push_back(spread(response, b, r, nv));
        }
        const std::vector<double> J = dense_jacobian(rows, ws);
        const LongCholesky dense(M, nv);
        const std::size_t n = rows.rows.size();
        for (std::size_t i = 0; i < n; ++i) {
            const std::vector<double> row(J.begin() + i * nv, J.begin() + (i + 1) * nv);
            const std::vector<double> x = dense.solve(row);
            for (std::size_t k = 0; k < n; ++k) {
                const double wanted = dot_of({J.begin() + k * nv, J.begin() + (k + 1) * nv}, x);
                // By Cauchy and Schwarz no product is larger than this; the rest is the condition of M.
                const double size = std::sqrt(dot_of(z[i], z[i]) * dot_of(z[k], z[k]));
                REQUIRE(std::abs(dot_of(z[i], z[k]) - wanted) <= 1e-10 * size + 1e-300);
            }
        }
        // The products of a block's own rows.
        for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
            double a[6 * 7];
            response.products(response.blocks[b], a, 7);
            const int begin = rows.blocks[b].begin, count = rows.blocks[b].count;
            for (int r = 0; r < count; ++r)
                for (int c = 0; c < count; ++c)
                    CHECK(a[7 * r + c] == doctest::Approx(dot_of(z[begin + r], z[begin + c])).epsilon(1e-12));
        }
    }
}

TEST_CASE("a row acts on the way to the root and nowhere else") {
    Random random(62);
    const auto model = compile(random_scene(random, {.bodies = 25, .chain = 0.3, .kinematic = 2}));
    Workspace<double> ws(model);
    forward_kinematics(random_state(random, *model), ws);
    JointFactor factor(*model);
    REQUIRE(factor.factor(ws) == -1);
    RowResponse response;
    for (int trial = 0; trial < 200; ++trial) {
        Rows rows;
        add_random_block(random, factor, model->nv, Between::links, 1 + trial % 6, rows);
        response.clear();
        response.add(rows, rows.blocks[0], factor);
        std::vector<bool> wanted(model->nv), found(model->nv);
        for (int link : {rows.blocks[0].link_a, rows.blocks[0].link_b})
            for (; link >= 0; link = factor.links[link].parent)
                for (int k = 0; k < factor.links[link].nv; ++k) wanted[factor.links[link].v_adr + k] = true;
        for (const int dof : response.support) found[dof] = true;
        CHECK(found == wanted);
    }
}

TEST_CASE("a row between bases has no response") {
    Random random(63);
    const auto model = compile(random_scene(random, {.bodies = 3}));
    Workspace<double> ws(model);
    forward_kinematics(random_state(random, *model), ws);
    JointFactor factor(*model);
    REQUIRE(factor.factor(ws) == -1);
    Rows rows;
    rows.begin_block(RowKind::contact, 0, -1, -2);
    rows.add_row().on_a = {{1, 2, 3}, {4, 5, 6}};
    RowResponse response;
    response.add(rows, rows.blocks[0], factor);
    CHECK(response.blocks[0].support_count == 0);
    double a = 1;
    response.products(response.blocks[0], &a, 1);
    CHECK(a == 0);
}
