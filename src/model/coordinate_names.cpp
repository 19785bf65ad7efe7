#include "model/coordinate_names.h"

#include "bodies/body_list.h"
#include "joints/joint_list.h"

namespace lig {

namespace {

std::vector<std::string> velocity_endings(const joints::JointInfo& info) {
    using joints::Coordinate;
    if (info.nv == 1) return {""};
    int lengths = 0, angles = 0;
    bool quaternion = false;
    for (int k = 0; k < info.nq; ++k) {
        lengths += info.coordinate_kinds[k] == Coordinate::length;
        angles += info.coordinate_kinds[k] == Coordinate::angle;
        quaternion |= info.coordinate_kinds[k] == Coordinate::quaternion;
    }
    std::vector<std::string> endings;
    int length = 0, angle = 0;
    for (int k = 0; k < info.nq; ++k) {
        if (info.coordinate_kinds[k] == Coordinate::length)
            endings.push_back(lengths == 1 ? ".length" : std::string(".") + "xyz"[length++]);
        if (info.coordinate_kinds[k] == Coordinate::angle)
            endings.push_back(angles == 1 ? ".angle" : ".angle" + std::to_string(++angle));
    }
    if (quaternion) endings.insert(endings.end(), {".wx", ".wy", ".wz"});
    return endings;
}

std::vector<std::string> coordinate_endings(const joints::JointInfo& info) {
    if (info.nq == 1) return {""};
    std::vector<std::string> endings = velocity_endings(info);
    bool quaternion = false;
    for (int k = 0; k < info.nq; ++k)
        quaternion |= info.coordinate_kinds[k] == joints::Coordinate::quaternion;
    if (quaternion) {
        endings.resize(endings.size() - 3);
        endings.insert(endings.end(), {".qw", ".qx", ".qy", ".qz"});
    }
    return endings;
}

std::vector<std::string> with_endings(const std::string& joint, std::vector<std::string> endings) {
    for (std::string& ending : endings) ending.insert(0, joint);
    return endings;
}

}  // namespace

std::vector<std::string> joint_names(const Model& model) {
    const auto own_name = [](const auto& object) -> const std::string& { return object.name; };
    std::vector<std::string> names = distinct_names(model.joints, "joint", own_name);
    const std::vector<std::string> body_names = distinct_names(model.bodies, "body", own_name);
    std::unordered_set<std::string> taken;
    for (const Model::Joint& joint : model.joints) taken.insert(joint.name);
    for (std::size_t j = 0; j < names.size(); ++j) {
        const Model::Joint& joint = model.joints[j];
        if (joint.scene_joint >= 0 || !joint.name.empty()) continue;
        const Model::Body& body = model.bodies[joint.body];
        const std::size_t which = j - static_cast<std::size_t>(body.joint_begin);
        names[j] =
            body_names[joint.body] + std::string(bodies::body_info(body.kind).own_joints[which].ending);
        while (taken.contains(names[j])) names[j] += '_';
    }
    return names;
}

std::vector<std::string> coordinate_names(JointType type, const std::string& joint) {
    return with_endings(joint, coordinate_endings(joints::joint_info(type)));
}

std::vector<std::string> velocity_names(JointType type, const std::string& joint) {
    return with_endings(joint, velocity_endings(joints::joint_info(type)));
}

}  // namespace lig
