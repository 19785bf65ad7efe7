// Bodies of a kind that a program defines: how their mass is spread, and the integrals over it.

#include "model/compile.h"

#include "bodies/body_list.h"
#include "core/diagnostic_codes.h"
#include "core/rotation.h"
#include "linalg/small_dense.h"
#include "shapes/mass_samples.h"
#include "shapes/shape_mass.h"

#include <ligament/body_push.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lig::compiling {

namespace {

using bodies::Modal;

// A kind seen from a frame at `origin` in its own. Integrals are about where the frame is.
class Moved final : public ForwardedBody<ProgramBody> {
public:
    Moved(std::shared_ptr<const ProgramBody> kind, const Vec3d& origin)
        : ForwardedBody(std::move(kind)), origin_(origin) {}

    void modes(const Vec3d& r, Vec3d* phi) const override { kind_->modes(r + origin_, phi); }
    void gradients(const Vec3d& r, Mat3d* gradient) const override {
        kind_->gradients(r + origin_, gradient);
    }
    std::vector<MassSample> mass() const override {
        std::vector<MassSample> samples = kind_->mass();
        for (MassSample& sample : samples) sample.at -= origin_;
        return samples;
    }

private:
    Vec3d origin_;
};

bool is_finite(const Vec3d& v) { return std::isfinite(v.x + v.y + v.z); }

bool is_finite(const Modal& modal) {
    for (int k = 0; k <= modal.count; ++k)
        for (int l = 0; l <= modal.count; ++l)
            for (const Vec3d& column : {modal.J[k][l].x, modal.J[k][l].y, modal.J[k][l].z})
                if (!is_finite(column)) return false;
    for (const auto& row : modal.added)
        for (const double entry : row)
            if (!std::isfinite(entry)) return false;
    return true;
}

// Whether the integrals are those of some mass: J_lk is J_kl turned over.
bool is_symmetric(const Modal& modal) {
    double largest = 0, apart = 0;
    for (int k = 0; k <= modal.count; ++k)
        for (int l = 0; l <= modal.count; ++l)
            for (int c = 0; c < 3; ++c)
                for (int r = 0; r < 3; ++r) {
                    largest = std::max(largest, std::abs(modal.J[k][l](r, c)));
                    apart = std::max(apart, std::abs(modal.J[k][l](r, c) - modal.J[l][k](c, r)));
                }
    for (int k = 0; k < modal.count; ++k)
        for (int l = 0; l < modal.count; ++l)
            if (modal.added[k][l] != modal.added[l][k]) return false;
    return apart <= 1e-12 * largest;
}

// Whether every motion at rest has mass: the mass matrix of turning and shape is positive definite.
bool resists(const Modal& modal, double mass) {
    const bodies::Program kind{&modal};
    double M[bodies::Program::dim * bodies::Program::dim];
    kind.mass_block({mass, Sym3d::zero()}, Mat3d::identity(), Sym3d::zero(), M);
    return cholesky_of<double>(kind.freedoms(), M, 1e-12);
}

// A symmetric matrix that takes no energy away is one whose sum with any small one on the diagonal is
// definite.
bool is_dissipative(const Modal& modal) {
    const int n = modal.count;
    double D[Modal::max_count * Modal::max_count], largest = 0;
    for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l) {
            const double own = modal.damping[k][l];
            if (!std::isfinite(own) || own != modal.damping[l][k]) return false;
            largest = std::max(largest, std::abs(own));
            D[k * n + l] = own;
        }
    if (largest == 0) return true;
    for (int k = 0; k < n; ++k) D[k * n + k] += 1e-12 * largest;
    return cholesky_of<double>(n, D);
}

// Whether the law is a number at rest.
bool has_law(const Modal& modal) {
    const double rest[Modal::max_count] = {};
    ShapeForces forces;
    modal.kind->elastic(rest, forces);
    double sum = forces.energy;
    for (int k = 0; k < modal.count; ++k) {
        sum += forces.force[k];
        for (int l = 0; l < modal.count; ++l) sum += forces.stiffness[k][l];
    }
    return std::isfinite(sum);
}

}  // namespace

void check_program(const BodySpec& spec, const std::string& who, Diagnostics& log) {
    const auto fault = [&](const std::string& what, const char* help) {
        log.report(codes::E173, spec.where, who + what, help);
    };
    if (spec.kind != BodyKind::program) {
        if (spec.program)
            fault(" has a kind of a program, but is said to be " +
                      std::string(bodies::body_info(spec.kind).name),
                  "set BodySpec::kind to BodyKind::program");
        return;
    }
    if (!spec.program) {
        fault(" is of a program's kind, and no program gives it",
              "set BodySpec::program in C++; a file cannot hold it");
        return;
    }
    if (const int count = spec.program->coordinates(); count < 1 || count > max_shape_coordinates)
        fault(fmt::format(" has {} coordinates of its own", count), "one to six are possible");
    else if (const std::string why = spec.program->fault(); !why.empty())
        fault(" of kind '" + std::string(spec.program->kind()) + "': " + why, "");
    if (spec.inertial)
        fault(" has an inertia, which does not say how its mass is spread",
              "give mass samples (ProgramBody::mass), or geoms");
}

std::shared_ptr<const ProgramBody> moved(std::shared_ptr<const ProgramBody> kind, const Vec3d& origin) {
    const auto pushed = std::dynamic_pointer_cast<const PushedBody>(kind);
    const auto there = std::make_shared<Moved>(std::move(kind), origin);
    if (!pushed) return there;
    return with_push(there, [pushed](const ShapeMotion& now, double* force) { pushed->push(now, force); });
}

