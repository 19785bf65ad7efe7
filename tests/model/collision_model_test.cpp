// Which geoms collide, with which properties, and which shapes are refused. Lists and numbers that follow a
// model in MJCF are what MuJoCo 3.14 reports as its contacts for the same file.

#include "model/collision_model.h"

#include "shapes/shape_geometry.h"
#include "support_scene.h"

#include <ligament/load.h>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>

using namespace lig;
using namespace lig::test;

namespace {

std::shared_ptr<const Model> model_of(const std::string& inside, const std::string& before = "") {
    Diagnostics log;
    auto model = compile(parse_scene("<mujoco>" + before + inside + "</mujoco>", "m.xml", {}, log), log);
    CHECK(log.all().empty());
    return model;
}

// What is said about a model that may or may not compile.
std::string complaints(const std::string& inside) {
    Diagnostics log;
    try {
        compile(parse_scene("<mujoco>" + inside + "</mujoco>", "m.xml", {}, log), log);
    } catch (const InputError&) {}
    std::string text;
    for (const Diagnostic& d : log.all()) text += d.to_string() + "\n";
    return text;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

int index_of(const Model& model, const std::string& name) {
    for (std::size_t g = 0; g < model.geoms.size(); ++g)
        if (model.geoms[g].spec.name == name) return model.collision->index_of[g];
    FAIL("no geom " << name);
    return -1;
}

// "a-b a-c …" of all pairs that may collide, in the order of the geoms.
std::string all_pairs(const Model& model) {
    const CollisionModel& collision = *model.collision;
    const auto name = [&](int i) { return model.geoms[collision.geoms[i].geom].spec.name; };
    std::string text;
    for (int a = 0; a < static_cast<int>(collision.geoms.size()); ++a)
        for (int b = a + 1; b < static_cast<int>(collision.geoms.size()); ++b) {
            CHECK(collision.may_collide(a, b) == collision.may_collide(b, a));
            if (collision.may_collide(a, b)) text += (text.empty() ? "" : " ") + name(a) + "-" + name(b);
        }
    return text;
}

const char* const tree = R"(<worldbody>
<geom name="w1" size=".1"/><geom name="w2" size=".1"/>
<body name="p"><freejoint/><geom name="p1" size=".1"/><geom name="p2" size=".1"/>
  <body name="c"><joint/><geom name="c1" size=".1"/>
    <body name="f"><geom name="f1" size=".1"/>
      <body name="g"><joint axis="1 0 0"/><geom name="g1" size=".1"/></body></body></body></body>
<body name="r"><joint/><geom name="r1" size=".1"/></body>
</worldbody>)";
const char* const relations = R"(<contact><pair geom1="p1" geom2="p2" condim="1"/>
<exclude body1="p" body2="f"/><pair geom1="f1" geom2="p1" condim="4"/></contact>)";

}  // namespace

TEST_CASE("which geoms collide: bodies, parents, exclusions and pairs") {
    const auto model = model_of(std::string(tree) + relations);
    CHECK(all_pairs(*model) ==
          "w1-p1 w1-p2 w1-c1 w1-f1 w1-g1 w1-r1 w2-p1 w2-p2 w2-c1 w2-f1 w2-g1 w2-r1 p1-p2 p1-f1 p1-g1 p1-r1 "
          "p2-g1 p2-r1 c1-r1 f1-r1 g1-r1");
    const CollisionModel& collision = *model->collision;
    CHECK(collision.properties(index_of(*model, "p1"), index_of(*model, "p2")).condim == 1);
    CHECK(collision.properties(index_of(*model, "f1"), index_of(*model, "p1")).condim == 4);
    CHECK(collision.properties(index_of(*model, "p1"), index_of(*model, "g1")).condim == 3);

    const auto unfiltered =
        model_of(std::string(tree) + relations, "<option><flag filterparent='disable'/></option>");
    CHECK(all_pairs(*unfiltered) ==
          "w1-p1 w1-p2 w1-c1 w1-f1 w1-g1 w1-r1 w2-p1 w2-p2 w2-c1 w2-f1 w2-g1 w2-r1 p1-p2 p1-c1 p1-f1 p1-g1 "
          "p1-r1 p2-c1 p2-g1 p2-r1 c1-g1 c1-r1 f1-g1 f1-r1 g1-r1");

    for (const char* off : {"contact", "constraint"}) {
        const auto without = model_of(std::string(tree) + relations,
                                      "<option><flag " + std::string(off) + "='disable'/></option>");
        CHECK(all_pairs(*without) == "");
        CHECK(without->collision->geoms.size() == 8);  // for queries
    }
}

