#pragma once

// A snapshot of one model as one of another that was made from an edited scene.
//
// Objects correspond by name. Those without a name correspond by their place:
//     bodies                           among the unnamed children of the same parent
//     joints, geoms                    among the unnamed ones of the same body
//     actuators                        among the unnamed ones that act on the same thing
//     loops, pairs, couplings          among the unnamed ones of the same bodies, of the same follower
//     tendons                          among the unnamed ones
// Joints and geoms belong to their bodies: one of the same name on another body is another one. What has
// changed its kind (the type of a joint, the shape of a geom, the dynamics of an actuator) begins anew, too.

#include <ligament/model.h>
#include <ligament/snapshot.h>

#include <memory>

namespace lig {

// Throws std::invalid_argument when the snapshot is not one of `from`.
Snapshot carry_over(const std::shared_ptr<const Model>& from, const Snapshot& snapshot,
                    const std::shared_ptr<const Model>& to);

}  // namespace lig
