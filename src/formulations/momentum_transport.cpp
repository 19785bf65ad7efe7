#include "formulations/momentum_transport.h"

#include "model/split_inertia.h"

#include <ligament/model.h>

#include <algorithm>

namespace lig {

namespace {

Vec3d arm_of(const Workspace<double>& ws, std::size_t link) {
    const SplitInertia<double>& own = ws.model().tree.links[link].inertia;
    return own.mass > 0 ? ws.poses[link].X_WL.R * ((1 / own.mass) * own.h) : Vec3d::zero();
}

// About the centre of mass.
Force<double> momentum_of(const Workspace<double>& ws, std::size_t link, const Motion<double>& V,
                          const Vec3d& arm) {
    return shift_back(world_inertia(ws.poses[link].X_WL.R, ws.model().tree.links[link].inertia) * V, -arm);
}

}  // namespace

MomentumTransport::MomentumTransport(const Model& model)
    : momenta_(model.tree.links.size()),
      missing_(model.tree.links.size()),
      force_(model.tree.links.size()),
      arms_(model.tree.links.size()),
      offsets_(model.tree.links.size()),
      arms_after_(model.tree.links.size()),
      offsets_after_(model.tree.links.size()),
      S_(model.nv),
      v_(model.nv),
      x_(model.nv),
      found_(model.nv) {}

void MomentumTransport::note(const Workspace<double>& ws, std::span<const Force<double>> momenta,
                             std::span<const double> v, double h) {
    const Model& model = ws.model();
    std::copy(v.begin(), v.end(), v_.begin());
    std::copy(ws.S.begin(), ws.S.begin() + model.nv, S_.begin());
    for (std::size_t i = 0; i < momenta_.size(); ++i) {
        arms_[i] = arm_of(ws, i);
        offsets_[i] = ws.links[i].r;
        momenta_[i] = momenta[i];
        missing_[i] = momentum_of(ws, i, ws.poses[i].V_WL, arms_[i]) - 2 * momenta[i];
        missing_[i].lin += (h * model.tree.links[i].inertia.mass) * model.options.gravity;
    }
}

void MomentumTransport::project(const Model& model, std::span<const Vec3d> arms,
                                std::span<const Vec3d> offsets, std::span<const Motion<double>> S,
                                double share, std::span<double> x) {
    const std::vector<TreeLink<double>>& links = model.tree.links;
    for (std::size_t i = 0; i < links.size(); ++i) force_[i] = shift_back(missing_[i], arms[i]);
    for (int i = static_cast<int>(links.size()) - 1; i >= 0; --i) {
        for (int k = links[i].v_adr; k < links[i].v_adr + links[i].nv; ++k)
            x[k] += share * dot(S[k], force_[i]);
        if (links[i].parent >= 0) force_[links[i].parent] += shift_back(force_[i], offsets[i]);
    }
}

void MomentumTransport::find(const Workspace<double>& ws, JointFactor& factor, std::span<double> v) {
    const Model& model = ws.model();
    const std::vector<TreeLink<double>>& links = model.tree.links;
    for (std::size_t i = 0; i < links.size(); ++i) {
        arms_after_[i] = arm_of(ws, i);
        offsets_after_[i] = ws.links[i].r;
        force_[i] = shift_back(momenta_[i], arms_after_[i]);
    }
    for (int k = 0; k < model.nv; ++k) x_[k] = model.tree.armature[k] * v_[k];  // rotors keep their speed
    factor.inward(x_, force_);
    factor.outward(x_, found_);
    std::copy(found_.begin(), found_.end(), v.begin());
    for (std::size_t i = 0; i < links.size(); ++i)
        missing_[i] += momentum_of(ws, i, factor.link_motion(static_cast<int>(i)), arms_after_[i]);
    std::fill(x_.begin(), x_.end(), 0.0);
    project(model, arms_after_, offsets_after_, ws.S, 0.5, x_);
    project(model, arms_, offsets_, S_, -0.5, x_);
    factor.inward(x_);
    factor.outward(x_, found_);
    for (std::size_t k = 0; k < found_.size(); ++k) v[k] += found_[k];
}

}  // namespace lig
