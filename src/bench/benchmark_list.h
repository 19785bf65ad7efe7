#pragma once

// The benchmarks of `ligament bench`, one line each.

#include "bench/benchmark.h"

#define LIG_FOR_EACH_BENCHMARK(X) \
    X(papers_kokkevis)            \
    X(papers_baraff)              \
    X(papers_hernandez)           \
    X(papers_catto)               \
    X(loops)                      \
    X(linear)

namespace lig::bench {

#define LIG_DECLARE_BENCHMARK(name) extern const Benchmark name;
LIG_FOR_EACH_BENCHMARK(LIG_DECLARE_BENCHMARK)
#undef LIG_DECLARE_BENCHMARK

inline constexpr const Benchmark* benchmarks[] = {
#define LIG_BENCHMARK(name) &name,
    LIG_FOR_EACH_BENCHMARK(LIG_BENCHMARK)
#undef LIG_BENCHMARK
};

}  // namespace lig::bench
