// Constraints given by a function alone: their rows against those that are derived by hand, motions under
// them, and functions that cannot be used.

#include "support/pair_samples.h"

#include <ligament/function_constraint.h>
#include <ligament/model.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <array>

using namespace lig;
using namespace lig::test;

namespace {

using Rows = std::array<PairRow, PairConstraint::max_rows>;

Rows rows_of(const PairConstraint& constraint, const PairState& state) {
    Rows rows;
    constraint.evaluate(state, rows.data());
    return rows;
}

struct Twin {
    std::shared_ptr<const PairConstraint> by_hand, by_function;
    std::vector<int> rows;  // of the one by hand; empty: all
};

template <class T>
T square(const T& x) {
    return x * x;
}

std::vector<Twin> twins() {
    const auto make = [](auto constraint) {
        return std::make_shared<decltype(constraint)>(std::move(constraint));
    };
    const MotionProfile swing{{0.2, -0.3, 0.1, 0.05, -0.02, 0.01}, 0.4, 0.7, 0.3};
    std::vector<Twin> out;
    out.push_back({make(DistanceConstraint(0.7)),
                   holonomic([](const auto& X, const auto&) { return sqrt(dot(X.p, X.p)) - 0.7; }),
                   {}});
    out.push_back({make(PointOnLineConstraint()),
                   holonomic([](const auto& X, const auto&) { return std::array{X.p.x, X.p.y}; }),
                   {}});
    out.push_back({make(PointOnPlaneConstraint(0.3)),
                   holonomic([](const auto& X, const auto&) { return X.p.z - 0.3; }),
                   {}});
    out.push_back({make(CurveConstraint(Quadric{{1 / 0.16, 1 / 0.49, 1 / 1.69, 0, 0, 0}, {0, 0, 0}, -1})),
                   holonomic([](const auto& X, const auto&) {
                       return square(X.p.x / 0.4) + square(X.p.y / 0.7) + square(X.p.z / 1.3) - 1.0;
                   }),
                   {}});
    out.push_back({make(RollingBallConstraint(0.6)), holonomic([](const auto& X, const auto&) {
                       return X.p.z - 0.6;
                   }),
                   {0}});
    out.push_back({make(RollingBallConstraint(0.6)),
                   nonholonomic([](const auto&, const auto& V, const auto&) {
                       return std::array{V.lin.x - 0.6 * V.ang.y, V.lin.y + 0.6 * V.ang.x};
                   }),
                   {1, 2}});
    out.push_back({make(RollingDiskConstraint(0.8)), holonomic([](const auto& X, const auto&) {
                       return X.p.z - 0.8 * sqrt(square(X.R.z.x) + square(X.R.z.y));
                   }),
                   {0}});
    out.push_back({make(RollingDiskConstraint(0.8)),
                   nonholonomic([](const auto& X, const auto& V, const auto&) {
                       const auto& k = X.R.z;
                       const auto s = sqrt(square(k.x) + square(k.y));
                       auto e = (1.0 / s) * (k.z * k);
                       e.z -= 1.0 / s;
                       const auto slip = V.lin + 0.8 * cross(V.ang, e);
                       return std::array{slip.x, slip.y};
                   }),
                   {1, 2}});
    out.push_back({make(KnifeEdgeConstraint()), nonholonomic([](const auto& X, const auto& V, const auto&) {
                       return dot(X.R.y, V.lin);
                   }),
                   {}});
    out.push_back({make(PrescribedConstraint({.x = swing}, {})),
                   holonomic([](const auto& X, const auto& t) {
                       const auto polynomial =
                           0.2 + t * (-0.3 + t * (0.1 + t * (0.05 + t * (-0.02 + t * 0.01))));
                       return X.p.x - (polynomial + 0.4 * sin(2 * 3.14159265358979323846 * 0.7 * t + 0.3));
                   }),
                   {}});
    return out;
}

double difference(const Force<double>& a, const Force<double>& b) {
    return length(a.ang - b.ang) + length(a.lin - b.lin);
}

// A bead that slides without friction.
std::shared_ptr<const Model> bead(std::shared_ptr<const PairConstraint> constraint, Vec3d start) {
    Scene scene("bead");
    const BodyId body = scene.add_body(
        world, {.name = "bead",
                .pose = {.pos = start},
                .inertial = InertialSpec{
                    .mass = 0.2, .frame = {}, .inertia = Sym3d::diagonal(1e-3, 1e-3, 1e-3)}});
    scene.add_joint(body, {.name = "float", .type = JointType::free});
    scene.add_constraint(
        {.name = "wire", .body_a = world, .body_b = body, .constraint = std::move(constraint)});
    return compile(scene);
}

}  // namespace

