#pragma once

// <compiler> and <option>: how the rest of the file is to be understood, and the physics of the world.

#include "io/mjcf_document.h"
#include "io/mjcf_not_read.h"

#include <ligament/scene.h>

#include <array>
#include <set>
#include <string>

namespace lig::io::mjcf {

enum class InertiaSource {
    inertial_only,
    geoms_only,
    inertial_or_geoms
};

// What becomes of settings in which a file and one that it attaches differ: those of the file count, both are
// joined, or that is an error.
enum class ConflictPolicy {
    warning,
    merge,
    error
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
    // Of muscles: whether what the file gives counts, and whether limits of joints and tendons do.
    bool use_existing_lengths = true, use_limits_as_lengths = false;
    bool gravity = true;          // false: switched off, whatever <option> says

    ConflictPolicy conflicts = ConflictPolicy::warning;
    std::set<std::string_view> written_options;  // attributes of <option> that the file has

    double angle(double value) const;  // to radians
};

void read_compiler(ElementReader& in, Settings& settings, InertiaRules& rules);
// The child <lengthrange> of <compiler>.
void read_length_range(ElementReader& in, Settings& settings);
// The element <option>; its child <flag> is passed to read_flags.
void read_option(ElementReader& in, Options& options, Settings& settings);
// The attributes of <option> in which two models differ, of those that are in `written`.
std::vector<std::string_view> different_options(const std::set<std::string_view>& written, const Options& a,
                                                const Options& b);
void read_flags(ElementReader& in, Settings& settings, Switches& enabled);

}  // namespace lig::io::mjcf
