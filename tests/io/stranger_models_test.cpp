// Models of our own making with every element and attribute that some robots of MuJoCo's Menagerie have,
// which once did not load: the fruit fly, Trossen's station, MS-Human-700. Nothing of them is left out.

#include "io/support.h"

#include <ligament/load.h>
#include <ligament/model.h>
#include <ligament/save.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <string>

using namespace lig;
using namespace lig::test;

namespace {

constexpr const char* fly = R"(<mujoco model="like the fruit fly">
  <compiler autolimits="true" angle="radian"/>
  <option timestep="0.0001" gravity="0 0 -981" density="0.00128" viscosity="0.000185" cone="elliptic"
      noslip_iterations="3"/>
  <size njmax="300" nconmax="100" nkey="1"/>
  <default>
    <geom friction="0.5" solref="0.0002 1" solimp="0.95 0.99 0.01"/>
    <general ctrllimited="true"/>
    <default class="body">
      <joint limited="true" solreflimit="0.001 1" armature="1e-06"/>
      <geom contype="0" conaffinity="0" group="1" density="0.478"/>
      <site group="3" size="0.01"/>
      <default class="collision">
        <geom type="capsule" contype="1" conaffinity="1" condim="1" group="4" density="0"/>
        <default class="adhesion-collision">
          <geom friction="0.6" margin="0.0005" gap="0.0005"/>
          <site type="capsule"/>
        </default>
      </default>
      <default class="adhesion">
        <general dyntype="none" dynprm="1"/>
        <default class="adhesion_claw"><adhesion group="3" ctrlrange="0 1" gain="0.985"/></default>
      </default>
      <default class="wing"><joint stiffness="0.01" damping="0.0005"/><general ctrlrange="-1 1"/>
        <default class="wing-fluid"><geom type="ellipsoid" group="3" mass="0"/></default>
      </default>
      <default class="haltere"><joint axis="1 0 0" springdamper="0.005 0.1" range="-0.2 0.2"/></default>
      <default class="extend_tarsus"><joint group="3" stiffness="0.1" range="-0.36 0.36" damping="0.002"
      axis="1 0 0"/><general biastype="affine" gainprm="0.4" biasprm="0 -0.4"
      ctrlrange="-0.36 0.36"/></default>
    </default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1" pos="0 0 -.132" solref="0.0002 1"/>
    <body name="thorax" childclass="body">
      <freejoint name="free"/>
      <camera name="track1" mode="trackcom" pos="0.6 0.6 0.22" quat="0.312 0.221 0.533 0.754"/>
      <site name="thorax"/>
      <geom name="thorax" type="sphere" size="0.05" mass="0.00034"/>
      <geom class="collision" type="ellipsoid" size="0.0437 0.0437 0.0551"/>
      <body name="wing" pos="0 0.04 0"><joint class="wing" axis="0 0 1" range="-1.5 1.5" springref="1.5"
      name="wing_yaw"/>
        <geom type="box" rgba="0 0 0 0" mass="8e-06" size="0.02 0.1 0.002" pos="0 .1 0"/>
        <geom class="wing-fluid" fluidshape="ellipsoid" fluidcoef="1 0.5 1.5 1.7 1.05"
      size="0.00025 0.1 0.04" pos="0 .1 0"/>
      </body>
      <body name="haltere" pos="0 -0.05 0.02"><joint class="haltere" name="haltere"/><geom type="sphere"
      size="0.01" density="1"/></body>
      <body name="tarsus" pos="0.0 0 -0.07"><joint class="extend_tarsus"
      name="tarsus2"/><geom type="sphere" size=".004"/><site name="tarsus"/>
       <body name="claw" pos="0 -0.011 -0.05">
        <joint name="tarsus5" class="extend_tarsus"/>
        <geom class="adhesion-collision" size="0.0019" fromto="0 0 0 4.3e-05 -0.011 0.00125"/>
        <geom type="sphere" size=".002"/>
        <site name="claw" class="adhesion-collision" size="0.00209" fromto="0 0 0 4.3e-05 -0.011 0.00125"/>
      </body></body>
    </body>
  </worldbody>
  <contact><exclude name="x" body1="wing" body2="thorax"/></contact>
  <tendon><fixed name="tarsus" class="extend_tarsus"><joint joint="tarsus2"
      coef="1"/><joint joint="tarsus5" coef="0.5"/></fixed></tendon>
  <actuator>
    <general name="wing_yaw" class="wing" joint="wing_yaw" gainprm="3"/>
    <general name="tarsus" class="extend_tarsus" ctrlrange="-0.9 0.9" tendon="tarsus"/>
    <adhesion name="adhere_claw" class="adhesion_claw" body="claw"/>
  </actuator>
  <sensor>
    <accelerometer name="accelerometer" site="thorax"/><gyro name="gyro"
      site="thorax"/><velocimeter name="velocimeter" site="thorax"/>
    <force name="force_tarsus" site="tarsus"/><touch name="touch_claw" site="claw"/>
  </sensor>
</mujoco>)";

