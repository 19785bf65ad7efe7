// Accelerations in body coordinates against the articulated-body method, which shares neither coordinates nor
// factorization with it; with loops, also against the rows of the loops themselves.

#include "formulations/maximal/body_dynamics.h"

#include "support/random_loops.h"
#include "support/reference_problems.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

struct Compared {
    double difference = 0, size = 0;
    int redundant = 0;
    std::vector<double> qacc;
};

Compared compare(const std::shared_ptr<const Model>& model, const JointState<double>& state,
                 SmoothDynamics& inputs, EqualityMethod loops = EqualityMethod::direct) {
    maximal::BodyDynamics bodies(model, loops);
    Compared out;
    out.qacc.resize(model->nv);
    const auto solved = bodies.accelerate(inputs, state, out.qacc);
    REQUIRE(solved.bad_link == -1);
    out.redundant = solved.redundant_rows;
    const std::span<const double> expected = inputs.accelerate(state);
    for (int k = 0; k < model->nv; ++k) {
        const double d = std::abs(out.qacc[k] - expected[k]);
        if (!(d <= out.difference)) out.difference = d;  // a NaN stays
        out.size = std::max(out.size, std::abs(expected[k]));
    }
    return out;
}

// How independent rows are, in the measure of the inertia: the sine between each row and those before it, the
// most independent first. In long double, so that 0 means below 1e-15.
std::vector<double> sines_of(const std::vector<double>& M, const std::vector<double>& J, int rows, int nv) {
    std::vector<long double> L(M.begin(), M.end());
    for (int i = 0; i < nv; ++i)
        for (int j = 0; j <= i; ++j) {
            long double sum = L[i * nv + j];
            for (int k = 0; k < j; ++k) sum -= L[i * nv + k] * L[j * nv + k];
            L[i * nv + j] = i == j ? std::sqrt(sum) : sum / L[j * nv + j];
        }
    std::vector<std::vector<long double>> left;
    for (int r = 0; r < rows; ++r) {
        std::vector<long double> x(J.begin() + r * nv, J.begin() + (r + 1) * nv);
        long double squared = 0;
        for (int i = 0; i < nv; ++i) {
            for (int k = 0; k < i; ++k) x[i] -= L[i * nv + k] * x[k];
            x[i] /= L[i * nv + i];
            squared += x[i] * x[i];
        }
        if (squared > 1e-24L)
            for (long double& e : x) e /= std::sqrt(squared);
        left.push_back(x);
    }
    std::vector<double> out;
    while (!left.empty()) {
        std::size_t best = 0;
        long double most = -1;
        for (std::size_t r = 0; r < left.size(); ++r) {
            long double squared = 0;
            for (const long double e : left[r]) squared += e * e;
            if (squared > most) {
                most = squared;
                best = r;
            }
        }
        out.push_back(static_cast<double>(std::sqrt(most)));
        std::vector<long double> unit = left[best];
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
        if (!(most > 0)) continue;
        for (long double& e : unit) e /= std::sqrt(most);
        for (std::vector<long double>& row : left) {
            long double along = 0;
            for (int k = 0; k < nv; ++k) along += unit[k] * row[k];
            for (int k = 0; k < nv; ++k) row[k] -= along * unit[k];
        }
    }
    return out;
}