std::vector<MassSample> samples_of(const Scene& scene, int body, const std::vector<int>& geoms,
                                   Diagnostics& log) {
    const BodySpec& spec = scene.bodies()[body].spec;
    if (spec.program->mass_integrals()) return {};
    std::vector<MassSample> all = spec.program->mass();
    if (!all.empty()) return all;
    for (const int g : geoms) {
        const GeomSpec& geom = scene.geoms()[g].spec;
        if (weighs_nothing(geom.shape) || geom.mass == 0.0 || (!geom.mass && geom.density == 0)) continue;
        const std::optional<ShapeMass> shape = shape_mass(geom.shape, geom.size);
        const std::vector<MassSample> own = mass_samples(geom.shape, geom.size);
        if (own.empty() || geom.shell || !shape) {
            log.report(codes::E173, geom.where,
                       named("body", spec.name, body) + " takes its mass from " +
                           named("geom", geom.name, g) +
                           ", a " + (geom.shell ? "shell" : std::string(shape_name(geom.shape))) +
                           ", whose points are not known",
                       "give mass samples (ProgramBody::mass), or the geom mass=\"0\"");
            continue;
        }
        const double mass = geom.mass ? *geom.mass : geom.density * shape->volume;
        const Transformd X = transform(geom.pose);
        for (const MassSample& sample : own) all.push_back({mass * sample.mass, X * sample.at});
    }
    return all;
}

BodyInertia program_inertia(const Scene& scene, int body, const std::vector<int>& geoms, Diagnostics& log) {
    BodyInertia out;
    if (const std::optional<MassIntegrals> own = scene.bodies()[body].spec.program->mass_integrals()) {
        const Mat3d& J = own->J[0][0];
        out.mass = own->mass;
        out.inertia = {J.y.y + J.z.z, J.x.x + J.z.z, J.x.x + J.y.y, -J.y.x, -J.z.x, -J.z.y};
        return out;
    }
    const std::vector<MassSample> samples = samples_of(scene, body, geoms, log);
    for (const MassSample& sample : samples) {
        out.mass += sample.mass;
        out.com += sample.mass * sample.at;
    }
    if (out.mass > 0) out.com = (1 / out.mass) * out.com;
    for (const MassSample& sample : samples) {
        const Vec3d r = sample.at - out.com;
        const double rr = dot(r, r);
        out.inertia += sample.mass * Sym3d{rr - r.x * r.x, rr - r.y * r.y, rr - r.z * r.z, -r.x * r.y,
                                           -r.x * r.z, -r.y * r.z};
    }
    return out;
}

// After the geoms.
void add_programs(const Scene& scene, const std::vector<int>& body_of, Model& model, Diagnostics& log) {
    const std::vector<std::vector<int>> geoms = geoms_by_body(scene);
    for (std::size_t b = 0; b < body_of.size(); ++b) {
        const BodySpec& spec = scene.bodies()[b].spec;
        if (spec.kind != BodyKind::program) continue;
        const int index = body_of[b];
        const Model::Body& body = model.bodies[index];
        const auto own = std::find_if(model.deforming.begin(), model.deforming.end(),
                                      [&](const Model::Deforming& other) { return other.body == index; });
        const auto fault = [&](const std::string& what, const char* help) {
            log.report(codes::E173, spec.where, named("body", spec.name, static_cast<int>(b)) + what, help);
        };
        if (!(body.mass > 0)) {
            fault(" deforms and has no mass",
                  "give it mass samples (ProgramBody::mass), or geoms with a volume");
            continue;
        }
        Diagnostics said;  // with the inertias
        auto modal = std::make_shared<Modal>(bodies::modal_of(
            spec.program, samples_of(scene, static_cast<int>(b), geoms[b], said), body.mass));
        if (!is_finite(*modal))
            fault(": its modes or masses are not finite", "all of its points need modes that are numbers");
        else if (!is_symmetric(*modal))
            fault(": its mass integrals or its added mass are not symmetric",
                  "J_lk is the transpose of J_kl, and A_lk is A_kl");
        else if (!resists(*modal, body.mass))
            fault(" has a mode without mass, or modes that follow from each other and from turning",
                  "every mode must move some mass in a way that the others cannot");
        else if (!has_law(*modal))
            fault(": its energy, force or stiffness at rest is not finite", "");
        else if (!is_dissipative(*modal))
            fault(": its damping is not symmetric, or negative along some direction", "");
        modal->field_of.assign(model.geoms.size(), -1);
        for (std::size_t g = 0; g < model.geoms.size(); ++g) {
            if (model.geoms[g].body != index) continue;
            modal->field_of[g] = static_cast<int>(modal->fields.size());
            Modal::Field& field = modal->fields.emplace_back();
            field.at = model.geoms[g].X_BG.p;
            modal->phi(field.at, field.phi);
            modal->kind->gradients(field.at, field.gradient);
        }
        for (int k = 0; k < modal->count; ++k) {
            Model::Joint& joint = model.joints[own->joint + k];
            const Mat3d& J = modal->J[1 + k][1 + k];
            joint.armature = J.x.x + J.y.y + J.z.z + modal->added[k][k];
            joint.damping = std::exchange(modal->damping[k][k], 0.0);
            model.tree.armature[joint.v_adr] = joint.armature;
        }
        own->modal = std::move(modal);
    }
}

}  // namespace lig::compiling
