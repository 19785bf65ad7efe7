// Neighbours, sharp edges and the tree of a surface of triangles, against what is known of the meshes and
// against looking at all triangles.

#include "geometry/triangle_surface.h"

#include "support/random_values.h"
#include "support/surface_meshes.h"

#include <doctest/doctest.h>

#include <set>

using namespace lig;
using namespace lig::test;

namespace {

std::set<int> found_by_tree(const TriangleSurface& surface, const Bounds& box) {
    std::set<int> found;
    visit_triangles(surface, box, [&](int t) { CHECK(found.insert(t).second); });
    return found;
}

std::set<int> found_by_looking(const TriangleSurface& surface, const Bounds& box) {
    std::set<int> found;
    for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t) {
        Bounds bounds = Bounds::nothing();
        for (const int v : surface.triangles[t].vertices) bounds.add(surface.vertices[v]);
        if (bounds.overlaps(box)) found.insert(t);
    }
    return found;
}

}  // namespace

TEST_CASE("a sphere is closed and all its edges are sharp; turned inside out all are hollow") {
    TriangleMesh mesh = sphere_mesh(3, 2);
    const TriangleSurface outside = make_triangle_surface(mesh);
    REQUIRE(outside.triangles.size() == 20 * 64);
    CHECK(outside.closed);
    for (auto& f : mesh.faces) std::swap(f[1], f[2]);
    const TriangleSurface inside = make_triangle_surface(mesh);
    CHECK(inside.closed);
    for (std::size_t t = 0; t < outside.triangles.size(); ++t) {
        const TriangleSurface::Triangle& triangle = outside.triangles[t];
        CHECK(dot(triangle.normal, outside.vertices[triangle.vertices[0]]) > 1.9);
        for (int k = 0; k < 3; ++k) {
            REQUIRE(triangle.neighbors[k] >= 0);
            CHECK(triangle.edge_sharp[k]);
            CHECK_FALSE(inside.triangles[t].edge_sharp[k]);
            // The neighbour has the edge the other way round.
            const TriangleSurface::Triangle& next = outside.triangles[triangle.neighbors[k]];
            bool shared = false;
            for (int j = 0; j < 3; ++j)
                shared = shared || (next.vertices[j] == triangle.vertices[(k + 1) % 3] &&
                                    next.vertices[(j + 1) % 3] == triangle.vertices[k] &&
                                    next.neighbors[j] == static_cast<int>(t));
            CHECK(shared);
        }
    }
}

TEST_CASE(
    "a box of separate faces is joined at its corners: flat edges inside the faces, sharp ones between "
    "them") {
    // box_mesh repeats the vertices on the edges for every face, as files of bare triangles do.
    const TriangleSurface surface = make_triangle_surface(box_mesh(4, {1, 2, 3}));
    CHECK(surface.vertices.size() == 6 * 16 + 2);
    CHECK(surface.closed);
    int sharp = 0;
    for (const TriangleSurface::Triangle& triangle : surface.triangles)
        for (int k = 0; k < 3; ++k) {
            REQUIRE(triangle.neighbors[k] >= 0);
            const bool bent = dot(triangle.normal, surface.triangles[triangle.neighbors[k]].normal) < 0.5;
            CHECK(triangle.edge_sharp[k] == bent);
            sharp += bent;
        }
    CHECK(sharp == 2 * 12 * 4);
}

TEST_CASE("an open floor has free edges, a valley hollow ones, a ridge sharp ones") {
    for (const double slope : {-0.2, 0.2}) {
        const TriangleSurface surface = make_triangle_surface(
            height_mesh(2, 1, [slope](double x, double) { return slope * std::abs(x); }));
        CHECK_FALSE(surface.closed);
        int free = 0, across = 0;
        for (const TriangleSurface::Triangle& triangle : surface.triangles)
            for (int k = 0; k < 3; ++k) {
                if (triangle.neighbors[k] < 0) {
                    ++free;
                    CHECK(triangle.edge_sharp[k]);
                } else if (dot(triangle.normal, surface.triangles[triangle.neighbors[k]].normal) < 0.99) {
                    ++across;
                    CHECK(triangle.edge_sharp[k] == (slope < 0));
                } else {
                    CHECK_FALSE(triangle.edge_sharp[k]);
                }
            }
        CHECK(free == 8);
        CHECK(across == 4);
    }
}

