#pragma once

// The touches of a whole step, from those of its sub-steps.
//
// find_contacts tells what has changed since it was called last, and a step calls it once a sub-step. A pair
// that begins and ceases to touch within a step must not be missed, one that goes on touching is told of
// once. So of every pair only this counts: whether it touched before the step, whether it does at its end,
// and whether that has changed in between:
//     before  after   changed    told
//     no      yes                began
//     yes     yes     no         persists
//     yes     yes     yes        ended, began
//     no      no      yes        began, ended
//     yes     no                 ended

#include <ligament/collision.h>

#include <span>
#include <vector>

namespace lig {

class ContactEvents {
public:
    void clear() { pairs_.clear(); }
    // The events of the next sub-step, in rising order of the geoms.
    void add(std::span<const ContactEvent> events);
    // Of all sub-steps since `clear`, in rising order of the geoms.
    std::span<const ContactEvent> collect();

private:
    struct Pair {
        int geom_a, geom_b;
        bool touched, touches, changed;
    };
    std::vector<Pair> pairs_, merged_;
    std::vector<ContactEvent> told_;
};

}  // namespace lig
