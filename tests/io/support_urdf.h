#pragma once

// A URDF in a string, read to the end whatever it contains.

#include "io/support.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace lig::test {

struct UrdfResult {
    explicit UrdfResult(std::string_view text, const LoadOptions& options = {}) {
        try {
            scene = parse_scene(text, "r.urdf", options, log);
        } catch (const InputError&) { failed = true; }
        diagnostics = all_text(log);
    }

    const Scene::Joint& joint(std::string_view name) const {
        const JointId id = scene.find_joint(name);
        REQUIRE(id.index >= 0);
        return scene.joints()[id.index];
    }
    const Scene::Body& body(std::string_view name) const {
        const BodyId id = scene.find_body(name);
        REQUIRE(id.index >= 0);
        return scene.bodies()[id.index];
    }
    bool says(std::string_view part) const { return contains(diagnostics, part); }

    Diagnostics log;
    Scene scene;
    bool failed = false;
    std::string diagnostics;
};

// Two links and a joint between them with the given type and content, each on a line of its own: <joint> is
// on line 4, its content starts at column 1 of line 5.
inline std::string with_joint(std::string_view type, std::string_view content) {
    return "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n<joint name='j' type='" +
           std::string(type) + "'>\n" + std::string(content) +
           "\n<parent link='a'/>\n<child link='b'/>\n</joint>\n</robot>";
}

// One link whose content starts at column 1 of line 3.
inline std::string with_link(std::string_view content) {
    return "<robot name='r'>\n<link name='a'>\n" + std::string(content) + "\n</link>\n</robot>";
}

}  // namespace lig::test
