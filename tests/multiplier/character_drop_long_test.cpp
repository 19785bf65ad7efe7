// The character dropped in a hundred random poses under `multiplier`.

#include "support/character_drops.h"

TEST_CASE("multiplier: the character dropped in a hundred random poses") {
    lig::test::check_character_drops(100, 2025, {.formulation = "multiplier"});
}
