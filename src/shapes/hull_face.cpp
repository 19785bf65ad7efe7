// A face of more vertices than a SupportingFace holds is spanned by those that are farthest along 32
// directions, evenly spaced in its plane and fixed to the face. Between two of these that follow each other
// the border turns by at most 2π/32, so what is left out lies within tan(π/32)/2, a twentieth, of their
// distance: on a circle half a per cent of the radius.
//
// Ids are vertex numbers modulo 256, moved on where two of one face would share one.

#include "shapes/hull_face.h"

#include "geometry/hull_support.h"

#include <cmath>
#include <numbers>
#include <span>

namespace lig {

namespace {

void add_vertex(const HullGeometry& hull, int vertex, SupportingFace& face) {
    int id = vertex % 256;
    for (int i = 0; i < face.count; ++i)
        if (face.ids[i] == id) id = (id + 1) % 256, i = -1;
    face.add(hull.vertices[vertex], id);
}

// The polygon is convex and the directions turn the way its vertices do, so the farthest vertex only moves
// on.
void add_spanning_vertices(const HullGeometry& hull, std::span<const int> polygon, const Vec3d& normal,
                           SupportingFace& face) {
    const int count = static_cast<int>(polygon.size());
    const auto vertex = [&](int i) { return hull.vertices[polygon[i % count]]; };
    Vec3d u = vertex(1) - vertex(0);
    u = u - dot(u, normal) * normal;
    u = (1 / std::sqrt(dot(u, u))) * u;
    const Vec3d v = cross(normal, u);

    int at = 0;
    for (int i = 1; i < count; ++i)
        if (dot(vertex(i), u) > dot(vertex(at), u)) at = i;
    const int first = at;
    int last = -1;
    for (int k = 0; k < SupportingFace::capacity; ++k) {
        const double angle = 2 * std::numbers::pi * k / SupportingFace::capacity;
        const Vec3d along = std::cos(angle) * u + std::sin(angle) * v;
        while (at < first + count && dot(vertex(at + 1), along) > dot(vertex(at), along)) ++at;
        if (at >= first + count) break;
        if (at != last) add_vertex(hull, polygon[at % count], face);
        last = at;
    }
}

// The face whose normal is nearest to d: of few all are looked at; of many those around the farthest vertex,
// then those around the best of them, while one is better. A nearer one farther from that vertex may be left
// out.
int nearest_face(const HullGeometry& hull, const Vec3d& d, int support) {
    constexpr int few_faces = 48;
    int best = 0;
    double alignment = dot(hull.face_normals[0], d);
    const auto look_at = [&](int f) {
        if (const double cosine = dot(hull.face_normals[f], d); cosine > alignment)
            alignment = cosine, best = f;
    };
    const auto look_around = [&](int vertex) {
        for (int i = hull.vertex_face_begin[vertex]; i < hull.vertex_face_begin[vertex + 1]; ++i)
            look_at(hull.vertex_faces[i]);
    };
    if (hull.face_count() <= few_faces) {
        for (int f = 1; f < hull.face_count(); ++f) look_at(f);
        return best;
    }
    look_around(support);
    for (int before = -1; before != best;) {
        before = best;
        for (const int vertex : hull.face(before)) look_around(vertex);
    }
    return best;
}

}  // namespace

void hull_supporting_face(const HullGeometry& hull, const Vec3d& d, double slope, SupportingFace& face) {
    const int support = hull_support(hull, d);
    const int best = nearest_face(hull, d, support);
    const Vec3d& normal = hull.face_normals[best];
    const Vec3d lean = cross(normal, d);  // small angles are lost in the cosine
    if (dot(lean, lean) <= slope * slope) {
        face.normal = normal;
        const std::span<const int> polygon = hull.face(best);
        if (polygon.size() > SupportingFace::capacity)
            return add_spanning_vertices(hull, polygon, normal, face);
        for (const int v : polygon) add_vertex(hull, v, face);
        return;
    }

    int end = -1;
    double least = slope;
    for (int i = hull.neighbor_begin[support]; i < hull.neighbor_begin[support + 1]; ++i) {
        const Vec3d edge = hull.vertices[hull.neighbors[i]] - hull.vertices[support];
        const double sine = std::fabs(dot(edge, d)) / std::sqrt(dot(edge, edge));
        if (sine <= least) least = sine, end = hull.neighbors[i];
    }
    // The smaller number first, whichever end is the farther.
    if (end >= 0 && end < support) add_vertex(hull, end, face);
    add_vertex(hull, support, face);
    if (end > support) add_vertex(hull, end, face);
}

}  // namespace lig
