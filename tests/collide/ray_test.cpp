// Rays: hits lie on the surface and nothing of the shape comes before them, by the shapes' own inequalities;
// surfaces of triangles against all triangles in turn; closed ones let nothing through.

#include "collide/ray.h"

#include "core/rotation.h"
#include "shapes/shape_geometry.h"
#include "support/random_values.h"
#include "support/shape_of.h"
#include "support/surface_meshes.h"

#include <doctest/doctest.h>

#include <optional>
#include <string_view>

using namespace lig;
using namespace lig::collide;
using namespace lig::test;

namespace {

const HullGeometry& test_hull() {
    static const HullGeometry hull = [] {
        Random random(11);
        std::vector<Vec3d> points;
        for (int i = 0; i < 40; ++i) {
            const Vec3d d = random_direction(random);
            points.push_back({0.5 * d.x, 0.3 * d.y, 0.8 * d.z});
        }
        return std::get<HullGeometry>(make_hull_geometry(points));
    }();
    return hull;
}

std::vector<CollisionShape> solids() {
    std::vector<CollisionShape> list{
        shape_of(ShapeType::plane, {0, 0, 1}), shape_of(ShapeType::sphere, {0.5, 0, 0}),
        shape_of(ShapeType::capsule, {0.2, 0.5, 0}), shape_of(ShapeType::cylinder, {0.4, 0.3, 0}),
        shape_of(ShapeType::ellipsoid, {0.2, 0.5, 0.8}), shape_of(ShapeType::box, {0.3, 0.4, 0.6})};
    CollisionShape hull;
    hull.type = ShapeType::mesh;
    hull.hull = &test_hull();
    list.push_back(hull);
    return list;
}

// Negative inside, zero on the surface; near it about the distance. Written from the shapes' definitions.
double outside(const CollisionShape& shape, const Vec3d& p) {
    const Vec3d& s = shape.size;
    switch (shape.type) {
        case ShapeType::plane: return p.z;
        case ShapeType::sphere: return length(p) - s.x;
        case ShapeType::capsule: return std::hypot(p.x, p.y, p.z - std::clamp(p.z, -s.y, s.y)) - s.x;
        case ShapeType::cylinder: return std::max(std::hypot(p.x, p.y) - s.x, std::abs(p.z) - s.y);
        case ShapeType::ellipsoid: return (std::hypot(p.x / s.x, p.y / s.y, p.z / s.z) - 1) * 0.2;
        case ShapeType::box: return std::max({std::abs(p.x) - s.x, std::abs(p.y) - s.y, std::abs(p.z) - s.z});
        case ShapeType::mesh: {
            double most = -1e300;
            for (int f = 0; f < shape.hull->face_count(); ++f)
                most = std::max(most, dot(shape.hull->face_normals[f], p) - shape.hull->face_offsets[f]);
            return most;
        }
        default: REQUIRE(false);
    }
    return 0;
}

std::optional<ShapeHit> cast(const CollisionShape& shape, const Vec3d& origin, const Vec3d& direction,
                             double max_t = 1e9, const Transformd& X = Transformd::identity()) {
    return ray_shape({&shape, X}, {origin, direction, max_t});
}

// Möller and Trumbore's test in long double, over all triangles.
std::optional<double> first_triangle(const TriangleMesh& mesh, const Vec3d& origin, const Vec3d& direction,
                                     bool from_front) {
    using L = long double;
    std::optional<double> best;
    for (const auto& f : mesh.faces) {
        const auto wide = [](const Vec3d& v) { return Vec3<L>{v.x, v.y, v.z}; };
        const Vec3<L> a = wide(mesh.vertices[f[0]]), d = wide(direction);
        const Vec3<L> e1 = wide(mesh.vertices[f[1]]) - a, e2 = wide(mesh.vertices[f[2]]) - a;
        const Vec3<L> q = cross(d, e2), s = wide(origin) - a, r = cross(s, e1);
        const L det = dot(e1, q);
        if (det == 0 || (from_front && det < 0)) continue;
        const L u = dot(s, q) / det, v = dot(d, r) / det, t = dot(e2, r) / det;
        if (u < 0 || v < 0 || u + v > 1 || t < 0) continue;
        if (!best || t < *best) best = static_cast<double>(t);
    }
    return best;
}

}  // namespace

