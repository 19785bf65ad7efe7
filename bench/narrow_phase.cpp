// Time of the narrow phase per pair, for every two shapes that can collide: `touching` ones overlap by a
// hundredth of their size or less, `near` ones are within the margin, `apart` ones beyond it. Cycles through
// some hundred random configurations, so that branches are not learnt by heart. `touching, libccd` is that
// library's GJK and EPA on the same convex pairs, to 1e-6 m: depth and one point, where ours is a manifold.

#include "collide/narrow_phase.h"
#include "core/rotation.h"
#include "geometry/height_grid.h"
#include "geometry/hull_geometry.h"
#include "geometry/triangle_surface.h"
#include "shapes/shape_geometry.h"
#include "shapes/shape_list.h"

#include <benchmark/benchmark.h>
#include <ccd/ccd.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lig::bench {
namespace {

class Random {
public:
    double uniform(double lo, double hi) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return lo + (hi - lo) * (double(state_ >> 11) * 0x1p-53);
    }
    Vec3d vec(double size) {
        const double x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
        return {x, y, z};
    }
    Mat3d rotation() { return rotation_matrix(rotation_exp(vec(2))); }

private:
    std::uint64_t state_ = 0x9e3779b97f4a7c15u;
};

// A rounded lump of 32 corners, as convex parts of characters are.
HullGeometry hull() {
    Random random;
    std::vector<Vec3d> points;
    while (points.size() < 32) {
        const Vec3d p = random.vec(1);
        const double length = std::sqrt(dot(p, p));
        if (length < 0.1 || length > 1) continue;
        points.push_back({p.x / length, 0.8 * p.y / length, 0.6 * p.z / length});
    }
    return std::get<HullGeometry>(make_hull_geometry(points));
}

// Gentle hills of 65 × 65 samples, 8 m wide, as a height field and as triangles.
constexpr int samples = 65;
double coordinate(int sample) { return 8.0 * sample / (samples - 1) - 4; }
double hill(double x, double y) { return 0.5 + 0.1 * std::sin(2 * x) * std::cos(1.5 * y); }

HeightGrid grid_of_hills() {
    auto heights = std::make_shared<std::vector<double>>();
    for (int row = 0; row < samples; ++row)
        for (int column = 0; column < samples; ++column)
            heights->push_back(hill(coordinate(column), coordinate(row)));
    HeightFieldAsset asset;
    asset.rows = asset.columns = samples;
    asset.size = {4, 4, 1, 1};
    asset.elevation = heights;
    return make_height_grid(asset);
}
TriangleSurface surface_of_hills() {
    TriangleMesh mesh;
    for (int row = 0; row < samples; ++row)
        for (int column = 0; column < samples; ++column) {
            const double x = coordinate(column), y = coordinate(row);
            mesh.vertices.push_back({x, y, hill(x, y)});
            if (row == 0 || column == 0) continue;
            const int here = row * samples + column;
            mesh.faces.push_back({here - samples - 1, here - samples, here});
            mesh.faces.push_back({here - samples - 1, here, here - 1});
        }
    return make_triangle_surface(mesh);
}

struct Geometry {
    HullGeometry lump = hull();
    HeightGrid grid = grid_of_hills();
    TriangleSurface surface = surface_of_hills();

    CollisionShape shape(ShapeType type, Random& random) const {
        CollisionShape out;
        out.type = type;
        for (int i = 0; i < 3; ++i) out.size[i] = random.uniform(0.1, 0.5);
        if (type == ShapeType::mesh) out.hull = &lump;
        if (type == ShapeType::heightfield) out.grid = &grid;
        if (type == ShapeType::trimesh) out.surface = &surface;
        return out;
    }
};

struct PlacedPair {
    CollisionShape shape_a, shape_b;
    Transformd X_WA, X_WB;
};

bool stays_level(ShapeType type) { return type == ShapeType::heightfield || type == ShapeType::trimesh; }

// Two shapes at about the given distance, negative when they overlap.
PlacedPair place(const Geometry& geometry, ShapeType a, ShapeType b, double distance, Random& random) {
    PlacedPair pair;
    pair.shape_a = geometry.shape(a, random);
    pair.shape_b = geometry.shape(b, random);
    pair.X_WA = {random.rotation(), random.vec(1)};
    pair.X_WB = stays_level(b) ? Transformd::identity() : Transformd{random.rotation(), random.vec(1)};
    if (stays_level(b)) pair.X_WA.p = {random.uniform(-2, 2), random.uniform(-2, 2), 2};
    // Along the normal of the nearest points; the second time because another feature may have become the
    // nearest.
    for (int i = 0; i < 2; ++i) {
        const collide::ClosestPoints nearest =
            collide::closest_points({&pair.shape_a, pair.X_WA}, {&pair.shape_b, pair.X_WB});
        pair.X_WA.p -= (distance - nearest.distance) * nearest.normal;
    }
    return pair;
}

