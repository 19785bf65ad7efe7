#include <ligament/scene.h>

#include <stdexcept>

namespace lig {

namespace {

template <class Id, class List>
void require(Id id, const List& list, const char* kind) {
    if (id.index < 0 || id.index >= static_cast<int>(list.size()))
        throw std::out_of_range("lig::Scene: no " + std::string(kind) + " of index " +
                                std::to_string(id.index) + "; the scene has " + std::to_string(list.size()));
}

// The same for a handle that may be left out.
template <class Id, class List>
void require_if_given(Id id, const List& list, const char* kind) {
    if (id.index != -1) require(id, list, kind);
}

template <class Id, class List, class Item>
Id append(List& list, Item&& item) {
    list.push_back(std::forward<Item>(item));
    return {static_cast<int>(list.size()) - 1};
}

template <class Id, class List>
Id find_named(const List& list, std::string_view wanted) {
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].spec.name == wanted) return {static_cast<int>(i)};
    return {};
}

}  // namespace

Scene::Scene(std::string scene_name) : name(std::move(scene_name)) {
    bodies_.push_back({.spec = {.name = "world"}, .parent = {-1}, .joints = {}});
}

BodyId Scene::add_body(BodyId parent, BodySpec body) {
    require(parent, bodies_, "body");
    return append<BodyId>(bodies_, Body{std::move(body), parent, {}});
}

JointId Scene::add_joint(BodyId body, JointSpec joint) {
    require(body, bodies_, "body");
    const JointId id = append<JointId>(joints_, Joint{std::move(joint), body});
    bodies_[body.index].joints.push_back(id);
    return id;
}

GeomId Scene::add_geom(BodyId body, GeomSpec geom) {
    require(body, bodies_, "body");
    return append<GeomId>(geoms_, Geom{std::move(geom), body});
}

SiteId Scene::add_site(BodyId body, SiteSpec site) {
    require(body, bodies_, "body");
    return append<SiteId>(sites_, Site{std::move(site), body});
}

CameraId Scene::add_camera(BodyId body, CameraSpec camera) {
    require(body, bodies_, "body");
    require_if_given(camera.target, bodies_, "body");
    return append<CameraId>(cameras_, Camera{std::move(camera), body});
}

LoopId Scene::add_loop(LoopSpec loop) {
    require(loop.body_a, bodies_, "body");
    require(loop.body_b, bodies_, "body");
    return append<LoopId>(loops_, std::move(loop));
}

void Scene::add_constraint(ConstraintSpec constraint) {
    require(constraint.body_a, bodies_, "body");
    require(constraint.body_b, bodies_, "body");
    constraints_.push_back(std::move(constraint));
}

void Scene::add_bushing(BushingSpec bushing) {
    require(bushing.body_a, bodies_, "body");
    require(bushing.body_b, bodies_, "body");
    bushings_.push_back(std::move(bushing));
}

void Scene::add_coupling(CouplingSpec coupling) {
    require(coupling.follower, joints_, "joint");
    require_if_given(coupling.leader, joints_, "joint");
    couplings_.push_back(std::move(coupling));
}

void Scene::add_tendon_coupling(TendonCouplingSpec coupling) {
    require(coupling.follower, tendons_, "tendon");
    require_if_given(coupling.leader, tendons_, "tendon");
    tendon_couplings_.push_back(std::move(coupling));
}

void Scene::add_subtree_constraint(SubtreeConstraintSpec constraint) {
    require(constraint.body, bodies_, "body");
    subtree_constraints_.push_back(std::move(constraint));
}

void Scene::add_group_constraint(GroupConstraintSpec constraint) {
    for (const BodyId body : constraint.bodies) require(body, bodies_, "body");
    group_constraints_.push_back(std::move(constraint));
}