TEST_CASE("a hit is on the surface, entering, and nothing of the shape is before it") {
    Random random(1);
    for (const CollisionShape& shape : solids()) {
        CAPTURE(static_cast<int>(shape.type));
        int hits = 0, starts_inside = 0;
        for (int i = 0; i < 2000; ++i) {
            const Vec3d origin = random_vec(random, i % 4 == 0 ? 0.5 : 3);
            const Vec3d direction = random.uniform(0.01, 10) * random_direction(random);
            const Transformd X{rotation_matrix(random_rotation(random)), random_vec(random, 2)};
            const auto hit = cast(shape, X * origin, X.R * direction, 100, X);
            const bool inside = outside(shape, origin) < 0;
            starts_inside += inside;
            const double end = hit ? hit->t : std::min(100.0, 8 / length(direction));
            // A convex shape is left once and for all; from outside, nothing before the hit.
            if (inside) {
                CHECK_FALSE(hit);
                continue;
            }
            for (int k = 0; k < 64; ++k) {
                const Vec3d p = origin + (k / 64.0 * end) * direction;
                CHECK(outside(shape, p) > -1e-12);
            }
            if (!hit) continue;
            ++hits;
            const Vec3d p = origin + hit->t * direction, n = transpose_mul(X.R, hit->normal);
            CHECK(std::abs(outside(shape, p)) < 1e-13 * (1 + length(origin)) * 10);
            CHECK(std::abs(length(n) - 1) < 1e-12);
            CHECK(dot(n, direction) < 0);
            // The normal is the direction in which `outside` rises most.
            const double e = 1e-6, rise = (outside(shape, p + e * n) - outside(shape, p)) / e;
            Vec3d gradient;
            for (int a = 0; a < 3; ++a) {
                Vec3d step{0, 0, 0};
                step[a] = e;
                gradient[a] = (outside(shape, p + step) - outside(shape, p - step)) / (2 * e);
            }
            CHECK(std::abs(rise - length(gradient)) < 1e-4 * length(gradient) + 1e-5);
            CHECK(cast(shape, X * origin, X.R * direction, hit->t * (1 + 1e-9), X));
            CHECK_FALSE(cast(shape, X * origin, X.R * direction, hit->t * (1 - 1e-6), X));
        }
        CHECK(hits > 50);
        CHECK(starts_inside > 20);
    }
}

