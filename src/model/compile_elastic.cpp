// Bodies that deform: what they are made of, as springs and inertias of their stretches, and what cannot be
// done with them.
//
// The elastic energy is that of as-rigid-as-possible motion with a term for the volume, linear elasticity in
// the axes of the body: with e = S − 1, Lamé's λ and μ and the volume V at rest,
//     E = V (μ tr(e²) + ½ λ (tr e)²).
// It is quadratic in the stretches. The first term is a spring of each; the second is one of their sum, or of
// the only one.

#include "model/compile.h"

#include "bodies/body_list.h"
#include "core/diagnostic_codes.h"
#include "linalg/symmetric_eigen.h"
#include "model/named.h"
#include "shapes/shape_mass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lig::compiling {

namespace {

bool deforms(const Model& model, int body) {
    return body >= 0 && bodies::body_info(model.bodies[body].kind).stretches > 0;
}

double volume_of(const Scene& scene, const std::vector<int>& geoms, const MeshBodies& meshes) {
    double sum = 0;
    for (const int g : geoms) {
        const GeomSpec& geom = scene.geoms()[g].spec;
        if (weighs_nothing(geom.shape)) continue;
        if (const geometry::MeshBody* mesh = meshes.find(geom))
            sum += mesh->mass.volume;
        else if (const std::optional<ShapeMass> shape = shape_mass(geom.shape, geom.size))
            sum += shape->volume;
    }
    return sum;
}

struct Lame {
    double lambda, mu;
};
Lame lame_of(const ElasticSpec& spec) {
    return {spec.young * spec.poisson / ((1 + spec.poisson) * (1 - 2 * spec.poisson)),
            spec.young / (2 * (1 + spec.poisson))};
}

// Says what is wrong with one body, or makes it.
class Maker {
public:
    Maker(const Scene& scene, const MeshBodies& meshes, Model& model, Diagnostics& log)
        : scene_(scene), meshes_(meshes), geoms_(geoms_by_body(scene)), model_(model), log_(log) {}

    void make(int scene_body, int index) {
        const BodySpec& spec = scene_.bodies()[scene_body].spec;
        const Model::Body& body = model_.bodies[index];
        if (spec.kind == BodyKind::program) {  // compile_program.cpp says what it is made of
            const int count = spec.program->coordinates();
            model_.deforming.push_back(
                {index, body.joint_begin + body.joint_count - count, Sym3d::zero(), 0, 0, 0, nullptr});
            return;
        }
        const double volume = volume_of(scene_, geoms_[scene_body], meshes_);
        const double trace = body.inertia.xx + body.inertia.yy + body.inertia.zz;
        const Sym3d moment = Sym3d::diagonal(0.5 * trace, 0.5 * trace, 0.5 * trace) - body.inertia;
        const SymmetricEigen thickness = symmetric_eigen(moment);
        if (!(volume > 0))
            fault(spec, "has no volume", "give it a geom with a volume; its elasticity is that of its geoms");
        else if (!(body.mass > 0) || !(thickness.values.x > 1e-12 * thickness.values.z))
            fault(spec, "has no mass along some direction, so that nothing resists its stretching",
                  "give it mass, and inertia that a solid body has: two moments are more than the third");
        if (!(volume > 0) || !(body.mass > 0)) return;
        add_springs(spec.elastic, volume, moment, index);
    }

private:
    void fault(const BodySpec& spec, const std::string& what, const std::string& help) {
        log_.report(codes::E173, spec.where, "body '" + spec.name + "' deforms and " + what, help);
    }

    void add_springs(const ElasticSpec& spec, double volume, const Sym3d& moment, int index) {
        const Model::Body& body = model_.bodies[index];
        const int count = bodies::body_info(body.kind).stretches;
        const int first = body.joint_begin + body.joint_count - count;
        const Lame lame = lame_of(spec);
        const bool uniform = count == 1;
        const double J[] = {moment.xx, moment.yy, moment.zz};
        constexpr int pairs[][2] = {{0, 1}, {0, 2}, {1, 2}};
        for (int k = 0; k < count; ++k) {
            Model::Joint& joint = model_.joints[first + k];
            joint.stiffness = volume * (uniform ? 6 * lame.mu + 9 * lame.lambda
                                        : k < 3 ? 2 * lame.mu
                                                : 4 * lame.mu);
            joint.damping = spec.damping * joint.stiffness;
            joint.armature = uniform ? J[0] + J[1] + J[2]
                             : k < 3 ? J[k]
                                     : J[pairs[k - 3][0]] + J[pairs[k - 3][1]];
            model_.tree.armature[joint.v_adr] = joint.armature;
        }
        const double bulk = uniform ? 0 : volume * lame.lambda;
        model_.deforming.push_back({index, first, moment, volume, bulk, spec.damping * bulk, nullptr});
    }