TEST_CASE("which geoms collide: mocap bodies count as the world") {
    const auto model = model_of(R"(<worldbody><geom name="floor" type="plane" size="1 1 .1"/>
<body mocap="true"><geom name="mocap" size=".1"/><body><geom name="rider" size=".1"/></body></body>
<body mocap="true"><geom name="mocap2" size=".1"/></body>
<body><geom name="static" size=".1"/></body>
<body><freejoint/><geom name="a" size=".1"/></body></worldbody>)");
    CHECK(all_pairs(*model) == "floor-a mocap-a rider-a mocap2-a static-a");
    const CollisionModel& collision = *model->collision;
    CHECK_FALSE(collision.geoms[index_of(*model, "floor")].moves);
    CHECK_FALSE(collision.geoms[index_of(*model, "static")].moves);
    CHECK(collision.geoms[index_of(*model, "mocap")].moves);
    CHECK(collision.geoms[index_of(*model, "rider")].moves);
    CHECK(collision.geoms[index_of(*model, "a")].moves);
}

TEST_CASE("bodies that are not rigid move by themselves") {
    const auto model = model_of(R"(<worldbody><geom name="floor" type="plane" size="1 1 .1"/>
<body kind="particle"><geom name="dust" size=".1"/></body>
<body kind="planar"><geom name="disc" size=".1"/></body></worldbody>)");
    CHECK(all_pairs(*model) == "floor-dust floor-disc dust-disc");
    CHECK(model->collision->geoms[1].moves);
}

namespace {

struct Expected {
    const char* with;  // floor and this one
    double acts_from;  // includemargin of MuJoCo
    double gap;
    int condim;
    std::array<double, 5> friction;
    std::array<double, 2> solref;
    std::array<double, 5> solimp;
};

void check_properties(const ContactProperties& p, const Expected& e) {
    CAPTURE(e.with);
    CHECK(p.condim == e.condim);
    CHECK(p.margin - p.gap == doctest::Approx(e.acts_from).epsilon(1e-14));
    CHECK(p.gap == doctest::Approx(e.gap).epsilon(1e-15));
    for (int i = 0; i < 5; ++i) CHECK(p.friction[i] == e.friction[i]);
    // Either order of the two geoms rounds in its own way.
    for (int i = 0; i < 2; ++i) CHECK(p.soft.solref[i] == doctest::Approx(e.solref[i]).epsilon(4e-16));
    for (int i = 0; i < 5; ++i) CHECK(p.soft.solimp[i] == doctest::Approx(e.solimp[i]).epsilon(4e-16));
}

}  // namespace

