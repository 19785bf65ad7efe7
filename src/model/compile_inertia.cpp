#include "model/compile.h"

#include "core/diagnostic_codes.h"
#include "core/rotation.h"
#include "core/unit_quaternion.h"
#include "linalg/symmetric_eigen.h"
#include "shapes/shape_mass.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace lig::compiling {

namespace {

std::string number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return text;
}

// I about another point of the same axes, by the parallel-axis theorem: I + m (|d|² 1 − d dᵀ).
Sym3d about(const Sym3d& I, double mass, const Vec3d& d) {
    const double dd = dot(d, d);
    return I +
           mass * Sym3d{dd - d.x * d.x, dd - d.y * d.y, dd - d.z * d.z, -d.x * d.y, -d.x * d.z, -d.y * d.z};
}

// Principal moments below −tolerance are impossible; a moment larger than the sum of the other two is
// impossible too, but common in published robots and harmless to the equations, so only a warning. Both are
// told from noise such as 1e-20, which programs that export point masses leave behind: below the moment of
// the mass at one micrometre nothing is said.
//
// Of bodies that are welded together only the sum moves, and exporters cut up bodies in ways that leave some
// without a sense of their own: those are worth a warning, and their sum is checked.
enum class Weld {
    none,
    with_others
};

// True where the inertia is indefinite.
bool check_inertia(const BodyInertia& body, Weld weld, const std::string& who, const SourceLocation& where,
                   Diagnostics& log) {
    const SymmetricEigen eigen = symmetric_eigen(body.inertia);
    const double largest =
        std::max({std::abs(eigen.values.x), std::abs(eigen.values.y), std::abs(eigen.values.z)});
    const double noise = 1e-12 * body.mass;
    const std::string moments =
        number(eigen.values.x) + ", " + number(eigen.values.y) + ", " + number(eigen.values.z);
    if (eigen.values.x < -1e-9 * largest - noise) {
        const bool alone = weld == Weld::none;
        log.report(alone ? codes::E034 : codes::W190, where,
                   who + ": the inertia is indefinite, its principal moments are " + moments +
                       (alone ? "" : "; only its sum with those it is welded to counts"),
                   "no body has a negative moment of inertia; check signs and order of the six numbers");
        return true;
    }
    if (eigen.values.x + eigen.values.y < eigen.values.z - 1e-6 * largest - noise) {
        log.report(
            codes::W035, where,
            who + ": no body has these principal moments of inertia, " + moments +
                "; the largest exceeds the sum of the others",
            "used as they are; a mesh in other units or a mirrored product of inertia is the usual cause");
    }
    return false;
}

BodyInertia from_inertial(const InertialSpec& spec) {
    const Transformd X = transform(spec.frame);
    // In the body's own axes nothing is turned, not even the sign of a zero.
    const Quatd q = unit_quaternion(spec.frame.quat);
    const bool own_axes = q.w == 1 && q.x == 0 && q.y == 0 && q.z == 0;
    return {spec.mass, X.p, own_axes ? spec.inertia : rotate(X.R, spec.inertia)};
}

BodyInertia from_geoms(const Scene& scene, const std::vector<int>& geoms, const MeshBodies& meshes,
                       const std::string& who, Diagnostics& log) {
    struct Part {
        double mass;
        Vec3d com;
        Sym3d inertia;
    };
    std::vector<Part> parts;
    for (const int g : geoms) {
        const GeomSpec& geom = scene.geoms()[g].spec;
        if (weighs_nothing(geom.shape) || geom.mass == 0.0) continue;
        if (!geom.mass && geom.density == 0) continue;
        if (geom.shape == ShapeType::mesh) {
            const geometry::MeshBody* mesh =
                meshes.require(geom, who + " takes its inertia from " + named("geom", geom.name, g), log);
            if (!mesh) continue;
            const double mass = geom.mass ? *geom.mass : geom.density * mesh->mass.volume;
            const Transformd X = transform(geom.pose);
            parts.push_back({mass, X * mesh->mass.com,
                             (mass / mesh->mass.volume) * rotate(X.R, mesh->mass.inertia)});
            continue;
        }
        const std::optional<ShapeMass> shape = shape_mass(geom.shape, geom.size);
        if (!shape) {
            log.report(codes::U036, geom.where,
                       who + " takes its inertia from " + named("geom", geom.name, g) + ", a " +
                           std::string(shape_name(geom.shape)) + ", whose mass is not computed yet",
                       "give the body an <inertial>, or the geom mass=\"0\"");
            continue;
        }
        const double mass =
            geom.mass ? *geom.mass : geom.density * (geom.shell ? shape->area : shape->volume);
        const Transformd X = transform(geom.pose);
        parts.push_back(
            {mass, X * shape->com,
             mass * rotate(X.R, geom.shell ? shape->unit_inertia_shell : shape->unit_inertia_solid)});
    }
    BodyInertia body;
    for (const Part& part : parts) {
        body.mass += part.mass;
        body.com += part.mass * part.com;
    }
    if (body.mass > 0) body.com = (1 / body.mass) * body.com;
    for (const Part& part : parts) body.inertia += about(part.inertia, part.mass, part.com - body.com);
    return body;
}