TendonId Scene::add_tendon(TendonSpec tendon) {
    for (const TendonSpec::JointTerm& term : tendon.joints) {
        require_if_given(term.loop, loops_, "loop");
        if (term.loop.index < 0) require(term.joint, joints_, "joint");
    }
    for (const TendonStop& stop : tendon.stops) {
        if (stop.kind == TendonStop::Kind::site) require(stop.site, sites_, "site");
        if (stop.kind == TendonStop::Kind::geom) require(stop.geom, geoms_, "geom");
        require_if_given(stop.side_site, sites_, "site");
    }
    return append<TendonId>(tendons_, std::move(tendon));
}

ActuatorId Scene::add_actuator(ActuatorSpec actuator) {
    switch (actuator.transmission) {
        case Transmission::joint:
        case Transmission::joint_in_parent:
            require_if_given(actuator.loop, loops_, "loop");
            if (actuator.loop.index < 0) require(actuator.joint, joints_, "joint");
            break;
        case Transmission::tendon:
            require(actuator.tendon, tendons_, "tendon");
            break;
        case Transmission::slider_crank:
            require(actuator.slider_site, sites_, "site");
            [[fallthrough]];
        case Transmission::site:
            require(actuator.site, sites_, "site");
            break;
        case Transmission::body: require(actuator.body, bodies_, "body"); break;
    }
    require_if_given(actuator.reference_site, sites_, "site");
    return append<ActuatorId>(actuators_, std::move(actuator));
}

void Scene::add_sensor(SensorSpec sensor) {
    for (const ObjectRef& object : {sensor.object, sensor.reference, sensor.site}) {
        switch (object.kind) {
            case ObjectRef::Kind::none:
                break;
            case ObjectRef::Kind::body:
            case ObjectRef::Kind::xbody:
            case ObjectRef::Kind::subtree:
                require(object, bodies_, "body");
                break;
            case ObjectRef::Kind::geom:
                require(object, geoms_, "geom");
                break;
            case ObjectRef::Kind::site:
                require(object, sites_, "site");
                break;
            case ObjectRef::Kind::camera:
                require(object, cameras_, "camera");
                break;
            case ObjectRef::Kind::joint:
                require(object, joints_, "joint");
                break;
            case ObjectRef::Kind::tendon:
                require(object, tendons_, "tendon");
                break;
            case ObjectRef::Kind::actuator:
                require(object, actuators_, "actuator");
                break;
            case ObjectRef::Kind::loop:
                require(object, loops_, "loop");
                break;
        }
    }
    sensors_.push_back(std::move(sensor));
}

void Scene::add_mesh(MeshAsset mesh) { meshes_.push_back(std::move(mesh)); }
void Scene::add_height_field(HeightFieldAsset field) { height_fields_.push_back(std::move(field)); }
void Scene::add_keyframe(KeyframeSpec key) { keyframes_.push_back(std::move(key)); }

void Scene::add_pair(PairSpec pair) {
    require(pair.a, geoms_, "geom");
    require(pair.b, geoms_, "geom");
    pairs_.push_back(std::move(pair));
}

void Scene::exclude_collision(BodyId a, BodyId b, std::string exclusion_name) {
    require(a, bodies_, "body");
    require(b, bodies_, "body");
    exclusions_.push_back({a, b, std::move(exclusion_name)});
}

BodySpec& Scene::body(BodyId id) { return bodies_.at(id.index).spec; }
JointSpec& Scene::joint(JointId id) { return joints_.at(id.index).spec; }
GeomSpec& Scene::geom(GeomId id) { return geoms_.at(id.index).spec; }
LoopSpec& Scene::loop(LoopId id) { return loops_.at(id.index); }
CameraSpec& Scene::camera(CameraId id) { return cameras_.at(id.index).spec; }

BodyId Scene::find_body(std::string_view wanted) const { return find_named<BodyId>(bodies_, wanted); }
JointId Scene::find_joint(std::string_view wanted) const { return find_named<JointId>(joints_, wanted); }

}  // namespace lig
