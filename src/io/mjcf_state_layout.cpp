#include "io/mjcf_state_layout.h"

#include "bodies/body_list.h"
#include "io/mjcf_lists.h"
#include "joints/joint_list.h"
#include "model/keyframe_part.h"

namespace lig::io::mjcf {

namespace {

// A part of a keyframe's vector, for one object.
template <class Id>
void take(const std::vector<double>& numbers, int address, int count, Id object, const HandleMap& map,
          std::vector<AttachedKeyframe::Entry<Id>>& to) {
    if (numbers.empty() || address < 0 || map(object) < 0) return;
    to.push_back({{map(object)}, {numbers.begin() + address, numbers.begin() + address + count}});
}

template <class Id, class Address>
void put(const std::vector<AttachedKeyframe::Entry<Id>>& entries, const HandleMap& now, Address address,
         std::vector<double>& numbers) {
    for (const auto& [object, values] : entries) {
        const int index = now(object);
        if (index < 0) continue;
        std::copy(values.begin(), values.end(), numbers.begin() + address(index));
    }
}

// Coordinates and velocities that a body has by its kind.
struct OwnCount {
    int nq = 0, nv = 0;
};
OwnCount own_count(BodyKind kind) {
    OwnCount sum;
    for (const bodies::OwnJoint& own : bodies::body_info(kind).own_joints) {
        sum.nq += joints::joint_info(own.type).nq;
        sum.nv += joints::joint_info(own.type).nv;
    }
    return sum;
}

void write_pose(const Pose& pose, double* at) {
    const double values[7] = {pose.pos.x, pose.pos.y, pose.pos.z, pose.quat.w,
                              pose.quat.x, pose.quat.y, pose.quat.z};
    std::copy(std::begin(values), std::end(values), at);
}

std::vector<double> reference_coordinates(const Scene& scene, const StateLayout& layout) {
    std::vector<double> q(static_cast<std::size_t>(layout.nq), 0.0);
    for (std::size_t j = 0; j < scene.joints().size(); ++j) {
        const JointSpec& joint = scene.joints()[j].spec;
        double* at = q.data() + layout.q_adr[j];
        if (joint.type == JointType::ball) at[0] = 1;
        if (joint.type == JointType::free)
            write_pose(scene.bodies()[scene.joints()[j].body.index].spec.pose, at);
        else if (joints::joint_info(joint.type).nq == 1)
            at[0] = joint.reference;
    }
    for (std::size_t b = 0; b < scene.bodies().size(); ++b) {
        const BodySpec& body = scene.bodies()[b].spec;
        double* at = q.data() + std::max(layout.own_q_adr[b], 0);
        for (const bodies::OwnJoint& own : bodies::body_info(body.kind).own_joints) {
            if (own.type == JointType::free)
                write_pose(body.pose, at);
            else
                *at = own.reference(body.pose.pos);
            at += joints::joint_info(own.type).nq;
        }
    }
    return q;
}

// All numbers of a keyframe that changes nothing.
KeyframeSpec reference_keyframe(const Scene& scene, const StateLayout& layout) {
    const auto zeros = [](auto count) { return std::vector<double>(static_cast<std::size_t>(count), 0.0); };
    KeyframeSpec key{.qpos = reference_coordinates(scene, layout),
                     .qvel = zeros(layout.nv),
                     .act = zeros(layout.na),
                     .ctrl = zeros(scene.actuators().size())};
    for (const Scene::Body& body : scene.bodies()) {
        if (!body.spec.kinematic) continue;
        const Pose& pose = body.spec.pose;
        key.mpos.insert(key.mpos.end(), {pose.pos.x, pose.pos.y, pose.pos.z});
        key.mquat.insert(key.mquat.end(), {pose.quat.w, pose.quat.x, pose.quat.y, pose.quat.z});
    }
    return key;
}

}  // namespace

StateLayout::StateLayout(const Scene& scene)
    : q_adr(scene.joints().size(), -1), v_adr(scene.joints().size(), -1) {
    for (const Scene::Body& body : scene.bodies()) {
        for (const JointId joint : body.joints) {
            const joints::JointInfo& info = joints::joint_info(scene.joints()[joint.index].spec.type);
            q_adr[joint.index] = nq;
            v_adr[joint.index] = nv;
            nq += info.nq;
            nv += info.nv;
        }
        const OwnCount own = own_count(body.spec.kind);
        own_q_adr.push_back(own.nq > 0 ? nq : -1);
        own_v_adr.push_back(own.nv > 0 ? nv : -1);
        nq += own.nq;
        nv += own.nv;
        kinematic.push_back(body.spec.kinematic ? nkinematic++ : -1);
    }
    for (const ActuatorSpec& actuator : scene.actuators())
        act_adr.push_back(actuator.activation == Activation::none ? -1 : na++);
}

std::vector<AttachedKeyframe> split_keyframes(const Scene& scene, const HandleMap& map, const Affix& names,
                                              Diagnostics& log) {
    const StateLayout layout(scene);
    std::vector<AttachedKeyframe> keys;
    const KeyframeSpec reference = reference_keyframe(scene, layout);
    for (const KeyframeSpec& given : scene.keyframes()) {
        KeyframeSpec key = given;
        for (const KeyframeNumbers& part : keyframe_numbers) {
            if ((given.*part.numbers).empty()) continue;
            std::vector<double> numbers = reference.*part.numbers;
            put_keyframe_part(given, "keyframe '" + given.name + "'", part.name, given.*part.numbers, numbers,
                              log);
            key.*part.numbers = std::move(numbers);
        }
        AttachedKeyframe part{.name = names(key.name), .time = key.time, .where = key.where};
        for (int j = 0; j < static_cast<int>(scene.joints().size()); ++j) {
            const joints::JointInfo& info = joints::joint_info(scene.joints()[j].spec.type);
            take(key.qpos, layout.q_adr[j], info.nq, JointId{j}, map, part.qpos);
            take(key.qvel, layout.v_adr[j], info.nv, JointId{j}, map, part.qvel);
        }
        for (int a = 0; a < static_cast<int>(scene.actuators().size()); ++a) {
            take(key.act, layout.act_adr[a], 1, ActuatorId{a}, map, part.act);
            take(key.ctrl, a, 1, ActuatorId{a}, map, part.ctrl);
        }
        for (int b = 0; b < static_cast<int>(scene.bodies().size()); ++b) {
            const OwnCount own = own_count(scene.bodies()[b].spec.kind);
            take(key.qpos, layout.own_q_adr[b], own.nq, BodyId{b}, map, part.own_qpos);
            take(key.qvel, layout.own_v_adr[b], own.nv, BodyId{b}, map, part.own_qvel);
            if (layout.kinematic[b] < 0) continue;
            take(key.mpos, 3 * layout.kinematic[b], 3, BodyId{b}, map, part.mpos);
            take(key.mquat, 4 * layout.kinematic[b], 4, BodyId{b}, map, part.mquat);
        }
        keys.push_back(std::move(part));
    }
    return keys;
}

KeyframeSpec join_keyframe(const AttachedKeyframe& key, const Scene& scene, const HandleMap& now) {
    const StateLayout layout(scene);
    KeyframeSpec joined = reference_keyframe(scene, layout);
    joined.name = key.name;
    joined.time = key.time;
    joined.where = key.where;
    put(key.qpos, now, [&](int j) { return layout.q_adr[j]; }, joined.qpos);
    put(key.own_qpos, now, [&](int b) { return layout.own_q_adr[b]; }, joined.qpos);
    put(key.qvel, now, [&](int j) { return layout.v_adr[j]; }, joined.qvel);
    put(key.own_qvel, now, [&](int b) { return layout.own_v_adr[b]; }, joined.qvel);
    put(key.act, now, [&](int a) { return layout.act_adr[a]; }, joined.act);
    put(key.ctrl, now, [](int a) { return a; }, joined.ctrl);
    put(key.mpos, now, [&](int b) { return 3 * layout.kinematic[b]; }, joined.mpos);
    put(key.mquat, now, [&](int b) { return 4 * layout.kinematic[b]; }, joined.mquat);
    // Parts of which the attached keyframe says nothing stay unsaid.
    if (key.qpos.empty() && key.own_qpos.empty()) joined.qpos.clear();
    if (key.qvel.empty() && key.own_qvel.empty()) joined.qvel.clear();
    if (key.act.empty()) joined.act.clear();
    if (key.ctrl.empty()) joined.ctrl.clear();
    if (key.mpos.empty() && key.mquat.empty()) {
        joined.mpos.clear();
        joined.mquat.clear();
    }
    return joined;
}

}  // namespace lig::io::mjcf