    const Scene& scene_;
    const MeshBodies& meshes_;
    std::vector<std::vector<int>> geoms_;
    Model& model_;
    Diagnostics& log_;
};

}  // namespace

void add_elasticity(const Scene& scene, const MeshBodies& meshes, const std::vector<int>& body_of,
                    Model& model, Diagnostics& log) {
    std::vector<int> scene_body(model.bodies.size(), -1);
    for (std::size_t b = 0; b < body_of.size(); ++b) scene_body[body_of[b]] = static_cast<int>(b);
    Maker maker(scene, meshes, model, log);
    for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
        if (deforms(model, b)) maker.make(scene_body[b], b);
}

void check_elastic(const BodySpec& spec, const std::string& who, Diagnostics& log) {
    const ElasticSpec& elastic = spec.elastic;
    const auto fault = [&](const std::string& what, const char* help) {
        log.report(codes::E173, spec.where, who + what, help);
    };
    if (bodies::body_info(spec.kind).stretches == 0 || spec.kind == BodyKind::program) {
        if (elastic.young != 0 || elastic.poisson != 0 || elastic.damping != 0)
            fault(" is elastic but its kind does not deform by them", "leave young, poisson and damping out");
        return;
    }
    if (!(elastic.young > 0) || std::isinf(elastic.young))
        fault(fmt::format(" deforms, but its Young's modulus is {}", elastic.young),
              "give it a positive stiffness in Pa: young=\"1e5\"");
    if (!(elastic.poisson > -1 && elastic.poisson < 0.5))
        fault(fmt::format(" has the Poisson ratio {}", elastic.poisson),
              "materials have one between -1 and 0.5, both excluded");
    if (!(elastic.damping >= 0) || std::isinf(elastic.damping))
        fault(fmt::format(" has the damping {} s", elastic.damping), "a damping is zero or positive");
}

// What means nothing to bodies that deform, or is not known of them.
void refuse_on_deforming(const Model& model, Diagnostics& log) {
    if (model.deforming.empty()) return;
    const auto refuse = [&](int body, const std::string& what, const SourceLocation& where) {
        if (deforms(model, body))
            log.report(codes::U174, where,
                       what + " is on " + lig::named(model, model.bodies[body]) + ", which deforms",
                       "hold it by loops, or put it on a rigid body");
    };
    // Paths are found around what is round.
    for (std::size_t t = 0; t < model.tendons.size(); ++t) {
        const Model::Tendon& tendon = model.tendons[t];
        for (int k = tendon.point_begin; k < tendon.point_begin + tendon.point_count; ++k)
            if (const int geom = model.tendon_points[k].geom; geom >= 0)
                refuse(model.geoms[geom].body, lig::named("tendon", tendon.name, t) + ", which wraps,",
                       tendon.where);
    }
    // What such a sensor feels comes through a joint of the tree, and these bodies have none.
    for (const Model::Sensor& sensor : model.sensors)
        if (sensor.spec.type == SensorType::force || sensor.spec.type == SensorType::torque)
            refuse(model.sites[sensor.spec.object.index].body,
                   "sensor '" + sensor.spec.name + "', of what a joint bears,", sensor.spec.where);
    // The coefficients of an ellipsoid are integrals over its shape, which would change in each step.
    if (model.fluid_ellipsoids.empty()) return;
    for (std::size_t g = 0; g < model.geoms.size(); ++g)
        if (const Model::Geom& geom = model.geoms[g]; geom.spec.fluid)
            refuse(geom.body, lig::named("geom", geom.spec.name, g) + ", with coefficients of a medium,",
                   geom.spec.where);
}

}  // namespace lig::compiling
