#include "formulations/reduced/acceleration/constraint_rows.h"

#include "constraints/loop_rows.h"
#include "dynamics/dynamics_parts.h"

#include <ligament/model.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace lig {

namespace {

// Nothing reads the kind of these blocks: they never meet the rows of a step.
constexpr RowKind kind = RowKind::loop;

void require_index(int index, std::size_t size, std::size_t constraint, const char* what) {
    if (index < 0 || static_cast<std::size_t>(index) >= size)
        throw std::invalid_argument("lig: acceleration constraint " + std::to_string(constraint) + ": " +
                                    what + " " + std::to_string(index) + " is not one of " +
                                    std::to_string(size));
}

void require_direction(const Vec3d& direction, std::size_t constraint) {
    if (direction.x == 0 && direction.y == 0 && direction.z == 0)
        throw std::invalid_argument("lig: acceleration constraint " + std::to_string(constraint) +
                                    ": the direction is zero");
}

// Loops push and pull.
Range range_of(const AccelerationConstraint& constraint) {
    return std::visit(
        [](const auto& kind) {
            if constexpr (requires { kind.force; })
                return kind.force;
            else
                return Range{};
        },
        constraint);
}

void require_range(const Range& range, std::size_t constraint) {
    if (!(range.lower <= range.upper) || range.lower == HUGE_VAL || range.upper == -HUGE_VAL)
        throw std::invalid_argument("lig: acceleration constraint " + std::to_string(constraint) +
                                    ": no force is within its range from " + std::to_string(range.lower) +
                                    " to " + std::to_string(range.upper));
}

void require_valid(const AccelerationConstraint& constraint, const Model& model, std::size_t c) {
    require_range(range_of(constraint), c);
    if (const auto* joint = std::get_if<JointAcceleration>(&constraint)) {
        require_index(joint->dof, model.nv, c, "freedom");
    } else if (const auto* point = std::get_if<PointAcceleration>(&constraint)) {
        require_index(point->body, model.bodies.size(), c, "body");
        require_direction(point->direction, c);
    } else if (const auto* pair = std::get_if<RelativeAcceleration>(&constraint)) {
        require_index(pair->body_a, model.bodies.size(), c, "body");
        require_index(pair->body_b, model.bodies.size(), c, "body");
        require_direction(pair->direction, c);
    } else if (const auto* loop = std::get_if<LoopAcceleration>(&constraint)) {
        require_index(loop->loop, model.loops.size(), c, "loop");
    } else {
        for (const auto& [dof, coefficient] : std::get<LinearAcceleration>(constraint).terms)
            require_index(dof, model.nv, c, "freedom");
    }
}

// A point that moves with a link or base.
struct CarriedPoint {
    int link;
    Vec3d arm;  // from the origin of the link, in world axes

    CarriedPoint(const Workspace<double>& ws, int body, const Vec3d& point) {
        const Model::Body& b = ws.model().bodies[body];
        link = b.link;
        arm = carrier_pose(ws, link).R * (b.X_LB * point);
    }

    Force<double> force_along(const Vec3d& direction) const { return {cross(arm, direction), direction}; }

    Vec3d acceleration_left(const Workspace<double>& ws) const {
        const Motion<double>& a = link >= 0 ? ws.links[link].a0 : ws.bases[-1 - link].a0;
        const Vec3d& w = carrier_velocity(ws, link).ang;
        return a.lin + ws.model().options.gravity + cross(a.ang, arm) + cross(w, cross(w, arm));
    }
};

}  // namespace

void ConstraintRows::add_points(const Workspace<double>& ws, int body_a, const Vec3d& point_a, int body_b,
                                const Vec3d& point_b, const Vec3d& direction) {
    const CarriedPoint a(ws, body_a, point_a), b(ws, body_b, point_b);
    rows.begin_block(kind, 0, a.link, b.link);
    Row& row = rows.add_row();
    row.on_a = -a.force_along(direction);
    row.on_b = b.force_along(direction);
    product.push_back(dot(direction, b.acceleration_left(ws) - a.acceleration_left(ws)));
}

void ConstraintRows::assemble(const Workspace<double>& ws,
                              std::span<const AccelerationConstraint> constraints) {
    // All of them before the first is taken: what is refused leaves everything as it was.
    for (std::size_t c = 0; c < constraints.size(); ++c) require_valid(constraints[c], ws.model(), c);
    rows.clear();
    product.clear();
    wanted.clear();
    ranges.clear();
    for (const AccelerationConstraint& constraint : constraints) {
        if (const auto* joint = std::get_if<JointAcceleration>(&constraint)) {
            rows.begin_block(kind, 0);
            rows.add_row();
            rows.add_entry(joint->dof, 1.0);
            product.push_back(0);
            wanted.push_back(joint->wanted);
        } else if (const auto* point = std::get_if<PointAcceleration>(&constraint)) {
            // Relative to the world, which stands still.
            add_points(ws, 0, Vec3d::zero(), point->body, point->point, point->direction);
            wanted.push_back(point->wanted);
        } else if (const auto* pair = std::get_if<RelativeAcceleration>(&constraint)) {
            add_points(ws, pair->body_a, pair->point_a, pair->body_b, pair->point_b, pair->direction);
            wanted.push_back(pair->wanted);
        } else if (const auto* loop = std::get_if<LoopAcceleration>(&constraint)) {
            terms_.clear();
            add_loop(ws, loop->loop, true, rows, terms_);
            for (const EqualityTerms& terms : terms_) {
                product.push_back(terms.product);
                wanted.push_back(terms.scale * loop->wanted[terms.part]);
            }
        } else {
            const LinearAcceleration& linear = std::get<LinearAcceleration>(constraint);
            rows.begin_block(kind, 0);
            rows.add_row();
            for (const auto& [dof, coefficient] : linear.terms) rows.add_entry(dof, coefficient);
            product.push_back(linear.constant);
            wanted.push_back(linear.wanted);
        }
        ranges.resize(wanted.size(), range_of(constraint));
    }
}

bool ConstraintRows::has_ranges() const {
    return std::any_of(ranges.begin(), ranges.end(), [](const Range& range) {
        return range.lower != -HUGE_VAL || range.upper != HUGE_VAL;
    });
}

bool ConstraintRows::is_finite() const {
    const auto finite = [](const Force<double>& f) {
        return std::isfinite(dot(f.ang, f.ang)) && std::isfinite(dot(f.lin, f.lin));
    };
    return std::all_of(rows.rows.begin(), rows.rows.end(),
                       [&](const Row& row) { return finite(row.on_a) && finite(row.on_b); }) &&
           std::all_of(rows.entries.begin(), rows.entries.end(),
                       [](const RowEntry& entry) { return std::isfinite(entry.value); });
}

}  // namespace lig