TEST_CASE("function constraints: rows are those that are derived by hand") {
    Random random(51);
    for (const Twin& twin : twins()) {
        CAPTURE(twin.by_hand->kind());
        std::vector<int> wanted = twin.rows;
        if (wanted.empty())
            for (int r = 0; r < twin.by_hand->rows(); ++r) wanted.push_back(r);
        CHECK(twin.by_function->fault() == "");
        REQUIRE(twin.by_function->rows() == static_cast<int>(wanted.size()));
        for (int run = 0; run < 50; ++run) {
            const PairState state = PairMotion(random).start;
            // Where a disk is nearly flat, or points nearly meet, rows are large, and rounding with them.
            if (length(cross(state.X_WA.R.z, state.X_WB.R.z)) < 0.1) continue;
            const Rows hand = rows_of(*twin.by_hand, state), function = rows_of(*twin.by_function, state);
            for (std::size_t r = 0; r < wanted.size(); ++r) {
                const PairRow &a = hand[wanted[r]], &b = function[r];
                const double size = 1 + std::abs(a.error) + length(a.on_a.ang) + length(a.on_a.lin) +
                                    std::abs(a.product);
                CHECK(a.holonomic == b.holonomic);
                CHECK(std::abs(a.error - b.error) < 1e-12 * size);
                CHECK(std::abs(a.rate - b.rate) < 1e-12 * size);
                CHECK(std::abs(a.product - b.product) < 1e-12 * size);
                CHECK(difference(a.on_a, b.on_a) < 1e-12 * size);
                CHECK(difference(a.on_b, b.on_b) < 1e-12 * size);
            }
        }
    }
}

TEST_CASE("function constraints: a bead on a wave keeps its energy and stays on it, in every formulation") {
    const auto wave = holonomic([](const auto& X, const auto&) {
        return std::array{X.p.z - 0.3 * cos(2.0 * X.p.x), X.p.y};
    });
    for (const char* formulation : {"reduced", "multiplier", "implicit", "impulse"}) {
        CAPTURE(formulation);
        Simulation simulation(bead(wave, {0.2, 0, 0.3 * std::cos(0.4)}), {.formulation = formulation});
        for (int step = 0; step < 1000; ++step) REQUIRE(simulation.step(1e-3).status == StepStatus::ok);
        const std::vector<double>& q = simulation.state().q;
        CHECK(q[0] > 0.5);
        const bool sweeps = std::string_view(formulation) == "impulse";
        CHECK(std::abs(q[2] - 0.3 * std::cos(2 * q[0])) < (sweeps ? 1e-5 : 1e-9));
        CHECK(std::abs(q[1]) < (sweeps ? 1e-5 : 1e-9));
        // m v²/2 from the height that is lost; backward Euler and sweeps damp.
        const std::vector<double>& v = simulation.state().v;
        const double speed = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        const double fallen = 2 * 9.81 * (0.3 * std::cos(0.4) - q[2]);
        const double tolerance = std::string_view(formulation) == "implicit" || sweeps ? 0.02 : 1e-4;
        CHECK(speed == doctest::Approx(fallen).epsilon(tolerance));
    }
}

TEST_CASE("function constraints: what is not finite is named, and the state is kept") {
    // sqrt of a negative number once the bead has fallen below 0.9.
    const auto broken = holonomic([](const auto& X, const auto&) { return X.p.x + 0 * sqrt(X.p.z - 0.9); });
    Simulation simulation(bead(broken, {0, 0, 1}), {});
    StepReport report;
    JointState<double> before;
    int steps = 0;
    do {
        before = simulation.state();
        report = simulation.step(1e-2);
    } while (report.status == StepStatus::ok && ++steps < 100);
    CHECK(report.status == StepStatus::non_finite);
    CHECK(report.where == "function 'wire' between 'world' and 'bead' states what is not finite, in row 0");
    CHECK(simulation.state().q == before.q);
    CHECK(simulation.state().v == before.v);
    CHECK(steps > 5);

    CHECK(broken->undefined_because({}) == "its function is not finite, or has no derivatives");
    const auto quadratic =
        nonholonomic([](const auto&, const auto& V, const auto&) { return dot(V.lin, V.lin); });
    CHECK(quadratic->fault() == "its function is not linear in the velocity");
    const auto moving =
        nonholonomic([](const auto&, const auto& V, const auto& t) { return V.lin.x - sin(t); });
    CHECK(moving->fault() == "");
    CHECK(holonomic([](const auto& X, const auto&) { return X.p.x; }, {.scale = -1})->fault() ==
          "its scale is not a positive number");
}
