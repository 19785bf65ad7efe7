// The character dropped in one random pose, from event to event; the long test has more of them. See
// support/event_drops.h.

#include "support/event_drops.h"

using namespace lig::test;

TEST_CASE("event: the character dropped in a random pose") { check_event_drops(1, 3, 2); }
