// The character dropped in random poses, from event to event and by velocity steps: see
// support/event_drops.h. One of these drops takes about 10 s.

#include "support/event_drops.h"

using namespace lig::test;

TEST_CASE("event: the character dropped in 20 random poses") { check_event_drops(20, 5, 2); }
