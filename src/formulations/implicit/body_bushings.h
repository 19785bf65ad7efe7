#pragma once

// Bushings in an implicit step: forces on the bodies, stiffness and damping. Against the world or a kinematic
// body they are a block of the one body that yields; between two bodies that move, or on one that deforms,
// rows (stiff_rows.h).

#include "dynamics/bushing_force.h"
#include "formulations/implicit/stiff_rows.h"
#include "formulations/maximal/body_system.h"

#include <span>
#include <vector>

namespace lig::implicit {

class BodyBushings {
public:
    explicit BodyBushings(const Model& model);

    bool empty() const { return bushings_.empty(); }
    // Where they are at the bodies that `system` looked at; then forces into the body entries of f, and
    // η² K + η D, after find_inertias.
    void look(const maximal::BodySystem& system);
    void add_forces(const maximal::BodySystem& system, std::span<double> f) const;
    void add_stiffness(double eta, maximal::BodySystem& system, StiffRows& rows) const;

private:
    struct Bushing {
        int source;          // in Model::bushings
        int link_a, link_b;  // negative: a base
        Transformd X_AF, X_BM;  // in the links, or bases
        BushingPose<double> at;
        Vec3d origin;           // of M
    };

    const Model* model_;
    std::vector<Bushing> bushings_;
};

}  // namespace lig::implicit
