// Finding contacts in heaps of ragdolls, sixteen capsules each: time a step, broad and narrow phase together.
// `step` moves everybody by 1/60 s; `rest` does not move anybody. Counters: contacts and near pairs.

#include "collide/workspace.h"
#include "support/capsule_clusters.h"

#include <ligament/collision.h>

#include <benchmark/benchmark.h>

namespace lig::bench {
namespace {

constexpr double spacing = 0.57;  // about ten contacts for eight capsules
constexpr int steps = 32;

void run(benchmark::State& state, double speed, int threads) {
    const test::CapsuleClusters heap(static_cast<int>(state.range(0)) / test::CapsuleClusters::parts, spacing,
                                     speed);
    std::vector<std::vector<Transformd>> poses(speed > 0 ? steps : 1);
    for (std::size_t k = 0; k < poses.size(); ++k) heap.poses(static_cast<double>(k) / 60, poses[k]);
    CollisionWorkspace ws(heap.model);
    const CollisionOptions options{.threads = threads};
    double contacts = 0, pairs = 0, calls = 0;
    // To and fro, so that every step is one of 1/60 s.
    std::size_t at = 0;
    int way = 1;
    for (auto _ : state) {
        find_contacts(poses[at], options, ws);
        contacts += static_cast<double>(ws.contacts.contacts.size());
        pairs += static_cast<double>(ws.inside().broad.pairs().size());
        calls += 1;
        if (poses.size() > 1) {
            if (at == 0) way = 1;
            if (at == poses.size() - 1) way = -1;
            at += way;
        }
    }
    state.counters["contacts"] = contacts / calls;
    state.counters["pairs"] = pairs / calls;
}

void step(benchmark::State& state) { run(state, 1.0, 1); }
void fast_step(benchmark::State& state) { run(state, 5.0, 1); }
void rest(benchmark::State& state) { run(state, 0.0, 1); }
void step_on_two_threads(benchmark::State& state) { run(state, 1.0, 2); }

BENCHMARK(step)->Arg(1000)->Arg(8000)->Unit(benchmark::kMillisecond);
BENCHMARK(fast_step)->Arg(1000)->Arg(8000)->Unit(benchmark::kMillisecond);
BENCHMARK(rest)->Arg(1000)->Arg(8000)->Unit(benchmark::kMillisecond);
BENCHMARK(step_on_two_threads)->Arg(8000)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lig::bench

BENCHMARK_MAIN();
