// The geoms that can touch something, with the geometry that their sizes do not tell: a hull, a surface or a
// grid per asset, in the frame of the geoms that use it.

#include "core/diagnostic_codes.h"
#include "geometry/mesh_mass.h"
#include "model/collision_model.h"
#include "model/compile.h"
#include "sensors/sensor_list.h"
#include "shapes/shape_geometry.h"
#include "shapes/shape_mass.h"
#include "shapes/shape_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace lig::compiling {

namespace {

using MaterialKey = std::array<double, 17>;  // everything that a material holds

class CollisionBuilder {
public:
    CollisionBuilder(const Model& model, Diagnostics& log)
        : model_(model), log_(log), made_(std::make_shared<CollisionModel>()) {
        for (const MeshAsset& asset : model.meshes) meshes_.try_emplace(asset.name, &asset);
        for (const HeightFieldAsset& asset : model.height_fields) fields_.try_emplace(asset.name, &asset);
    }

    std::shared_ptr<const CollisionModel> build() {
        const Switches& on = model_.options.enabled;
        made_->enabled = on.constraint && on.contact;
        made_->filter_parent = on.filter_parent;

        std::vector<bool> paired(model_.geoms.size(), false);
        for (const Model::Pair& pair : model_.pairs) paired[pair.geom_a] = paired[pair.geom_b] = true;
        made_->index_of.assign(model_.geoms.size(), -1);
        for (int g = 0; g < static_cast<int>(model_.geoms.size()); ++g) {
            const GeomSpec& spec = model_.geoms[g].spec;
            const bool masked = !spec.collides || (spec.contype == 0 && spec.conaffinity == 0);
            if (!masked || paired[g]) add_geom(g, masked);
        }
        add_sensed();
        report_absent();
        add_exclusions();
        add_pairs();
        return made_;
    }

private:
    std::string name_of(int g) const { return named("geom", model_.geoms[g].spec.name, g); }

    void add_geom(int g, bool masked) {
        const Model::Geom& geom = model_.geoms[g];
        const Model::Body& body = model_.bodies[geom.body];
        CollisionModel::Geom made;
        made.geom = g;
        made.body = geom.body;
        made.X_BG = geom.X_BG;
        made.shape = {.type = geom.spec.shape, .size = geom.spec.size};
        made.moves = body.link != -1;
        made.margin = geom.spec.margin + geom.spec.gap;
        if (made.moves && !body.kinematic && !is_convex(geom.spec.shape)) {
            log_.report(codes::E141, geom.spec.where,
                        name_of(g) + ": a " + std::string(shape_name(geom.spec.shape)) +
                            " cannot be part of body '" + body.name + "', which moves",
                        "put it on the world, or use a box or a mesh");
            return;
        }
        if (!find_geometry(g, made.shape)) return;
        if (body.link >= 0 && model_.tree.links[body.link].stretch >= 0) {
            made.deforms = model_.tree.links[body.link].stretch;
            made.modal = model_.deforming[made.deforms].modal.get();
            if (!take_hull(g, made.shape)) return;
        }
        made_->index_of[g] = static_cast<int>(made_->geoms.size());
        made_->geoms.push_back(made);
        CollisionModel::Filter filter = filter_of(geom.body);
        filter.contype = masked ? 0 : geom.spec.contype;
        filter.conaffinity = masked ? 0 : geom.spec.conaffinity;
        filter.material = material_of(geom.spec);
        made_->filters.push_back(filter);
    }

    void add_sensed() {
        bool has_rays = false;
        std::vector<bool> measured(model_.geoms.size(), false);
        for (const Model::Sensor& sensor : model_.sensors) {
            const sensors::Measures measures = sensors::sensor_info(sensor.spec.type).measures;
            has_rays |= measures == sensors::Measures::ray_source;
            if (measures != sensors::Measures::two_shapes) continue;
            for (const ObjectRef& object : {sensor.spec.object, sensor.spec.reference})
                for (std::size_t g = 0; g < measured.size(); ++g)
                    if ((object.kind == ObjectRef::Kind::geom ? static_cast<int>(g) : model_.geoms[g].body) ==
                        object.index)
                        measured[g] = true;
        }
        for (int g = 0; g < static_cast<int>(model_.geoms.size()); ++g) {
            const Model::Geom& geom = model_.geoms[g];
            const CollisionShape shape{.type = geom.spec.shape, .size = geom.spec.size};
            if (has_rays && geom.spec.rgba[3] > 0) {
                CollisionModel::Sensed made{g, geom.body, geom.X_BG, shape};
                if (see_surface(g, made.shape)) made_->seen.push_back(made);
            }
            if (measured[g]) {
                CollisionModel::Sensed made{g, geom.body, geom.X_BG, shape};
                if (find_geometry(g, made.shape)) made_->measured.push_back(made);
            }
        }
    }

