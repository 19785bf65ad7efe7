// Joint-space dynamics on the workloads of workloads.h. `time` is that of a call; `per_link` divides it by
// the links and by the states in the lanes. The line `best` of each is the one to compare: what the machine
// does besides only ever adds.

#include "workloads.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>

namespace lig::bench {
namespace {

enum class Task {
    forward,
    inverse,
    inertia,
    kinematics
};

template <class T>
void run(benchmark::State& bench, std::shared_ptr<const Model> model, Task task) {
    Workspace<T> ws(model);
    const std::vector<Input<T>> list = inputs<T>(*model);
    std::vector<T> out(model->nv, T(0));
    std::vector<T> M(task == Task::inertia ? std::size_t(model->nv) * model->nv : 0, T(0));
    std::size_t next = 0;
    for (auto _ : bench) {
        const Input<T>& input = list[next];
        next = next + 1 == list.size() ? 0 : next + 1;
        switch (task) {
            case Task::forward: forward_dynamics<T>(input.state, input.tau, ws, out); break;
            case Task::inverse: inverse_dynamics<T>(input.state, input.tau, ws, out); break;
            case Task::inertia: mass_matrix<T>(input.state, ws, M); break;
            case Task::kinematics: forward_kinematics<T>(input.state, ws); break;
        }
        benchmark::DoNotOptimize(out.data());
        benchmark::ClobberMemory();
    }
    using benchmark::Counter;
    const double links = static_cast<double>(model->tree.links.size());
    bench.counters["per_link"] =
        Counter(links * lane_width<T>, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void add_all() {
    for (const Workload& w : workloads()) {
        if (!w.model) {
            std::fprintf(stderr, "%s: left out, its model is not among the test data\n", w.name.c_str());
            continue;
        }
        const auto add = [&](const std::string& what, auto scalar, Task task) {
            using T = decltype(scalar);
            benchmark::RegisterBenchmark(
                (what + "/" + w.name).c_str(),
                [model = w.model, task](benchmark::State& s) { run<T>(s, model, task); })
                ->MinTime(0.01)
                ->Repetitions(25)
                ->ReportAggregatesOnly()
                ->ComputeStatistics("best", [](const std::vector<double>& v) {
                    return *std::min_element(v.begin(), v.end());
                });
        };
        add("forward", double{}, Task::forward);
        add("forward_float", float{}, Task::forward);
        add("forward_lanes4d", Lanes4d{}, Task::forward);
        add("forward_lanes8d", Lanes8d{}, Task::forward);
        add("forward_lanes16f", Lanes16f{}, Task::forward);
        add("inverse", double{}, Task::inverse);
        add("kinematics", double{}, Task::kinematics);
        if (w.model->nv <= 1000) add("inertia", double{}, Task::inertia);
    }
}

}  // namespace
}  // namespace lig::bench

int main(int argc, char** argv) {
    lig::bench::add_all();
    benchmark::AddCustomContext("instruction set", std::string(lig::instruction_set_name()));
#if defined(__clang__)
    benchmark::AddCustomContext("compiler", "clang " __clang_version__);
#else
    benchmark::AddCustomContext("compiler", "g++ " __VERSION__);
#endif
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
