#pragma once

// Shared by the tests of the MJCF reader.

#include "io/mjcf.h"
#include "io/support.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <string_view>

namespace lig::test {

// A text as the reader sees it. The file is called m.xml; the places in diagnostics count from the text's
// start.
struct ReadMjcf {
    explicit ReadMjcf(std::string_view text, const std::filesystem::path& name = "m.xml") {
        io::XmlSource source;
        REQUIRE(source.load_text(text, name, log));
        scene = io::read_mjcf(source, {}, log);
    }

    Diagnostics log;
    Scene scene;

    std::string messages() const { return all_text(log); }

    const BodySpec& body(std::string_view name) const {
        const BodyId id = scene.find_body(name);
        REQUIRE(id.index >= 0);
        return scene.bodies()[id.index].spec;
    }
    const JointSpec& joint(std::string_view name) const {
        const JointId id = scene.find_joint(name);
        REQUIRE(id.index >= 0);
        return scene.joints()[id.index].spec;
    }
    const GeomSpec& geom(std::string_view name) const {
        for (const Scene::Geom& geom : scene.geoms())
            if (geom.spec.name == name) return geom.spec;
        FAIL("no geom " << name);
        return scene.geoms()[0].spec;
    }
    const SiteSpec& site(std::string_view name) const {
        for (const Scene::Site& site : scene.sites())
            if (site.spec.name == name) return site.spec;
        FAIL("no site " << name);
        return scene.sites()[0].spec;
    }
};

// The text inside <mujoco>, on the first line.
inline ReadMjcf read_model(const std::string& inside) { return ReadMjcf("<mujoco>" + inside + "</mujoco>"); }

// What is inside <mujoco><worldbody>.
inline ReadMjcf read_world(const std::string& inside) {
    return read_model("<worldbody>" + inside + "</worldbody>");
}

inline void check_vec(const Vec3d& got, const Vec3d& expected, double tolerance = 1e-14) {
    for (int i = 0; i < 3; ++i) {
        CAPTURE(i);
        CHECK(std::abs(got[i] - expected[i]) <= tolerance);
    }
}

// Equal as rotations: q and -q are the same.
inline void check_quat(const Quatd& got, const Quatd& expected, double tolerance = 1e-14) {
    const double sign = dot(got, expected) < 0 ? -1 : 1;
    CHECK(std::abs(got.w - sign * expected.w) <= tolerance);
    CHECK(std::abs(got.x - sign * expected.x) <= tolerance);
    CHECK(std::abs(got.y - sign * expected.y) <= tolerance);
    CHECK(std::abs(got.z - sign * expected.z) <= tolerance);
}

}  // namespace lig::test
