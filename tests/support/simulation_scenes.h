#pragma once

// Models that simulations are tried on, each with something of its own to remember from step to step.

#include <ligament/load.h>
#include <ligament/simulation.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace lig::test {

inline Scene scene_of(const std::string& xml) {
    Diagnostics log;
    return parse_scene(xml, "test.xml", {}, log);
}
inline std::shared_ptr<const Model> model_of(const std::string& xml) { return compile(scene_of(xml)); }

// The shipped character, falling from where its file has it.
inline std::shared_ptr<const Model> character() {
    Diagnostics log;
    return compile(load_scene(LIG_SOURCE_DIR "/scenes/character.xml", {}, log));
}

// A four-bar mechanism in the xz plane: crank 0.3 m, coupler 0.8 m, rocker 0.5 m, ground 0.7 m. The loop is
// closed by a hinge, of whose five rows three follow from the others; the rocker is driven by a filtered
// motor.
inline const char* const four_bar = R"(<mujoco>
  <worldbody>
    <body name="crank">
      <joint name="crank" axis="0 1 0" damping="0.01"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02" contype="0" conaffinity="0"/>
      <body name="coupler" pos="0 0 0.3">
        <joint name="coupler" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.764852927 0 0.234520788" size="0.02" contype="0"
          conaffinity="0"/>
      </body>
    </body>
    <body name="rocker" pos="0.7 0 0">
      <joint name="rocker" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.064852927 0 0.534520788" size="0.02" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.764852927 0 0.234520788"/></equality>
  <actuator><general name="motor" joint="rocker" dyntype="filter" dynprm="0.1" gainprm="2" ctrlrange="-1 1"
    ctrllimited="true"/></actuator>
</mujoco>)";

// Two legs on a floor: servos with and without limits of force, activations, springs, limits, dry friction
// and a tendon with a spring.
inline const char* const walker = R"(<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="trunk" pos="0 0 0.75">
      <freejoint name="root"/>
      <geom name="trunk" type="box" size="0.1 0.15 0.1" density="500"/>
      <body name="thigh_l" pos="0 0.1 -0.1">
        <joint name="hip_l" axis="0 1 0" range="-60 60" limited="true" frictionloss="0.1"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.04"/>
        <body name="shin_l" pos="0 0 -0.3">
          <joint name="knee_l" axis="0 1 0" range="0 120" limited="true" damping="0.2"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/>
        </body>
      </body>
      <body name="thigh_r" pos="0 -0.1 -0.1">
        <joint name="hip_r" axis="0 1 0" range="-60 60" limited="true" stiffness="2"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.04"/>
        <body name="shin_r" pos="0 0 -0.3">
          <joint name="knee_r" axis="0 1 0" range="0 120" limited="true" damping="0.2"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="hips" stiffness="5" damping="0.5"><joint joint="hip_l" coef="1"/><joint joint="hip_r"
    coef="1"/></fixed></tendon>
  <actuator>
    <position name="hip_l" joint="hip_l" kp="40" kv="2"/>
    <position name="hip_r" joint="hip_r" kp="40" kv="2" forcerange="-15 15" forcelimited="true"/>
    <general name="knee_l" joint="knee_l" dyntype="filter" dynprm="0.05" gainprm="20" biastype="affine"
      biasprm="0 -20 -1"/>
    <general name="knee_r" joint="knee_r" dyntype="integrator" gainprm="5" actrange="-1 1" actlimited="true"/>
  </actuator>
</mujoco>)";

// Boxes and a ball on a table that moves (mocap).
inline const char* const moving_table = R"(<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="table" mocap="true" pos="0 0 0.3"><geom name="table" type="box" size="0.5 0.5 0.05"/></body>
    <body name="box" pos="0 0 0.46"><freejoint name="box"/>
      <geom name="box" type="box" size="0.1 0.1 0.1"/></body>
    <body name="top" pos="0.02 0.01 0.63"><freejoint name="top"/>
      <geom name="top" type="box" size="0.08 0.08 0.05"/></body>
    <body name="ball" pos="0.3 0 0.5"><freejoint name="ball"/>
      <geom name="ball" size="0.08" condim="6"/></body>
  </worldbody>
</mujoco>)";

// Bit for bit. memcmp does not take the null pointers of empty vectors.
template <class Number>
bool same_bytes(const std::vector<Number>& a, const std::vector<Number>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Number)) == 0);
}

// Everything that can be seen of two simulations of one model, and what they remember.
inline bool same_bits(const Simulation& a, const Simulation& b) {
    return same_bytes(a.save().to_bytes(), b.save().to_bytes());
}

}  // namespace lig::test