// Accelerations that meet rows in the least squares, each of unit length in the measure of the inertia, and
// of all such ones those nearest to `free` in that measure: in long double, by a basis of the rows.
std::vector<double> least_squares(const std::vector<double>& M, const std::vector<double>& J,
                                  const std::vector<double>& target, const std::vector<double>& free) {
    const int nv = static_cast<int>(free.size()), rows = static_cast<int>(target.size());
    using Vector = std::vector<long double>;
    const auto product = [](const Vector& a, const Vector& b) {
        long double sum = 0;
        for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
        return sum;
    };
    Vector L(M.begin(), M.end());
    for (int i = 0; i < nv; ++i)
        for (int j = 0; j <= i; ++j) {
            long double sum = L[i * nv + j];
            for (int k = 0; k < j; ++k) sum -= L[i * nv + k] * L[j * nv + k];
            L[i * nv + j] = i == j ? std::sqrt(sum) : sum / L[j * nv + j];
        }
    // z = L⁻¹ Jᵀ of unit length, and what it asks for.
    std::vector<Vector> z, left;
    Vector wanted;
    for (int r = 0; r < rows; ++r) {
        Vector x(J.begin() + r * nv, J.begin() + (r + 1) * nv);
        for (int i = 0; i < nv; ++i) {
            for (int k = 0; k < i; ++k) x[i] -= L[i * nv + k] * x[k];
            x[i] /= L[i * nv + i];
        }
        const long double size = std::sqrt(product(x, x));
        if (size < 1e-12L) continue;
        for (long double& e : x) e /= size;
        z.push_back(x);
        wanted.push_back(target[r] / size);
    }
    left = z;
    std::vector<Vector> basis;
    for (;;) {
        const auto longest =
            std::max_element(left.begin(), left.end(),
                             [&](const Vector& a, const Vector& b) { return product(a, a) < product(b, b); });
        if (longest == left.end() || product(*longest, *longest) < 1e-20L) break;
        Vector unit = *longest;
        const long double size = std::sqrt(product(unit, unit));
        for (long double& e : unit) e /= size;
        basis.push_back(unit);
        for (int time = 0; time < 2; ++time)
            for (Vector& row : left) {
                const long double along = product(row, unit);
                for (int k = 0; k < nv; ++k) row[k] -= along * unit[k];
            }
    }
    // z = C basis; Cᵀ C y = Cᵀ wanted.
    const int rank = static_cast<int>(basis.size());
    std::vector<Vector> C;
    for (const Vector& row : z) {
        C.emplace_back();
        for (const Vector& unit : basis) C.back().push_back(product(row, unit));
    }
    std::vector<Vector> A(rank, Vector(rank + 1, 0.0L));
    for (std::size_t r = 0; r < C.size(); ++r)
        for (int i = 0; i < rank; ++i) {
            for (int j = 0; j < rank; ++j) A[i][j] += C[r][i] * C[r][j];
            A[i][rank] += C[r][i] * wanted[r];
        }
    for (int k = 0; k < rank; ++k)
        for (int i = k + 1; i < rank; ++i) {
            const long double factor = A[i][k] / A[k][k];
            for (int j = k; j <= rank; ++j) A[i][j] -= factor * A[k][j];
        }
    Vector s(nv, 0.0L);
    for (int k = rank - 1; k >= 0; --k) {
        for (int j = k + 1; j < rank; ++j) A[k][rank] -= A[k][j] * A[j][rank];
        A[k][rank] /= A[k][k];
        for (int i = 0; i < nv; ++i) s[i] += A[k][rank] * basis[k][i];
    }
    for (int i = nv - 1; i >= 0; --i) {
        for (int k = i + 1; k < nv; ++k) s[i] -= L[k * nv + i] * s[k];
        s[i] /= L[i * nv + i];
    }
    std::vector<double> out(free);
    for (int i = 0; i < nv; ++i) out[i] += static_cast<double>(s[i]);
    return out;
}

void check_random_tree(Random& random, int trial, int kinds) {
    CAPTURE(trial);
    TreeShape shape;
    shape.bodies = 1 + random_index(random, 25);
    shape.springs = trial % 2 == 0;
    shape.kinematic = trial % 3;
    shape.kinds = kinds;
    const auto model = compile(random_scene(random, shape));
    const JointState<double> state = random_state(random, *model);
    SmoothDynamics inputs(model);
    for (double& x : inputs.qfrc_applied) x = random.uniform(-3, 3);
    for (std::size_t b = 1; b < model->bodies.size(); ++b)
        if (trial % 4 == 1) inputs.xfrc_applied[b] = {random_vec(random, 2), random_vec(random, 2)};
    const Compared c = compare(model, state, inputs);
    CAPTURE(c.difference / c.size);
    // Some compound joints are nearly singular: accelerations of 10⁶ lose four digits.
    CHECK(c.difference <= 1e-9 * (1 + c.size));
    CHECK(c.redundant == 0);
}

