// The character dropped in random poses, from event to event and by velocity steps: see support/event_drops.h.
// One drop takes about 5 s.

#include "support/event_drops.h"

using namespace lig::test;

TEST_CASE("event: the character dropped in 40 random poses") { check_event_drops(40, 5, 2); }
