#pragma once

// <compiler> and <option>: how the rest of the file is to be understood, and the physics of the world.

#include "io/mjcf_document.h"
#include "io/mjcf_not_read.h"

#include <ligament/scene.h>

#include <array>

namespace lig::io::mjcf {

enum class InertiaSource {
    inertial_only,
    geoms_only,
    inertial_or_geoms
};

struct Settings {
    bool degrees = true;
    std::array<char, 3> euler_sequence{'x', 'y', 'z'};  // lower case: axes that turn along; upper case: fixed
    bool auto_limits = true;
    InertiaSource inertia = InertiaSource::inertial_or_geoms;
    int first_inertia_group = 0, last_inertia_group = 5;  // geoms of other groups weigh nothing
    bool strip_path = false;
    bool fit_aabb = false;  // shapes fitted to meshes: to the bounding box, not to the inertia box
    std::string mesh_folder, asset_folder;
    bool align_free = false;  // free bodies get their frame at the centre of mass, unless they say otherwise
    bool gravity = true;          // false: switched off, whatever <option> says

    double angle(double value) const;  // to radians
};

void read_compiler(ElementReader& in, Settings& settings, InertiaRules& rules);
// The element <option>; its child <flag> is passed to read_flags.
void read_option(ElementReader& in, Options& options);
void read_flags(ElementReader& in, Settings& settings, Switches& enabled);

}  // namespace lig::io::mjcf
