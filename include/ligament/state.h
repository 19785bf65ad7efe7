#pragma once

// The states of a model: joint coordinates, or the poses of the bodies. Two types, so that one is not taken
// for the other. What is saved is in snapshot.h.

#include <ligament/spatial.h>

#include <vector>

namespace lig {

struct Model;

// Motion of a kinematic body, prescribed by the user: pose, velocity and acceleration of its frame, in world
// axes.
template <class T>
struct BaseMotion {
    Vec3<T> pos;
    Quat<T> quat;
    Motion<T> velocity;
    Motion<T> acceleration;
};

// Joint coordinates and velocities. With lanes, W independent states of one model.
template <class T>
struct JointState {
    std::vector<T> q;                          // (nq)
    std::vector<T> v;                          // (nv)
    std::vector<T> act;                        // (na) activations of actuators
    std::vector<BaseMotion<T>> kinematic;      // (nkinematic)
    // Coordinates of joints that close loops (Model::Loop::q_adr), at the end of the last step. They follow
    // from q; angles are counted on from here, as the value nearest to this one.
    std::vector<T> loop_q;
    double time = 0;

    JointState() = default;
    // The reference configuration at rest; kinematic bodies where the scene has them.
    explicit JointState(const Model& model);
};

// Poses and velocities of all bodies in world axes, [0] the world; the linear velocity is that of the body
// frame's origin.
template <class T>
struct BodyState {
    std::vector<Vec3<T>> pos;      // (nbody)
    std::vector<Quat<T>> quat;     // (nbody)
    std::vector<Motion<T>> vel;    // (nbody)
    double time = 0;

    BodyState() = default;
    explicit BodyState(const Model& model);
};

// Puts one state into a lane, and takes it out.
template <class T>
void set_lane(JointState<T>& lanes, int lane, const JointState<real_t<T>>& state);
template <class T>
JointState<real_t<T>> get_lane(const JointState<T>& lanes, int lane);

// A keyframe of the model. Its controls are model.keyframes[keyframe].ctrl.
JointState<double> keyframe_state(const Model& model, int keyframe);

}  // namespace lig
