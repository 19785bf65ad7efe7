// Forty four-bars in a row, through forty positions where all their rows become dependent.

#include "support/body_runs.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("multiplier: forty four-bars, which pass positions where their rows become dependent") {
    check_four_bars<ByMultiplier>(four_bars_answers[1]);
}
