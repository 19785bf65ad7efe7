#pragma once

// Bodies on inclines and floors, for problems of contact whose answers are known.

#include "support/simulation_runs.h"

#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

namespace lig::test {

inline constexpr double slope = std::numbers::pi / 6;  // of all inclines here

inline std::string number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", x);
    return text;
}

// A plane that falls by 30° towards +x, and on it a body of the given height of its centre above the plane.
inline std::string incline(double friction, double height, const std::string& geom) {
    return "<mujoco><default><geom friction='" + number(friction) +
           " 0 0'/></default><worldbody><geom type='plane' size='0 0 1' euler='0 30 0'/><body name='it' "
           "pos='" +
           number(height * std::sin(slope)) + " 0 " + number(height * std::cos(slope)) +
           "' euler='0 30 0'><freejoint name='root'/>" + geom + "</body></worldbody></mujoco>";
}
inline const std::string box = "<geom type='box' size='0.2 0.2 0.1'/>";
inline const std::string ball = "<geom size='0.1'/>";

inline Vec3d downhill() { return {std::cos(slope), 0, -std::sin(slope)}; }
inline double way_down(const Simulation& sim) { return dot(position_of(sim), downhill()); }

inline std::string floor_with(double friction, double torsional, double rolling, int condim,
                              const std::string& body) {
    return "<mujoco><default><geom friction='" + number(friction) + " " + number(torsional) + " " +
           number(rolling) + "' condim='" + std::to_string(condim) +
           "'/></default><worldbody><geom type='plane' size='0 0 1'/>" + body + "</worldbody></mujoco>";
}

}  // namespace lig::test