TEST_CASE("triangles without area are left out, edges of three triangles and of disagreeing ones are free") {
    TriangleMesh mesh;
    mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}, {2, 0, 0}, {1, 0, 0}};
    mesh.faces = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {0, 1, 5}, {1, 6, 2}, {2, 2, 3}};
    const TriangleSurface surface = make_triangle_surface(mesh);
    REQUIRE(surface.triangles.size() == 3);
    CHECK_FALSE(surface.closed);
    for (const TriangleSurface::Triangle& triangle : surface.triangles)
        for (const int neighbor : triangle.neighbors) CHECK(neighbor == -1);

    mesh.faces = {{0, 1, 2}, {0, 1, 4}};  // the edge in one direction twice
    for (const TriangleSurface::Triangle& triangle : make_triangle_surface(mesh).triangles)
        for (const int neighbor : triangle.neighbors) CHECK(neighbor == -1);

    // A needle of a thousandth of a millionth in width still has a normal.
    mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0.5, 1e-9, 0}};
    mesh.faces = {{0, 1, 2}};
    const TriangleSurface needle = make_triangle_surface(mesh);
    REQUIRE(needle.triangles.size() == 1);
    CHECK(needle.triangles[0].normal.z == doctest::Approx(1).epsilon(1e-12));

    CHECK(make_triangle_surface(TriangleMesh{}).nodes.empty());
}

TEST_CASE("the tree finds what looking at all triangles finds") {
    Random random(1);
    const auto waves = [](double x, double y) { return 0.3 * std::sin(2 * x) * std::cos(3 * y); };
    const TriangleSurface surfaces[] = {make_triangle_surface(height_mesh(30, 3, waves, true)),
                                        make_triangle_surface(sphere_mesh(4, 3))};
    for (const TriangleSurface& surface : surfaces)
        for (int i = 0; i < 300; ++i) {
            const Vec3d center = random_vec(random, 3.2), half = random_vec(random, 0.5);
            Bounds box = Bounds::nothing();
            box.add(center - half);
            box.add(center + half);
            CHECK(found_by_tree(surface, box) == found_by_looking(surface, box));
        }
}

TEST_CASE(
    "a hundred thousand triangles in one place, on a line or in halves ever smaller: the tree stays "
    "shallow") {
    const auto depth_of = [](const TriangleSurface& surface) {
        std::vector<std::pair<int, int>> waiting{{0, 1}};
        int deepest = 0;
        std::size_t seen = 0;
        while (!waiting.empty()) {
            const auto [at, depth] = waiting.back();
            waiting.pop_back();
            deepest = std::max(deepest, depth);
            const TriangleSurface::Node& node = surface.nodes[at];
            if (node.count > 0) {
                seen += node.count;
                continue;
            }
            for (const int child : {at + 1, node.second}) {
                CHECK(node.bounds.contains(surface.nodes[child].bounds));
                waiting.push_back({child, depth + 1});
            }
        }
        CHECK(seen == surface.triangles.size());
        return deepest;
    };
    TriangleMesh same, halving;
    for (int i = 0; i < 50000; ++i) {
        const int n = static_cast<int>(same.vertices.size());
        same.vertices.insert(same.vertices.end(), {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
        same.faces.push_back({n, n + 1, n + 2});
    }
    CHECK(depth_of(make_triangle_surface(same)) <= TriangleSurface::max_depth);
    for (int i = 0; i < 900; ++i) {
        const double x = std::ldexp(1.0, -i), w = 0.1 * x;
        const int n = static_cast<int>(halving.vertices.size());
        halving.vertices.insert(halving.vertices.end(), {{x, 0, 0}, {x + w, 0, 0}, {x, w, 0}});
        halving.faces.push_back({n, n + 1, n + 2});
    }
    const TriangleSurface halved = make_triangle_surface(halving);
    CHECK(halved.triangles.size() > 200);  // the squares of smaller areas vanish
    CHECK(depth_of(halved) <= TriangleSurface::max_depth);
    CHECK(depth_of(make_triangle_surface(height_mesh(224, 10, [](double, double) { return 0.0; }))) < 40);
}

TEST_CASE("the same mesh gives the same tree") {
    const TriangleMesh mesh = sphere_mesh(3, 1);
    const TriangleSurface a = make_triangle_surface(mesh), b = make_triangle_surface(mesh);
    CHECK(a.order == b.order);
    REQUIRE(a.nodes.size() == b.nodes.size());
}
