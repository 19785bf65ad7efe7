#pragma once

// What coordinates and velocities are called in tables and files: after their joint, "knee", and where a
// joint has several with an ending each, "root.x", "root.qw", "root.wx".

#include <ligament/model.h>

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace lig {

// Names for objects of a kind, all different. One without a name is called after its kind and index ("body3",
// "joint0"), with underscores at its end where the file uses that name itself. `name_of(object)`: its own.
template <class Objects, class NameOf>
std::vector<std::string> distinct_names(const Objects& objects, std::string_view kind, NameOf name_of) {
    std::unordered_set<std::string_view> taken;
    for (const auto& object : objects) taken.insert(name_of(object));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        std::string name = name_of(objects[i]);
        if (name.empty()) {
            name = std::string(kind) + std::to_string(i);
            while (taken.contains(name)) name += '_';
        }
        names.push_back(std::move(name));
    }
    return names;
}

// Joints that a body has by its kind are called after the body.
std::vector<std::string> joint_names(const Model& model);

// Of one joint, nq and nv of them; `joint` is what it is called.
std::vector<std::string> coordinate_names(JointType type, const std::string& joint);
std::vector<std::string> velocity_names(JointType type, const std::string& joint);

}  // namespace lig
