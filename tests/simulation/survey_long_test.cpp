// Random passive scenes, each judged by what it does, not by what steps say of themselves. bench_survey runs
// as many as wanted; docs/validation.md has its figures.

#include "scenes/generator_list.h"
#include "support/passive_run.h"

#include <doctest/doctest.h>

#include <array>

using namespace lig;
using namespace lig::test;

TEST_CASE("survey: of 40 random scenes none makes energy, none is lost, none hangs") {
    for (const std::string formulation : {"reduced", "multiplier"})
        for (const int rate : {60, 240}) {
            CAPTURE(formulation);
            CAPTURE(rate);
            std::array<int, verdicts> counts{};
            std::string seeds;
            for (int seed = 0; seed < 40; ++seed) {
                const scenes::Setting setting{"seed", static_cast<double>(seed)};
                SimulationOptions options;
                options.formulation = formulation;
                const auto model = compile(scenes::generate(scenes::random_scene, {&setting, 1}));
                const PassiveRun run = run_passive(model, options, 1.0 / rate, 1);
                ++counts[static_cast<int>(run.verdict)];
                if (run.verdict != Verdict::ok)
                    seeds += ' ' + std::to_string(seed) + ' ' + name_of(run.verdict);
            }
            MESSAGE(formulation, " 1/", rate, ": ", counts[0], " true;", seeds);
            CHECK(counts[static_cast<int>(Verdict::energy)] == 0);
            CHECK(counts[static_cast<int>(Verdict::non_finite)] == 0);
            // By the clock, so that it depends on the machine.
            WARN(counts[static_cast<int>(Verdict::slow)] == 0);
        }
}