constexpr const char* station = R"(<mujoco model="like Trossen's station">
  <compiler angle="radian" eulerseq="ZYX" autolimits="true"/>
  <option iterations="50" timestep="0.001" solver="Newton" gravity="0 0 -9.81"/>
  <asset><texture type="2d" file="none.png"/><material name="grey"/>
    <mesh name="finger" vertex="0 0 0 .01 0 0 0 .01 0 0 0 .05"/></asset>
  <default>
    <default class="wxai">
      <mesh scale="1.0 1.0 1.0"/>
      <joint axis="0 1 0" frictionloss="0.1" armature="0.1"/>
      <position kp="450" dampratio="0.95" forcerange="-55 55"/>
      <default class="visual"><geom type="mesh" contype="0" conaffinity="0" density="0" group="2"
      material="grey"/></default>
      <default class="collision"><geom group="3" type="mesh"/>
        <default class="sphere_collision"><geom type="sphere" size="0.0006"
      rgba="1 0 0 1"/></default></default>
    </default>
  </default>
  <worldbody>
    <camera name="pov" pos="0 -1.354 0.685" xyaxes="1 0 0 0 0.2 .8" fovy="53.13" resolution="640 640"
      mode="targetbody"/>
    <body name="root" quat="1 0 0 0" gravcomp="1">
      <geom type="mesh" rgba="0.75 0.75 0.75 1" mesh="finger" class="visual"/>
      <body name="link_1" pos="0 0 0.05725" gravcomp="1">
        <camera name="wrist" pos="0.06 0 0.05" euler="-1.57 -1.22 0.0" resolution="1920 1080"
      focal="1.93e-3 1.93e-3" sensorsize="0.0037 0.0021" mode="fixed"/>
        <inertial pos="0 0.0017 0.02" quat="0.313955 0.305238 -0.643575 0.627752" mass="0.152704"
      diaginertia="0.000203432 0.000173907 8.3521e-05"/>
        <joint name="joint_0" pos="0 0 0" axis="0 0 1" range="-3.05433 3.05433" actuatorfrcrange="-27 27"
      actuatorgravcomp="true"/>
        <geom type="box" rgba="" size="0.0115 0.021 0.021" pos="0.0393206 0 0.0569399"
      quat="0.984808 0 0.173648 0"/>
        <body name="carriage" pos="0.0865 -0.023 0" gravcomp="1">
          <inertial pos="0 0 0" mass="0.08" diaginertia="4e-05 3e-05 2e-05"/>
          <joint name="carriage" axis="0 -1 0" type="slide" range="0 0.044" actuatorfrcrange="-400 400"
      actuatorgravcomp="true" stiffness="50"/>
          <site name="carriage_site" pos="0.065 0.0225 0" size="0.01" type="sphere" rgba="1 0 0 1"
      group="5"/>
          <geom name="gripper" type="mesh" mesh="finger" class="collision" friction="2.0 0.02 0.01"
      condim="4" solimp="0.95 0.95 0.001" solref="0.005 1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><position class="wxai" name="j0" joint="joint_0" inheritrange="1"/></actuator>
</mujoco>)";

