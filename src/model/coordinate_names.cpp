#include "model/coordinate_names.h"

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
    return distinct_names(model.joints, "joint",
                          [](const Model::Joint& joint) -> const std::string& { return joint.name; });
}

std::vector<std::string> coordinate_names(JointType type, const std::string& joint) {
    return with_endings(joint, coordinate_endings(joints::joint_info(type)));
}

std::vector<std::string> velocity_names(JointType type, const std::string& joint) {
    return with_endings(joint, velocity_endings(joints::joint_info(type)));
}

}  // namespace lig
