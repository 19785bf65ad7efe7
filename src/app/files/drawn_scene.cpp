#include "app/files/drawn_scene.h"

#include "core/length.h"
#include "core/rotation.h"
#include "geometry/bounds.h"
#include "geometry/mesh_mass.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

namespace lig::app {

namespace {

template <class Asset>
const Asset* find_asset(const std::vector<Asset>& assets, std::string_view name) {
    const auto found = std::ranges::find(assets, name, &Asset::name);
    return found == assets.end() ? nullptr : &*found;
}

constexpr int collision_group = 0, visual_group = 1, last_visible_group = 2;

// Whether there is anything to draw of it: files of meshes may be missing.
bool has_surface(const Model& model, const GeomSpec& geom) {
    switch (geom.shape) {
        case ShapeType::mesh:
        case ShapeType::trimesh: {
            const MeshAsset* const asset = find_asset(model.meshes, geom.mesh);
            return asset && asset->mesh;
        }
        case ShapeType::heightfield: {
            const HeightFieldAsset* const asset = find_asset(model.height_fields, geom.mesh);
            return asset && asset->elevation;
        }
        default: return true;
    }
}

std::vector<bool> visible_geoms(const Model& model) {
    std::vector<bool> has_visible(model.bodies.size(), false), has_visuals = has_visible, visible;
    for (const Model::Geom& geom : model.geoms) {
        const GeomSpec& spec = geom.spec;
        visible.push_back(spec.group <= last_visible_group && spec.rgba[3] > 0 && has_surface(model, spec));
        if (!visible.back()) continue;
        has_visible[geom.body] = true;
        if (spec.group == visual_group && !spec.collides) has_visuals[geom.body] = true;
    }
    for (std::size_t g = 0; g < visible.size(); ++g) {
        const Model::Geom& geom = model.geoms[g];
        if (!has_visible[geom.body]) visible[g] = true;
        if (has_visuals[geom.body] && geom.spec.group == collision_group && geom.spec.collides)
            visible[g] = false;
    }
    return visible;
}

// A sheet is to be seen from behind, too, and who draws leaves out what looks away.
void add_back(ShapeMesh& mesh) {
    const std::size_t points = mesh.positions.size(), triangles = mesh.triangles.size();
    for (std::size_t i = 0; i < points; ++i) {
        mesh.positions.push_back(Vec3d(mesh.positions[i]));
        mesh.normals.push_back(-mesh.normals[i]);
    }
    const int shift = static_cast<int>(points);
    for (std::size_t t = 0; t < triangles; ++t) {
        const std::array<int, 3> front = mesh.triangles[t];
        mesh.triangles.push_back({front[0] + shift, front[2] + shift, front[1] + shift});
    }
}

// The triangles of the file, wherever there are some, not only what collides.
std::optional<ShapeMesh> surface_mesh(const Model& model, const Model::Geom& geom) {
    const MeshAsset* const asset = find_asset(model.meshes, geom.spec.mesh);
    if (!asset || !asset->mesh) return std::nullopt;
    const auto placed = geometry::placed_mesh(*asset);
    const TriangleMesh* const triangles = std::get_if<TriangleMesh>(&placed);
    if (!triangles) return std::nullopt;
    const TriangleSurface surface = make_triangle_surface(*triangles);
    ShapeMesh mesh = shape_mesh({.type = ShapeType::trimesh, .surface = &surface}, 0);
    for (Vec3d& p : mesh.positions) p = geom.X_GM * p;
    for (Vec3d& n : mesh.normals) n = geom.X_GM.R * n;
    if (!surface.closed) add_back(mesh);
    return mesh;
}

std::optional<ShapeMesh> ground_mesh(const Model& model, const Model::Geom& geom) {
    const HeightFieldAsset* const asset = find_asset(model.height_fields, geom.spec.mesh);
    if (!asset || !asset->elevation || asset->rows < 2 || asset->columns < 2 ||
        asset->elevation->size() != static_cast<std::size_t>(asset->rows) * asset->columns)
        return std::nullopt;
    const HeightGrid grid = make_height_grid(*asset);
    return shape_mesh({.type = ShapeType::heightfield, .grid = &grid}, 0);
}

// The more there is to draw, the smaller and the costlier it all is.
int sectors_of(std::size_t shapes) { return shapes <= 40 ? 24 : shapes <= 200 ? 16
                                                                              : 12; }

std::optional<ShapeMesh> mesh_of(const Model& model, const Model::Geom& geom, int sectors) {
    switch (geom.spec.shape) {
        case ShapeType::mesh:
        case ShapeType::trimesh: return surface_mesh(model, geom);
        case ShapeType::heightfield: return ground_mesh(model, geom);
        default: return shape_mesh({.type = geom.spec.shape, .size = geom.spec.size}, 0, sectors);
    }
}

Bounds bounds_of(const ShapeMesh& mesh, const Transformd& X) {
    Bounds box = Bounds::nothing();
    for (const Vec3d& p : mesh.positions) box.add(X * p);
    return box;
}

bool is_finite(const Vec3d& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

}  // namespace

DrawnScene::DrawnScene(const Model& model) {
    // What tells a mesh: the kind of shape, its sizes, its asset.
    std::map<std::tuple<ShapeType, double, double, double, std::string>, int> known;
    const std::vector<bool> visible = visible_geoms(model);
    const int sectors = sectors_of(static_cast<std::size_t>(std::ranges::count(visible, true)));
    for (std::size_t g = 0; g < model.geoms.size(); ++g) {
        const Model::Geom& geom = model.geoms[g];
        if (!visible[g]) continue;
        DrawnShape shape{static_cast<int>(g), -1, std::nullopt};
        if (geom.spec.rgba != GeomSpec{}.rgba) shape.color = geom.spec.rgba;
        if (geom.spec.shape != ShapeType::plane) {
            const Vec3d& size = geom.spec.size;
            const auto [entry, is_new] = known.try_emplace(
                {geom.spec.shape, size.x, size.y, size.z, geom.spec.mesh}, -1);
            if (is_new)
                if (std::optional<ShapeMesh> mesh = mesh_of(model, geom, sectors)) {
                    entry->second = static_cast<int>(meshes.size());
                    meshes.push_back(std::move(*mesh));
                }
            if (entry->second < 0) continue;
            shape.mesh = entry->second;
        }
        shapes.push_back(shape);
    }
}

std::vector<float> flat(const std::vector<Vec3d>& vectors) {
    std::vector<float> numbers;
    for (const Vec3d& v : vectors)
        for (const double x : {v.x, v.y, v.z}) numbers.push_back(static_cast<float>(x));
    return numbers;
}

ViewTracker::ViewTracker(const Model& model, const DrawnScene& scene) : balls_(model.bodies.size()) {
    std::vector<Bounds> boxes(model.bodies.size(), Bounds::nothing());
    for (const DrawnShape& shape : scene.shapes)
        if (shape.mesh >= 0) {
            const Model::Geom& geom = model.geoms[shape.geom];
            boxes[geom.body].add(bounds_of(scene.meshes[shape.mesh], geom.X_BG));
        }
    const bool something_moves =
        std::ranges::any_of(model.bodies, [](const Model::Body& body) { return body.link != -1; });
    Bounds start = Bounds::nothing();
    for (std::size_t b = 0; b < boxes.size(); ++b) {
        const Model::Body& body = model.bodies[b];
        if (something_moves && body.link == -1) continue;
        const bool empty = !(boxes[b].lower.x <= boxes[b].upper.x);
        if (empty && !something_moves) continue;
        balls_[b] = empty ? Ball{body.com, 0}
                          : Ball{0.5 * (boxes[b].lower + boxes[b].upper),
                                 0.5 * length(boxes[b].upper - boxes[b].lower)};
        const Vec3d center = body.X_WB0 * balls_[b]->center;
        start.add(Bounds{center, center}.grown(balls_[b]->radius));
    }
    const bool empty = !(start.lower.x <= start.upper.x);
    if (empty) start = {{-1, -1, -1}, {1, 1, 1}};
    home_ = 0.5 * (start.lower + start.upper);
    reach_ = 0.5 * length(start.upper - start.lower);
    lower_ = start.lower;
    upper_ = start.upper;
}

void ViewTracker::add(int body, const Vec3d& position, const Quatd& rotation) {
    if (!balls_[body]) return;
    constexpr double far = 20;  // times what everything took at first
    const Vec3d center = position + rotation_matrix(rotation) * balls_[body]->center;
    if (!is_finite(center) || length(center - home_) > far * reach_) return;
    Bounds box{lower_, upper_};
    box.add(Bounds{center, center}.grown(balls_[body]->radius));
    lower_ = box.lower;
    upper_ = box.upper;
}

ViewBounds ViewTracker::bounds() const {
    return {0.5 * (lower_ + upper_), std::max(0.5 * length(upper_ - lower_), 1e-3)};
}

}  // namespace lig::app
