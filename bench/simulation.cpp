// Whole steps of `reduced`: time a step, over a run from the fall to the rest. Counters: sub-steps, rows and
// iterations a step.
//   humanoid      MuJoCo's humanoid.xml, 1,000 steps of 5 ms (needs the reference models; left out without
//   them) character     scenes/character.xml, tumbling from a height, 600 frames of 60 Hz, automatic
//   sub-steps pile          100 characters (`ligament generate pile`), 300 frames of 60 Hz, one velocity step
//   each heavy_chain   1,000 kg on 100 links (`ligament generate chain`), frames of 60 Hz, automatic
//   sub-steps

#include "scenes/generator_list.h"

#include <ligament/load.h>
#include <ligament/simulation.h>

#include <benchmark/benchmark.h>

#include <filesystem>

namespace lig::bench {
namespace {

std::shared_ptr<const Model> load(const std::filesystem::path& path) {
    Diagnostics log;
    return compile(load_scene(path, {}, log));
}

std::shared_ptr<const Model> generated(const scenes::Generator& generator) {
    return compile(scenes::generate(generator, {}));
}

// One iteration is a run of `steps` steps; the time told is that of a step.
void run(benchmark::State& state, const std::shared_ptr<const Model>& model, const SimulationOptions& options,
         int keyframe, double dt, int steps) {
    Simulation sim(model, options);
    double substeps = 0, rows = 0, iterations = 0, taken = 0, missed = 0;
    for (auto _ : state) {
        state.PauseTiming();
        if (keyframe >= 0)
            sim.reset(keyframe);
        else
            sim.reset();
        state.ResumeTiming();
        for (int k = 0; k < steps; ++k) {
            const StepReport report = sim.step(dt);
            if (report.status != StepStatus::ok && report.status != StepStatus::not_converged) {
                state.SkipWithError(report.where.c_str());
                return;
            }
            substeps += report.substeps;
            rows += report.rows;
            iterations += report.iterations;
            missed += report.status == StepStatus::not_converged;
            taken += 1;
        }
    }
    state.counters["step"] =
        benchmark::Counter(taken, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    state.counters["substeps"] = substeps / taken;
    state.counters["rows"] = rows / taken;
    state.counters["iterations"] = iterations / taken;
    state.counters["not_converged"] = missed / taken;
}

void humanoid(benchmark::State& state, Stepping stepping, double accuracy) {
    const std::filesystem::path path = std::filesystem::path(LIG_SHARED_DIR) / "models/mujoco/humanoid.xml";
    if (!std::filesystem::exists(path)) {
        state.SkipWithError("the reference models are not there");
        return;
    }
    SimulationOptions options;
    options.stepping = stepping;
    options.accuracy = accuracy;
    run(state, load(path), options, -1, 0.005, 1000);
}

void character(benchmark::State& state) {
    const std::shared_ptr<const Model> model =
        load(std::filesystem::path(LIG_SOURCE_DIR) / "scenes/character.xml");
    run(state, model, {}, model->find_keyframe("tumble"), 1.0 / 60, 600);
}

void pile(benchmark::State& state) {
    SimulationOptions options;
    options.stepping = Stepping::velocity;
    run(state, generated(scenes::pile), options, -1, 1.0 / 60, 300);
}

void heavy_chain(benchmark::State& state) { run(state, generated(scenes::chain), {}, -1, 1.0 / 60, 60); }

BENCHMARK_CAPTURE(humanoid, fixed, Stepping::velocity, 1e-5)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(humanoid, fixed_exact, Stepping::velocity, 1e-6)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(humanoid, automatic, Stepping::automatic, 1e-6)->Unit(benchmark::kMillisecond);
BENCHMARK(character)->Unit(benchmark::kMillisecond);
BENCHMARK(pile)->Unit(benchmark::kMillisecond);
BENCHMARK(heavy_chain)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lig::bench

BENCHMARK_MAIN();
