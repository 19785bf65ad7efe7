// The character dropped in 500 random poses: see support/character_drops.h.

#include "support/character_drops.h"

using namespace lig::test;

TEST_CASE("the character dropped in 500 random poses") { check_character_drops(500, 2); }
