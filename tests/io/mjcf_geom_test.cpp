// Geoms and assets.

#include "io/mjcf_support.h"

using namespace lig;
using namespace lig::test;

namespace {

const double half = std::sqrt(0.5);

}  // namespace

TEST_CASE("MJCF geom with nothing said but its size") {
    const ReadMjcf m = read_world("<geom size='0.5'/>");
    CHECK(m.messages() == "");
    const GeomSpec& geom = m.scene.geoms()[0].spec;
    CHECK(m.scene.geoms()[0].body == world);
    CHECK(geom.shape == ShapeType::sphere);
    CHECK(geom.size.x == 0.5);
    CHECK(geom.density == 1000);
    CHECK_FALSE(geom.mass.has_value());
    CHECK_FALSE(geom.shell);
    CHECK(geom.collides);
    CHECK(geom.contype == 1);
    CHECK(geom.conaffinity == 1);
    CHECK(geom.condim == 3);
    check_vec(geom.friction, {1, 0.005, 0.0001});
    CHECK(geom.rgba == std::array<double, 4>{0.5, 0.5, 0.5, 1});
}

TEST_CASE("MJCF geom with everything said") {
    const ReadMjcf m = read_world(
        "<geom name='g' type='box' size='1 2 3' pos='4 5 6' zaxis='1 0 0' mass='7' density='8' "
        "shellinertia='true' "
        "contype='2' conaffinity='0' condim='6' group='3' friction='0.5 0.25' margin='0.01' rgba='1 0 0 0.5' "
        "solref='0.02 1' solimp='0.9 0.95 0.001' solmix='2' user='1'/>"
        "<geom name='seen' size='1' contype='0' conaffinity='0'/>");
    CHECK(m.messages() == "");
    const GeomSpec& geom = m.geom("g");
    CHECK(geom.shape == ShapeType::box);
    check_vec(geom.size, {1, 2, 3});
    check_vec(geom.pose.pos, {4, 5, 6});
    check_quat(geom.pose.quat, {half, 0, half, 0});
    CHECK(geom.mass == 7.0);
    CHECK(geom.density == 8);
    CHECK(geom.shell);
    CHECK(geom.contype == 2);
    CHECK(geom.conaffinity == 0);
    CHECK(geom.collides);
    CHECK(geom.condim == 6);
    CHECK(geom.group == 3);
    // The third number keeps its default.
    check_vec(geom.friction, {0.5, 0.25, 0.0001});
    CHECK(geom.margin == 0.01);
    CHECK(geom.rgba == std::array<double, 4>{1, 0, 0, 0.5});
    CHECK_FALSE(m.geom("seen").collides);
}

TEST_CASE("MJCF geoms between two points") {
    const ReadMjcf m = read_world(
        "<geom name='capsule' type='capsule' size='0.1' fromto='0 0 0 2 0 0'/>"
        "<geom name='cylinder' type='cylinder' size='0.1' fromto='0 0 1 0 0 4'/>"
        "<geom name='box' type='box' size='0.1' fromto='0 -1 0 0 1 0'/>"
        "<geom name='ellipsoid' type='ellipsoid' size='0.1 9 9' fromto='0 0 3 0 0 1'/>");
    CHECK(m.messages() == "");
    check_vec(m.geom("capsule").size, {0.1, 1, 0});
    check_vec(m.geom("capsule").pose.pos, {1, 0, 0});
    // z points to the first point.
    check_vec(rotation_matrix(m.geom("capsule").pose.quat).z, {-1, 0, 0});
    check_vec(m.geom("cylinder").size, {0.1, 1.5, 0});
    check_vec(m.geom("cylinder").pose.pos, {0, 0, 2.5});
    check_quat(m.geom("cylinder").pose.quat, {0, 1, 0, 0});
    check_vec(m.geom("box").size, {0.1, 0.1, 1});
    check_vec(rotation_matrix(m.geom("box").pose.quat).z, {0, -1, 0});
    check_vec(m.geom("ellipsoid").size, {0.1, 0.1, 1});
    check_vec(m.geom("ellipsoid").pose.pos, {0, 0, 2});
    check_quat(m.geom("ellipsoid").pose.quat, {1, 0, 0, 0});
}

