// <compiler>, as far as it is not about units: inertia rules, static bodies, the frames of free bodies.
// Reference numbers were computed with MuJoCo 3.14.

#include "io/mjcf_support.h"

#include "linalg/symmetric_eigen.h"

#include <ligament/model.h>

using namespace lig;
using namespace lig::test;

namespace {

const Model::Body& body(const Model& model, std::string_view name) {
    const int index = model.find_body(name);
    REQUIRE(index >= 0);
    return model.bodies[index];
}

void check_close(double got, double expected, double relative = 1e-14) {
    CHECK(std::abs(got - expected) <= relative * std::abs(expected));
}

std::string body_names(const Model& model) {
    std::string text;
    for (const Model::Body& b : model.bodies) text += b.name + " ";
    return text;
}

}  // namespace

TEST_CASE("MJCF compiler: settings are known") {
    CHECK(read_model(
              "<compiler boundmass='0' balanceinertia='false' fusestatic='false' settotalmass='-1' "
              "usethread='true' texturedir='t' discardvisual='true' saveinertial='true' conflict='merge' "
              "alignfree='true' fitaabb='true'/>")
              .messages() == "");
    CHECK(read_model("<compiler coordinate='local'/>").messages() == "");
    CHECK(read_model("<compiler coordinate='global'/>").messages() ==
          "m.xml:1:31: error[U091]: global coordinates are not supported (MuJoCo dropped them in 2.3.4; load "
          "and save the model with an older version)\n");
    CHECK(read_model("<compiler angle='degrees'/>").messages() ==
          "m.xml:1:26: error[E008]: attribute 'angle' of <compiler>: 'degrees' is not one of radian, degree "
          "(did you mean 'degree'?)\n");
    CHECK(count_code(read_model("<compiler boundmass='-1'/>").log, "E006") == 1);
}

TEST_CASE("MJCF compiler: bounds, then balance, then the total mass") {
    const ReadMjcf m = read_model(
        "<compiler boundmass='2' boundinertia='.05' balanceinertia='true' settotalmass='30'/><worldbody>"
        "<body name='st' pos='0 0 1'><geom size='.1'/><body name='m1' pos='.1 0 0'><joint axis='1 1 0'/>"
        "<geom size='.05' pos='0 0 .3'/><geom size='.04' pos='.1 .1 .3'/></body></body><body name='z'/>"
        "<body name='a'><joint/><inertial pos='0 0 .1' mass='3' diaginertia='.1 .2 3' euler='10 20 "
        "30'/></body>"
        "<body name='b'><joint axis='1 0 0'/>"
        "<inertial pos='0 0 .1' mass='.3' fullinertia='.01 .2 .3 .01 .02 .03'/></body></worldbody>");
    CHECK(m.messages() == "");
    Diagnostics log;
    const auto model = compile(m.scene, log);
    CHECK(all_text(log) == "");
    check_close(body(*model, "st").mass, 9.528069230943311);
    check_close(body(*model, "m1").mass, 4.549317948679264);
    check_close(body(*model, "z").mass, 4.549317948679264);
    check_close(body(*model, "a").mass, 6.823976923018897);
    check_close(body(*model, "b").mass, 4.549317948679264);
    check_close(model->total_mass, 30);
    check_close(body(*model, "m1").inertia.xx, 0.11373294871698161);
    check_close(body(*model, "a").inertia.zz, 2.502124871773595);
    CHECK(body(*model, "a").inertia.xy == 0);
    check_close(body(*model, "b").inertia.yy, 0.41831414051512755);
}

TEST_CASE("MJCF compiler: without balance an impossible inertia is used, with a warning") {
    const std::string text =
        "<worldbody><body name='a'><joint/><inertial pos='0 0 0' mass='3' diaginertia='.1 .2 3'/></body>"
        "<body name='flat'><joint/><inertial pos='0 0 0' mass='3' diaginertia='.1 .2 .3' euler='1 2 "
        "3'/></body>"
        "</worldbody>";
    Diagnostics log;
    const auto model = compile(read_model(text).scene, log);
    CHECK(count_code(log, "W035") == 1);
    CHECK(body(*model, "a").inertia.zz == 3);
    Diagnostics quiet;
    const auto balanced = compile(read_model("<compiler balanceinertia='true'/>" + text).scene, quiet);
    CHECK(all_text(quiet) == "");
    check_close(body(*balanced, "a").inertia.xx, 1.1);
    // A plate is possible: its largest moment is the sum of the others.
    check_close(symmetric_eigen(body(*balanced, "flat").inertia).values.z, 0.3);
}