    // Rays meet the faces of a mesh; one that is not there is not seen.
    bool see_surface(int g, CollisionShape& shape) {
        if (shape.type != ShapeType::mesh) return find_geometry(g, shape);
        const auto found = meshes_.find(model_.geoms[g].spec.mesh);
        if (found == meshes_.end() || !found->second->mesh) return false;
        if (found->second->mesh->faces.empty()) return find_geometry(g, shape);
        shape.type = ShapeType::trimesh;
        return (shape.surface = surface_of(g)) != nullptr;
    }

    int material_of(const GeomSpec& spec) {
        const MaterialKey key{double(spec.condim), double(spec.priority), spec.friction.x,
                              spec.friction.y, spec.friction.z, spec.restitution,
                              spec.margin, spec.gap, spec.adhesion, spec.solmix,
                              spec.soft.solref[0], spec.soft.solref[1], spec.soft.solimp[0],
                              spec.soft.solimp[1], spec.soft.solimp[2], spec.soft.solimp[3],
                              spec.soft.solimp[4]};
        const auto [entry, is_new] = materials_.try_emplace(key, static_cast<int>(made_->materials.size()));
        if (is_new)
            made_->materials.push_back({.condim = spec.condim,
                                        .priority = spec.priority,
                                        .friction = spec.friction,
                                        .restitution = spec.restitution,
                                        .margin = spec.margin,
                                        .gap = spec.gap,
                                        .adhesion = spec.adhesion,
                                        .solmix = spec.solmix,
                                        .soft = spec.soft});
        return entry->second;
    }

    // Of a geom of the body, without masks and material.
    CollisionModel::Filter filter_of(int b) const {
        const Model::Body& body = model_.bodies[b];
        CollisionModel::Filter made{.mover = -1, .parent_mover = -1, .body = b};
        if (body.link >= 0) {
            made.mover = body.link;
            made.parent_mover = std::max(-1, model_.tree.links[body.link].parent);
        }
        return made;
    }

    bool find_geometry(int g, CollisionShape& shape) {
        switch (shape.type) {
            case ShapeType::mesh: return (shape.hull = hull_of(g)) != nullptr;
            case ShapeType::trimesh: return (shape.surface = surface_of(g)) != nullptr;
            case ShapeType::heightfield: return (shape.grid = grid_of(g)) != nullptr;
            default: return true;
        }
    }

    // On a body that deforms every shape is a polyhedron, which a linear map leaves one.
    bool take_hull(int g, CollisionShape& shape) {
        if (shape.type == ShapeType::mesh) return true;
        constexpr int sectors = 16;
        auto made = make_hull_geometry(shape_mesh(shape, 0, sectors).positions);
        if (const auto* fault = std::get_if<geometry::HullFault>(&made)) {
            refuse(g, "has no convex hull to collide with: " + std::string(geometry::describe(*fault)),
                   "contype=\"0\" conaffinity=\"0\" leaves it out");
            return false;
        }
        made_->hulls.push_back(
            std::make_unique<const HullGeometry>(std::move(std::get<HullGeometry>(made))));
        shape = {.type = ShapeType::mesh, .hull = made_->hulls.back().get()};
        return true;
    }

    // The asset of a geom, when it is there with everything in it.
    template <class Asset, class HasData>
    const Asset* asset_of(int g, const std::unordered_map<std::string_view, const Asset*>& assets,
                          const HasData& has_data) {
        const GeomSpec& spec = model_.geoms[g].spec;
        const auto found = assets.find(spec.mesh);
        if (found == assets.end()) {
            log_.report(codes::E142, spec.where,
                        name_of(g) + ": its " + std::string(shape_name(spec.shape)) + " '" + spec.mesh +
                            "' does not exist",
                        "add it to the scene");
            return nullptr;
        }
        if (has_data(*found->second)) return found->second;
        absent_.push_back(g);
        return nullptr;
    }

