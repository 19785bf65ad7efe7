#include "app/names.h"

#include "joints/joint_list.h"

#include <unordered_set>

namespace lig::app {

namespace {

template <class Object>
const std::string& own_name(const Object& object) {
    return object.name;
}
const std::string& own_name(const Model::Geom& geom) { return geom.spec.name; }

template <class Objects>
std::vector<std::string> name_all(const Objects& objects, std::string_view kind) {
    std::unordered_set<std::string_view> taken;
    for (const auto& object : objects) taken.insert(own_name(object));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        std::string name = own_name(objects[i]);
        if (name.empty()) {
            name = std::string(kind) + std::to_string(i);
            while (taken.contains(name)) name += '_';
        }
        names.push_back(std::move(name));
    }
    return names;
}

// From the back: the world is the first body and yields to one of the file.
int find(const std::vector<std::string>& names, std::string_view wanted) {
    for (std::size_t i = names.size(); i-- > 0;)
        if (names[i] == wanted) return static_cast<int>(i);
    return -1;
}

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

}  // namespace

Names::Names(const Model& model)
    : bodies(name_all(model.bodies, "body")),
      joints(name_all(model.joints, "joint")),
      geoms(name_all(model.geoms, "geom")),
      sites(name_all(model.sites, "site")),
      tendons(name_all(model.tendons, "tendon")),
      actuators(name_all(model.actuators, "actuator")),
      loops(name_all(model.loops, "loop")),
      world_is_taken(find_body(bodies[0]) != 0) {}

int Names::find_body(std::string_view wanted) const { return find(bodies, wanted); }
int Names::find_site(std::string_view wanted) const { return find(sites, wanted); }

std::vector<std::string> velocity_names(const Model& model, const Names& names) {
    std::vector<std::string> result;
    for (std::size_t j = 0; j < model.joints.size(); ++j)
        for (const std::string& ending : velocity_endings(joints::joint_info(model.joints[j].type)))
            result.push_back(names.joints[j] + ending);
    return result;
}

std::vector<std::string> coordinate_names(const Model& model, const Names& names) {
    std::vector<std::string> result;
    for (std::size_t j = 0; j < model.joints.size(); ++j)
        for (const std::string& ending : coordinate_endings(joints::joint_info(model.joints[j].type)))
            result.push_back(names.joints[j] + ending);
    return result;
}

}  // namespace lig::app