TEST_CASE("closed forms: straight down onto every shape, and along its faces") {
    const double tops[] = {0, 0.5, 0.7, 0.3, 0.8, 0.6};
    const std::vector<CollisionShape> shapes = solids();
    for (int i = 0; i < 6; ++i) {
        CAPTURE(i);
        const auto hit = cast(shapes[i], {0, 0, 5}, {0, 0, -2});
        REQUIRE(hit);
        CHECK(hit->t == doctest::Approx((5 - tops[i]) / 2).epsilon(1e-15));
        CHECK(length(hit->normal - Vec3d{0, 0, 1}) < 1e-15);
        CHECK_FALSE(cast(shapes[i], {0, 0, 5}, {0, 0, 2}));
        CHECK_FALSE(cast(shapes[i], {0, 0, 5}, {0, 0, -2}, (5 - tops[i]) / 2 - 1e-6));
        // No direction, or no number.
        CHECK_FALSE(cast(shapes[i], {0, 0, 5}, {0, 0, 0}));
        CHECK_FALSE(cast(shapes[i], {0, 0, tops[i]}, {0, 0, 0}));
        CHECK_FALSE(cast(shapes[i], {0, 0, 5}, {0, 0, std::nan("")}));
        CHECK_FALSE(cast(shapes[i], {0, 0, std::nan("")}, {0, 0, -1}));
        // From the surface itself: going in at once, going out never, along it never or at once.
        const auto at_once = cast(shapes[i], {0, 0, tops[i]}, {0.1, 0, -1});
        REQUIRE(at_once);
        CHECK(at_once->t < 1e-14);
        CHECK_FALSE(cast(shapes[i], {0, 0, tops[i]}, {0.1, 0, 1}));
        const auto along = cast(shapes[i], {0, 0, tops[i] + 1e-9}, {1, 0, 0});
        CHECK_FALSE(along);
        // Directions so small or large that their squares have no place.
        for (const double size : {1e-200, 1e200}) {
            const auto extreme = cast(shapes[i], {0, 0, 5}, {0, 0, -size}, 1e300);
            REQUIRE(extreme);
            CHECK(extreme->t == doctest::Approx((5 - tops[i]) / size).epsilon(1e-14));
        }
    }
    // A box seen through its edge and its corner.
    const auto edge = cast(shapes[5], {2.3, 2.4, 0.1}, {-1, -1, 0});
    REQUIRE(edge);
    CHECK(edge->t == doctest::Approx(2).epsilon(1e-14));
    const auto corner = cast(shapes[5], {2.3, 2.4, 2.6}, {-1, -1, -1});
    REQUIRE(corner);
    CHECK(corner->t == doctest::Approx(2).epsilon(1e-14));
    // Into a face's plane, beside the box and along the face.
    CHECK_FALSE(cast(shapes[5], {-2, 0, 0.6000001}, {1, 0, 0}));
    CHECK(cast(shapes[5], {-2, 0, 0.5999999}, {1, 0, 0}));
}

TEST_CASE("far, tiny and huge: a hit on a sphere keeps its digits") {
    for (const double r : {1e-3, 1.0, 1e3})
        for (const double far : {0.0, 1e4}) {
            const CollisionShape sphere = shape_of(ShapeType::sphere, {r, 0, 0});
            Transformd X = Transformd::identity();
            X.p = {far, -far, far};
            const auto hit = cast(sphere, X.p + Vec3d{3 * r, 0.6 * r, 0}, {-1, 0, 0}, 1e9, X);
            REQUIRE(hit);
            CHECK(std::abs(hit->t - 2.2 * r) < 1e-14 * (r + 3 * far));
            CHECK(length(hit->normal - Vec3d{0.8, 0.6, 0}) < 1e-13 * (1 + far / r));
        }
}

TEST_CASE("trimesh and height field find the first of all their triangles") {
    Random random(2);
    const auto waves = [](double x, double y) { return 0.5 + 0.5 * std::sin(2 * x) * std::cos(3 * y); };
    const HeightGrid grid = make_height_grid(height_field(40, 61, 3, 2, 0.7, 0.3, waves));
    const TriangleMesh solid = solid_mesh(grid), ball = sphere_mesh(3, 2);
    const TriangleSurface surface = make_triangle_surface(ball);
    CollisionShape field, mesh;
    field.type = ShapeType::heightfield;
    field.grid = &grid;
    mesh.type = ShapeType::trimesh;
    mesh.surface = &surface;
    int hits = 0;
    for (int i = 0; i < 800; ++i) {
        const Vec3d origin = random_vec(random, 4),
                    direction = random.uniform(0.1, 3) * random_direction(random);
        const auto on_ball = cast(mesh, origin, direction);
        const auto ball_expected = first_triangle(ball, origin, direction, false);
        REQUIRE(on_ball.has_value() == ball_expected.has_value());
        if (on_ball) {
            CHECK(std::abs(on_ball->t - *ball_expected) < 1e-12 * (1 + 1 / length(direction)));
            CHECK(dot(on_ball->normal, direction) < 0);
        }
        const auto on_field = cast(field, origin, direction);
        const auto field_expected = first_triangle(solid, origin, direction, true);
        CAPTURE(i);
        REQUIRE(on_field.has_value() == field_expected.has_value());
        if (on_field) {
            ++hits;
            CHECK(std::abs(on_field->t - *field_expected) < 1e-12 * (1 + 1 / length(direction)));
            CHECK(dot(on_field->normal, direction) < 0);
        }
    }
    CHECK(hits > 80);
}

