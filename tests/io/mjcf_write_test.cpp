// What is written as MJCF loads back to the same model, bit for bit.

#include "io/mjcf_support.h"
#include "support/model_compare.h"
#include "support/random_scene.h"
#include "support/ring_mechanisms.h"

#include <ligament/save.h>

#include <fstream>
#include <sstream>

using namespace lig;
using namespace lig::test;

namespace fs = std::filesystem;

namespace {

struct Compiled {
    std::shared_ptr<const Model> model;
    std::string text, again;  // as written, and written again after reading
};

// The model of a scene after it was written and read.
Compiled compile_written(const Scene& scene, const fs::path& folder = ".") {
    Compiled result;
    result.text = write_mjcf(scene, folder);
    Diagnostics log;
    const Scene again = parse_scene(result.text, folder / "written.xml", {}, log);
    // A line that no one reads would be as bad as one that was not written.
    for (const char* code : {"W010", "W011", "W092", "W093"}) CHECK(count_code(log, code) == 0);
    result.again = write_mjcf(again, folder);
    result.model = compile(again, log);
    return result;
}

std::string first_different_line(const std::string& a, const std::string& b) {
    std::istringstream one(a), other(b);
    for (std::string left, right;;) {
        const bool more = static_cast<bool>(std::getline(one, left));
        if (more != static_cast<bool>(std::getline(other, right))) return "one ends before the other";
        if (!more) return "";
        if (left != right) return left + " became " + right;
    }
}

void check_round_trip(const Scene& scene, const fs::path& folder = ".") {
    const std::shared_ptr<const Model> model = compile(scene);
    const Compiled written = compile_written(scene, folder);
    const ModelComparison comparison(*model, *written.model);
    CHECK(comparison.first_difference() == "");
    // Nor does anything change in what compile does not use.
    CHECK(first_different_line(written.text, written.again) == "");
}

// The same of text that needs no other file, wherever it lies.
void check_self_contained(const Scene& scene) {
    const std::string text = write_self_contained_mjcf(scene);
    Diagnostics log;
    const Scene again = parse_scene(text, "nowhere/written.xml", {}, log);
    const ModelComparison comparison(*compile(scene), *compile(again, log));
    CHECK(comparison.first_difference() == "");
    CHECK(first_different_line(text, write_self_contained_mjcf(again)) == "");
}

std::string written_world(const std::string& inside) {
    const std::string text = write_mjcf(read_world(inside).scene);
    const std::size_t begin = text.find("  <worldbody>");
    REQUIRE(begin != std::string::npos);
    return text.substr(begin);
}

void check_files(const fs::path& folder, const char* ending, int least) {
    if (!fs::is_directory(folder)) {
        MESSAGE("skipped: no models at " << folder.string());
        return;
    }
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ending) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    int converted = 0;
    for (const fs::path& file : files) {
        CAPTURE(file.string());
        Diagnostics log;
        Scene scene;
        try {
            scene = load_scene(file, {}, log);
            compile(scene, log);
        } catch (const InputError&) {
            continue;
        }  // refused, or a part of another file; other tests look at it
        check_round_trip(scene, fs::temp_directory_path());
        check_self_contained(scene);
        ++converted;
    }
    CHECK(converted >= least);
}

}  // namespace

TEST_CASE("MJCF written: the scenes of the project") {
    check_files(fs::path(LIG_SOURCE_DIR) / "scenes", ".xml", 1);
    check_files(fs::path(LIG_SOURCE_DIR) / "scenes", ".urdf", 1);
}

TEST_CASE("MJCF written: files of one feature each") {
    check_files(fs::path(LIG_SOURCE_DIR) / "tests/data/mjcf", ".xml", 70);
}

TEST_CASE("MJCF written: models of others") {
    const fs::path models = fs::path(LIG_SHARED_DIR) / "models";
    SUBCASE("MuJoCo's") { check_files(models / "mujoco", ".xml", 8); }
    SUBCASE("the menagerie's") { check_files(models / "menagerie", ".xml", 18); }
    SUBCASE("URDF") { check_files(models / "urdf", ".urdf", 5); }
}

