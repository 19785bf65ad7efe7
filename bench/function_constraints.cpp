// Constraints between two bodies: rows derived by hand and by automatic differentiation, side by side.

#include <ligament/function_constraint.h>
#include <ligament/pair_kinds.h>

#include <benchmark/benchmark.h>

#include <array>
#include <memory>

namespace {

using namespace lig;

const PairState state{.X_WA = {Mat3d::identity(), {0.1, 0.2, -0.3}},
                      .X_WB = {{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}, {0.7, -0.4, 1.1}},
                      .V_WA = {{0.2, 0.1, -0.4}, {0.5, 0.1, 0.3}},
                      .V_WB = {{0.3, -0.8, 0.5}, {-0.6, 0.2, 0.9}},
                      .time = 0.3};

template <class T>
T square(const T& x) {
    return x * x;
}

void evaluate(benchmark::State& run, const std::shared_ptr<const PairConstraint>& constraint) {
    PairRow rows[PairConstraint::max_rows];
    for (auto _ : run) {
        constraint->evaluate(state, rows);
        benchmark::DoNotOptimize(rows);
    }
}

const bool added = [] {
    const auto add = [](const char* name, std::shared_ptr<const PairConstraint> by_hand,
                        std::shared_ptr<const PairConstraint> by_function) {
        benchmark::RegisterBenchmark((std::string(name) + "/by_hand").c_str(), evaluate, by_hand);
        benchmark::RegisterBenchmark((std::string(name) + "/by_function").c_str(), evaluate, by_function);
    };
    add("distance", std::make_shared<DistanceConstraint>(0.7),
        holonomic([](const auto& X, const auto&) { return sqrt(dot(X.p, X.p)) - 0.7; }));
    add("ellipsoid", std::make_shared<CurveConstraint>(CurveConstraint::ellipsoid({0.4, 0.7, 1.3})),
        holonomic([](const auto& X, const auto&) {
            return square(X.p.x / 0.4) + square(X.p.y / 0.7) + square(X.p.z / 1.3) - 1.0;
        }));
    add("knife_edge", std::make_shared<KnifeEdgeConstraint>(),
        nonholonomic([](const auto& X, const auto& V, const auto&) { return dot(X.R.y, V.lin); }));
    add("point_on_line", std::make_shared<PointOnLineConstraint>(),
        holonomic([](const auto& X, const auto&) { return std::array{X.p.x, X.p.y}; }));
    return true;
}();

}  // namespace

BENCHMARK_MAIN();