struct Counts {
    int independent = 0, dependent = 0;
    int miscounted_direct = 0, miscounted_anticipated = 0;  // redundant rows
};
void check_random_loops(Random& random, int trial, int kinds, Counts& counts) {
    CAPTURE(trial);
    TreeShape shape;
    shape.bodies = 4 + random_index(random, 15);
    shape.compound = trial % 2 ? 0.3 : 0;
    shape.kinematic = trial % 3;
    shape.kinds = kinds;
    Scene scene = random_scene(random, shape);
    const JointType types[] = {JointType::ball, JointType::hinge, JointType::universal,
                               JointType::cylindrical, JointType::planar};
    const int wanted = 1 + random_index(random, 2);
    for (int k = 0; k < wanted; ++k)
        add_random_loop(random, scene, types[random_index(random, 5)], "loop" + std::to_string(k));
    std::vector<int> ones;
    for (std::size_t j = 0; j < scene.joints().size(); ++j)
        if (joints::joint_info(scene.joints()[j].spec.type).nq == 1) ones.push_back(static_cast<int>(j));
    if (ones.size() > 1)
        scene.add_coupling({.name = "gear",
                            .follower = {ones[0]},
                            .leader = {ones[1]},
                            .coefficients = {0.1, 2, -0.3, 0.2, 0}});
    const auto model = compile(scene);
    const int nv = model->nv;
    const JointState<double> state = random_state(random, *model, 1, 1);
    EqualityRows rows(model);
    rows.assemble(state);
    const int count = static_cast<int>(rows.terms.size());
    const std::vector<double> J = rows.jacobian();
    std::vector<double> M(nv * nv);
    mass_matrix<double>(state, rows.ws, rows.drives, M);
    const std::vector<double> sines = sines_of(M, J, count, nv);
    // What is neither dependent nor independent is a matter of taste.
    double smallest = 1;
    int redundant = 0;
    bool doubtful = false;
    for (const double sine : sines) {
        if (sine < 1e-12)
            ++redundant;
        else
            smallest = std::min(smallest, sine);
        doubtful = doubtful || (sine >= 1e-12 && sine < 1e-3);
    }
    if (doubtful) return;
    CAPTURE(smallest);
    SmoothDynamics inputs(model);
    for (const EqualityMethod loops : {EqualityMethod::direct, EqualityMethod::anticipation}) {
        CAPTURE(loops == EqualityMethod::direct);
        const Compared c = compare(model, state, inputs, loops);
        if (c.redundant != redundant)
            ++(loops == EqualityMethod::direct ? counts.miscounted_direct : counts.miscounted_anticipated);
        // Loops that are open at random contradict each other where their rows are redundant: both
        // formulations meet them in the least squares.
        if (redundant > 0) {
            ++counts.dependent;
            CHECK(inputs.redundant_rows == redundant);
            std::vector<double> target(count);
            for (int r = 0; r < count; ++r) {
                target[r] = -rows.terms[r].product;
                for (int k = 0; k < nv; ++k) target[r] -= J[r * nv + k] * rows.qacc[k];
            }
            const std::vector<double> expected = least_squares(M, J, target, rows.qacc);
            double off = 0, size = 1;
            for (int k = 0; k < nv; ++k) {
                size = std::max(size, std::abs(expected[k]));
                if (const double d = std::abs(c.qacc[k] - expected[k]); !(d <= off)) off = d;
            }
            CAPTURE(off / size);
            CHECK(c.difference <= 1e-8 * size);
            CHECK(off <= 1e-8 * size);
            continue;
        }
        ++counts.independent;
        CAPTURE(c.difference / c.size);
        CHECK(c.difference <= 1e-10 * (1 + c.size) / smallest);
        // J a + c = 0, relative to the terms of that sum.
        for (int r = 0; r < count; ++r) {
            double residual = rows.terms[r].product, size = std::abs(residual);
            for (int k = 0; k < nv; ++k) {
                residual += J[r * nv + k] * c.qacc[k];
                size += std::abs(J[r * nv + k] * c.qacc[k]);
            }
            CHECK(std::abs(residual) <= 1e-9 * size);
        }
    }
}