TEST_CASE("MJCF written: random trees over all joint kinds") {
    for (int seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        Random random(static_cast<unsigned>(seed));
        TreeShape shape;
        shape.bodies = 12;
        shape.springs = seed % 2 == 0;
        shape.kinematic = seed % 3;
        shape.kinds = seed % 4;
        check_round_trip(random_scene(random, shape));
    }
}

TEST_CASE("MJCF written: how it looks") {
    const std::string text = write_mjcf(
        ReadMjcf(R"(<mujoco model="a &amp; &quot;b&quot;"><default><geom rgba="1 0 0 1"/></default>
            <worldbody><geom type="plane" size="0 0 1"/>
              <body name="arm&#10;2" pos="0 0 0.1" euler="0 0 90"><joint range="-90 30" damping="0.1"/>
                <geom type="capsule" fromto="0 0 0 0 0 1" size="0.05"/></body></worldbody></mujoco>)")
            .scene);
    CHECK(text ==
          R"(<mujoco model="a &amp; &quot;b&quot;">
  <compiler angle="radian" autolimits="true"/>
  <worldbody>
    <geom type="plane" size="0 0 1" rgba="1 0 0 1"/>
    <body name="arm&#10;2" pos="0 0 0.1" quat="0.7071067811865476 0 0 0.7071067811865475">
      <joint range="-1.5707963267948966 0.5235987755982988" damping="0.1"/>
      <geom type="capsule" size="0.05 0.5" pos="0 0 0.5" quat="6.123233995736766e-17 1 0 0" rgba="1 0 0 1"/>
    </body>
  </worldbody>
</mujoco>
)");
}

TEST_CASE("MJCF written: the twist of a ball holds without a flag") {
    constexpr double none = std::numeric_limits<double>::infinity();
    for (const Range twist : {Range{0, 0}, Range{0.3, 0.3}, Range{-1, none}, Range{-none, 1}, Range{}}) {
        CAPTURE(twist.lower);
        CAPTURE(twist.upper);
        Scene scene;
        const InertialSpec inertial{.mass = 1, .inertia = Sym3d::diagonal(1, 1, 1)};
        const BodyId body = scene.add_body(world, {.inertial = inertial});
        JointSpec ball{.type = JointType::ball};
        ball.twist = twist;
        scene.add_joint(body, ball);
        check_round_trip(scene);
    }
}

TEST_CASE("MJCF written: elements stand in the order in which the scene has them") {
    const std::string inside =
        R"(  <worldbody>
    <body name="a">
      <geom name="g0" size="1"/>
      <site name="s0"/>
      <body name="b">
        <geom name="g1" size="1"/>
      </body>
      <geom name="g2" size="1"/>
      <body name="c">
        <site name="s1"/>
      </body>
      <site name="s2"/>
    </body>
    <geom name="g3" size="1"/>
  </worldbody>
</mujoco>
)";
    const std::size_t begin = inside.find("    <body"), end = inside.find("  </worldbody>");
    CHECK(written_world(inside.substr(begin, end - begin)) == inside);
}

TEST_CASE("MJCF written: names are invented only for what is referred to") {
    const ReadMjcf read = read_model(R"(<worldbody>
        <body name="body1"><freejoint/><geom size="1"/></body>
        <body><joint/><geom size="1"/></body>
        <body><joint/><geom size="1"/></body></worldbody>)");
    Scene scene = read.scene;
    scene.exclude_collision({1}, {2});
    scene.add_coupling({.follower = {1}, .leader = {2}});
    const std::string text = write_mjcf(scene);
    CAPTURE(text);
    CHECK(text.find(R"(<exclude body1="body1" body2="body2"/>)") != std::string::npos);
    CHECK(text.find(R"(<joint joint1="joint1" joint2="joint2"/>)") != std::string::npos);
    CHECK(text.find(R"(<body name="body2">)") != std::string::npos);
    CHECK(text.find("<freejoint/>") != std::string::npos);
    CHECK(text.find("<body>") != std::string::npos);

    // A name that is in use is not taken.
    Scene clash;
    clash.add_body(world, {.name = "body2"});
    clash.add_body(world, {});
    clash.exclude_collision({1}, {2});
    CHECK(write_mjcf(clash).find(R"(body1="body2" body2="body2_")") != std::string::npos);
}

