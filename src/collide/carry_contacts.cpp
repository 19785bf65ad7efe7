#include "collide/carry_contacts.h"

#include "collide/workspace.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace lig {

void carry_contacts(const Contacts& from, std::span<const int> new_geom, CollisionWorkspace& to) {
    const CollisionModel& model = to.inside().model;
    struct Carried {
        int geom_a, geom_b;
        const Manifold* manifold;
    };
    std::vector<Carried> carried;
    for (const Manifold& manifold : from.manifolds) {
        const int a = new_geom[manifold.geom_a], b = new_geom[manifold.geom_b];
        if (a < 0 || b <= a || model.index_of[a] < 0 || model.index_of[b] < 0) continue;
        carried.push_back({a, b, &manifold});
    }
    std::sort(carried.begin(), carried.end(), [](const Carried& x, const Carried& y) {
        return std::tuple(x.geom_a, x.geom_b, x.manifold->part) <
               std::tuple(y.geom_a, y.geom_b, y.manifold->part);
    });

    clear_contacts(to);
    for (const Carried& c : carried) {
        Manifold manifold = *c.manifold;
        manifold.geom_a = c.geom_a;
        manifold.geom_b = c.geom_b;
        manifold.begin = static_cast<int>(to.contacts.contacts.size());
        manifold.properties = to.inside().properties.find(model, model.index_of[c.geom_a],
                                                          model.index_of[c.geom_b], to.contacts.properties);
        for (int k = 0; k < manifold.count; ++k) {
            Contact contact = from.contacts[c.manifold->begin + k];
            contact.manifold = static_cast<int>(to.contacts.manifolds.size());
            contact.previous = -1;
            to.contacts.contacts.push_back(contact);
        }
        to.contacts.manifolds.push_back(manifold);
    }
}

}  // namespace lig
