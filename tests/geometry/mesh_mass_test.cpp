#include "geometry/mesh_mass.h"
#include "geometry/mesh_fit.h"
#include "geometry/principal_frame.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace lig;
using namespace lig::geometry;

namespace {

// A box with corners at 0 and the given sizes.
TriangleMesh box(Vec3d size, Vec3d corner = {0, 0, 0}) {
    TriangleMesh mesh;
    for (int i = 0; i < 8; ++i)
        mesh.vertices.push_back(corner + Vec3d{i & 1 ? size.x : 0, i & 2 ? size.y : 0, i & 4 ? size.z : 0});
    // clang-format off
    mesh.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                  {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    // clang-format on
    return mesh;
}

TriangleMesh joined(TriangleMesh a, const TriangleMesh& b) {
    const auto offset = static_cast<int>(a.vertices.size());
    a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
    for (const auto& [i, j, k] : b.faces) a.faces.push_back({i + offset, j + offset, k + offset});
    return a;
}

MeshMass mass_of(const TriangleMesh& mesh, MeshInertia kind) {
    const auto result = mesh_mass(mesh, kind);
    if (const auto* fault = std::get_if<MeshFault>(&result)) FAIL(fault->what());
    return std::get<MeshMass>(result);
}
MeshFault fault_of(const TriangleMesh& mesh, MeshInertia kind) {
    const auto result = mesh_mass(mesh, kind);
    REQUIRE(std::holds_alternative<MeshFault>(result));
    return std::get<MeshFault>(result);
}
MeshAsset asset(TriangleMesh mesh, MeshInertia kind = MeshInertia::exact) {
    return {.inertia = kind, .mesh = std::make_shared<const TriangleMesh>(std::move(mesh))};
}

void check(const Sym3d& a, const Sym3d& b, double tolerance = 1e-13) {
    const double size = std::max({b.xx, b.yy, b.zz});
    CHECK(std::fabs(a.xx - b.xx) <= tolerance * size);
    CHECK(std::fabs(a.yy - b.yy) <= tolerance * size);
    CHECK(std::fabs(a.zz - b.zz) <= tolerance * size);
    CHECK(std::fabs(a.xy - b.xy) <= tolerance * size);
    CHECK(std::fabs(a.xz - b.xz) <= tolerance * size);
    CHECK(std::fabs(a.yz - b.yz) <= tolerance * size);
}
void check(const Vec3d& a, const Vec3d& b, double tolerance = 1e-13) {
    for (int k = 0; k < 3; ++k) CHECK(std::fabs(a[k] - b[k]) <= tolerance);
}

}  // namespace

TEST_CASE("a box weighs the same in every solid kind") {
    const TriangleMesh mesh = box({1, 2, 3}, {5, -1, 2});
    for (const MeshInertia kind : {MeshInertia::legacy, MeshInertia::exact, MeshInertia::convex}) {
        const MeshMass mass = mass_of(mesh, kind);
        CHECK(mass.volume == doctest::Approx(6).epsilon(1e-13));
        check(mass.com, {5.5, 0, 3.5});
        // 6 (b² + c²) / 12
        check(mass.inertia, Sym3d::diagonal(6.5, 5, 2.5));
    }
}

TEST_CASE("the mass of a shell sits on the faces") {
    const MeshMass mass = mass_of(box({1, 2, 3}), MeshInertia::shell);
    CHECK(mass.volume == doctest::Approx(22).epsilon(1e-13));
    check(mass.com, {0.5, 1, 1.5});
    // Per pair of faces A (a² + b²)/12 about its normal, and the distances: second moments along x, y, z.
    const double xx = 2 * 6 * 0.25 + 2 * 3 * (1.0 / 12) + 2 * 2 * (1.0 / 12);
    const double yy = 2 * 3 * 1 + 2 * 6 * (4.0 / 12) + 2 * 2 * (4.0 / 12);
    const double zz = 2 * 2 * 2.25 + 2 * 6 * (9.0 / 12) + 2 * 3 * (9.0 / 12);
    check(mass.inertia, Sym3d::diagonal(yy + zz, xx + zz, xx + yy));
}

TEST_CASE("exact sees a hole, convex fills it, legacy counts it as matter") {
    // A cube of side 3 with a cubic cavity of side 1 in its middle.
    TriangleMesh inner = box({1, 1, 1}, {1, 1, 1});
    for (auto& face : inner.faces) std::swap(face[1], face[2]);
    const TriangleMesh mesh = joined(box({3, 3, 3}), inner);
    CHECK(mass_of(mesh, MeshInertia::exact).volume == doctest::Approx(26).epsilon(1e-13));
    CHECK(mass_of(mesh, MeshInertia::convex).volume == doctest::Approx(27).epsilon(1e-13));
    CHECK(mass_of(mesh, MeshInertia::legacy).volume == doctest::Approx(28).epsilon(1e-13));
    const double exact = (27 * 18 - 1 * 2) / 12.0;
    check(mass_of(mesh, MeshInertia::exact).inertia, Sym3d::diagonal(exact, exact, exact));
}

TEST_CASE("meshes that cannot tell their mass") {
    TriangleMesh inside_out = box({1, 1, 1});
    for (auto& face : inside_out.faces) std::swap(face[1], face[2]);
    CHECK(fault_of(inside_out, MeshInertia::exact).kind == MeshFault::Kind::volume_negative);
    CHECK(mass_of(inside_out, MeshInertia::legacy).volume == doctest::Approx(1));
    CHECK(mass_of(inside_out, MeshInertia::convex).volume == doctest::Approx(1));

    TriangleMesh one_wrong = box({1, 1, 1});
    std::swap(one_wrong.faces[0][1], one_wrong.faces[0][2]);
    const MeshFault wrong = fault_of(one_wrong, MeshInertia::exact);
    CHECK(wrong.kind == MeshFault::Kind::orientation_inconsistent);
    CHECK(wrong.vertex_a == 0);
    CHECK(wrong.vertex_b == 1);
    CHECK(mass_of(one_wrong, MeshInertia::legacy).volume == doctest::Approx(1));

    const TriangleMesh flat{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}};
    CHECK(fault_of(flat, MeshInertia::legacy).kind == MeshFault::Kind::volume_too_small);
    CHECK(fault_of(flat, MeshInertia::exact).kind == MeshFault::Kind::volume_too_small);
    CHECK(fault_of(flat, MeshInertia::convex).hull == HullFault::coplanar);
    check(mass_of(flat, MeshInertia::shell).inertia, Sym3d::diagonal(1.0 / 12, 1.0 / 12, 1.0 / 6));