constexpr double margin = 0.02;

void run(benchmark::State& state, const Geometry& geometry, ShapeType a, ShapeType b, double lo, double hi) {
    Random random;
    std::vector<PlacedPair> pairs;
    for (int i = 0; i < 500; ++i) pairs.push_back(place(geometry, a, b, random.uniform(lo, hi), random));
    std::vector<std::pair<collide::PlacedShape, collide::PlacedShape>> placed;
    for (const PlacedPair& pair : pairs)
        placed.push_back({{&pair.shape_a, pair.X_WA}, {&pair.shape_b, pair.X_WB}});

    collide::NarrowOutput out;
    std::size_t next = 0, points = 0, calls = 0;
    for (auto _ : state) {
        out.manifolds.clear();
        collide::collide_shapes(placed[next].first, placed[next].second, margin, out);
        benchmark::DoNotOptimize(out.manifolds.data());
        benchmark::ClobberMemory();
        for (const collide::PairManifold& m : out.manifolds) points += std::size_t(m.count);
        ++calls;
        next = next + 1 == placed.size() ? 0 : next + 1;
    }
    state.counters["points"] = double(points) / double(calls);
}

// The peer: libccd, which finds the depth and one point of overlapping convex shapes. It walks along our
// support points, so that only the search is compared.
void libccd_support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* out) {
    const auto& placed = *static_cast<const collide::PlacedShape*>(object);
    const Vec3d d{direction->v[0], direction->v[1], direction->v[2]};
    const double radius = core_radius(*placed.shape) / std::sqrt(dot(d, d));
    const Vec3d p = placed.X_WG * core_support(*placed.shape, transpose_mul(placed.X_WG.R, d)) + radius * d;
    ccdVec3Set(out, p.x, p.y, p.z);
}

void run_libccd(benchmark::State& state, const Geometry& geometry, ShapeType a, ShapeType b, double lo,
                double hi) {
    Random random;
    std::vector<PlacedPair> pairs;
    for (int i = 0; i < 500; ++i) pairs.push_back(place(geometry, a, b, random.uniform(lo, hi), random));
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = libccd_support;
    ccd.max_iterations = 100;
    ccd.epa_tolerance = 1e-6;  // its default is 1e-4 m
    std::size_t next = 0;
    for (auto _ : state) {
        const collide::PlacedShape first{&pairs[next].shape_a, pairs[next].X_WA};
        const collide::PlacedShape second{&pairs[next].shape_b, pairs[next].X_WB};
        ccd_real_t depth;
        ccd_vec3_t direction, position;
        benchmark::DoNotOptimize(ccdGJKPenetration(&first, &second, &ccd, &depth, &direction, &position));
        next = next + 1 == pairs.size() ? 0 : next + 1;
    }
}

void add_all(const Geometry& geometry) {
    constexpr std::string_view names[] = {
#define LIG_SHAPE_NAME(type, Shape) Shape::name,
        LIG_FOR_EACH_SHAPE(LIG_SHAPE_NAME)
#undef LIG_SHAPE_NAME
    };
    for (const ShapeType a : all_shapes)
        for (const ShapeType b : all_shapes) {
            if (a > b || !collide::can_collide(a, b)) continue;
            const auto add = [&](const std::string& kind, double lo, double hi, auto* method) {
                const std::string name =
                    kind + "/" + std::string(names[int(a)]) + "-" + std::string(names[int(b)]);
                const auto task = [&geometry, a, b, lo, hi, method](benchmark::State& state) {
                    method(state, geometry, a, b, lo, hi);
                };
                benchmark::RegisterBenchmark(name.c_str(), task)->MinTime(0.05);
            };
            add("touching", -0.01, 0, run);
            if (is_convex(a) && is_convex(b)) add("touching, libccd", -0.01, 0, run_libccd);
            add("near", 0, margin, run);
            add("apart", 2 * margin, 0.1, run);
        }
}

}  // namespace
}  // namespace lig::bench

int main(int argc, char** argv) {
    const lig::bench::Geometry geometry;
    lig::bench::add_all(geometry);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