TEST_CASE("which properties contacts have: priority, mixing, pairs") {
    const auto model = model_of(R"(<worldbody>
<geom name="floor" type="plane" size="1 1 .1" margin=".1" gap=".03" friction=".5 .01 .002" solref=".03 .8"
      solimp=".8 .9 .002 .4 3" solmix="2" restitution=".3"/>
<body><freejoint/><geom name="mixed" size=".1" margin=".06" gap=".05" condim="4" friction=".7 .003 .003"
      solimp=".7 .8 .004 .6 1" restitution=".2"/></body>
<body><freejoint/><geom name="leading" size=".1" priority="2" margin=".01" condim="1" friction=".2 .001 .003"
      solref=".05 1.5" restitution=".1"/></body>
<body><freejoint/><geom name="led" size=".1" priority="-1" condim="6" restitution=".9"/></body>
<body><freejoint/><geom name="direct" size=".1" solref="-1000 -50" restitution=".9"/></body>
<body><freejoint/><geom name="unmixed" size=".1" solmix="0"/></body>
<body><freejoint/><geom name="masked" size=".1" contype="2" conaffinity="4"/></body>
<body><freejoint/><geom name="masks" size=".1" contype="0" conaffinity="1"/></body>
<body><freejoint/><geom name="paired" size=".1" contype="0" conaffinity="0"/></body>
<body><freejoint/><geom name="no1" size=".1" solmix="0" contype="8" conaffinity="8"/></body>
<body><freejoint/><geom name="no2" size=".1" solmix="0" solref=".1 .5" contype="8" conaffinity="8"/></body>
<body><freejoint/><geom name="seen" size=".1" contype="0" conaffinity="0"/></body>
</worldbody><contact><pair geom1="paired" geom2="floor" condim="6" friction=".1 .2 .3 .4 .5" solref=".07 .9"
  solreffriction=".06 .7" solimp=".5 .6 .7 .3 4" margin=".02" gap=".04" restitution=".6"/></contact>)");
    const CollisionModel& collision = *model->collision;
    const int floor = index_of(*model, "floor");
    const Expected table[] = {
        {"mixed",
         0.16,
         0.08,
         4,
         {0.7, 0.7, 0.01, 0.003, 0.003},
         {0.026666666666666665, 0.8666666666666667},
         {0.7666666666666666, 0.8666666666666667, 0.002666666666666667, 0.4666666666666667,
          2.3333333333333335}},
        {"leading", 0.11, 0.03, 1, {0.2, 0.2, 0.001, 0.003, 0.003}, {0.05, 1.5}, {0.9, 0.95, 0.001, 0.5, 2}},
        {"led", 0.1, 0.03, 3, {0.5, 0.5, 0.01, 0.002, 0.002}, {0.03, 0.8}, {0.8, 0.9, 0.002, 0.4, 3}},
        {"direct",
         0.1,
         0.03,
         3,
         {1, 1, 0.01, 0.002, 0.002},
         {-1000, -50},
         {0.8333333333333334, 0.9166666666666667, 0.0016666666666666666, 0.43333333333333335,
          2.666666666666667}},
        {"unmixed", 0.1, 0.03, 3, {1, 1, 0.01, 0.002, 0.002}, {0.03, 0.8}, {0.8, 0.9, 0.002, 0.4, 3}},
        {"masks",
         0.1,
         0.03,
         3,
         {1, 1, 0.01, 0.002, 0.002},
         {0.026666666666666665, 0.8666666666666667},
         {0.8333333333333334, 0.9166666666666667, 0.0016666666666666666, 0.43333333333333335,
          2.666666666666667}},
        {"paired", 0.02, 0.04, 6, {0.1, 0.2, 0.3, 0.4, 0.5}, {0.07, 0.9}, {0.5, 0.6, 0.7, 0.3, 4}},
    };
    for (const Expected& e : table) {
        const int other = index_of(*model, e.with);
        CHECK(collision.may_collide(floor, other));
        check_properties(collision.properties(floor, other), e);
        check_properties(collision.properties(other, floor), e);
        // Boxes grown by the margins of the geoms meet before the geoms do.
        CHECK(collision.geoms[floor].margin + collision.geoms[other].margin >=
              collision.properties(floor, other).margin - 1e-15);
    }
    CHECK_FALSE(collision.may_collide(floor, index_of(*model, "masked")));
    CHECK_FALSE(collision.may_collide(index_of(*model, "paired"), index_of(*model, "mixed")));
    CHECK(index_of(*model, "seen") == -1);
    const int no1 = index_of(*model, "no1"), no2 = index_of(*model, "no2");
    CHECK(collision.may_collide(no1, no2));
    check_properties(collision.properties(no1, no2),
                     {"no2",
                      0,
                      0,
                      3,
                      {1, 1, 0.005, 0.0001, 0.0001},
                      {0.060000000000000005, 0.75},
                      {0.9, 0.95, 0.001, 0.5, 2}});

    const auto restitution = [&](const char* name) {
        return collision.properties(floor, index_of(*model, name)).restitution;
    };
    CHECK(restitution("mixed") == 0.3);
    CHECK(restitution("direct") == 0.9);
    CHECK(restitution("leading") == 0.1);
    CHECK(restitution("led") == 0.3);
    CHECK(restitution("paired") == 0.6);
    const auto friction = collision.properties(floor, index_of(*model, "paired")).solref_friction;
    REQUIRE(friction.has_value());
    CHECK((*friction)[0] == 0.06);
    CHECK((*friction)[1] == 0.7);
    CHECK_FALSE(collision.properties(floor, index_of(*model, "mixed")).solref_friction.has_value());
}

TEST_CASE("meshes collide as hulls in the frame of their geom, one per asset") {
    const auto model = model_of(R"(<asset>
<mesh name="m" vertex="1 0 0  2 0 0  1 3 0  1 0 1  1.2 .3 .1" scale="2 1 1"/></asset><worldbody>
<body><freejoint/><geom name="a" type="mesh" mesh="m" pos="1 2 3"/></body>
<body><freejoint/><geom name="b" type="mesh" mesh="m"/></body>
<body><freejoint/><geom name="c" type="mesh" mesh="m" contype="0" conaffinity="0"/></body></worldbody>)");
    const CollisionModel& collision = *model->collision;
    REQUIRE(collision.geoms.size() == 2);
    REQUIRE(collision.hulls.size() == 1);
    CHECK(collision.geoms[0].shape.hull == collision.geoms[1].shape.hull);
    const HullGeometry& hull = *collision.hulls[0];
    CHECK(hull.vertices.size() == 4);
    // Back in the frame of the body the box is that of the file, scaled and moved.
    const Bounds box = bounds(collision.geoms[0].shape, collision.geoms[0].X_BG);
    const double lower[] = {3, 2, 3}, upper[] = {5, 5, 4};
    for (int k = 0; k < 3; ++k) {
        CHECK(box.lower[k] == doctest::Approx(lower[k]).epsilon(1e-14));
        CHECK(box.upper[k] == doctest::Approx(upper[k]).epsilon(1e-14));
    }
}

