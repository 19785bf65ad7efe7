#pragma once

// What of a model is drawn: its geoms as triangles, equal ones once.

#include "shapes/shape_mesh.h"

#include <ligament/model.h>

#include <array>
#include <optional>
#include <vector>

namespace lig::app {

struct DrawnShape {
    int geom;  // in Model::geoms
    int mesh;  // −1: a plane, which has no end of its own
    std::optional<std::array<double, 4>> color;  // as the file gives it
};

struct DrawnScene {
    // Geoms are visible as MJCF's viewers have it: of the groups 0, 1 and 2, and not transparent. A body with
    // none such shows all it has. Where geoms of group 1 are only there to be seen, as URDF's visuals, those
    // of group 0 that collide are left out. So are meshes that were not read.
    explicit DrawnScene(const Model& model);

    std::vector<ShapeMesh> meshes;
    std::vector<DrawnShape> shapes;
};

// As files have them: x y z of each.
std::vector<float> flat(const std::vector<Vec3d>& vectors);

// A ball around what is worth looking at.
struct ViewBounds {
    Vec3d center;
    double radius;
};

// Around everything that moves, over all times: grows with every pose it is told. What is not finite, or
// very much farther away than everything was at first, is not followed.
class ViewTracker {
public:
    ViewTracker(const Model& model, const DrawnScene& scene);

    void add(int body, const Vec3d& position, const Quatd& rotation);
    ViewBounds bounds() const;

private:
    struct Ball {
        Vec3d center;  // in the body's frame
        double radius;
    };

    std::vector<std::optional<Ball>> balls_;  // (bodies) around the shapes; none: not followed
    Vec3d lower_, upper_;
    Vec3d home_;
    double reach_;
};

}  // namespace lig::app
