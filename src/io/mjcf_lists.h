#pragma once

// What MJCF calls things that are read and written alike.

#include <ligament/scene.h>

#include <vector>

namespace lig::io::mjcf {

// Of <flag>.
struct SwitchName {
    const char* name;
    bool Switches::* is_on;
};
inline constexpr SwitchName switch_names[] = {
    {"constraint", &Switches::constraint},
    {"equality", &Switches::equality},
    {"frictionloss", &Switches::friction_loss},
    {"limit", &Switches::limit},
    {"contact", &Switches::contact},
    {"spring", &Switches::spring},
    {"damper", &Switches::damper},
    {"clampctrl", &Switches::clamp_control},
    {"filterparent", &Switches::filter_parent},
    {"actuation", &Switches::actuation},
    {"sensor", &Switches::sensor},
};

// Of <key>.
struct KeyframeNumbers {
    const char* name;
    std::vector<double> KeyframeSpec::* numbers;
};
inline constexpr KeyframeNumbers keyframe_numbers[] = {
    {"qpos", &KeyframeSpec::qpos},
    {"qvel", &KeyframeSpec::qvel},
    {"act", &KeyframeSpec::act},
    {"ctrl", &KeyframeSpec::ctrl},
    {"mpos", &KeyframeSpec::mpos},
    {"mquat", &KeyframeSpec::mquat},
};

}  // namespace lig::io::mjcf