    // What was made of an asset for another geom of the same shape, or nothing.
    template <class Geometry>
    using ByAsset = std::unordered_map<const void*, const Geometry*>;

    const HullGeometry* hull_of(int g) {
        const auto* asset = asset_of(g, meshes_, [](const MeshAsset& a) { return a.mesh != nullptr; });
        if (!asset) return nullptr;
        const auto [entry, is_new] = hulls_.try_emplace(asset, nullptr);
        if (!is_new) return entry->second;
        std::vector<Vec3d> points = geometry::placed_vertices(*asset);
        for (Vec3d& p : points) p = model_.geoms[g].X_GM * p;
        auto made = make_hull_geometry(points, asset->max_hull_vertices);
        if (const auto* fault = std::get_if<geometry::HullFault>(&made)) {
            refuse(g, "has no convex hull to collide with: " + std::string(geometry::describe(*fault)),
                   "thicken it, use type=\"trimesh\" on a body that does not move, or contype=\"0\" "
                   "conaffinity=\"0\"");
            return nullptr;
        }
        made_->hulls.push_back(
            std::make_unique<const HullGeometry>(std::move(std::get<HullGeometry>(made))));
        return entry->second = made_->hulls.back().get();
    }

    const TriangleSurface* surface_of(int g) {
        const auto* asset = asset_of(g, meshes_, [](const MeshAsset& a) { return a.mesh != nullptr; });
        if (!asset) return nullptr;
        ByAsset<TriangleSurface>& known =
            model_.geoms[g].spec.shape == ShapeType::trimesh ? surfaces_ : seen_meshes_;
        const auto [entry, is_new] = known.try_emplace(asset, nullptr);
        if (!is_new) return entry->second;
        if (asset->mesh->faces.empty()) {
            refuse(g, "has no faces", "use type=\"mesh\" for the convex hull of its points");
            return nullptr;
        }
        auto placed = geometry::placed_mesh(*asset);  // with faces it always is
        TriangleMesh& mesh = std::get<TriangleMesh>(placed);
        for (Vec3d& p : mesh.vertices) p = model_.geoms[g].X_GM * p;
        auto made = std::make_unique<const TriangleSurface>(make_triangle_surface(mesh));
        if (made->triangles.empty()) {
            refuse(g, "has no face with an area", "check its scale");
            return nullptr;
        }
        made_->surfaces.push_back(std::move(made));
        return entry->second = made_->surfaces.back().get();
    }

    const HeightGrid* grid_of(int g) {
        const auto* asset =
            asset_of(g, fields_, [](const HeightFieldAsset& a) { return a.elevation != nullptr; });
        if (!asset) return nullptr;
        const auto [entry, is_new] = grids_.try_emplace(asset, nullptr);
        if (!is_new) return entry->second;
        const auto cells = static_cast<std::size_t>(std::max(asset->rows, 0)) *
                           static_cast<std::size_t>(std::max(asset->columns, 0));
        const bool fits = asset->rows >= 2 && asset->columns >= 2 && asset->elevation->size() == cells;
        const bool sized = asset->size[0] > 0 && asset->size[1] > 0 && asset->size[2] >= 0 &&
                           asset->size[3] >= 0;
        bool finite = true;
        for (const double size : asset->size) finite = finite && std::isfinite(size);
        for (const double height : *asset->elevation) finite = finite && std::isfinite(height);
        if (!fits || !sized || !finite) {
            refuse(g,
                   !fits    ? "needs at least two rows and two columns, with as many heights"
                   : !sized ? "has a size that is not positive"
                            : "has a height or size that is not finite",
                   "see docs/format.md");
            return nullptr;
        }
        made_->grids.push_back(std::make_unique<const HeightGrid>(make_height_grid(*asset)));
        return entry->second = made_->grids.back().get();
    }

    void refuse(int g, const std::string& why, const char* hint) {
        const GeomSpec& spec = model_.geoms[g].spec;
        log_.report(codes::E140, spec.where,
                    name_of(g) + ": its " + std::string(shape_name(spec.shape)) + " '" + spec.mesh + "' " +
                        why,
                    hint);
    }