TEST_CASE("a closed mesh lets no ray out and none in unseen") {
    Random random(3);
    const TriangleSurface ball = make_triangle_surface(sphere_mesh(4, 1));
    const TriangleSurface box = make_triangle_surface(box_mesh(7, {1, 1, 1}));
    for (const TriangleSurface* surface : {&ball, &box}) {
        CollisionShape mesh;
        mesh.type = ShapeType::trimesh;
        mesh.surface = surface;
        for (int i = 0; i < 100000; ++i) {
            const Vec3d origin = random_vec(random, 0.5);
            // Aimed at random, at vertices and at points of edges.
            Vec3d direction = random_direction(random);
            if (i % 3 > 0) {
                const auto& t =
                    surface->triangles[random_index(random, static_cast<int>(surface->triangles.size()))];
                const Vec3d a = surface->vertices[t.vertices[0]], b = surface->vertices[t.vertices[1]];
                direction = a + (i % 3 == 1 ? 0.0 : random.uniform(0, 1)) * (b - a) - origin;
            }
            if (!cast(mesh, origin, direction)) {
                CAPTURE(i);
                REQUIRE(false);
            }
        }
        // From outside through the middle the other way: the first hit is on the near half.
        for (int i = 0; i < 20000; ++i) {
            const Vec3d d = random_direction(random);
            const auto hit = cast(mesh, 5 * d, -d);
            REQUIRE(hit);
            CHECK(hit->t < 4.01);
        }
    }
}

TEST_CASE("a height field lets no ray through its top or its sides") {
    Random random(4);
    const auto waves = [](double x, double y) { return 0.5 + 0.5 * std::sin(2 * x) * std::cos(3 * y); };
    const HeightGrid grid = make_height_grid(height_field(23, 34, 2, 2, 0.5, 0.5, waves));
    CollisionShape field;
    field.type = ShapeType::heightfield;
    field.grid = &grid;
    for (int i = 0; i < 60000; ++i) {
        // Towards a point deep inside, some through samples exactly.
        Vec3d target{random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5), random.uniform(-0.4, -0.1)};
        const Vec3d d = random_direction(random);
        Vec3d origin = target + 10 * Vec3d{d.x, d.y, std::abs(d.z)};
        if (i % 2 == 0) {
            const Vec3d through = grid.sample(random_index(random, 23), random_index(random, 34));
            origin = target + 4 * (through - target);
        }
        const auto hit = cast(field, origin, target - origin);
        CAPTURE(i);
        REQUIRE(hit);
        CHECK(hit->t < 1);
        // Starting inside it comes out unseen.
        if (i % 50 == 0) CHECK_FALSE(cast(field, target, origin - target, 0.02));
    }
    // Straight down on a border, on a corner and on samples.
    for (const Vec3d& p : {Vec3d{2, 0.3, 0}, Vec3d{-2, -2, 0}, grid.sample(5, 7)}) {
        const auto hit = cast(field, {p.x, p.y, 3}, {0, 0, -1});
        REQUIRE(hit);
        CHECK(hit->t < 3);
    }
    // Level with a flat top it passes or hits at once; below it the side stops it.
    const HeightGrid flat =
        make_height_grid(height_field(5, 5, 1, 1, 1, 1, [](double, double) { return 0.5; }));
    field.grid = &flat;
    const auto side = cast(field, {-3, 0.1, 0.4999}, {1, 0, 0});
    REQUIRE(side);
    CHECK(side->t == doctest::Approx(2).epsilon(1e-14));
    CHECK(length(side->normal - Vec3d{-1, 0, 0}) < 1e-15);
    CHECK_FALSE(cast(field, {-3, 0.1, 0.5001}, {1, 0, 0}));
    const auto below = cast(field, {0.3, 0.1, -4}, {0, 0, 1});
    REQUIRE(below);
    CHECK(below->t == doctest::Approx(3).epsilon(1e-14));
}

