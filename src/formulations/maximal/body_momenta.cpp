#include "formulations/maximal/body_momenta.h"

#include "core/rotation.h"
#include "dynamics/stretches.h"
#include "model/split_inertia.h"

namespace lig::maximal {

Momenta momenta_of(const Model& model, const BodyCoordinates& bodies, const MomentumAccount& account) {
    Momenta sum;
    for (std::size_t i = 0; i < bodies.x.size(); ++i) {
        if (const int stretch = model.tree.links[i].stretch; stretch >= 0) {
            const ShapeMomentum<double> own(model, stretch, rotation_matrix(bodies.quat[i]), bodies.V[i].ang,
                                            bodies.shapes[stretch]);
            account.add_link(
                static_cast<int>(i),
                shift_back({own.spin, model.tree.links[i].inertia.mass * bodies.V[i].lin}, bodies.x[i]), sum);
            continue;
        }
        const RigidInertia<double> own =
            world_inertia(rotation_matrix(bodies.quat[i]), model.tree.links[i].inertia);
        const Vec3d arm = own.mass > 0 ? (1 / own.mass) * own.h : Vec3d::zero();
        account.add_link(static_cast<int>(i),
                         shift_back(own * shift(bodies.V[i], -arm), bodies.x[i] - arm), sum);
    }
    return sum;
}

}  // namespace lig::maximal
