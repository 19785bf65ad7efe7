#pragma once

// Where the objects that sensors are attached to are, and how they move.

#include <ligament/dynamics.h>
#include <ligament/sensors.h>

#include "core/lift.h"
#include "core/scalar_math.h"
#include "dynamics/stretches.h"
#include "model/subtree.h"

#include <cstdlib>

namespace lig::sensors {

// Mass and centre of mass of a body and all it carries; without mass, the centre of the body alone.
template <class T>
struct Subtree {
    T mass;
    Vec3<T> com;
};
template <class T, class PoseOf>
Subtree<T> subtree_of(const Model& model, int body, PoseOf&& pose_of) {
    double mass = 0;
    Vec3<T> moment = Vec3<T>::zero();
    const int end = subtree_end(model, body);
    for (int b = body; b < end; ++b) {
        mass += model.bodies[b].mass;
        moment += lift<T>(model.bodies[b].mass) * (pose_of(b) * lift<T>(model.bodies[b].com));
    }
    if (mass == 0) return {T(0), pose_of(body) * lift<T>(model.bodies[body].com)};
    return {lift<T>(mass), lift<T>(1 / mass) * moment};
}
template <class T>
Subtree<T> subtree_of(const Workspace<T>& ws, int body) {
    return subtree_of<T>(ws.model(), body, [&](int b) { return body_pose(ws, b); });
}

// The body an object sits on, and its frame there while the body is as it was made. Cameras: while they are
// fixed to their body.
struct Attachment {
    int body;
    Transformd X_BO;
    int geom = -1;  // that it moves with where the body deforms; −1: with the body itself
};
inline Attachment attachment(const Model& model, const ObjectRef& object) {
    switch (object.kind) {
        case ObjectRef::Kind::body: {
            const Model::Body& body = model.bodies[object.index];
            return {object.index, {body.R_BI, body.com}};
        }
        case ObjectRef::Kind::xbody:
        case ObjectRef::Kind::subtree: return {object.index, Transformd::identity()};
        case ObjectRef::Kind::geom:
            return {model.geoms[object.index].body, model.geoms[object.index].X_BG, object.index};
        case ObjectRef::Kind::site: return {model.sites[object.index].body, model.sites[object.index].X_BS};
        case ObjectRef::Kind::camera:
            return {model.cameras[object.index].body, model.cameras[object.index].X_BC};
        case ObjectRef::Kind::none:
        case ObjectRef::Kind::joint:
        case ObjectRef::Kind::tendon:
        case ObjectRef::Kind::actuator:
        case ObjectRef::Kind::loop: break;
    }
    std::abort();  // compile lets no sensor through whose object has no frame
}

template <class T>
Vec3<T> direction(const Vec3<T>& a, const Vec3<T>& otherwise) {
    const T length = sqrt(dot(a, a));
    return length < T(real_t<T>(1e-15)) ? otherwise : (T(1) / length) * a;
}

// Cameras that track keep their orientation of the reference configuration and their offset from what they
// follow; cameras with a target turn their −z to it, x level.
template <class T>
Transform<T> camera_pose(const Workspace<T>& ws, const SensorWorkspace<T>& sensors, int index) {
    const Model::Camera& camera = ws.model().cameras[index];
    const Transform<T> fixed = attached_frame(ws, camera.body, camera.X_BC);
    switch (camera.spec.mode) {
        case CameraMode::fixed: return fixed;
        case CameraMode::track:
        case CameraMode::trackcom: {
            const Vec3<T> followed = camera.spec.mode == CameraMode::track ? body_pose(ws, camera.body).p
                                                                           : subtree_of(ws, camera.body).com;
            const Mat3d& R_WB0 = ws.model().bodies[camera.body].X_WB0.R;
            return {lift<T>(R_WB0 * camera.X_BC.R), followed + lift<T>(sensors.camera_offset[index])};
        }
        case CameraMode::targetbody:
        case CameraMode::targetbodycom: break;
    }
    const int target = camera.spec.target.index;
    if (target < 0) return fixed;
    const Vec3<T> at = camera.spec.mode == CameraMode::targetbody ? body_pose(ws, target).p
                                                                  : subtree_of(ws, target).com;
    const Mat3<T> e = Mat3<T>::identity();
    const Vec3<T> z = direction(fixed.p - at, e.x);
    const Vec3<T> x = direction(cross(e.z, z), e.x);
    return {{x, direction(cross(z, x), e.x), z}, fixed.p};
}

template <class T>
Transform<T> object_pose(const Workspace<T>& ws, const SensorWorkspace<T>& sensors, const ObjectRef& object) {
    if (object.kind == ObjectRef::Kind::camera) return camera_pose(ws, sensors, object.index);
    const Attachment at = attachment(ws.model(), object);
    return attached_frame(ws, at.body, at.X_BO, at.geom);
}

// In world axes, of the point of the object's body where the object is.
template <class T>
Motion<T> object_velocity(const Workspace<T>& ws, const SensorWorkspace<T>& sensors,
                          const ObjectRef& object) {
    const Attachment at = attachment(ws.model(), object);
    Motion<T> V = shift(body_velocity(ws, at.body),
                        object_pose(ws, sensors, object).p - body_pose(ws, at.body).p);
    if (!ws.stretches.empty()) V.lin += attached_slip(ws, at.body, at.X_BO, at.geom);
    return V;
}
// Less gravity; zero for what is part of the world, as in MuJoCo.
template <class T>
Motion<T> object_acceleration(const Workspace<T>& ws, const SensorWorkspace<T>& sensors,
                              const ObjectRef& object) {
    const Attachment at = attachment(ws.model(), object);
    const int body = at.body, link = ws.model().bodies[body].link;
    if (link == -1) return Motion<T>::zero();
    const Motion<T>& a = sensors.acceleration[body];
    const Vec3<T> w = body_velocity(ws, body).ang;
    const Vec3<T> arm = object_pose(ws, sensors, object).p - body_pose(ws, body).p;
    Vec3<T> linear = a.lin + cross(a.ang, arm) + cross(w, cross(w, arm));
    if (stretch_of(ws, link)) {
        const Vec3<T> rest = lift<T>((ws.model().bodies[body].X_LB * at.X_BO).p);
        const int stretch = ws.model().tree.links[link].stretch;
        visit_deforming(ws.model(), stretch, at.geom, [&](auto kind) {
            linear += ws.poses[link].X_WL.R * kind.slip(sensors.stretching[stretch], rest);
        });
        linear += T(2) * cross(w, attached_slip(ws, body, at.X_BO, at.geom));
    }
    return {a.ang, linear};
}

}  // namespace lig::sensors
