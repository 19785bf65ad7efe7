#pragma once

// The handles that the specs of a scene hold, and what becomes of them when objects are copied to other
// places.

#include <ligament/scene.h>

#include <type_traits>
#include <vector>

namespace lig {

namespace detail {

template <class Id, class F>
void visit_index(int& index, F& f) {
    if (index < 0) return;
    Id id{index};
    f(id);
    index = id.index;
}

template <class Id, class F>
void visit_handle(Id& id, F& f) {
    if (id.index >= 0) f(id);
}

template <class F>
void visit_handle(ObjectRef& object, F& f) {
    switch (object.kind) {
        case ObjectRef::Kind::none: break;
        case ObjectRef::Kind::body:
        case ObjectRef::Kind::xbody:
        case ObjectRef::Kind::subtree: visit_index<BodyId>(object.index, f); break;
        case ObjectRef::Kind::geom: visit_index<GeomId>(object.index, f); break;
        case ObjectRef::Kind::site: visit_index<SiteId>(object.index, f); break;
        case ObjectRef::Kind::camera: visit_index<CameraId>(object.index, f); break;
        case ObjectRef::Kind::joint: visit_index<JointId>(object.index, f); break;
        case ObjectRef::Kind::tendon: visit_index<TendonId>(object.index, f); break;
        case ObjectRef::Kind::actuator: visit_index<ActuatorId>(object.index, f); break;
        case ObjectRef::Kind::loop: visit_index<LoopId>(object.index, f); break;
    }
}

}  // namespace detail

// visit_handles(spec, f) calls f with every handle that is set, by reference.
template <class F>
void visit_handles(LoopSpec& spec, F f) {
    detail::visit_handle(spec.body_a, f);
    detail::visit_handle(spec.body_b, f);
}
template <class F>
void visit_handles(ConstraintSpec& spec, F f) {
    detail::visit_handle(spec.body_a, f);
    detail::visit_handle(spec.body_b, f);
}
template <class F>
void visit_handles(BushingSpec& spec, F f) {
    detail::visit_handle(spec.body_a, f);
    detail::visit_handle(spec.body_b, f);
}
template <class F>
void visit_handles(CouplingSpec& spec, F f) {
    detail::visit_handle(spec.follower, f);
    detail::visit_handle(spec.leader, f);
}
template <class F>
void visit_handles(TendonCouplingSpec& spec, F f) {
    detail::visit_handle(spec.follower, f);
    detail::visit_handle(spec.leader, f);
}
template <class F>
void visit_handles(SubtreeConstraintSpec& spec, F f) {
    detail::visit_handle(spec.body, f);
}
template <class F>
void visit_handles(GroupConstraintSpec& spec, F f) {
    for (BodyId& body : spec.bodies) detail::visit_handle(body, f);
}
template <class F>
void visit_handles(TendonSpec& spec, F f) {
    for (TendonSpec::JointTerm& term : spec.joints) {
        detail::visit_handle(term.joint, f);
        detail::visit_handle(term.loop, f);
    }
    for (TendonStop& stop : spec.stops) {
        detail::visit_handle(stop.site, f);
        detail::visit_handle(stop.geom, f);
        detail::visit_handle(stop.side_site, f);
    }
}
template <class F>
void visit_handles(ActuatorSpec& spec, F f) {
    detail::visit_handle(spec.joint, f);
    detail::visit_handle(spec.loop, f);
    detail::visit_handle(spec.tendon, f);
    detail::visit_handle(spec.site, f);
    detail::visit_handle(spec.reference_site, f);
    detail::visit_handle(spec.slider_site, f);
    detail::visit_handle(spec.body, f);
}
template <class F>
void visit_handles(SensorSpec& spec, F f) {
    detail::visit_handle(spec.object, f);
    detail::visit_handle(spec.reference, f);
    detail::visit_handle(spec.site, f);
}
template <class F>
void visit_handles(PairSpec& spec, F f) {
    detail::visit_handle(spec.a, f);
    detail::visit_handle(spec.b, f);
}
template <class F>
void visit_handles(Scene::Exclusion& spec, F f) {
    detail::visit_handle(spec.a, f);
    detail::visit_handle(spec.b, f);
}
template <class F>
void visit_handles(CameraSpec& spec, F f) {
    detail::visit_handle(spec.target, f);
}

// New indices of a stretch of old ones; −1 where there is none.
struct IndexMap {
    int first = 0;
    std::vector<int> to;

    int operator[](int index) const {
        return index >= first && index - first < static_cast<int>(to.size()) ? to[index - first] : -1;
    }
    void set(int index, int target) { to[index - first] = target; }
};

struct HandleMap {
    IndexMap bodies, joints, geoms, sites, cameras, tendons, actuators, loops;

    int operator()(BodyId id) const { return bodies[id.index]; }
    int operator()(JointId id) const { return joints[id.index]; }
    int operator()(GeomId id) const { return geoms[id.index]; }
    int operator()(SiteId id) const { return sites[id.index]; }
    int operator()(CameraId id) const { return cameras[id.index]; }
    int operator()(TendonId id) const { return tendons[id.index]; }
    int operator()(ActuatorId id) const { return actuators[id.index]; }
    int operator()(LoopId id) const { return loops[id.index]; }
};

// Whether every handle of a spec has a new one, or any.
template <class Spec>
bool maps_all(Spec spec, const HandleMap& map) {
    bool all = true;
    visit_handles(spec, [&](const auto& id) { all = all && map(id) >= 0; });
    return all;
}
template <class Spec>
bool maps_any(Spec spec, const HandleMap& map) {
    bool any = false;
    visit_handles(spec, [&](const auto& id) { any = any || map(id) >= 0; });
    return any;
}

// The spec with its handles replaced; those without a new one stay.
template <class Spec>
Spec mapped(Spec spec, const HandleMap& map) {
    visit_handles(spec, [&](auto& id) {
        if (const int target = map(id); target >= 0) id.index = target;
    });
    return spec;
}

}  // namespace lig
