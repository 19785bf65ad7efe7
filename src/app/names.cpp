#include "app/names.h"

#include "model/coordinate_names.h"

namespace lig::app {

namespace {

template <class Object>
const std::string& own_name(const Object& object) {
    return object.name;
}
const std::string& own_name(const Model::Geom& geom) { return geom.spec.name; }

template <class Objects>
std::vector<std::string> name_all(const Objects& objects, std::string_view kind) {
    return distinct_names(objects, kind, [](const auto& object) -> const std::string& {
        return own_name(object);
    });
}

// From the back: the world is the first body and yields to one of the file.
int find(const std::vector<std::string>& names, std::string_view wanted) {
    for (std::size_t i = names.size(); i-- > 0;)
        if (names[i] == wanted) return static_cast<int>(i);
    return -1;
}

}  // namespace

Names::Names(const Model& model)
    : bodies(name_all(model.bodies, "body")),
      joints(joint_names(model)),
      geoms(name_all(model.geoms, "geom")),
      sites(name_all(model.sites, "site")),
      tendons(name_all(model.tendons, "tendon")),
      actuators(name_all(model.actuators, "actuator")),
      loops(name_all(model.loops, "loop")),
      constraints(name_all(model.pair_constraints, "constraint")),
      bushings(name_all(model.bushings, "bushing")),
      world_is_taken(find_body(bodies[0]) != 0) {}

int Names::find_body(std::string_view wanted) const { return find(bodies, wanted); }
int Names::find_site(std::string_view wanted) const { return find(sites, wanted); }

namespace {

std::vector<std::string> names_of_joints(const Model& model, const Names& names,
                                         std::vector<std::string> (*of_one)(JointType, const std::string&)) {
    std::vector<std::string> result;
    for (std::size_t j = 0; j < model.joints.size(); ++j)
        for (std::string& name : of_one(model.joints[j].type, names.joints[j]))
            result.push_back(std::move(name));
    return result;
}

}  // namespace

std::vector<int> loops_with_coordinates(const Model& model) {
    std::vector<int> found;
    for (std::size_t k = 0; k < model.loops.size(); ++k) {
        const Model::Loop& loop = model.loops[k];
        const bool is_plain = loop.type == JointType::ball || loop.type == JointType::fixed;
        if (!is_plain || loop.lengths > 0) found.push_back(static_cast<int>(k));
    }
    return found;
}

namespace {

std::vector<std::string> names_of_loops(const Model& model, const Names& names,
                                        std::vector<std::string> (*of_one)(JointType, const std::string&)) {
    std::vector<std::string> result;
    for (const int k : loops_with_coordinates(model))
        for (std::string& name : of_one(model.loops[k].type, names.loops[k]))
            result.push_back(std::move(name));
    return result;
}

}  // namespace

std::vector<std::string> loop_velocity_names(const Model& model, const Names& names) {
    return names_of_loops(model, names, lig::velocity_names);
}

std::vector<std::string> loop_coordinate_names(const Model& model, const Names& names) {
    return names_of_loops(model, names, lig::coordinate_names);
}

std::vector<std::string> velocity_names(const Model& model, const Names& names) {
    return names_of_joints(model, names, lig::velocity_names);
}

std::vector<std::string> coordinate_names(const Model& model, const Names& names) {
    return names_of_joints(model, names, lig::coordinate_names);
}

}  // namespace lig::app
