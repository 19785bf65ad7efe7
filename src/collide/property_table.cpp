#include "collide/property_table.h"

#include <algorithm>

namespace lig::collide {

namespace {

std::uint64_t two(int high, int low) {
    return static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint64_t>(low);
}

// Materials are numbered from 0, and there are fewer than 2³¹.
std::uint64_t key_of(const CollisionModel& model, int a, int b) {
    if (const int pair = model.explicit_pair(a, b); pair >= 0) return std::uint64_t(1) << 63 | two(0, pair);
    const auto [low, high] = std::minmax(model.filters[a].material, model.filters[b].material);
    return two(low, high);
}

}  // namespace

int PropertyTable::find(const CollisionModel& model, int a, int b,
                        std::vector<ContactProperties>& properties) {
    const std::uint64_t key = key_of(model, a, b);
    if (key == last_.key && last_.index >= 0) return last_.index;
    const auto place = std::lower_bound(entries_.begin(), entries_.end(), key,
                                        [](const Entry& entry, std::uint64_t k) { return entry.key < k; });
    if (place != entries_.end() && place->key == key) return (last_ = *place).index;
    const int index = static_cast<int>(properties.size());
    properties.push_back(model.properties(a, b));
    last_ = {key, index};
    entries_.insert(place, last_);
    return index;
}

}  // namespace lig::collide
