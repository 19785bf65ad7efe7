#pragma once

// Random pairs of convex shapes, near and far, deep and touching, tiny and huge, and what must hold of the
// answer for each of them.

#include "collide/convex.h"
#include "support/convex_reference.h"

#include <array>

namespace lig::test {

struct ConvexCase {
    OwnedShape a, b;
    Transformd X_WA, X_WB;
    double size;  // of the larger

    collide::PlacedShape placed_a() const { return {&a.shape, X_WA}; }
    collide::PlacedShape placed_b() const { return {&b.shape, X_WB}; }
};

// `extreme`: sizes from 1e-3 to 1e3 of each other and of a metre, ratios of axes up to 1e3.
inline ConvexCase random_case(Random& random, ShapeType type_a, ShapeType type_b, bool extreme) {
    ConvexCase c;
    const double scale = extreme ? std::pow(10, random.uniform(-3, 3)) : 1;
    const double ratio = std::pow(10, extreme ? random.uniform(-3, 3) : random.uniform(-0.5, 0.5));
    const double thinness = extreme && random_index(random, 2) == 0 ? 1e-3 : 0.3;
    c.a = random_shape(random, type_a, scale, thinness);
    c.b = random_shape(random, type_b, scale * ratio, thinness);
    c.size = std::max(reach(c.a.shape), reach(c.b.shape));

    c.X_WA = {rotation_matrix(random_rotation(random)), Vec3d::zero()};
    c.X_WB = {rotation_matrix(random_rotation(random)), Vec3d::zero()};
    switch (random_index(random, 4)) {
        case 0: c.X_WB.R = c.X_WA.R; break;
        case 1:
            c.X_WA.R = Mat3d::identity();
            c.X_WB.R = rotation_matrix(rotation_exp(1e-9 * random_direction(random)));
            break;
        default: break;
    }

    // Along some direction: concentric, overlapping, touching, near, far.
    Vec3d along = random_direction(random);
    if (random_index(random, 4) == 0) along = {0, 0, 1};
    const double touch = -separation(c.a.shape, c.X_WA, c.b.shape, c.X_WB, along);
    double part = 0;
    switch (random_index(random, 6)) {
        case 0: break;
        case 1: part = 1 + 1e-9 * random.uniform(-1, 1); break;
        case 2: part = 1 - 1e-4 * random.uniform(0, 1); break;
        case 3: part = 1 + 1e-3 * random.uniform(0, 1); break;
        case 4: part = random.uniform(1, 3); break;
        default: part = random.uniform(0, 1); break;
    }
    c.X_WB.p = (part * touch) * along;
    return c;
}

// Errors relative to the larger shape's size.
struct ConvexErrors {
    double normal_length = 0;  // | |n| − 1 |
    double along = 0;  // |on_b − on_a − d n|
    double separation =
        0;  // |d − distance of the shadows on n|: the normal separates, and d is not too large
    double witness = 0;  // how far the witness points are outside of their shapes: d is not too small
    double missed = 0;  // overlapping: by how much a search finds a shorter way out
    bool overlapping = false;
};

inline ConvexErrors errors_of(const ConvexCase& c, const collide::ClosestPoints& found, Random& random,
                              int samples, int starts) {
    const CollisionShape &a = c.a.shape, &b = c.b.shape;
    ConvexErrors e;
    e.normal_length = std::abs(length(found.normal) - 1);
    e.along = length(found.on_b - found.on_a - found.distance * found.normal) / c.size;
    const double apart = static_cast<double>(separation(a, c.X_WA, b, c.X_WB, wide(found.normal)));
    e.separation = std::abs(apart - found.distance) / c.size;
    e.witness =
        static_cast<double>(std::max(outside(a, c.X_WA, found.on_a), outside(b, c.X_WB, found.on_b))) /
        c.size;
    e.overlapping = found.distance < 0;
    if (e.overlapping && samples > 0) {
        std::vector<Vec3d> hints{found.normal};
        for (const Mat3d& R : {c.X_WA.R, c.X_WB.R})
            for (int k = 0; k < 3; ++k) {
                hints.push_back((&R.x)[k]);
                hints.push_back(-(&R.x)[k]);
            }
        const double searched = searched_separation(random, a, c.X_WA, b, c.X_WB, hints, samples, starts);
        e.missed = std::max(0.0, searched - apart) / c.size;
    }
    return e;
}

// Edges and face normals of a box or hull in the world.
struct Polyhedron {
    std::vector<Vec3d> edges, normals;

    Polyhedron(const CollisionShape& s, const Transformd& X) {
        if (s.type == ShapeType::box) {
            for (int k = 0; k < 3; ++k) {
                edges.push_back((&X.R.x)[k]);
                normals.push_back((&X.R.x)[k]);
                normals.push_back(-(&X.R.x)[k]);
            }
            return;
        }
        const HullGeometry& hull = *s.hull;
        for (int f = 0; f < hull.face_count(); ++f) {
            normals.push_back(X.R * hull.face_normals[f]);
            const auto face = hull.face(f);
            for (std::size_t i = 0; i < face.size(); ++i) {
                const int from = face[i], to = face[(i + 1) % face.size()];
                if (from < to) edges.push_back(X.R * (hull.vertices[to] - hull.vertices[from]));
            }
        }
    }
};

// Overlapping polyhedra: the shortest way out is along a face normal of one of them or square to an edge of
// each.
inline double exhaustive_separation(const ConvexCase& c) {
    const Polyhedron a(c.a.shape, c.X_WA), b(c.b.shape, c.X_WB);
    double best = -std::numeric_limits<double>::infinity();
    const auto look = [&](const Vec3d& n) {
        best = std::max(best, separation(c.a.shape, c.X_WA, c.b.shape, c.X_WB, n));
    };
    for (const Vec3d& n : a.normals) look(n);
    for (const Vec3d& n : b.normals) look(-n);
    for (const Vec3d& e : a.edges)
        for (const Vec3d& f : b.edges) {
            const Vec3d n = cross(e, f);
            const double size = length(n);
            if (size < 1e-6 * length(e) * length(f)) continue;
            look((1 / size) * n);
            look((-1 / size) * n);
        }
    return best;
}

}  // namespace lig::test