constexpr const char* human = R"(<mujoco model="like MS-Human-700">
  <compiler angle="radian" boundmass="0.0001"/>
  <size njmax="1000" nconmax="400" nkey="1" nuser_jnt="1"/>
  <default>
    <joint solimplimit="0.9999 0.9999" limited="true" damping="1e-2" armature="1e-2" stiffness="0"/>
    <geom margin="0.001" rgba="1 1 1 1"/>
    <site group="3"/>
    <tendon limited="false" width="0.005" rgba="0.95 0.3 0.3 1"/>
    <default class="muscle"><muscle ctrllimited="true" ctrlrange="0 1"/></default>
    <default class="skin"><geom type="capsule" group="1" rgba="0.8 0.7 0.5 0.2"/></default>
    <default class="wrap"><geom contype="0" conaffinity="0" mass="0" group="3"
      rgba="0.5 0.5 0.9 1"/></default>
    <default class="knee"><joint damping="0.5" armature="1e-2" stiffness="0"/></default>
  </default>
  <worldbody>
    <body name="pelvis" pos="0 0 0.95" quat="0.707107 0.707107 0 0">
      <inertial pos="-0.0707 0 0" mass="8.147" diaginertia="0.033 0.0606 0.0403"/>
      <joint name="pelvis_tx" pos="0 0 0" axis="1 0 0" type="slide" limited="false" range="-5 5"
      armature="0" damping="0"/>
      <joint name="pelvis_tilt" pos="0 0 0" axis="0 0 1" limited="false" range="-1.5708 1.5708"
      armature="0" damping="0"/>
      <site name="origin" pos="0.05 -0.1 0"/>
      <body name="tibia" pos="0 -0.4 0">
        <inertial pos="0 -0.2 0" mass="3" diaginertia="0.04 0.005 0.04"/>
        <joint name="knee" class="knee" axis="0 0 1" range="-2 0.1"/>
        <joint name="knee_slide" type="slide" axis="1 0 0" range="-1 1"/>
        <geom class="skin" size="0.04" fromto="0 0 0 0 -0.4 0"/>
        <geom name="cap" class="wrap" type="cylinder" size="0.02 0.05"/>
        <site name="side" pos="0.05 0 0"/>
        <site name="insertion" pos="0.02 -0.05 0"/>
      </body>
    </body>
  </worldbody>
  <contact><exclude body1="pelvis" body2="tibia"/></contact>
  <equality><joint joint1="knee_slide" joint2="knee" polycoef="0 0.01 0.002 0 0"
      solimp="0.9999 0.9999 0.001 0.5 2"/></equality>
  <tendon><spatial name="vasti_tendon"><site site="origin"/><geom geom="cap"
      sidesite="side"/><site site="insertion"/></spatial></tendon>
  <actuator><muscle name="vasti" class="muscle" tendon="vasti_tendon" lengthrange="0.2 0.5"
      timeconst="0.01 0.04" range="0.6 1.2" force="4000" scale="200" lmin="0.5" lmax="1.6" vmax="10"
      fpmax="1.4" fvmax="1.4"/></actuator>
  <actuator><general name="rect_abd" class="muscle" tendon="vasti_tendon" lengthrange="0.2 0.5"
      gainprm="0.75 1.05 662.212" biasprm="0.75 1.05 662.212"/></actuator>
  <keyframe><key name="init" qpos="0 0 0 0"/></keyframe>
</mujoco>)";

struct Stranger {
    const char* text;
    int warnings;  // that it may have
};
// The station's camera looks at a body that is not named.
constexpr Stranger strangers[] = {{fly, 0}, {station, 1}, {human, 0}};

}  // namespace

TEST_CASE("strangers: models with all that robots of the Menagerie have load, run and are written back") {
    for (const Stranger& stranger : strangers) {
        Diagnostics log;
        const Scene scene = parse_scene(stranger.text, "stranger.xml", {}, log);
        const auto model = compile(scene, log);
        INFO(all_text(log));
        CHECK(static_cast<int>(log.all().size()) == stranger.warnings);
        const std::string written = write_mjcf(scene);
        CHECK(write_mjcf(parse_scene(written, "again.xml", {}, log)) == written);
        Simulation sim(model);
        for (int k = 0; k < 100; ++k) REQUIRE(sim.step().status == StepStatus::ok);
    }
}

TEST_CASE("strangers: a general actuator of a class of muscles is one, with the numbers that it has itself") {
    Diagnostics log;
    const Scene scene = parse_scene(human, "human.xml", {}, log);
    const ActuatorSpec& abdominal = scene.actuators().at(1);
    CHECK(abdominal.activation == Activation::muscle);
    for (const std::optional<MuscleSpec>& law : {abdominal.muscle_gain, abdominal.muscle_bias}) {
        REQUIRE(law.has_value());
        CHECK(law->force == 662.212);
        CHECK(law->range == std::array<double, 2>{0.75, 1.05});
        CHECK(law->passive_force == 1.3);
    }
    CHECK(abdominal.ctrl_range == Range{0, 1});
}
