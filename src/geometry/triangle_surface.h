#pragma once

// A surface of triangles to collide with: who neighbours whom across which edge, and a tree of boxes to find the
// triangles near something.

#include "geometry/bounds.h"

#include <ligament/mesh.h>

#include <array>
#include <cstdint>
#include <vector>

namespace lig {

struct TriangleSurface {
    struct Triangle {
        std::array<int, 3> vertices;     // counter-clockwise seen from outside
        std::array<int, 3> neighbors;    // across the edge from vertex k to vertex k + 1; −1: the edge is free
        std::array<bool, 3> edge_sharp;  // the surface bends outwards there (or ends): something can touch the
                                         // edge itself. False: flat or hollow, only faces are touched
        Vec3d normal;
    };

    std::vector<Vec3d> vertices;
    std::vector<Triangle> triangles;

    // A node's children follow it: the first at once, the second at `second`. Leaves hold triangles
    // order[begin … begin + count).
    struct Node {
        Bounds bounds;
        int begin, count;  // count 0: an inner node
        int second;
    };
    std::vector<Node> nodes;
    std::vector<int> order;
};

// Triangles without area are left out; an edge of more than two triangles counts as free on all of them.
TriangleSurface make_triangle_surface(const TriangleMesh& mesh);

}  // namespace lig
