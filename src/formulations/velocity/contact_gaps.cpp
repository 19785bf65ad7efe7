#include "formulations/velocity/contact_gaps.h"

#include "constraints/contact_rows.h"
#include "dynamics/dynamics_parts.h"
#include "dynamics/stretches.h"

#include <algorithm>

namespace lig {

void ContactGaps::note() {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Contacts& found = context_.collision.contacts;
    contacts_.clear();
    touching_.clear();
    for (std::size_t b = 0; b < context_.rows.blocks.size(); ++b) {
        const RowBlock& block = context_.rows.blocks[b];
        if (block.kind != RowKind::contact) continue;
        const Contact& contact = found.contacts[block.source];
        // At rest, if the link deforms.
        const auto place = [&](int link, int geom, const Vec3d& p) {
            const Transformd& X = carrier_pose(ws, link);
            return stretch_of(ws, link) ? rest_place(ws, link, p, geom) : transpose_mul(X.R, p - X.p);
        };
        const Manifold& manifold = found.manifolds[contact.manifold];
        const int geom_a = manifold.geom_a, geom_b = manifold.geom_b;
        touching_.push_back(contact.distance - contact_gap(found, contact));
        contacts_.push_back({block.link_a, block.link_b, geom_a, geom_b,
                             place(block.link_a, geom_a, contact.on_a),
                             place(block.link_b, geom_b, contact.on_b), contact.normal,
                             std::min(contact.distance, touching_.back()) - impulses_.slacks[b]});
    }
}

double ContactGaps::pressed_by(const HeldContact& contact) const {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Vec3d apart =
        carrier_pose(ws, contact.link_b) * stretched(ws, contact.link_b, contact.on_b, contact.geom_b) -
        carrier_pose(ws, contact.link_a) * stretched(ws, contact.link_a, contact.on_a, contact.geom_a);
    return contact.distance - dot(contact.normal, apart);
}

void ContactGaps::note_parted() {
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
        HeldContact& contact = contacts_[k];
        const double now = contact.distance - pressed_by(contact);
        contact.distance = std::max(contact.distance, std::min(now, touching_[k]));
    }
}

}  // namespace lig
