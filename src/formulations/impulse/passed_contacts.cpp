#include "formulations/impulse/passed_contacts.h"

#include "formulations/impulse/tuning.h"
#include "model/collision_model.h"
#include "shapes/shape_geometry.h"

#include <algorithm>
#include <cmath>

namespace lig::impulse {

PassedContacts::PassedContacts(const Model& model) : halves_(model.geoms.size(), HUGE_VAL) {
    for (std::size_t g = 0; g < model.geoms.size() && model.collision; ++g) {
        const int index = model.collision->index_of[g];
        if (index < 0) continue;
        const CollisionShape& shape = model.collision->geoms[index].shape;
        if (!is_convex(shape.type)) continue;
        const Bounds box = bounds(shape, Transformd::identity());
        const Vec3d sides = box.upper - box.lower;
        halves_[g] = 0.5 * std::min({sides.x, sides.y, sides.z});
    }
}

std::optional<PassedContact> PassedContacts::find(const ContactPoints& points,
                                                  const Contacts& contacts) const {
    std::optional<PassedContact> deepest;
    points.for_each_deep(solver_tuning.suspicious_gap, [&](int source, double depth) {
        const Manifold& manifold = contacts.manifolds[contacts.contacts[source].manifold];
        const int a = manifold.geom_a, b = manifold.geom_b;
        if (depth > std::min(halves_[a], halves_[b]) && (!deepest || depth > deepest->depth))
            deepest = {a, b, depth};
    });
    return deepest;
}

}  // namespace lig::impulse
