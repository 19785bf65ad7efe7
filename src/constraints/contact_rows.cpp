#include "constraints/contact_rows.h"

#include "constraints/base_motion.h"
#include "constraints/carrier.h"
#include "constraints/stretch_entries.h"

#include <cmath>
#include <tuple>

namespace lig {

ContactFrame contact_frame(const Vec3d& n) {
    // Along the coordinate axis that is farthest from n, made orthogonal.
    const Vec3d away = std::fabs(n.x) <= std::fabs(n.y) && std::fabs(n.x) <= std::fabs(n.z) ? Vec3d{1, 0, 0}
                       : std::fabs(n.y) <= std::fabs(n.z)                                   ? Vec3d{0, 1, 0}
                                                                                            : Vec3d{0, 0, 1};
    const Vec3d along = away - dot(away, n) * n;
    const Vec3d t1 = (1 / std::sqrt(dot(along, along))) * along;
    return {n, t1, cross(n, t1)};
}

double contact_gap(const Contacts& contacts, const Contact& contact) {
    const Manifold& manifold = contacts.manifolds[contact.manifold];
    const ContactProperties& properties = contacts.properties[manifold.properties];
    return contact.distance - (properties.margin - properties.gap);
}

void add_contact_rows(const Contacts& contacts, const Workspace<double>& ws, const RowContext& context,
                      double impulse_scale, Rows& rows) {
    const Model& model = ws.model();
    for (const Manifold& manifold : contacts.manifolds) {
        const ContactProperties& properties = contacts.properties[manifold.properties];
        const int link_a = model.bodies[model.geoms[manifold.geom_a].body].link;
        const int link_b = model.bodies[model.geoms[manifold.geom_b].body].link;
        if (link_a < 0 && link_b < 0) continue;  // two bases: nothing yields
        const Transformd &X_WA = carrier_pose(ws, link_a), &X_WB = carrier_pose(ws, link_b);
        const Motion<double>&V_WA = carrier_velocity(ws, link_a), &V_WB = carrier_velocity(ws, link_b);
        const Motion<double> base_a = velocity_by_base(ws, link_a), base_b = velocity_by_base(ws, link_b);
        Motion<double> curve_a = Motion<double>::zero(), curve_b = Motion<double>::zero();
        if (context.contact_product_share != 0) {
            // Gravity is in both, and of no account.
            curve_a = free_acceleration(ws, link_a);
            curve_b = free_acceleration(ws, link_b);
        }
        const ContactFrame frame = contact_frame(manifold.normal);
        // Rows behind the normal one, by condim.
        const Vec3d axes[] = {frame.t1, frame.t2, frame.n, frame.t1, frame.t2};
        int friction_rows = properties.condim - 1;
        while (friction_rows > 0 && !(properties.friction[friction_rows - 1] > 0)) --friction_rows;
        for (int c = manifold.begin; c < manifold.begin + manifold.count; ++c) {
            const Contact& contact = contacts.contacts[c];
            const Vec3d p = 0.5 * (contact.on_a + contact.on_b);
            const Vec3d arm_a = p - X_WA.p, arm_b = p - X_WB.p;
            const double gap = contact.distance - (properties.margin - properties.gap);
            Motion<double> at_a = shift(V_WA, arm_a), at_b = shift(V_WB, arm_b);
            Vec3d rest_a = Vec3d::zero(), rest_b = Vec3d::zero();
            for (auto [link, geom, at, rest] : {std::tuple{link_a, manifold.geom_a, &at_a, &rest_a},
                                                std::tuple{link_b, manifold.geom_b, &at_b, &rest_b}})
                if (stretch_of(ws, link)) {
                    *rest = rest_place(ws, link, p, geom);
                    at->lin += ws.poses[link].X_WL.R * slip_of(ws, link, *rest, geom);
                }
            const auto add_entries = [&](const Vec3d& axis) {
                add_stretch_entries(ws, link_a, -axis, rest_a, rows, manifold.geom_a);
                add_stretch_entries(ws, link_b, axis, rest_b, rows, manifold.geom_b);
            };
            if (!within_reach(context, gap, dot(contact.normal, at_b.lin - at_a.lin))) continue;

            rows.begin_block(RowKind::contact, c, link_a, link_b, p, p);
            const auto base_rate = [&](const Row& row) {
                return dot(row.on_a, base_a) + dot(row.on_b, base_b);
            };
            const auto add_curvature = [&](Row& row) {
                if (context.contact_product_share == 0) return;
                const double speed = context.contact_product_share * context.h *
                                     (dot(row.on_a, curve_a) + dot(row.on_b, curve_b));
                row.curved_rate = speed;
                row.bias += speed;
                row.kept_bias += speed;
            };
            Row& normal = rows.add_row();
            normal.on_b = {cross(arm_b, contact.normal), contact.normal};
            normal.on_a = {-cross(arm_a, contact.normal), -contact.normal};
            normal.lambda = std::fmax(0.0, impulse_scale * dot(contact.impulse, contact.normal));
            set_gap(normal, context, gap, base_rate(normal));
            add_curvature(normal);
            add_entries(contact.normal);
            for (int k = 0; k < friction_rows; ++k) {
                const Vec3d& axis = axes[k];
                const bool slides = k < 2;
                Row& row = rows.add_row();
                const Vec3d zero = Vec3d::zero();
                row.on_b = slides ? Force<double>{cross(arm_b, axis), axis} : Force<double>{axis, zero};
                row.on_a = slides ? Force<double>{-cross(arm_a, axis), -axis} : Force<double>{-axis, zero};
                row.friction = properties.friction[k];
                row.lambda = impulse_scale * dot(slides ? contact.impulse : contact.moment_impulse, axis);
                row.bias = row.kept_bias = row.base_rate = base_rate(row);
                add_curvature(row);
                if (slides) add_entries(axis);
            }
        }
    }
}

void store_contact_impulses(const Rows& rows, Contacts& contacts) {
    for (Contact& contact : contacts.contacts) contact.impulse = contact.moment_impulse = Vec3d::zero();
    for (const RowBlock& block : rows.blocks) {
        if (block.kind != RowKind::contact) continue;
        Contact& contact = contacts.contacts[block.source];
        for (int r = 0; r < block.count; ++r) {
            const Row& row = rows.rows[block.begin + r];
            if (r < 3)
                contact.impulse += row.lambda * row.on_b.lin;
            else
                contact.moment_impulse += row.lambda * row.on_b.ang;
        }
    }
}

}  // namespace lig
