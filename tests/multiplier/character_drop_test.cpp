// The character dropped in random poses under `multiplier`; far more of them in character_drop_long_test.cpp.

#include "support/character_drops.h"

TEST_CASE("multiplier: the character dropped in random poses") {
    lig::test::check_character_drops(4, 2024, {.formulation = "multiplier"});
}