    const TriangleMesh nothing{{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {{0, 1, 2}, {1, 2, 3}}};
    CHECK(fault_of(nothing, MeshInertia::shell).kind == MeshFault::Kind::area_too_small);
    CHECK(fault_of({}, MeshInertia::legacy).kind == MeshFault::Kind::area_too_small);
}

TEST_CASE("a placed mesh is moved, turned, then scaled; a mirrored one stays oriented") {
    MeshAsset mesh = asset(box({1, 2, 3}));
    mesh.ref_pos = {1, 0, 0};
    mesh.ref_quat = {1, 0, 0, 1};  // x and y become y and −x: a quarter turn about z
    mesh.scale = {2, 1, -1};
    const auto result = placed_mesh(mesh);
    const TriangleMesh& placed = std::get<TriangleMesh>(result);
    // (1, 2, 3) − (1, 0, 0) = (0, 2, 3) has the components (2, 0, 3) along the turned axes.
    check(placed.vertices[7], {4, 0, -3});
    CHECK(mass_of(placed, MeshInertia::exact).volume == doctest::Approx(12).epsilon(1e-13));
}

TEST_CASE("points alone are their hull") {
    MeshAsset mesh = asset(box({1, 2, 3}));
    mesh.mesh = std::make_shared<const TriangleMesh>(TriangleMesh{mesh.mesh->vertices, {}});
    const auto body = mesh_body(mesh);
    REQUIRE(std::holds_alternative<MeshBody>(body));
    CHECK(std::get<MeshBody>(body).mass.volume == doctest::Approx(6).epsilon(1e-13));
    mesh.mesh = std::make_shared<const TriangleMesh>(TriangleMesh{{{0, 0, 0}, {1, 1, 1}}, {}});
    CHECK(std::get<MeshFault>(mesh_body(mesh)).hull == HullFault::too_few_points);
}

TEST_CASE("the inertial frame of a mesh") {
    const auto result = mesh_body(asset(box({1, 2, 3}, {5, 0, 0})));
    const MeshBody& body = std::get<MeshBody>(result);
    check(body.X_MG.p, {5.5, 1, 1.5});
    check(body.X_MG.R.x, {1, 0, 0});  // largest moment first, and so it is along the shortest side
    check(body.inertia_box, {0.5, 1, 1.5});
    check(body.lower, {-0.5, -1, -1.5});
    check(body.upper, {0.5, 1, 1.5});
}

TEST_CASE("principal frames diagonalize, in falling order, as rotations") {
    const Mat3d R = rotation_matrix(Quatd{0.4, -0.2, 0.7, 0.55});
    for (const Vec3d moments : {Vec3d{1, 2, 3}, Vec3d{3, 2, 1}, Vec3d{2, 2, 1}, Vec3d{1e-9, 3e-9, 2e-9}}) {
        const Sym3d m = rotate(R, Sym3d::diagonal(moments.x, moments.y, moments.z));
        const PrincipalFrame frame = principal_frame(m);
        CHECK(frame.moments.x >= frame.moments.y * (1 - 1e-11));
        CHECK(frame.moments.y >= frame.moments.z * (1 - 1e-11));
        CHECK(dot(frame.axes, frame.axes) == doctest::Approx(1).epsilon(1e-14));
        check(rotate(rotation_matrix(frame.axes),
                     Sym3d::diagonal(frame.moments.x, frame.moments.y, frame.moments.z)),
              m, 2e-7);
    }
    CHECK(principal_frame(Sym3d::diagonal(5, 5, 5)).axes.w == 1);
    CHECK(principal_frame(Sym3d::zero()).axes.w == 1);
}

TEST_CASE("shapes fitted to a box") {
    const auto result = mesh_body(asset(box({1, 2, 3}, {5, 0, 0})));
    const MeshBody& body = std::get<MeshBody>(result);
    const auto size = [&](ShapeType shape, FitTo fit) { return fit_shape(shape, body, fit)->size; };
    check(size(ShapeType::sphere, FitTo::inertia), {1, 0, 0});
    check(size(ShapeType::sphere, FitTo::bounds), {1.5, 0, 0});
    check(size(ShapeType::cylinder, FitTo::inertia), {0.75, 1.5, 0});
    check(size(ShapeType::cylinder, FitTo::bounds), {1, 1.5, 0});
    check(size(ShapeType::capsule, FitTo::inertia), {0.75, 1.125, 0});
    check(size(ShapeType::capsule, FitTo::bounds), {1, 0.5, 0});
    check(size(ShapeType::box, FitTo::inertia), {0.5, 1, 1.5});
    check(size(ShapeType::ellipsoid, FitTo::bounds), {0.5, 1, 1.5});
    check(fit_shape(ShapeType::box, body, FitTo::bounds)->X_MF.p, {5.5, 1, 1.5});
    CHECK(!fit_shape(ShapeType::plane, body, FitTo::bounds));
}
