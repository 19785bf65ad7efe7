#pragma once

// What copies of parts of a scene have in common, while they are made (mjcf_assembly.cpp) and when what
// refers to them follows (mjcf_assembly_finish.cpp).

#include "model/scene_handles.h"

#include <ligament/scene.h>

#include <vector>

namespace lig::io::mjcf {

// A map of the given indices, in rising order, all to the same target.
IndexMap map_of(const std::vector<int>& from, int target);

// Whether one of the flags that are set by index is, where they may end before it.
inline bool flagged(const std::vector<char>& flags, int index) {
    return index < static_cast<int>(flags.size()) && flags[index] != 0;
}

// A loop that is closed where it was written is closed in the copy as well, also when only one of its bodies
// was moved: MJCF gives one frame and takes the other from the reference configuration.
LoopSpec reclosed(LoopSpec loop, const Pose& relative_before, const Pose& relative_now);
// Where the second body of a loop is, from the first.
Pose relative(const std::vector<Pose>& X_WB, const LoopSpec& loop);

}  // namespace lig::io::mjcf
