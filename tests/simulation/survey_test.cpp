// Random passive scenes, each judged by what it does, not by what steps say of themselves: a few;
// survey_long_test has more, and bench_survey runs as many as wanted (docs/validation.md).

#include "support/survey.h"

using namespace lig::test;

TEST_CASE("survey: of a dozen random scenes none makes energy, none is lost, none hangs") {
    survey(12, {60}, [](const VerdictCounts& counts) {
        CHECK(counts[static_cast<int>(Verdict::slow)] == 0);
    });
}

// A step that the guard has taken again is slowed down by what it makes then, and it is the same step: in
// 1808 it once made twice as much the second time, and 22 J were left where 20 are admitted.
TEST_CASE("survey: what is taken again is judged anew") {
    lig::SimulationOptions options;
    options.formulation = "implicit";
    const PassiveRun run = run_passive(random_model(1808), options, 1.0 / 240, 0.1);
    CHECK(run.guarded > 0);
    CHECK(run.verdict == Verdict::ok);
}

// Joints and contacts that give are put back all the time: what that raises leaves the method less to make.
TEST_CASE("survey: under impulse, too, what corrections raise stays within what the guard admits") {
    lig::SimulationOptions options;
    options.formulation = "impulse";
    const PassiveRun run = run_passive(random_model(9023), options, 1.0 / 60, 2.0 / 60);
    CHECK(run.guarded > 0);
    CHECK(run.verdict == Verdict::ok);
}

// What a contact is hit with was once measured with the impulses of others that are kept, which in a mesh
// press against each other by any force: bounces threw it apart.
TEST_CASE("survey: under impulse contacts that press against each other in a mesh do not throw it apart") {
    for (const int rate : {60, 240}) {
        CAPTURE(rate);
        lig::SimulationOptions options;
        options.formulation = "impulse";
        const PassiveRun run = run_passive(random_model(370), options, 1.0 / rate, 0.75);
        CHECK(run.verdict == Verdict::ok);
        CHECK(run.guarded == 0);
    }
}

// Links of a mesh that are pinned together touch at the pin. That contact is held by the loops; once it took
// part in impacts elsewhere, by any impulse, and the mesh flew apart.
TEST_CASE("survey: contacts at pins take no part in impacts") {
    lig::SimulationOptions options;
    options.formulation = "multiplier";
    const PassiveRun run = run_passive(random_model(8325), options, 1.0 / 60, 1.5);
    CHECK(run.verdict == Verdict::ok);
    CHECK(run.guarded == 0);
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