const SourceLocation& place_of_inertia(const BodySpec& spec) {
    return spec.inertial && spec.inertial->where.file ? spec.inertial->where : spec.where;
}

BodyInertia body_inertia(const Scene& scene, BodyId id, const std::vector<int>& geoms,
                         const MeshBodies& meshes, Diagnostics& log) {
    const BodySpec& spec = scene.bodies()[id.index].spec;
    const std::string who = named("body", spec.name, id.index);
    BodyInertia own = spec.kind == BodyKind::program ? program_inertia(scene, id.index, geoms, log)
                      : spec.inertial                ? from_inertial(*spec.inertial)
                                                     : from_geoms(scene, geoms, meshes, who, log);
    // Where a mass that only the rules give a body sits is arbitrary; other programs have it there.
    if (!spec.inertial && own.mass == 0 && scene.inertia_rules.min_mass > 0) own.com = spec.pose.pos;
    return apply_rules(scene.inertia_rules, own);
}

// For each body the first of those it is welded to; the world for what stands on it.
std::vector<int> first_of_weld(const Scene& scene) {
    std::vector<int> first{0};
    for (int b = 1; b < static_cast<int>(scene.bodies().size()); ++b) {
        const Scene::Body& body = scene.bodies()[b];
        first.push_back(body.spec.kinematic || moves(scene, body) ? b : first[body.parent.index]);
    }
    return first;
}

void check_inertias(const Scene& scene, const std::vector<BodyInertia>& inertias, Diagnostics& log) {
    const std::vector<int> first = first_of_weld(scene);
    const int count = static_cast<int>(inertias.size());
    std::vector<int> size(inertias.size(), 0);
    for (const int f : first) ++size[f];

    std::vector<char> doubtful(inertias.size(), false);                  // by the first body of a weld
    std::vector<Transformd> X(inertias.size(), Transformd::identity());  // seen from the first body
    std::vector<BodyInertia> sums(inertias.size());                      // by the first body
    for (int b = 1; b < count; ++b) {
        const BodySpec& spec = scene.bodies()[b].spec;
        const Weld weld = size[first[b]] > 1 ? Weld::with_others : Weld::none;
        if (check_inertia(inertias[b], weld, named("body", spec.name, b), place_of_inertia(spec), log))
            doubtful[first[b]] = weld == Weld::with_others;
        if (first[b] != b) X[b] = X[scene.bodies()[b].parent.index] * transform(spec.pose);
        sums[first[b]].mass += inertias[b].mass;
        sums[first[b]].com += inertias[b].mass * (X[b] * inertias[b].com);
    }
    for (BodyInertia& sum : sums)
        if (sum.mass > 0) sum.com = (1 / sum.mass) * sum.com;
    for (int b = 1; b < count; ++b)
        sums[first[b]].inertia += about(rotate(X[b].R, inertias[b].inertia), inertias[b].mass,
                                        X[b] * inertias[b].com - sums[first[b]].com);
    // Inertia of what is fixed to the world, or kinematic, does not matter.
    for (int f = 1; f < count; ++f) {
        const BodySpec& spec = scene.bodies()[f].spec;
        if (doubtful[f] && !spec.kinematic)
            check_inertia(sums[f], Weld::none, named("body", spec.name, f) + " and what is welded to it",
                          place_of_inertia(spec), log);
    }
}

}  // namespace

std::vector<std::vector<int>> geoms_by_body(const Scene& scene) {
    std::vector<std::vector<int>> geoms(scene.bodies().size());
    for (std::size_t g = 0; g < scene.geoms().size(); ++g)
        geoms[scene.geoms()[g].body.index].push_back(static_cast<int>(g));
    return geoms;
}

std::vector<BodyInertia> body_inertias(const Scene& scene, const MeshBodies& meshes, Diagnostics& log) {
    const std::vector<std::vector<int>> geoms = geoms_by_body(scene);
    // What hangs on the world has its geoms for collision only.
    std::vector<BodyInertia> inertias{BodyInertia{}};
    for (int b = 1; b < static_cast<int>(geoms.size()); ++b)
        inertias.push_back(body_inertia(scene, {b}, geoms[b], meshes, log));
    check_inertias(scene, inertias, log);
    return inertias;
}

RigidInertia<double> rigid_inertia(const BodyInertia& body, const Transformd& X_LB) {
    const Vec3d c = X_LB * body.com;
    return {body.mass, body.mass * c, about(rotate(X_LB.R, body.inertia), body.mass, c)};
}

}  // namespace lig::compiling
