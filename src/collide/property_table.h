#pragma once

// The properties of pairs of geoms, computed when a pair is first met and kept. Geoms of equal material share
// theirs, so a scene of thousands of pairs has few.

#include "model/collision_model.h"

#include <cstdint>
#include <vector>

namespace lig::collide {

class PropertyTable {
public:
    // The index in `properties` of those of two geoms of the collision model, a < b.
    int find(const CollisionModel& model, int a, int b, std::vector<ContactProperties>& properties);

private:
    struct Entry {
        std::uint64_t key;
        int index;
    };
    std::vector<Entry> entries_;  // sorted by key
    Entry last_{0, -1};           // mostly the next one is the same
};

}  // namespace lig::collide
