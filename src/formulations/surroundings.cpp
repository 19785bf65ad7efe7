#include "formulations/surroundings.h"

#include "bodies/modal.h"
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

// By how much coordinates s of a program's kind move a point of its geoms at most; no point is farther than
// `radius` from the body's origin.
double farthest(const bodies::Modal& modal, const double* s, double radius) {
    double most = 0;
    for (const bodies::Modal::Field& field : modal.fields) {
        double sum = 0;
        for (int k = 0; k < modal.count; ++k) {
            const Mat3d& g = field.gradient[k];
            const double steep = std::sqrt(dot(g.x, g.x) + dot(g.y, g.y) + dot(g.z, g.z));
            sum += std::fabs(s[k]) * (length(field.phi[k]) + 2 * radius * steep);
        }
        most = std::max(most, sum);
    }
    return most;
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
    for (std::size_t k = 0; k < stretches_.size(); ++k)
        stretches_[k] = {model.deforming[k].modal ? Sym3d::zero() : Sym3d::diagonal(1, 1, 1), Sym3d::zero()};
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
    const double rest_radius = rest_radius_[deforming];
    stretches_[deforming] = shape;
    if (const bodies::Modal* const modal = model.deforming[deforming].modal.get()) {
        const auto moved = [&](const Sym3d& s) { return farthest(*modal, &s.xx, rest_radius); };
        radius_[body] = rest_radius + moved(shape.S);
        slip_[body] = moved(shape.rate);
        return;
    }
    radius_[body] = infinity_norm(shape.S) * rest_radius;
    slip_[body] = infinity_norm(shape.rate) * rest_radius;
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
