#pragma once

// Contacts of one model as contacts of another that has some of its geoms.

#include <ligament/collision.h>

#include <span>

namespace lig {

// The manifolds between geoms that both models have, with their impulses, become all that `to` remembers.
// new_geom: for every geom of the old model the one of the new model, or −1. Pairs whose order has changed
// are left out: what their features mean depends on it.
void carry_contacts(const Contacts& from, std::span<const int> new_geom, CollisionWorkspace& to);

}  // namespace lig
