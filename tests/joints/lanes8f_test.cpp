#include "support/joint_results.h"

TEST_CASE("joints: each of 8 floats gives the bits of the plain number") {
    lig::test::check_lanes<lig::Lanes8f>();
}
