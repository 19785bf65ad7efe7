#include "geometry/mesh_mass.h"

#include "core/rotation.h"
#include "geometry/principal_frame.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace lig::geometry {

namespace {

// Below it an area, a volume or twice the area of a face counts as none, as in MuJoCo.
constexpr double min_measure = 1e-15;

struct Triangle {
    Vec3d centre;
    Vec3d normal;  // of unit length
    double area;
};

Triangle triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d n = cross(b - a, c - a);
    const double length = std::sqrt(dot(n, n));
    const Vec3d centre = (1.0 / 3) * (a + b + c);
    if (length < min_measure) return {centre, n, 0};
    return {centre, (1 / length) * n, length / 2};
}

double pyramid(const Triangle& base, const Vec3d& apex, MeshInertia kind) {
    const double volume = dot(base.centre - apex, base.normal) * base.area / 3;
    return kind == MeshInertia::legacy ? std::fabs(volume) : volume;
}

// Two faces that go along an edge in the same direction cannot both look outwards.
std::optional<MeshFault> check_orientation(const TriangleMesh& mesh) {
    std::vector<std::uint64_t> edges;
    edges.reserve(3 * mesh.faces.size());
    for (const std::array<int, 3>& f : mesh.faces) {
        // Faces without area have no direction.
        const double area = triangle(mesh.vertices[f[0]], mesh.vertices[f[1]], mesh.vertices[f[2]]).area;
        if (!(area > std::sqrt(min_measure))) continue;
        for (int k = 0; k < 3; ++k)
            edges.push_back(static_cast<std::uint64_t>(f[k]) << 32 |
                            static_cast<std::uint32_t>(f[(k + 1) % 3]));
    }
    std::sort(edges.begin(), edges.end());
    const auto twice = std::adjacent_find(edges.begin(), edges.end());
    if (twice == edges.end()) return std::nullopt;
    return MeshFault{.kind = MeshFault::Kind::orientation_inconsistent,
                     .vertex_a = static_cast<int>(*twice >> 32),
                     .vertex_b = static_cast<int>(*twice & 0xffffffff)};
}

// Second moments of a simplex about the origin, over its measure: ∫ p pᵀ = measure / divisor · (Σ over the
// vertices p_i p_iᵀ + (Σ p_i)(Σ p_i)ᵀ), the apex of a pyramid being the origin. The divisor is (n + 1)(n + 2)
// for n dimensions: 12 for a triangle, 20 for a tetrahedron.
void add_second_moment(Sym3d& sum, const Vec3d& a, const Vec3d& b, const Vec3d& c, double weight) {
    const Vec3d s = a + b + c;
    for (const Vec3d& p : {a, b, c, s})
        sum += weight * Sym3d{p.x * p.x, p.y * p.y, p.z * p.z, p.x * p.y, p.x * p.z, p.y * p.z};
}

}  // namespace

std::vector<Vec3d> placed_vertices(const MeshAsset& asset) {
    std::vector<Vec3d> placed = asset.mesh->vertices;
    const Quatd& q = asset.ref_quat;
    const bool turned = q.w != 1 || q.x != 0 || q.y != 0 || q.z != 0;
    const Mat3d R = turned ? rotation_matrix(normalized(q)) : Mat3d::identity();
    for (Vec3d& p : placed) {
        p -= asset.ref_pos;
        if (turned) p = transpose_mul(R, p);
        p = {asset.scale.x * p.x, asset.scale.y * p.y, asset.scale.z * p.z};
    }
    return placed;
}

std::variant<TriangleMesh, HullFault> placed_mesh(const MeshAsset& asset) {
    TriangleMesh placed{placed_vertices(asset), asset.mesh->faces};
    if (placed.faces.empty()) {
        auto hull = convex_hull(placed.vertices, asset.max_hull_vertices);
        if (const HullFault* fault = std::get_if<HullFault>(&hull)) return *fault;
        placed.faces = std::move(std::get<ConvexHull>(hull).faces);
    } else if (asset.scale.x * asset.scale.y * asset.scale.z < 0) {
        for (std::array<int, 3>& face : placed.faces) std::swap(face[1], face[2]);
    }
    return placed;
}

