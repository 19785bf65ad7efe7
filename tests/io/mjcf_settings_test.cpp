// compiler, option and flags.

#include "io/mjcf_support.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("MJCF options") {
    const ReadMjcf plain = read_model("");
    CHECK(plain.messages() == "");
    CHECK(plain.scene.options.timestep == 0.002);
    check_vec(plain.scene.options.gravity, {0, 0, -9.81});
    CHECK(plain.scene.options.integrator == Integrator::euler);

    const ReadMjcf m = read_model(
        "<option timestep='0.01' gravity='1 2 3' integrator='RK4' iterations='50' "
        "solver='Newton' tolerance='1e-10' jacobian='dense' cone='pyramidal'/>"
        "<option integrator='implicitfast' density='0' wind='0 0 0' impratio='1'/>");
    CHECK(m.messages() == "");
    CHECK(m.scene.options.timestep == 0.01);
    check_vec(m.scene.options.gravity, {1, 2, 3});
    CHECK(m.scene.options.integrator == Integrator::implicitfast);
}

TEST_CASE("MJCF options that are not honoured are named") {
    CHECK(read_model("<option density='1.2' viscosity='1e-5' wind='0 1 0' cone='elliptic' impratio='10'/>")
              .messages() ==
          "m.xml:1:54: warning[W093]: attribute 'wind' of <option> is not honoured yet\n"
          "m.xml:1:26: warning[W093]: attribute 'density' of <option> is not honoured yet\n"
          "m.xml:1:42: warning[W093]: attribute 'viscosity' of <option> is not honoured yet\n"
          "m.xml:1:87: warning[W093]: attribute 'impratio' of <option> is not honoured yet\n"
          "m.xml:1:67: warning[W093]: attribute 'cone' of <option> is not honoured yet\n");
    CHECK(read_model("<option timestep='0'/>").messages() ==
          "m.xml:1:27: error[E006]: the timestep must be positive\n");
    CHECK(read_model("<option integrator='euler'/>").messages() ==
          "m.xml:1:29: error[E008]: attribute 'integrator' of <option>: 'euler' is not one of Euler, RK4, "
          "implicit, "
          "implicitfast (did you mean 'Euler'?)\n");
    CHECK(read_model("<option gravty='0 0 0'/>").messages() ==
          "m.xml:1:25: warning[W010]: attribute 'gravty' of <option> is not known and was not read (did you "
          "mean "
          "'gravity'?)\n");
}

TEST_CASE("MJCF flags") {
    const ReadMjcf m = read_model(
        "<option><flag gravity='disable' contact='disable' warmstart='disable' "
        "energy='enable'/></option><option gravity='0 0 -5'/>");
    CHECK(m.messages() ==
          "m.xml:1:50: warning[W093]: flag 'contact' disabled in the file is not honoured yet\n");
    check_vec(m.scene.options.gravity, {0, 0, 0});
    CHECK(read_model("<option><flag contact='enable' gravity='enable'/></option>").messages() == "");
}

TEST_CASE("MJCF compiler settings that are not followed are named when they are set") {
    CHECK(read_model("<compiler boundmass='0' balanceinertia='false' fusestatic='false' settotalmass='-1' "
                     "usethread='true' texturedir='t'/>")
              .messages() == "");
    CHECK(read_model("<compiler boundmass='0.1' balanceinertia='true'/>").messages() ==
          "m.xml:1:30: warning[W093]: attribute 'boundmass' of <compiler> is not honoured yet\n"
          "m.xml:1:51: warning[W093]: attribute 'balanceinertia' of <compiler> is not honoured yet\n");
    CHECK(read_model("<compiler coordinate='local'/>").messages() == "");
    CHECK(read_model("<compiler coordinate='global'/>").messages() ==
          "m.xml:1:31: error[U091]: global coordinates are not supported (MuJoCo dropped them in 2.3.4; load "
          "and save "
          "the model with an older version)\n");
    CHECK(read_model("<compiler angle='degrees'/>").messages() ==
          "m.xml:1:26: error[E008]: attribute 'angle' of <compiler>: 'degrees' is not one of radian, degree "
          "(did you "
          "mean 'degree'?)\n");
    CHECK(read_model("<compiler><lengthrange mode='none'/></compiler>").messages() == "");
}

TEST_CASE("MJCF sections that are not read yet: one warning per kind of element") {
    const ReadMjcf m = read_model(
        "<extension><plugin plugin='a'/><plugin plugin='b'/></extension><deformable><skin/></deformable>"
        "<tendon/><extension><plugin plugin='c'/></extension>");
    CHECK(m.messages() ==
          "m.xml:1:85: warning[W092]: <skin> in <deformable> is not read yet\n"
          "m.xml:1:21: warning[W092]: <plugin> in <extension> is not read yet; 3 times, first here\n");
}