TEST_CASE("MJCF geoms whose geometry is incomplete") {
    CHECK(read_world("<geom name='g' type='box' size='1 2'/>").messages() ==
          "m.xml:1:52: error[E087]: <geom \"g\">: size 3 of a box must be positive\n");
    CHECK(read_world("<geom/>").messages() ==
          "m.xml:1:20: error[E087]: <geom>: size 1 of a sphere must be positive (add size=\"…\")\n");
    CHECK(read_world("<geom size='-1'/>").messages() ==
          "m.xml:1:32: error[E087]: <geom>: size 1 of a sphere must be positive\n");
    CHECK(read_world("<geom type='capsule' size='1' fromto='1 1 1 1 1 1'/>").messages() ==
          "m.xml:1:58: error[E087]: <geom>: the two points of 'fromto' are the same\n"
          "m.xml:1:47: error[E087]: <geom>: size 2 of a capsule must be positive\n");
    CHECK(read_world("<geom size='1' fromto='0 0 0 1 1 1'/>").messages() ==
          "m.xml:1:43: error[E087]: <geom>: 'fromto' is for capsules, cylinders, ellipsoids and boxes, not "
          "for a "
          "sphere (give the type)\n");
    CHECK(read_world("<geom type='mesh'/>").messages() ==
          "m.xml:1:20: error[E087]: <geom> is of type mesh but names none (add mesh=\"…\")\n");
    CHECK(read_world("<geom size='1' condim='2'/>").messages() ==
          "m.xml:1:43: error[E008]: attribute 'condim' of <geom> must be 1, 3, 4 or 6\n");
    CHECK(read_world("<geom size='1' contype='1.5'/>").messages() ==
          "m.xml:1:44: error[E006]: attribute 'contype' of <geom> must be a whole number\n");
    CHECK(
        read_world("<geom size='1' type='spere'/>").messages() ==
        "m.xml:1:41: error[E008]: attribute 'type' of <geom>: 'spere' is not one of plane, sphere, capsule, "
        "cylinder, ellipsoid, box, mesh, hfield, trimesh (did you mean 'sphere'?)\n");
    CHECK(read_world("<geom type='sdf'/>").log.all()[0].code->id == "U091");
}

TEST_CASE("MJCF planes belong to what does not move") {
    CHECK(read_world("<geom type='plane' size='0 0 1'/><body><geom type='plane' size='1 1 1'/></body>")
              .messages() == "");
    CHECK(read_world("<body><body><geom type='plane' size='1 1 1'/></body><joint/></body>").messages() ==
          "m.xml:1:32: error[E088]: a plane cannot be part of a moving body (put it into <worldbody>, or use "
          "a thin "
          "box)\n");
}

TEST_CASE("MJCF meshes") {
    TemporaryFolder folder;
    folder.write("parts/arm.stl", "solid\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n");
    folder.write("leg.obj", "v 0 0 0");
    const std::string geom = "<worldbody><geom name='g' type='mesh' mesh='arm'/></worldbody>";
    SUBCASE("found through meshdir; the name is the file's unless given") {
        const ReadMjcf m(
            "<mujoco><compiler meshdir='parts'/><asset><mesh file='arm.stl' scale='1 2 3'/>"
            "<mesh name='other' file='../leg.obj'/></asset>" +
                geom + "</mujoco>",
            folder.path() / "m.xml");
        CHECK(m.messages() == "");
        REQUIRE(m.scene.meshes().size() == 2);
        CHECK(m.scene.meshes()[0].name == "arm");
        CHECK(m.scene.meshes()[0].file == (folder.path() / "parts/arm.stl").string());
        check_vec(m.scene.meshes()[0].scale, {1, 2, 3});
        CHECK(m.scene.meshes()[1].name == "other");
        CHECK(m.scene.meshes()[1].file == (folder.path() / "leg.obj").string());
        CHECK(m.geom("g").shape == ShapeType::mesh);
        CHECK(m.geom("g").mesh == "arm");
    }
    SUBCASE("assetdir, strippath, the scale of a class") {
        const ReadMjcf m(
            "<mujoco><compiler assetdir='parts' strippath='true'/><default><mesh scale='2 2 2'/></default>"
            "<asset><mesh file='far/away/arm.stl'/></asset></mujoco>",
            folder.path() / "m.xml");
        CHECK(m.messages() == "");
        CHECK(m.scene.meshes()[0].file == (folder.path() / "parts/arm.stl").string());
        check_vec(m.scene.meshes()[0].scale, {2, 2, 2});
    }
    SUBCASE("a missing file is a warning with the places") {
        const ReadMjcf m("<mujoco><asset><mesh file='arm.stl'/></asset>" + geom + "</mujoco>",
                         folder.path() / "m.xml");
        const std::string base = folder.path().string();
        CHECK(m.messages() ==
              base + "/m.xml:1:28: warning[W012]: the mesh file 'arm.stl' was not found (looked for " + base +
                  "/arm.stl)\n");
        CHECK(m.scene.meshes()[0].file == "");
    }
    SUBCASE("a geom needs a mesh that exists") {
        CHECK(read_model("<asset><mesh name='arn' builtin='sphere' params='0'/></asset>" + geom).messages() ==
              "m.xml:1:114: error[E084]: there is no mesh 'arm' (did you mean 'arn'?)\n");
    }
}

