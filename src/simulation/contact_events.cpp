#include "simulation/contact_events.h"

#include "core/make_room.h"

#include <utility>

namespace lig {

void ContactEvents::add(std::span<const ContactEvent> events) {
    merged_.clear();
    make_room(merged_, pairs_.size() + events.size());
    std::size_t p = 0;
    for (const ContactEvent& event : events) {
        const std::pair key(event.geom_a, event.geom_b);
        // A pair that is not mentioned did not touch and still does not.
        while (p < pairs_.size() && std::pair(pairs_[p].geom_a, pairs_[p].geom_b) < key)
            merged_.push_back(pairs_[p++]);
        const bool touches = event.kind != ContactEventKind::ended;
        const bool changed = event.kind != ContactEventKind::persists;
        if (p < pairs_.size() && std::pair(pairs_[p].geom_a, pairs_[p].geom_b) == key) {
            Pair pair = pairs_[p++];
            pair.touches = touches;
            pair.changed = pair.changed || changed;
            merged_.push_back(pair);
        } else {
            const bool touched = event.kind != ContactEventKind::began;
            merged_.push_back({event.geom_a, event.geom_b, touched, touches, changed});
        }
    }
    merged_.insert(merged_.end(), pairs_.begin() + static_cast<std::ptrdiff_t>(p), pairs_.end());
    std::swap(pairs_, merged_);
}

std::span<const ContactEvent> ContactEvents::collect() {
    told_.clear();
    make_room(told_, 2 * pairs_.size());
    for (const Pair& pair : pairs_) {
        const auto tell = [&](ContactEventKind kind) { told_.push_back({kind, pair.geom_a, pair.geom_b}); };
        if (!pair.changed) {
            tell(ContactEventKind::persists);
            continue;
        }
        // A pair that ends as it began has done both.
        const bool both = pair.touched == pair.touches;
        if (!pair.touched) tell(ContactEventKind::began);
        if (pair.touched || both) tell(ContactEventKind::ended);
        if (pair.touched && both) tell(ContactEventKind::began);
    }
    return told_;
}

}  // namespace lig
