#pragma once

// What things are called in tables and as keys in JSON.

#include <ligament/model.h>

#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

// The names of a model's objects, all different. An object without a name is called after its kind and index
// ("body3", "joint0", "site2"), with underscores at its end where the file uses that name itself.
struct Names {
    explicit Names(const Model& model);

    std::vector<std::string> bodies, joints, geoms, sites, tendons, actuators, loops,
        constraints, bushings;
    // Whether a body of the file is called "world", too. Maps by name then hold that body and leave the world
    // out.
    bool world_is_taken = false;

    // -1 when there is none. Of two bodies called "world" the file's.
    int find_body(std::string_view wanted) const;
    int find_site(std::string_view wanted) const;
};

// One name per velocity of the model: the joint's name for joints of one coordinate, else with an ending for
// each, "root.x" … "root.wz".
std::vector<std::string> velocity_names(const Model& model, const Names& names);

// One name per coordinate: the joint's name for joints of one coordinate, else "root.x", "root.qw", ….
std::vector<std::string> coordinate_names(const Model& model, const Names& names);

// Loops whose joint is written down with the others: all but points that are held together and bodies that
// are welded, unless something acts on the joint or reads it.
std::vector<int> loops_with_coordinates(const Model& model);
// The same names for the joints of these loops.
std::vector<std::string> loop_velocity_names(const Model& model, const Names& names);
std::vector<std::string> loop_coordinate_names(const Model& model, const Names& names);

}  // namespace lig::app