std::variant<MeshMass, MeshFault> mesh_mass(const TriangleMesh& mesh, MeshInertia kind) {
    if (kind == MeshInertia::exact)
        if (const auto fault = check_orientation(mesh)) return *fault;

    double area = 0;
    Vec3d face_centre = Vec3d::zero();
    for (const std::array<int, 3>& f : mesh.faces) {
        const Triangle t = triangle(mesh.vertices[f[0]], mesh.vertices[f[1]], mesh.vertices[f[2]]);
        area += t.area;
        face_centre += t.area * t.centre;
    }
    if (!(area >= min_measure)) return MeshFault{MeshFault::Kind::area_too_small};
    face_centre = (1 / area) * face_centre;

    ConvexHull hull;
    if (kind == MeshInertia::convex) {
        auto made = convex_hull(mesh.vertices);
        if (const HullFault* fault = std::get_if<HullFault>(&made))
            return MeshFault{.kind = MeshFault::Kind::hull, .hull = *fault};
        hull = std::move(std::get<ConvexHull>(made));
    }
    const auto& faces = kind == MeshInertia::convex ? hull.faces : mesh.faces;

    MeshMass result{area, face_centre, Sym3d::zero()};
    if (kind != MeshInertia::shell) {
        double volume = 0;
        Vec3d moment = Vec3d::zero();
        for (const std::array<int, 3>& f : faces) {
            const Triangle t = triangle(mesh.vertices[f[0]], mesh.vertices[f[1]], mesh.vertices[f[2]]);
            const double part = pyramid(t, face_centre, kind);
            volume += part;
            moment += part * (0.75 * t.centre + 0.25 * face_centre);
        }
        if (!(volume >= min_measure))
            return MeshFault{volume < 0 ? MeshFault::Kind::volume_negative
                                        : MeshFault::Kind::volume_too_small};
        result.com = (1 / volume) * moment;
    }

    // Now with the centre of mass as the apex of all pyramids: for surfaces that are not closed, and for
    // legacy, the volume is another one.
    result.volume = 0;
    Sym3d second = Sym3d::zero();
    for (const std::array<int, 3>& f : faces) {
        const Vec3d a = mesh.vertices[f[0]] - result.com, b = mesh.vertices[f[1]] - result.com,
                    c = mesh.vertices[f[2]] - result.com;
        const Triangle t = triangle(a, b, c);
        const bool shell = kind == MeshInertia::shell;
        const double part = shell ? t.area : pyramid(t, Vec3d::zero(), kind);
        result.volume += part;
        add_second_moment(second, a, b, c, part / (shell ? 12 : 20));
    }
    result.inertia = {second.yy + second.zz,
                      second.xx + second.zz,
                      second.xx + second.yy,
                      -second.xy,
                      -second.xz,
                      -second.yz};
    if (!(result.volume >= min_measure)) return MeshFault{MeshFault::Kind::volume_too_small};
    const Vec3d moments = principal_frame(result.inertia).moments;
    if (!(moments.z > 0) || moments.y + moments.z < moments.x * (1 - 1e-6))
        return MeshFault{MeshFault::Kind::inertia_impossible};
    return result;
}

std::variant<MeshBody, MeshFault> mesh_body(const MeshAsset& asset) {
    const auto placed = placed_mesh(asset);
    if (const HullFault* fault = std::get_if<HullFault>(&placed))
        return MeshFault{.kind = MeshFault::Kind::hull, .hull = *fault};
    const TriangleMesh& mesh = std::get<TriangleMesh>(placed);
    const auto mass = mesh_mass(mesh, asset.inertia);
    if (const MeshFault* fault = std::get_if<MeshFault>(&mass)) return *fault;

    const double infinity = std::numeric_limits<double>::infinity();
    MeshBody body{std::get<MeshMass>(mass),
                  Transformd::identity(),
                  Vec3d::zero(),
                  {infinity, infinity, infinity},
                  {-infinity, -infinity, -infinity}};
    const PrincipalFrame frame = principal_frame(body.mass.inertia);
    body.X_MG = {rotation_matrix(frame.axes), body.mass.com};
    const Vec3d& I = frame.moments;
    // What is left beside the diagonal is dropped, as in MuJoCo.
    body.mass.inertia = rotate(body.X_MG.R, Sym3d::diagonal(I.x, I.y, I.z));
    const Vec3d twice_squares{I.y + I.z - I.x, I.x + I.z - I.y, I.x + I.y - I.z};
    for (int k = 0; k < 3; ++k)
        body.inertia_box[k] = std::sqrt(std::max(0.0, 1.5 * twice_squares[k] / body.mass.volume));
    for (const Vec3d& p_M : mesh.vertices) {
        const Vec3d p = transpose_mul(body.X_MG.R, p_M - body.X_MG.p);
        for (int k = 0; k < 3; ++k) {
            body.lower[k] = std::min(body.lower[k], p[k]);
            body.upper[k] = std::max(body.upper[k], p[k]);
        }
    }
    return body;
}

std::string MeshFault::what() const {
    switch (kind) {
        case Kind::hull: return "it has no convex hull, " + std::string(describe(hull));
        case Kind::area_too_small: return "its surface area is too small";
        case Kind::volume_too_small: return "its volume is too small";
        case Kind::volume_negative: return "its volume is negative";
        case Kind::orientation_inconsistent:
            return "its faces have inconsistent orientation, two of them go from vertex " +
                   std::to_string(vertex_a) + " to vertex " + std::to_string(vertex_b);
        case Kind::inertia_impossible: return "its principal moments of inertia are impossible";
    }
    return {};
}

std::string MeshFault::hint() const {
    switch (kind) {
        case Kind::hull: return "give it points that enclose a volume";
        case Kind::area_too_small: return "check the scale";
        case Kind::volume_too_small: return "check the scale; for a flat mesh, inertia=\"shell\"";
        case Kind::volume_negative:
            return "the faces look inwards: turn them over, or use inertia=\"convex\"";
        case Kind::orientation_inconsistent:
            return "repair the faces, or use inertia=\"convex\"; vertices count from 0";
        case Kind::inertia_impossible: return "close the surface, or use inertia=\"convex\"";
    }
    return {};
}

}  // namespace lig::geometry
