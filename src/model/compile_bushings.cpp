// Springs and dampers between two bodies.

#include "model/compile.h"

#include "core/diagnostic_codes.h"
#include "model/split_inertia.h"

#include <cmath>
#include <numbers>
#include <string>

namespace lig::compiling {

namespace {

// What of a body resists a bushing along or about the axes of a frame on it: its mass, and the rotational
// inertia about its centre of mass, of all that moves with it as one. Inverse, and 0 where nothing yields.
struct InverseInertia {
    double mass = 0;
    Vec3d turn{0, 0, 0};
};

InverseInertia inverse_inertia(const Model& model, int body, const Mat3d& R_BF) {
    const Model::Body& b = model.bodies[body];
    if (b.link < 0) return {};
    // In the axes of F about the link's origin, then about the centre of mass.
    const Mat3d R_FL = transpose(b.X_LB.R * R_BF);
    const RigidInertia<double> own = world_inertia(R_FL, model.tree.links[b.link].inertia);
    const Vec3d com = (1 / own.mass) * own.h;
    const RigidInertia<double> central = shift_back(own, -com);
    return {1 / own.mass, {1 / central.I.xx, 1 / central.I.yy, 1 / central.I.zz}};
}

// k = m ω², d = 2 ζ m ω.
void tune(double inertia, double frequency, double ratio, double& stiffness, double& damping) {
    const double omega = 2 * std::numbers::pi * frequency;
    stiffness = inertia * omega * omega;
    damping = 2 * ratio * inertia * omega;
}

void set_by_frequency(const BushingSpec& spec, const std::string& who, const Model& model,
                      Model::Bushing& bushing, Diagnostics& log) {
    // Both in the axes of F at the reference configuration.
    const Model::Body &a = model.bodies[bushing.body_a], &b = model.bodies[bushing.body_b];
    const Mat3d R_BF = transpose_mul(b.X_WB0.R, a.X_WB0.R * bushing.X_AF.R);
    const InverseInertia of_a = inverse_inertia(model, bushing.body_a, bushing.X_AF.R);
    const InverseInertia of_b = inverse_inertia(model, bushing.body_b, R_BF);
    const double ratio = spec.damping_ratio.value_or(1);
    bool found = true;
    const auto set = [&](double inverse, double frequency, double& stiffness, double& damping) {
        const double inertia = 1 / inverse;
        found = found && inertia > 0 && std::isfinite(inertia);
        tune(inertia, frequency, ratio, stiffness, damping);
    };
    for (int k = 0; k < 3; ++k) {
        if (spec.frequency)
            set(of_a.mass + of_b.mass, *spec.frequency, bushing.stiffness[k], bushing.damping[k]);
        if (spec.turn_frequency)
            set(of_a.turn[k] + of_b.turn[k], *spec.turn_frequency, bushing.turn_stiffness[k],
                bushing.turn_damping[k]);
    }
    if (!found)
        log.report(codes::E171, spec.where,
                   who + " has a frequency, but its bodies have no inertia that it could be of",
                   "give its stiffness instead");
}

bool is_zero(const Vec3d& a) { return a.x == 0 && a.y == 0 && a.z == 0; }

}  // namespace

void add_bushings(const Scene& scene, Model& model, const std::vector<int>& body_of, Diagnostics& log) {
    for (std::size_t i = 0; i < scene.bushings().size(); ++i) {
        const BushingSpec& spec = scene.bushings()[i];
        const std::string who = named("bushing", spec.name, static_cast<int>(i));
        Model::Bushing bushing{spec.name,
                               body_of[spec.body_a.index],
                               body_of[spec.body_b.index],
                               transform(spec.frame_a),
                               transform(spec.frame_b),
                               spec.stiffness,
                               spec.damping,
                               spec.turn_stiffness,
                               spec.turn_damping,
                               spec.active,
                               spec.where};
        const Model::Body &a = model.bodies[bushing.body_a], &b = model.bodies[bushing.body_b];
        const bool tuned = spec.frequency || spec.turn_frequency;
        // Two kinematic bodies and the world are moved by others.
        if (a.link == b.link || (a.link < 0 && b.link < 0))
            log.report(codes::W172, spec.where,
                       who + " joins '" + a.name + "' and '" + b.name + "', which it cannot move",
                       "it has no effect; remove it");
        else if (tuned)
            set_by_frequency(spec, who, model, bushing, log);
        else if (is_zero(spec.stiffness) && is_zero(spec.damping) && is_zero(spec.turn_stiffness) &&
                 is_zero(spec.turn_damping))
            log.report(codes::W172, spec.where, who + " has neither stiffness nor damping",
                       "it has no effect; give it one, or remove it");
        model.bushings.push_back(std::move(bushing));
    }
}

}  // namespace lig::compiling