TEST_CASE("trimeshes and height fields keep the frame of the file") {
    const auto model = model_of(R"(<asset>
<mesh name="m" vertex="1 0 0  2 0 0  1 3 0  1 0 1" face="0 1 2  0 3 1" scale="2 1 1" refpos="0 0 1"/>
<hfield name="h" nrow="2" ncol="3" size="1 2 .5 .1" elevation="0 1 0 .5 0 .5"/></asset><worldbody>
<geom name="t" type="trimesh" mesh="m" pos="1 2 3"/><geom name="h" type="hfield" hfield="h"/>
<body><freejoint/><geom name="ball" size=".1"/></body></worldbody>)");
    CHECK(all_pairs(*model) == "t-ball h-ball");
    const CollisionModel& collision = *model->collision;
    CHECK(collision.surfaces.size() == 1);
    CHECK(collision.grids.size() == 1);
    const Bounds box = bounds(collision.geoms[0].shape, collision.geoms[0].X_BG);
    const double lower[] = {3, 2, 2}, upper[] = {5, 5, 3};
    for (int k = 0; k < 3; ++k) {
        CHECK(box.lower[k] == lower[k]);
        CHECK(box.upper[k] == upper[k]);
    }
    CHECK(model->total_mass > 0);  // of the ball only
    CHECK(model->bodies[0].mass == 0);
}

TEST_CASE("shapes that cannot collide are refused with their place") {
    const std::string flat = R"(<asset><mesh name="m" vertex="0 0 0 1 0 0 1 1 0 0 1 0" face="0 1 2 0 2 3"
 inertia="shell"/></asset>)";
    const auto mesh = [&](const std::string& geom) {
        return complaints(flat + "<worldbody><body name='b'><freejoint/>\n<geom type='mesh' mesh='m' " +
                          geom + "/></body></worldbody>");
    };
    CHECK(contains(mesh("name='g'"),
                   "m.xml:3:1: error[E140]: geom 'g': its mesh 'm' has no convex hull to collide"
                   " with: all points are in one plane"));
    CHECK(mesh("contype='0' conaffinity='0'") == "");

    CHECK(contains(complaints("<asset><mesh name='m' vertex='0 0 0 1 0 0 1 1 0 0 1 1'/></asset><worldbody>\n"
                              "<geom type='trimesh' mesh='m'/></worldbody>"),
                   "m.xml:2:1: error[E140]: geom 0 (without a name): its trimesh 'm' has no faces"));
    CHECK(contains(complaints(flat + "<worldbody><body><joint/><geom size='1'/>\n<geom type='trimesh' "
                                     "mesh='m'/></body></worldbody>"),
                   "m.xml:3:1: error[E088]: a trimesh cannot be part of a moving body"));
    // Open: a sheet.
    CHECK(complaints(flat + "<worldbody><geom type='trimesh' mesh='m'/></worldbody>") == "");
    CHECK(contains(complaints("<worldbody>\n<geom type='trimesh'/></worldbody>"),
                   "m.xml:2:1: error[E087]: <geom> is of type trimesh but names no mesh"));
    CHECK(contains(complaints("<asset><hfield name='h' nrow='1' ncol='3' size='1 1 1 1'/></asset>\n"
                              "<worldbody>\n<geom type='hfield' hfield='h'/></worldbody>"),
                   "m.xml:3:1: error[E140]: geom 0 (without a name): its heightfield 'h' needs at least two "
                   "rows"));
    // Sizes and poses, at the attribute.
    const auto geom = [](const char* attributes) {
        return complaints("<worldbody>\n<geom " + std::string(attributes) + "/></worldbody>");
    };
    CHECK(contains(geom("type='box' size='1 0 1'"), "m.xml:2:24: error[E087]"));
    CHECK(contains(geom("type='sphere' size='-1'"), "m.xml:2:27: error[E087]"));
    CHECK(contains(geom("type='sphere' size='nan'"), "m.xml:2:27: error[E006]"));
    CHECK(contains(geom("size='1' pos='1 inf 0'"), "m.xml:2:23: error[E006]"));
    // A mesh that was not found leaves the rest usable.
    const std::string missing = complaints(
        "<asset><mesh name='m' file='missing.stl'/></asset><worldbody><body><inertial pos='0 0 0' mass='1' "
        "diaginertia='1 1 1'/><freejoint/>\n<geom type='mesh' mesh='m'/><geom type='mesh' "
        "mesh='m'/></body></worldbody>");
    CHECK(contains(missing,
                   "m.xml:2:1: warning[W143]: geom 0 (without a name) and 1 more geoms collide with nothing: "
                   "their meshes were not read"));
    CHECK_FALSE(contains(missing, "error"));
}

