#pragma once

// The model formats this build reads and writes. A new format is a reader, a writer if it has one, and one
// line here; loading, saving, the messages about unknown files and `ligament list formats` run over the list.

#include <ligament/load.h>
#include <ligament/save.h>

#include "io/mjcf.h"
#include "io/urdf.h"
#include "io/xml.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace lig::io {

struct Format {
    std::string_view root;  // the root element that tells the format
    std::string_view name;
    std::string_view description;
    Scene (*read)(const XmlSource& source, const LoadOptions& options, Diagnostics& log);
    // The text of a file in `folder`; null where the format is only read.
    std::string (*write)(const Scene& scene, const std::filesystem::path& folder);
    std::span<const std::string_view> endings;  // of the names of files that are written, the usual one first
};

inline constexpr std::string_view urdf_endings[] = {".urdf"};
inline constexpr std::string_view mjcf_endings[] = {".xml", ".mjcf"};

inline constexpr Format formats[] = {
    {"robot", "urdf", "Unified Robot Description Format", read_urdf, nullptr, urdf_endings},
    {"mujoco", "mjcf", "MuJoCo's model format", read_mjcf, write_mjcf, mjcf_endings},
};

// The format that a file's name tells, or null.
inline const Format* format_of_ending(const std::filesystem::path& file) {
    const std::string ending = file.extension().string();
    for (const Format& format : formats)
        for (const std::string_view known : format.endings)
            if (ending == known) return &format;
    return nullptr;
}

}  // namespace lig::io