TEST_CASE("rays on a height field agree with MuJoCo, whose samples are in single precision") {
    // <hfield nrow="5" ncol="7" size="3 2 0.5 0.25" elevation="…"/>, rows from the smallest y on;
    // mj_ray of version 3.14.
    HeightFieldAsset asset;
    asset.rows = 5;
    asset.columns = 7;
    asset.size = {3, 2, 0.5, 0.25};
    std::vector<double> samples;
    for (const char digit : std::string_view("26433839323846"
                                             "653589731415920123456"))
        samples.push_back((digit - '0') / 9.0);
    asset.elevation = std::make_shared<std::vector<double>>(samples);
    const HeightGrid grid = make_height_grid(asset);
    CollisionShape field;
    field.type = ShapeType::heightfield;
    field.grid = &grid;
    struct Cast {
        Vec3d origin, direction;
        double t;
    };
    const Cast casts[] = {
        {{-1.3177223736420274, -0.47062557460740212, 1.5},
         {1.3389325351454318, 1.2082053238525987, -1.6000000000000001},
         0.85392775325309334},
        {{-2.2472818568348885, -0.46973392451182011, 1.5},
         {3.6210966692306101, 0.67201277855783703, -1.6000000000000001},
         0.72601962718762714},
        {{-2.417533821426332, 0.50128574324771769, 1.5},
         {1.169789528939873, -0.78072577770799412, -1.6000000000000001},
         0.8097668790035647},
        {{0.45345098711550236, 1.2129611729644239, 1.5},
         {-1.7780713899992406, 0.51808429006487144, -1.6000000000000001},
         0.85001759742106164},
        {{1.8044354720041156, -0.62324818940833215, 1.5},
         {-0.89142186334356666, 0.73650099579244854, -1.6000000000000001},
         0.65197031509818693},
        {{-1.4202899672091007, -1.4236767821945251, 1.5},
         {-0.72698453208431602, 0.77164729479700334, -1.6000000000000001},
         0.81617775398849768},
        {{-1.8509245244786143, 0.74608711106702685, 1.5},
         {2.2653600038029253, -1.1805623536929488, -1.6000000000000001},
         0.77893557746175501},
        {{-1.1852600146085024, 0.90325702568516142, 1.5},
         {3.3387645916081965, -2.0650704240426423, -1.6000000000000001},
         0.65918090583559019},
        {{-0.82924483809620142, 1.7396696048788727, 1.5},
         {0.27216943213716149, -1.566699761711061, -1.6000000000000001},
         0.85976382201266766},
        {{-0.16938388347625732, 1.779621513839811, 1.5},
         {2.0446184859611094, -1.0185520207509398, -1.6000000000000001},
         0.72579962977190682},
        {{2.2886506328359246, 1.7099719787947834, 1.5},
         {-4.0138616203330457, -2.1697811013087631, -1.6000000000000001},
         0.83470210671492129},
        {{0.93082238920032978, -1.2112390489317477, 1.5},
         {-0.96982018789276481, 0.037258412875235125, -1.6000000000000001},
         0.80773118036568592},
    };
    for (const Cast& c : casts) {
        const auto hit = cast(field, c.origin, c.direction);
        REQUIRE(hit);
        CHECK(std::abs(hit->t - c.t) < 2e-8);
    }
}
