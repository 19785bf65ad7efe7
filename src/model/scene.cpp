#include <ligament/scene.h>

#include <stdexcept>

namespace lig {

Scene::Scene(std::string scene_name) : name(std::move(scene_name)) {
    bodies_.push_back({.spec = {.name = "world"}, .parent = {-1}, .joints = {}});
}

void Scene::require(BodyId id) const {
    if (id.index < 0 || id.index >= static_cast<int>(bodies_.size()))
        throw std::out_of_range("lig::Scene: no body of index " + std::to_string(id.index) +
                                "; the scene has " + std::to_string(bodies_.size()));
}

BodyId Scene::add_body(BodyId parent, BodySpec body) {
    require(parent);
    bodies_.push_back({std::move(body), parent, {}});
    return {static_cast<int>(bodies_.size()) - 1};
}

JointId Scene::add_joint(BodyId body, JointSpec joint) {
    require(body);
    joints_.push_back({std::move(joint), body});
    const JointId id{static_cast<int>(joints_.size()) - 1};
    bodies_[body.index].joints.push_back(id);
    return id;
}

GeomId Scene::add_geom(BodyId body, GeomSpec geom) {
    require(body);
    geoms_.push_back({std::move(geom), body});
    return {static_cast<int>(geoms_.size()) - 1};
}

SiteId Scene::add_site(BodyId body, SiteSpec site) {
    require(body);
    sites_.push_back({std::move(site), body});
    return {static_cast<int>(sites_.size()) - 1};
}

void Scene::add_loop(LoopSpec loop) {
    require(loop.body_a);
    require(loop.body_b);
    loops_.push_back(std::move(loop));
}

void Scene::add_coupling(CouplingSpec coupling) {
    const int count = static_cast<int>(joints_.size());
    for (const JointId id : {coupling.follower, coupling.leader})
        if (id.index < 0 || id.index >= count)
            throw std::out_of_range("lig::Scene: no joint of index " + std::to_string(id.index));
    couplings_.push_back(std::move(coupling));
}

void Scene::add_mesh(MeshAsset mesh) { meshes_.push_back(std::move(mesh)); }
void Scene::add_keyframe(KeyframeSpec key) { keyframes_.push_back(std::move(key)); }

void Scene::exclude_collision(BodyId a, BodyId b) {
    require(a);
    require(b);
    exclusions_.push_back({a, b});
}

BodySpec& Scene::body(BodyId id) { return bodies_.at(id.index).spec; }
JointSpec& Scene::joint(JointId id) { return joints_.at(id.index).spec; }
GeomSpec& Scene::geom(GeomId id) { return geoms_.at(id.index).spec; }

BodyId Scene::find_body(std::string_view wanted) const {
    for (std::size_t i = 0; i < bodies_.size(); ++i)
        if (bodies_[i].spec.name == wanted) return {static_cast<int>(i)};
    return {};
}

JointId Scene::find_joint(std::string_view wanted) const {
    for (std::size_t i = 0; i < joints_.size(); ++i)
        if (joints_[i].spec.name == wanted) return {static_cast<int>(i)};
    return {};
}

}  // namespace lig