TEST_CASE("MJCF written: a body called world") {
    Scene scene;
    const BodyId body = scene.add_body(world, {.name = "world", .inertial = InertialSpec{.mass = 1}});
    const BodyId other = scene.add_body(body, {.name = "other", .inertial = InertialSpec{.mass = 1}});
    scene.exclude_collision(body, other);
    check_round_trip(scene);
    // The two cannot be told apart by name, so the body gets another.
    scene.exclude_collision(world, other);
    const std::string text = write_mjcf(scene);
    CHECK(text.find(R"(<body name="body1">)") != std::string::npos);
    CHECK(text.find(R"(body1="world" body2="other")") != std::string::npos);
    CHECK(text.find(R"(body1="body1" body2="other")") != std::string::npos);
}

TEST_CASE("MJCF written: loops are MuJoCo's own where that is exact") {
    const std::string bodies = R"(<worldbody>
        <body name="a" pos="0.1 0.2 0.3" euler="10 20 30"><freejoint/><geom size="1"/>
          <site name="s" pos="0.3 0.2 0.1" euler="1 2 3"/></body>
        <body name="b" pos="1 -2 0.7" euler="-40 5 60"><freejoint/><geom size="1"/>
          <site name="t" pos="-0.1 0 0.1" euler="3 2 1"/></body></worldbody>)";
    const auto written = [&](const std::string& equality) {
        const ReadMjcf read = read_model(bodies + "<equality>" + equality + "</equality>");
        CHECK(read.log.error_count() == 0);
        check_round_trip(read.scene);
        const std::string text = write_mjcf(read.scene);
        const std::size_t begin = text.find("<equality>") + 10;
        return text.substr(begin, text.find("</equality>") - begin);
    };
    CHECK(written(R"(<connect body1="a" body2="b" anchor="0.1 0.7 0.3"/>)") ==
          "\n    <connect body1=\"a\" body2=\"b\" anchor=\"0.1 0.7 0.3\"/>\n  ");
    CHECK(written(R"(<connect name="c" body1="a" anchor="0.1 0.7 0.3" active="false"/>)") ==
          "\n    <connect name=\"c\" body1=\"a\" anchor=\"0.1 0.7 0.3\" active=\"false\"/>\n  ");
    CHECK(written(R"(<weld body1="a" body2="b" anchor="0.3 0.1 0.9"/>)") ==
          "\n    <weld body1=\"a\" body2=\"b\" anchor=\"0.3 0.1 0.9\"/>\n  ");
    CHECK(written(R"(<weld body1="a" body2="b" relpose="0.1 0.7 0.3 0.6 0 0 0.8" solref="0.1 2"/>)") ==
          "\n    <weld body1=\"a\" body2=\"b\" relpose=\"0.1 0.7 0.3 0.6 0 0 0.8\" solref=\"0.1 2\"/>\n  ");
    CHECK(written(R"(<connect site1="s" site2="t"/>)") == "\n    <connect site1=\"s\" site2=\"t\"/>\n  ");
    CHECK(written(R"(<weld site1="s" site2="t"/>)") == "\n    <weld site1=\"s\" site2=\"t\"/>\n  ");
    CHECK(written(R"(<loop type="hinge" body1="a" body2="b" pos1="0.3 0.7 0.1" quat1="1 1 0 0"/>)")
              .find("<loop type=\"hinge\" body1=\"a\" body2=\"b\" pos1=\"0.3 0.7 0.1\" quat1=\"0.7071") !=
          std::string::npos);
}

