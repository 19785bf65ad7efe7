// Time of the elementary functions, per call and per lane.

#include "core/scalar_math.h"

#include <benchmark/benchmark.h>

#include <vector>

namespace {

using namespace lig;

// Angles of joints: a few turns at most.
template <class T>
std::vector<T> angles() {
    std::vector<T> out(256);
    double x = 0.1;
    for (T& pack : out) {
        for (int i = 0; i < lane_width<T>; ++i) {
            x = x > 6.0 ? x - 12.3 : x + 0.7137;
            set_lane(pack, i, real_t<T>(x));
        }
    }
    return out;
}

template <class T>
void count_lanes(benchmark::State& state, std::size_t calls) {
    const double lanes = double(state.iterations()) * double(calls) * lane_width<T>;
    state.counters["per_lane"] =
        benchmark::Counter(lanes, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

template <class T>
void bench_sin_cos(benchmark::State& state) {
    const std::vector<T> x = angles<T>();
    std::vector<T> s(x.size()), c(x.size());
    benchmark::DoNotOptimize(s.data());
    benchmark::DoNotOptimize(c.data());
    for (auto _ : state) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            sin_cos(x[i], s[i], c[i]);
            benchmark::ClobberMemory();  // one call at a time: no vectorizing across scalar calls
        }
    }
    count_lanes<T>(state, x.size());
}

template <class T>
void bench_atan2(benchmark::State& state) {
    const std::vector<T> x = angles<T>();
    std::vector<T> out(x.size());
    benchmark::DoNotOptimize(out.data());
    for (auto _ : state) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            out[i] = atan2(x[i], x[x.size() - 1 - i]);
            benchmark::ClobberMemory();
        }
    }
    count_lanes<T>(state, x.size());
}

// What the C library takes, for comparison.
void bench_libm_sin_cos(benchmark::State& state) {
    const std::vector<double> x = angles<double>();
    std::vector<double> s(x.size()), c(x.size());
    benchmark::DoNotOptimize(s.data());
    benchmark::DoNotOptimize(c.data());
    for (auto _ : state) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            s[i] = std::sin(x[i]);
            c[i] = std::cos(x[i]);
            benchmark::ClobberMemory();
        }
    }
    count_lanes<double>(state, x.size());
}

BENCHMARK(bench_libm_sin_cos);
BENCHMARK(bench_sin_cos<double>);
BENCHMARK(bench_sin_cos<float>);
BENCHMARK(bench_sin_cos<Lanes4d>);
BENCHMARK(bench_sin_cos<Lanes8d>);
BENCHMARK(bench_sin_cos<Lanes8f>);
BENCHMARK(bench_sin_cos<Lanes16f>);
BENCHMARK(bench_atan2<double>);
BENCHMARK(bench_atan2<Lanes4d>);
BENCHMARK(bench_atan2<Lanes8d>);

}  // namespace

BENCHMARK_MAIN();
