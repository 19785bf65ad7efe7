// More scenes than survey_test, in shorter steps, too.

#include "support/survey.h"

using namespace lig::test;

TEST_CASE("survey: of 40 random scenes none makes energy, none is lost") {
    survey(40, {60, 240}, [](const VerdictCounts& counts) {
        // By the clock, so that it depends on the machine.
        WARN(counts[static_cast<int>(Verdict::slow)] == 0);
    });
}
