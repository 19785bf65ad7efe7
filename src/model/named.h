#pragma once

// Objects in messages: by their names, "joint 'knee'", or their numbers where they have none, "joint 3".

#include <ligament/model.h>

#include <string>
#include <string_view>

namespace lig {

inline std::string named(std::string_view kind, const std::string& name, std::size_t index) {
    return std::string(kind) + (name.empty() ? " " + std::to_string(index) : " '" + name + "'");
}

inline std::string named(const Model& model, const Model::Body& body) {
    return named("body", body.name, static_cast<std::size_t>(&body - model.bodies.data()));
}

inline std::string named(const Model& model, const Model::Joint& joint) {
    return named("joint", joint.name, static_cast<std::size_t>(&joint - model.joints.data()));
}

}  // namespace lig
