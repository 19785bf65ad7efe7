#include "formulations/surroundings.h"

#include "core/length.h"
#include "model/collision_model.h"
#include "shapes/shape_geometry.h"

#include <ligament/dynamics.h>

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

double bounding_radius(const CollisionModel::Geom& geom) {
    const Bounds box = bounds(geom.shape, geom.X_BG);
    const Vec3d far = {std::max(std::fabs(box.lower.x), std::fabs(box.upper.x)),
                       std::max(std::fabs(box.lower.y), std::fabs(box.upper.y)),
                       std::max(std::fabs(box.lower.z), std::fabs(box.upper.z))};
    return std::sqrt(dot(far, far));
}

// No vector becomes longer by more than this.
double infinity_norm(const Sym3d& a) {
    return std::max({std::fabs(a.xx) + std::fabs(a.xy) + std::fabs(a.xz),
                     std::fabs(a.xy) + std::fabs(a.yy) + std::fabs(a.yz),
                     std::fabs(a.xz) + std::fabs(a.yz) + std::fabs(a.zz)});
}

}  // namespace

Surroundings::Surroundings(const Model& model) : stretches_(model.deforming.size()) {
    poses_.resize(model.bodies.size());
    radius_.assign(model.bodies.size(), 0.0);
    reach_.assign(model.bodies.size(), 0.0);
    for (const CollisionModel::Geom& geom : model.collision->geoms) {
        if (!geom.moves) continue;
        const double radius = bounding_radius(geom);
        radius_[geom.body] = std::max(radius_[geom.body], radius);
        if (std::isfinite(radius)) size_ = std::max(size_, radius);
    }
    slip_.assign(model.bodies.size(), 0.0);
    for (const Model::Deforming& own : model.deforming) rest_radius_.push_back(radius_[own.body]);
    std::fill(stretches_.begin(), stretches_.end(),
              StretchWork<double>{Sym3d::diagonal(1, 1, 1), Sym3d::zero()});
}

bool Surroundings::place(const Workspace<double>& ws) {
    const Model& model = ws.model();
    if (!model.options.enabled.constraint || !model.options.enabled.contact) return false;
    for (std::size_t b = 0; b < poses_.size(); ++b) poses_[b] = body_pose(ws, static_cast<int>(b));
    for (std::size_t k = 0; k < stretches_.size(); ++k) stretch(model, static_cast<int>(k), ws.stretches[k]);
    return true;
}

void Surroundings::stretch(const Model& model, int deforming, const StretchWork<double>& shape) {
    const int body = model.deforming[deforming].body;
    stretches_[deforming] = shape;
    radius_[body] = infinity_norm(shape.S) * rest_radius_[deforming];
    slip_[body] = infinity_norm(shape.rate) * rest_radius_[deforming];
}

bool Surroundings::look(const Workspace<double>& ws, double h, int threads, CollisionWorkspace& collision) {
    if (!place(ws)) return false;
    look(h, 0, threads, collision, [&](int b) { return body_velocity(ws, b); });
    return true;
}

bool Surroundings::look_here(const Workspace<double>& ws, int threads, CollisionWorkspace& collision) {
    if (!place(ws)) return false;
    clear_contacts(collision);
    find_contacts(poses_, {.stretches = stretches_, .threads = threads}, collision);
    return true;
}

double Surroundings::fastest(const Workspace<double>& ws) const {
    double fastest = 0;
    for (std::size_t b = 0; b < radius_.size(); ++b) {
        if (!(radius_[b] > 0) || !std::isfinite(radius_[b])) continue;
        const Motion<double> V = body_velocity(ws, static_cast<int>(b));
        fastest = std::max(fastest, length(V.lin) + length(V.ang) * radius_[b] + slip_[b]);
    }
    return fastest;
}

}  // namespace lig
