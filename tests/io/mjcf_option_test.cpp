// <option> and its flags.

#include "io/mjcf_support.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("MJCF options") {
    const ReadMjcf plain = read_model("");
    CHECK(plain.messages() == "");
    CHECK(plain.scene.options.timestep == 0.002);
    check_vec(plain.scene.options.gravity, {0, 0, -9.81});
    CHECK(plain.scene.options.integrator == Integrator::euler);
    CHECK(plain.scene.options.enabled == Switches{});

    const ReadMjcf m = read_model(
        "<option timestep='0.01' gravity='1 2 3' integrator='RK4' iterations='50' solver='Newton' "
        "tolerance='1e-10' jacobian='dense' cone='elliptic' noslip_iterations='3' o_margin='1'/>"
        "<option integrator='implicitfast' density='1.2' viscosity='1e-5' wind='0 1 0' impratio='10' "
        "magnetic='1 2 3' actuatorgroupdisable='0 3 30'/>");
    CHECK(m.messages() == "");
    const Options& options = m.scene.options;
    CHECK(options.timestep == 0.01);
    check_vec(options.gravity, {1, 2, 3});
    CHECK(options.integrator == Integrator::implicitfast);
    CHECK(options.elliptic_cone);
    CHECK(options.density == 1.2);
    CHECK(options.viscosity == 1e-5);
    check_vec(options.wind, {0, 1, 0});
    check_vec(options.magnetic, {1, 2, 3});
    CHECK(options.impratio == 10);
    CHECK(options.disabled_actuator_groups == std::vector<int>{0, 3, 30});
}

TEST_CASE("MJCF options that make no sense") {
    CHECK(read_model("<option timestep='0'/>").messages() ==
          "m.xml:1:27: error[E006]: the timestep must be positive\n");
    CHECK(read_model("<option integrator='euler'/>").messages() ==
          "m.xml:1:29: error[E008]: attribute 'integrator' of <option>: 'euler' is not one of Euler, RK4, "
          "implicit, implicitfast (did you mean 'Euler'?)\n");
    CHECK(read_model("<option gravty='0 0 0'/>").messages() ==
          "m.xml:1:25: warning[W010]: attribute 'gravty' of <option> is not known and was not read (did you "
          "mean 'gravity'?)\n");
    CHECK(count_code(read_model("<option actuatorgroupdisable='31'/>").log, "E006") == 1);
    CHECK(count_code(read_model("<option density='-1'/>").log, "E006") == 1);
}

TEST_CASE("MJCF flags") {
    const ReadMjcf m = read_model(
        "<option><flag gravity='disable' contact='disable' warmstart='disable' energy='enable' "
        "spring='disable' clampctrl='disable' filterparent='disable' sensor='disable'/></option>"
        "<option gravity='0 0 -5'/>");
    CHECK(m.messages() == "");
    check_vec(m.scene.options.gravity, {0, 0, 0});
    Switches expected;
    expected.contact = expected.spring = expected.clamp_control = expected.filter_parent = false;
    expected.sensor = false;
    CHECK(m.scene.options.enabled == expected);

    Switches passive;
    passive.spring = passive.damper = false;
    CHECK(read_model("<option><flag passive='disable'/></option>").scene.options.enabled == passive);
    CHECK(read_model("<option><flag contact='enable' override='disable'/></option>").messages() == "");
    CHECK(read_model("<option><flag override='enable'/></option>").messages() ==
          "m.xml:1:33: error[U091]: the flag 'override', one set of contact properties for all, is not "
          "supported (give the properties to the geoms, through <default><geom …/>)\n");
    CHECK(count_code(read_model("<option><flag contakt='enable'/></option>").log, "W010") == 1);
}
