// The large benchmark scenes under `impulse`: pyramids of 210 and 1,275 boxes, a pile of 100 characters.

#include "support/impulse_benchmarks.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("impulse: pyramids of base 20 and 50 stand") {
    check_standing(scenes::pyramid, 20);
    check_standing(scenes::pyramid, 50);
}

TEST_CASE("impulse: a pile of 100 characters holds together") { check_pile(100); }
