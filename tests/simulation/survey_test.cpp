// Random passive scenes, each judged by what it does, not by what steps say of themselves: a few;
// survey_long_test has more, and bench_survey runs as many as wanted (docs/validation.md).

#include "support/survey.h"

using namespace lig::test;

TEST_CASE("survey: of a dozen random scenes none makes energy, none is lost, none hangs") {
    survey(12, {60}, [](const VerdictCounts& counts) {
        CHECK(counts[static_cast<int>(Verdict::slow)] == 0);
    });
}