// Mechanisms whose loops are closed: with redundant rows accelerations are unique.
void check_mechanisms(EqualityMethod loops) {
    Random random(75);
    const Andrews andrews;
    for (const auto& model :
         {andrews.model(), reference_four_bars(2), reference_four_bars(12), reference_bricard()}) {
        SmoothMotion motion(model);
        JointState<double> state(*model);
        if (model->nv == 7)
            for (int k = 0; k < 7; ++k) state.q[Andrews::in_model[k]] = Andrews::start[k];
        for (int trial = 0; trial < 10; ++trial) {
            for (double& v : state.v) v += random.uniform(-0.3, 0.3);
            REQUIRE(motion.dynamics.close_equalities(state).closed);
            REQUIRE(motion.advance(state, 0.02).status == MotionStatus::ok);
            SmoothDynamics inputs(model);
            for (double& x : inputs.qfrc_applied) x = random.uniform(-0.1, 0.1);
            const Compared c = compare(model, state, inputs, loops);
            CAPTURE(inputs.smallest_sine);
            CHECK(c.redundant == inputs.redundant_rows);
                // Loops are closed to 1e-14, which redundant rows disagree about.
            CHECK(c.difference <= 1e-9 * (1 + c.size) / inputs.smallest_sine);
        }
    }
}

}  // namespace

TEST_CASE("body accelerations: random trees as by the articulated-body method") {
    Random random(71);
    for (int trial = 0; trial < 120; ++trial) check_random_tree(random, trial, 0);
}
TEST_CASE("body accelerations: random trees on planar bodies and particles") {
    Random random(73);
    for (int trial = 0; trial < 60; ++trial) check_random_tree(random, trial, 1 + trial % 3);
}

TEST_CASE("body accelerations: with equalities as nodes and by anticipation") {
    Random random(72);
    Counts counts;
    for (int trial = 0; trial < 150; ++trial) check_random_loops(random, trial, 0, counts);
    CHECK(counts.independent > 150);
    CHECK(counts.dependent > 5);
}
TEST_CASE("body accelerations: redundant rows are counted") {
    Random random(72);
    Counts counts;
    for (int trial = 0; trial < 150; ++trial) check_random_loops(random, trial, 0, counts);
    CHECK(counts.miscounted_direct == 0);
    CHECK(counts.miscounted_anticipated == 0);
}
TEST_CASE("body accelerations: loops between bodies of all kinds") {
    Random random(74);
    Counts counts;
    for (int trial = 0; trial < 60; ++trial) check_random_loops(random, trial, 1 + trial % 3, counts);
}

TEST_CASE("body accelerations: mechanisms off their loops by little and by much, as in joint coordinates") {
    Random random(76);
    const Andrews andrews;
    for (const auto& model :
         {andrews.model(), reference_four_bars(2), reference_four_bars(12), reference_bricard()})
        for (const double off : {1e-6, 1e-4, 1e-2, 1.0})
            for (int trial = 0; trial < 5; ++trial) {
                CAPTURE(model->nv);
                CAPTURE(off);
                CAPTURE(trial);
                JointState<double> state(*model);
                if (model->nv == 7)
                    for (int k = 0; k < 7; ++k) state.q[Andrews::in_model[k]] = Andrews::start[k];
                for (double& q : state.q) q += random.uniform(-off, off);
                for (double& v : state.v) v = random.uniform(-1, 1);
                SmoothDynamics inputs(model);
                for (const EqualityMethod loops : {EqualityMethod::direct, EqualityMethod::anticipation}) {
                    const Compared c = compare(model, state, inputs, loops);
                    CHECK(c.redundant == inputs.redundant_rows);
                    CHECK(c.difference <= 1e-8 * (1 + c.size));
                }
            }
}

TEST_CASE("body accelerations: mechanisms with redundant rows") { check_mechanisms(EqualityMethod::direct); }
TEST_CASE("body accelerations: mechanisms with redundant rows, anticipated") {
    check_mechanisms(EqualityMethod::anticipation);
}
