// Random passive scenes, each judged by what it does, not by what steps say of themselves: a few;
// survey_long_test has more, and bench_survey runs as many as wanted (docs/validation.md).

#include "support/survey.h"

using namespace lig::test;

TEST_CASE("survey: of a dozen random scenes none makes energy, none is lost, none hangs") {
    survey(12, {60}, [](const VerdictCounts& counts) {
        CHECK(counts[static_cast<int>(Verdict::slow)] == 0);
    });
}

// Of a mesh that folds, one step's corrections would leap to positions that are 6 J higher, with 0.7 J in
// motion; and of parts under great tension, what corrections raise all the time is taken out of the motion.
TEST_CASE("survey: what corrections raise stays within what the guard admits") {
    struct Scene {
        int seed;
        const char* formulation;
        int rate;
    };
    for (const Scene& scene : {Scene{1702, "multiplier", 240}, Scene{1785, "reduced", 60}}) {
        CAPTURE(scene.seed);
        lig::SimulationOptions options;
        options.formulation = scene.formulation;
        const PassiveRun run = run_passive(random_model(scene.seed), options, 1.0 / scene.rate, 1.5);
        CHECK(run.verdict == Verdict::ok);
    }
}
