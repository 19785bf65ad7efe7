#pragma once

// A surface of triangles to collide with: who neighbours whom across which edge, and a tree of boxes to find
// the triangles near something.

#include "geometry/bounds.h"

#include <ligament/mesh.h>

#include <array>
#include <cstdint>
#include <vector>

namespace lig {

struct TriangleSurface {
    struct Triangle {
        std::array<int, 3> vertices;     // counter-clockwise seen from outside
        std::array<int, 3> neighbors;  // across the edge from vertex k to vertex k + 1; −1: the edge is free
        std::array<bool, 3>
            edge_sharp;  // the surface bends outwards there (or ends): something can touch the
            // edge itself. False: flat or hollow, only faces are touched
        Vec3d normal;
    };

    std::vector<Vec3d> vertices;
    std::vector<Triangle> triangles;
    // No edge is free: there is an inside, and what sinks in is pushed out in front. An open surface is a
    // sheet with two sides.
    bool closed = false;

    // A node's children follow it: the first at once, the second at `second`. Leaves hold triangles
    // order[begin … begin + count).
    struct Node {
        Bounds bounds;
        int begin, count;  // count 0: an inner node
        int second;
    };
    std::vector<Node> nodes;
    std::vector<int> order;

    // No path from the root to a leaf is longer.
    static constexpr int max_depth = 96;
};

// Vertices at the same place become one; triangles without area are left out; an edge of more than two
// triangles, or of two that disagree about the outside, counts as free on all of them.
TriangleSurface make_triangle_surface(const TriangleMesh& mesh);

// Goes through the tree without recursion: `enters(bounds)` says whether to look into a box,
// `visit(triangle)` gets the triangles of the leaves that were entered, in the order of the tree.
template <class Enters, class Visit>
void walk_triangles(const TriangleSurface& surface, Enters&& enters, Visit&& visit) {
    if (surface.nodes.empty()) return;
    std::array<int, TriangleSurface::max_depth> waiting;
    int depth = 0, at = 0;
    while (true) {
        const TriangleSurface::Node& node = surface.nodes[at];
        if (enters(node.bounds)) {
            if (node.count == 0) {
                waiting[depth++] = node.second;
                ++at;
                continue;
            }
            for (int i = node.begin; i < node.begin + node.count; ++i) visit(surface.order[i]);
        }
        if (depth == 0) return;
        at = waiting[--depth];
    }
}

inline Bounds triangle_bounds(const TriangleSurface& surface, int triangle) {
    Bounds box = Bounds::nothing();
    for (const int v : surface.triangles[triangle].vertices) box.add(surface.vertices[v]);
    return box;
}

// The triangles whose boxes overlap `box`.
template <class Visit>
void visit_triangles(const TriangleSurface& surface, const Bounds& box, Visit&& visit) {
    walk_triangles(
        surface, [&](const Bounds& node) { return node.overlaps(box); },
        [&](int triangle) {
            if (triangle_bounds(surface, triangle).overlaps(box)) visit(triangle);
        });
}

}  // namespace lig
