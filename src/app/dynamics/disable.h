#pragma once

// The parts of the physics that `--disable` switches off.

#include <ligament/scene.h>

#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

struct Disabled {
    bool contact = false, limit = false, equality = false, frictionloss = false;
    bool actuation = false, spring = false, damper = false, gravity = false;

    // Each word may be a list with commas. Throws Failure on a word that is none of them.
    static Disabled parse(const std::vector<std::string>& words);

    static std::vector<std::string_view> words();
    static std::string help();

    // Adds them to what the scene switches off itself.
    void apply(Scene& scene) const;
};

}  // namespace lig::app