    // One report for all: a description without the files of its meshes is often enough to move it.
    void report_absent() {
        if (absent_.empty()) return;
        const auto count = absent_.size();
        const std::string others =
            count > 1 ? " and " + std::to_string(count - 1) + " more geoms collide with nothing: their meshes"
                      : " collides with nothing: its mesh";
        log_.report(codes::W143, model_.geoms[absent_[0]].spec.where,
                    name_of(absent_[0]) + others + (count > 1 ? " were not read" : " was not read"),
                    "provide the file, or set contype and conaffinity to 0");
    }

    void add_exclusions() {
        for (const Scene::Exclusion& e : model_.exclusions) {
            const auto [low, high] = std::minmax(e.a.index, e.b.index);
            made_->exclusions.emplace_back(low, high);
        }
        auto& all = made_->exclusions;
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        std::vector<bool> excluded(model_.bodies.size(), false);
        for (const auto& [a, b] : all) excluded[a] = excluded[b] = true;
        for (CollisionModel::Filter& filter : made_->filters) filter.excluded = excluded[filter.body];
    }

    void add_pairs() {
        std::set<std::pair<int, int>> seen;
        for (int p = 0; p < static_cast<int>(model_.pairs.size()); ++p) {
            const Model::Pair& pair = model_.pairs[p];
            int a = made_->index_of[pair.geom_a], b = made_->index_of[pair.geom_b];
            if (a < 0 || b < 0) continue;  // its shape was not read or refused
            if (a > b) std::swap(a, b);
            CollisionModel::Geom &first = made_->geoms[a], &second = made_->geoms[b];
            const PairSpec& spec = pair.spec;
            const bool convex = is_convex(first.shape.type) || is_convex(second.shape.type);
            const bool on_bases = made_->filters[a].mover < 0 && made_->filters[b].mover < 0;
            if (!convex || on_bases) {
                log_.report(codes::W144, spec.where,
                            named("pair", spec.name, p) + ": " + name_of(pair.geom_a) + " and " +
                                name_of(pair.geom_b) +
                                (on_bases ? " are both on bodies that nothing moves"
                                          : " are both surfaces that do not collide with each other"),
                            "remove it");
                continue;
            }
            if (!seen.emplace(a, b).second) {
                log_.report(codes::W145, spec.where,
                            named("pair", spec.name, p) + ": " + name_of(pair.geom_a) + " and " +
                                name_of(pair.geom_b) + " are paired already; the first pair counts",
                            "remove one of them");
                continue;
            }
            const double reach = spec.margin + spec.gap;
            ContactProperties properties;
            properties.condim = spec.condim;
            properties.friction = spec.friction;
            properties.restitution = spec.restitution;
            properties.margin = reach;
            properties.gap = spec.gap;
            properties.adhesion = spec.adhesion;
            properties.soft = spec.soft;
            properties.solref_friction = spec.solref_friction;
            made_->pairs.push_back({a, b, properties});
            made_->filters[a].paired = made_->filters[b].paired = true;
            // Between them they must reach as far.
            first.margin = std::max(first.margin, 0.5 * reach);
            second.margin = std::max(second.margin, 0.5 * reach);
        }
        std::sort(made_->pairs.begin(), made_->pairs.end(),
                  [](const auto& x, const auto& y) { return std::pair{x.a, x.b} < std::pair{y.a, y.b}; });
    }

    const Model& model_;
    Diagnostics& log_;
    std::shared_ptr<CollisionModel> made_;
    std::unordered_map<std::string_view, const MeshAsset*> meshes_;
    std::unordered_map<std::string_view, const HeightFieldAsset*> fields_;
    ByAsset<HullGeometry> hulls_;
    ByAsset<TriangleSurface> surfaces_;     // of trimeshes
    ByAsset<TriangleSurface> seen_meshes_;  // of meshes, in the frames of their geoms
    ByAsset<HeightGrid> grids_;
    std::map<MaterialKey, int> materials_;
    std::vector<int> absent_;  // geoms whose asset was not read
};

}  // namespace

std::shared_ptr<const CollisionModel> build_collision(const Model& model, Diagnostics& log) {
    return CollisionBuilder(model, log).build();
}

}  // namespace lig::compiling