TEST_CASE("MJCF materials give the colour") {
    const ReadMjcf m = read_model(
        "<worldbody><geom name='a' size='1' material='red'/><geom name='b' size='1' material='red' rgba='0 0 "
        "1 1'/>"
        "<geom name='c' size='1' material='plain'/></worldbody>"
        "<asset><texture name='t' builtin='flat'/><material name='red' rgba='1 0 0 1' texture='t'/>"
        "<material name='plain'/></asset>");
    CHECK(m.messages() == "");
    CHECK(m.geom("a").rgba == std::array<double, 4>{1, 0, 0, 1});
    CHECK(m.geom("b").rgba == std::array<double, 4>{0, 0, 1, 1});
    CHECK(m.geom("c").rgba == std::array<double, 4>{1, 1, 1, 1});
    CHECK(read_world("<geom size='1' material='rot'/>").messages() ==
          "m.xml:1:45: error[E084]: there is no material 'rot'\n");
}

TEST_CASE("MJCF inertiagrouprange: geoms of other groups weigh nothing") {
    const ReadMjcf m = read_model(
        "<compiler inertiagrouprange='1 2'/><worldbody><geom name='in' size='1' group='2' mass='3'/>"
        "<geom name='out' size='1' mass='3'/></worldbody>");
    CHECK(m.messages() == "");
    CHECK(m.geom("in").mass == 3.0);
    CHECK(m.geom("out").mass == 0.0);
}

TEST_CASE("MJCF geoms: contact, softness, the forces of a medium") {
    const ReadMjcf m = read_world(
        "<geom name='g' size='1' priority='1' gap='0.1' fluidshape='ellipsoid' fluidcoef='0.1 0.2' "
        "solmix='3' "
        "solref='-100' solimp='0.8 0.9' restitution='0.4' adhesion='0' surfacevel='0 0 0'/>"
        "<geom name='plain' size='1' fluidcoef='1'/>");
    CHECK(m.messages() == "");
    const GeomSpec& g = m.geom("g");
    CHECK(g.priority == 1);
    CHECK(g.gap == 0.1);
    CHECK(g.solmix == 3);
    CHECK(g.soft == Softness{{-100, 1}, {0.8, 0.9, 0.001, 0.5, 2}});
    CHECK(g.restitution == 0.4);
    CHECK(g.fluid == FluidSpec{0.1, 0.2, 1.5, 1, 1});
    CHECK(!m.geom("plain").fluid);
    CHECK(count_code(read_world("<geom size='1' surfacevel='0 1'/>").log, "U130") == 1);
    CHECK(read_world("<geom name='sticky' size='1' adhesion='2'/>").geom("sticky").adhesion == 2);
    CHECK(count_code(read_world("<geom size='1' adhesion='-1'/>").log, "E006") == 1);
    CHECK(read_world("<geom size='1'><plugin/></geom>").messages() ==
          "m.xml:1:35: error[U115]: <plugin> in <geom> is not supported (Ligament has no plugins; take it "
          "out)\n");
}

TEST_CASE("MJCF fromto: the orientations are MuJoCo's") {
    const ReadMjcf m = read_world(
        "<geom name='a' type='box' size='.1' fromto='0 0 0 1 0 .2'/>"
        "<geom name='b' type='capsule' size='.1' fromto='0 0 0 0 0 1'/>"
        "<geom name='c' type='capsule' size='.1' fromto='0 0 1 0 0 0'/>"
        "<site name='s' type='capsule' fromto='1 2 3 0 -1 .5'/>");
    CHECK(m.messages() == "");
    // Computed with MuJoCo 3.14.
    check_quat(m.geom("a").pose.quat, {0.6339889056055381, 0, -0.7733421413379022, 0}, 1e-15);
    check_quat(m.geom("b").pose.quat, {0, 1, 0, 0}, 1e-15);
    check_quat(m.geom("c").pose.quat, {1, 0, 0, 0}, 1e-15);
    check_quat(m.site("s").pose.quat, {0.9000482411921159, -0.4134269550649558, 0.13780898502165193, 0},
               1e-15);
}
