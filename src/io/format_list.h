#pragma once

// The model formats this build reads. A new format is one reader and one line here; loading, the messages
// about unknown files and `ligament list formats` run over the list.

#include <ligament/load.h>

#include "io/mjcf.h"
#include "io/urdf.h"
#include "io/xml.h"

#include <string_view>

namespace lig::io {

struct Format {
    std::string_view root;  // the root element that tells the format
    std::string_view name;
    std::string_view description;
    Scene (*read)(const XmlSource& source, const LoadOptions& options, Diagnostics& log);
};

inline constexpr Format formats[] = {
    {"robot", "urdf", "Unified Robot Description Format", read_urdf},
    {"mujoco", "mjcf", "MuJoCo's model format", read_mjcf},
};

}  // namespace lig::io