TEST_CASE("MJCF written: what joints have that close loops, and what acts on them") {
    for (const RingMechanism& mechanism : ring_mechanisms(true))
        for (int cut = 0; cut < static_cast<int>(mechanism.joints.size()); ++cut) {
            CAPTURE(mechanism.name);
            CAPTURE(cut);
            CutMechanism made = cut_at(mechanism, cut);
            const LoopId loop{made.closes[static_cast<std::size_t>(cut)]};
            if (loop.index < 0) continue;  // it is in no ring
            const bool has_one = made.scene.loops()[loop.index].type == JointType::hinge ||
                                 made.scene.loops()[loop.index].type == JointType::slide;
            made.scene.add_sensor({.name = "read",
                                   .type = has_one ? SensorType::jointpos : SensorType::user,
                                   .object = {ObjectRef::Kind::loop, loop.index}});
            check_round_trip(made.scene);
        }
}

TEST_CASE("MJCF written: limits and springs of balls that close loops") {
    Scene scene;
    const BodyId body = scene.add_body(world, {.name = "a"});
    scene.add_joint(body, {.type = JointType::free});
    scene.add_geom(body, {.size = {0.1, 0, 0}});
    JointSpec joint;
    joint.cone = 0.4;
    joint.swing = 0.3;
    joint.twist = Range{-0.1, 0.2};
    joint.axis = {0, 1, 0.5};
    joint.axis_stiffness = Vec3d{1, 2, 3};
    joint.stiffness_axes = {0.5, 0.5, 0.5, -0.5};
    joint.damping_poly = {0.1, 0.2};
    joint.margin = 0.01;
    const LoopId loop = scene.add_loop({.name = "hip", .body_a = world, .body_b = body, .joint = joint});
    scene.add_actuator(
        {.transmission = Transmission::joint_in_parent, .loop = loop, .gear = {1, 2, 3, 0, 0, 0}});
    const ObjectRef read{ObjectRef::Kind::loop, 0};
    scene.add_sensor({.name = "turn", .type = SensorType::ballquat, .object = read});
    scene.add_sensor({.name = "limit", .type = SensorType::jointlimitpos, .object = read});
    check_round_trip(scene);
}

TEST_CASE("MJCF written: a chain of 100,000 bodies") {
    Scene scene;
    BodyId at = world;
    for (int k = 0; k < 100'000; ++k) {
        at = scene.add_body(at, {.pose = {.pos = {0, 0, 0.1}}, .inertial = InertialSpec{.mass = 1}});
        scene.add_joint(at, {.armature = 0.1});
    }
    const std::string text = write_mjcf(scene);
    CHECK(text.size() < 40'000'000);
    Diagnostics log;
    const Scene again = parse_scene(text, "chain.xml", {}, log);
    CHECK(again.bodies().size() == scene.bodies().size());
    CHECK(again.joints().size() == scene.joints().size());
}

TEST_CASE("MJCF written: files") {
    const fs::path folder = fs::temp_directory_path() / "ligament_write_test";
    fs::create_directories(folder / "out");
    Scene scene("s");
    const auto triangles = std::make_shared<const TriangleMesh>();
    scene.add_mesh({.name = "m", .file = (folder / "meshes/m.stl").string(), .mesh = triangles});
    scene.add_mesh(
        {.name = "up", .file = (folder / "out/n.stl").string(), .scale = {1, 2, 3}, .mesh = triangles});
    scene.add_mesh({.name = "lost"});  // was not found, and is not found again
    save_scene(scene, folder / "out/s.xml");
    std::ifstream in(folder / "out/s.xml");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    CHECK(text.find(R"(<mesh name="m" file="../meshes/m.stl"/>)") != std::string::npos);
    CHECK(text.find(R"(<mesh name="up" file="n.stl" scale="1 2 3"/>)") != std::string::npos);
    CHECK(text.find(R"(<mesh name="lost" file="lost"/>)") != std::string::npos);
    CHECK_THROWS_AS(save_scene(scene, folder / "out/s.urdf"), std::invalid_argument);
    CHECK_THROWS_AS(save_scene(scene, folder / "out/s"), std::invalid_argument);
    CHECK_THROWS_AS(save_scene(scene, folder / "nowhere/s.xml"), std::system_error);
    fs::remove_all(folder);
}
