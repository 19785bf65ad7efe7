#include "constraints/group_rows.h"

#include "constraints/base_motion.h"
#include "constraints/carrier.h"
#include "constraints/equalities.h"
#include "constraints/pull_entries.h"
#include "constraints/stretch_entries.h"
#include "core/length.h"

#include <ligament/group_constraint.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace lig {

namespace {

// The frames of a constraint as they are now.
struct Frames {
    Frames(const Workspace<double>& ws, const Model::GroupConstraint& group) {
        const Model& model = ws.model();
        for (std::size_t k = 0; k < group.members.size(); ++k) {
            const Model::Body& body = model.bodies[group.members[k].body];
            Carrier carrier(ws, body.link);
            link[k] = body.link;
            Transformd X_LF = body.X_LB * group.members[k].X_BF;
            rest[k] = X_LF.p;
            X_LF.p = carrier.attach(ws, rest[k]);
            X[k] = carrier.X * X_LF;
            V[k] = {carrier.V.ang, carrier.velocity_at(X[k].p)};
            size += length(body.X_LB * group.members[k].X_BF.p) + gyration(model, body.link);
            far = std::max(far, length(X[k].p));
            last = std::max(last, body.link);
        }
        if (!(size > 0)) size = 1;
    }
    int link[max_group_bodies];
    Vec3d rest[max_group_bodies];  // where they are on their links at rest
    Transformd X[max_group_bodies];
    Motion<double> V[max_group_bodies];
    double size = 0;  // how large the parts are
    double far = 0;   // from the origin of the world
    int last = -1;    // link
};

bool is_finite(const Vec3d& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

// What a program's own constraint states in a sound state has to be numbers.
void require_finite(const Model& model, int index, const Frames& frames, const GroupRow* stated) {
    const Model::GroupConstraint& group = model.group_constraints[index];
    for (std::size_t k = 0; k < group.members.size(); ++k)
        if (!is_finite(frames.X[k].p) || !is_finite(frames.V[k].ang) || !is_finite(frames.V[k].lin))
            return;  // the state is what is wrong
    for (int r = 0; r < group.rows; ++r) {
        const GroupRow& row = stated[r];
        bool finite = std::isfinite(row.error) && std::isfinite(row.rate) && std::isfinite(row.product);
        for (std::size_t k = 0; k < group.members.size(); ++k)
            finite = finite && is_finite(row.on[k].ang) && is_finite(row.on[k].lin);
        if (!finite)
            throw std::domain_error(Equalities::name_of(model, RowKind::group, index) +
                                    " states what is not finite, in row " + std::to_string(r));
    }
}

EqualityTerms terms_of(const GroupRow& row, int part, const Frames& frames) {
    const double scale = std::abs(row.scale), size = row.size > 0 ? row.size : frames.size;
    return {.error = row.error,
            .base_rate = row.rate,
            .product = row.product,
            .scale = row.scale,
            .size = scale * size,
            .rounding = scale * std::numeric_limits<double>::epsilon() * (frames.far + size),
            .part = part,
            .holonomic = row.holonomic};
}

}  // namespace

bool group_acts(const Model& model, int index) {
    const Model::GroupConstraint& group = model.group_constraints[index];
    return group.is_equality() && group.active && group.moves;
}

bool bounded_group_acts(const Model& model, int index) {
    const Model::GroupConstraint& group = model.group_constraints[index];
    return !group.is_equality() && group.active && group.moves;
}

void add_group(const Workspace<double>& ws, int index, const GroupRowsWanted& wanted, Rows& rows,
               std::vector<EqualityTerms>& terms) {
    const Model::GroupConstraint& group = ws.model().group_constraints[index];
    const Frames frames(ws, group);
    const std::size_t count = group.members.size();
    GroupRow stated[GroupConstraint::max_rows];
    group.constraint->evaluate({{frames.X, count}, {frames.V, count}, wanted.time}, stated);
    require_finite(ws.model(), index, frames, stated);
    rows.begin_block(RowKind::group, index);
    for (int r = 0; r < group.rows; ++r) {
        rows.add_row().lo = -HUGE_VAL;
        const std::size_t begin = rows.pulls.size();
        EqualityTerms own = terms_of(stated[r], r, frames);
        for (std::size_t k = 0; k < count; ++k) {
            const int link = frames.link[k];
            const Force<double>& on = stated[r].on[k];
            Carrier carrier(ws, link);
            carrier.attach(ws, frames.rest[k]);
            const Vec3d& p = frames.X[k].p;
            if (link >= 0) rows.add_pull({link, p, on.lin, on.ang});
            add_stretch_entries(ws, link, on.lin, frames.rest[k], rows);
            // Links move with their bases, but where rows are on bodies: there by their own velocities.
            if (link < 0 || !wanted.on_bodies)
                own.base_rate += dot(on, shift(velocity_by_base(ws, link), p - carrier.X.p));
            if (wanted.with_products) own.product += dot(on, acceleration_at(ws, carrier, p));
        }
        if (!wanted.on_bodies) carry_inward(ws, begin, 0, frames.last + 1, rows);
        if (!wanted.with_products) own.product = 0;
        terms.push_back(own);
    }
}

}  // namespace lig