TEST_CASE("scenes built by programs are held to the same") {
    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
    const auto refused = [](GeomSpec geom, const char* code, BodyId body = {1},
                            const std::function<void(Scene&)>& change = {}) {
        OneHinge s;
        if (change) change(s.scene);
        geom.name = "g";
        s.scene.add_geom(body, geom);
        const Compiled compiled(s.scene);
        const Diagnostic* found = compiled.find(code);
        CAPTURE(code);
        REQUIRE(found != nullptr);
        CHECK(contains(found->message, "'g'"));
        CHECK_FALSE(found->hint.empty());
    };
    refused({.shape = ShapeType::plane}, "E141");
    refused({.shape = ShapeType::heightfield, .size = {1, 1, 1}, .mesh = "h"}, "E141");
    refused({.shape = ShapeType::trimesh, .mesh = "t"}, "E141");
    refused({.shape = ShapeType::trimesh, .mesh = "t"}, "E142", world);
    refused({.shape = ShapeType::mesh, .mesh = "t"}, "E142");
    refused({.shape = ShapeType::heightfield, .size = {1, 1, 1}, .mesh = "h"}, "E142", world);
    refused({.shape = ShapeType::box, .size = {1, -1, 1}}, "E037");
    refused({.shape = ShapeType::capsule, .size = {1, not_a_number, 0}}, "E037");
    refused({.pose = {{not_a_number, 0, 0}}, .size = {1, 0, 0}}, "E031");
    const auto field = [](int rows, int columns, std::vector<double> heights, std::array<double, 4> size) {
        return [=](Scene& scene) {
            scene.add_height_field({.name = "h",
                                    .rows = rows,
                                    .columns = columns,
                                    .size = size,
                                    .elevation = std::make_shared<const std::vector<double>>(heights)});
        };
    };
    const GeomSpec ground{.shape = ShapeType::heightfield, .size = {1, 1, 1}, .mesh = "h"};
    refused(ground, "E140", world, field(2, 1, {0, 0}, {1, 1, 1, 1}));
    refused(ground, "E140", world, field(2, 2, {0, 0, 0}, {1, 1, 1, 1}));
    refused(ground, "E140", world, field(2, 2, {0, 0, not_a_number, 0}, {1, 1, 1, 1}));
    refused(ground, "E140", world, field(2, 2, {0, 0, 0, 0}, {1, 0, 1, 1}));
    const auto triangles = [](TriangleMesh mesh) {
        return [=](Scene& scene) {
            scene.add_mesh({.name = "t", .mesh = std::make_shared<const TriangleMesh>(mesh)});
        };
    };
    const GeomSpec surface{.shape = ShapeType::trimesh, .mesh = "t"};
    const GeomSpec hull{.shape = ShapeType::mesh, .mesh = "t"};
    refused(surface, "E140", world, triangles({{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}}));
    refused(hull, "E140", {1}, triangles({{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, {{0, 1, 2}}}));
    refused(hull, "E140", {1}, triangles({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}}));
}

TEST_CASE("pairs that cannot touch, and pairs given twice, are left out with a warning") {
    const std::string scene = R"(<worldbody><geom name="floor" type="plane" size="1 1 1"/>
<geom name="rock" size="1"/><body><freejoint/><geom name="ball" size="1"/></body></worldbody><contact>)";
    CHECK(contains(complaints(scene + "\n<pair geom1='floor' geom2='rock'/></contact>"),
                   "m.xml:3:1: warning[W144]: pair 0 (without a name): geom 'floor' and geom 'rock' are both "
                   "on bodies that nothing moves"));
    CHECK(contains(complaints(scene + "<pair geom1='floor' geom2='ball'/>\n<pair geom1='ball' geom2='floor'/>"
                                      "</contact>"),
                   "m.xml:3:1: warning[W145]: pair 1 (without a name): geom 'ball' and geom 'floor' are "
                   "paired already"));
}