TEST_CASE("MJCF compiler: static bodies become part of their parents unless something refers to them") {
    const std::string world_text =
        "<worldbody><body name='st' pos='0 0 1'><geom name='sg' size='.1'/><body name='m1' pos='.1 0 "
        "0'><joint/>"
        "<geom size='.1'/></body></body><body name='a' pos='1 0 0'><joint/><geom size='.1'/>"
        "<body name='b' pos='0 .3 0' euler='0 30 0'><geom name='bg' type='box' size='.1 .2 .3'/><site "
        "name='bs'/>"
        "<body name='c' pos='0 .3 0'><inertial pos='.1 .2 .3' mass='1' diaginertia='1 2 3'/>"
        "<body name='d' pos='.2 0 0'><joint axis='0 1 0'/><geom size='.1'/></body></body></body>"
        "<body name='h' pos='0 0 .5'><geom size='.2'/></body><body name='k' pos='0 0 .5'><geom "
        "size='.2'/></body>"
        "</body><body name='mo' mocap='true'/></worldbody>"
        "<contact><exclude body1='a' body2='h'/></contact>";
    const auto model = compile(read_model("<compiler fusestatic='true'/>" + world_text).scene);
    CHECK(body_names(*model) == "world m1 a d h mo ");
    const Model::Body& a = body(*model, "a");
    check_close(a.mass, 86.69911184307753);
    check_vec(a.com, {0.0027290076605016034, 0.1753189816697487, 0.19567638098746523}, 1e-15);
    const SymmetricEigen principal = symmetric_eigen(a.inertia);
    check_close(principal.values.x, 4.765556687155176);
    check_close(principal.values.y, 11.042790257367178);
    check_close(principal.values.z, 11.235299116746505);
    check_vec(body(*model, "d").X_WB0.p, {1.1732050807568877, 0.6, -0.1}, 1e-15);
    check_vec(model->sites[0].X_BS.p, {0, 0.3, 0});
    check_vec(model->geoms[0].X_BG.p, {0, 0, 1});
    CHECK(model->geoms[0].body == 0);
    REQUIRE(model->exclusions.size() == 1);
    CHECK(model->bodies[model->exclusions[0].b.index].name == "h");
    CHECK(body_names(*compile(read_model(world_text).scene)) == "world st m1 a b c d h k mo ");
}

TEST_CASE("MJCF compiler: free bodies without children get their frame at the centre of mass") {
    const std::string world_text =
        "<worldbody><body name='one' pos='0 0 1' euler='0 0 90'><freejoint/>"
        "<geom name='g1' type='box' size='.1 .2 .3' pos='.5 0 0' euler='30 0 0'/><site name='s1' pos='1 0 "
        "0'/>"
        "</body><body name='two' pos='1 0 1'><freejoint/>"
        "<geom type='box' size='.1 .2 .3' pos='.5 0 0' euler='30 0 0'/>"
        "<geom type='box' size='.3 .1 .1' pos='0 .1 0.2'/></body>"
        "<body name='parent' pos='2 0 1'><freejoint/><geom type='box' size='.1 .2 .3' pos='.5 0 0'/>"
        "<body><geom size='.1'/></body></body>"
        "<body name='given' pos='4 0 1'><joint type='free'/>"
        "<inertial pos='1 2 3' mass='1' diaginertia='1 2 3' euler='0 0 40'/></body>"
        "<body name='no' pos='5 0 1'><freejoint align='false'/><geom type='box' size='.1 .2 .3' pos='.5 0 "
        "0'/>"
        "</body><body name='full' pos='6 0 1'><freejoint align='true'/>"
        "<inertial pos='1 2 3' mass='1' fullinertia='2 3 4 .1 .2 .3'/></body>"
        "<body name='full2' pos='7 0 1'><freejoint/><inertial pos='1 2 3' mass='1' "
        "fullinertia='4 3 2 .5 -.2 .3'/></body></worldbody>";
    const auto model = compile(read_model("<compiler alignfree='true'/>" + world_text).scene);
    // qpos0 of MuJoCo 3.14; principal axes that it has to iterate for are good to about 1e-8 there.
    const std::vector<double> expected{
        0, 0.5, 1, 0.6830127018922194, 0.18301270189221933, 0.1830127018922193, 0.6830127018922193,
        1.3333333333333335, 0.03333333333333334, 1.0666666666666667, 0.3169782107433232, 0.753318441446317,
        0.3554727790430612, 0.45351432507723455, 2, 0, 1, 1, 0, 0, 0, 5, 2, 4, 0.9396926207859084, 0, 0,
        0.3420201433256687, 5, 0, 1, 1, 0, 0, 0, 7, 2, 4, 0.11797039066140314, 0.733442849354756,
        0.07648335146851087, 0.6650525322151037, 8, 2, 4, 0.9658788626395376, 0.17414412775152846,
        0.050414412626585116, 0.18496008346486284};
    REQUIRE(model->q0.size() == expected.size());
    for (std::size_t joint = 0; joint < expected.size(); joint += 7) {
        CAPTURE(joint);
        const double* q = model->q0.data() + joint;
        const double* e = expected.data() + joint;
        check_vec({q[0], q[1], q[2]}, {e[0], e[1], e[2]}, 1e-14);
        check_quat({q[3], q[4], q[5], q[6]}, {e[3], e[4], e[5], e[6]}, 1e-8);
    }
    check_vec(body(*model, "one").com, {0, 0, 0});
    check_vec(model->sites[0].X_BS.p, {0.5, 0, 0}, 1e-15);
    check_vec(model->geoms[0].X_BG.p, {0, 0, 0}, 1e-15);

    // align="true" counts without the compiler's setting.
    const auto plain = compile(read_model(world_text).scene);
    check_vec(body(*plain, "full").X_WB0.p, {7, 2, 4}, 1e-14);
    check_vec(body(*plain, "one").X_WB0.p, {0, 0, 1});
}
