#include "model/compile.h"

#include "core/diagnostic_codes.h"

namespace lig::compiling {

MeshBodies::MeshBodies(const Scene& scene) {
    std::unordered_map<std::string_view, const MeshAsset*> assets;
    for (const MeshAsset& asset : scene.meshes()) assets.try_emplace(asset.name, &asset);
    for (const Scene::Geom& geom : scene.geoms()) {
        if (geom.spec.shape != ShapeType::mesh) continue;
        const auto asset = assets.find(geom.spec.mesh);
        if (asset == assets.end()) continue;
        const auto [entry, is_new] = entries_.try_emplace(geom.spec.mesh, Entry{asset->second, {}});
        if (is_new && asset->second->mesh) entry->second.body = geometry::mesh_body(*asset->second);
    }
}

const geometry::MeshBody* MeshBodies::find(const GeomSpec& geom) const {
    if (geom.shape != ShapeType::mesh) return nullptr;
    const auto entry = entries_.find(geom.mesh);
    if (entry == entries_.end() || !entry->second.body) return nullptr;
    return std::get_if<geometry::MeshBody>(&*entry->second.body);
}

const geometry::MeshBody* MeshBodies::require(const GeomSpec& geom, const std::string& who,
                                              Diagnostics& log) const {
    if (const geometry::MeshBody* body = find(geom)) return body;
    const std::string what = who + ": its mesh '" + geom.mesh + "' ";
    const auto entry = entries_.find(geom.mesh);
    if (entry == entries_.end())
        log.report(codes::E100, geom.where, what + "does not exist", "add the mesh to the scene");
    else if (!entry->second.body)
        log.report(codes::E100, geom.where, what + "was not found or not read",
                   "provide its file, give the body an <inertial>, or the geom mass=\"0\"");
    else {
        const auto& fault = std::get<geometry::MeshFault>(*entry->second.body);
        log.report(codes::E103, geom.where, what + "cannot tell, " + fault.what(), fault.hint());
    }
    return nullptr;
}

}  // namespace lig::compiling
