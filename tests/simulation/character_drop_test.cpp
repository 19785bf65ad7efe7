// The character dropped in random poses: a first few. What is asked of it stands in
// support/character_drops.h; the long test has 500 drops.

#include "support/character_drops.h"

using namespace lig::test;

TEST_CASE("the character dropped in 20 random poses") { check_character_drops(20, 1); }
