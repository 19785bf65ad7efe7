// What compile makes of a scene: order, names, coordinates, links, sites, bases.

#include "joints/joint_list.h"
#include "model/support_scene.h"

#include <ligament/state.h>

#include <chrono>

using namespace lig;
using namespace lig::test;

TEST_CASE("compile: bodies come depth first, in the order in which siblings were added") {
    // Added breadth first: a, b, a1, b1, a2, a1x.
    Scene scene("order");
    const auto add = [&](BodyId parent, const char* name) {
        const BodyId body = scene.add_body(parent, body_named(name));
        scene.add_joint(body, {.name = std::string("j_") + name});
        return body;
    };
    const BodyId a = add(world, "a"), b = add(world, "b"), a1 = add(a, "a1");
    add(b, "b1");
    add(a, "a2");
    add(a1, "a1x");
    const auto model = compile(scene);
    const std::vector<std::string> order{"world", "a", "a1", "a1x", "a2", "b", "b1"};
    REQUIRE(model->bodies.size() == order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        CHECK(model->bodies[i].name == order[i]);
        CHECK(model->find_body(order[i]) == int(i));
        CHECK(model->bodies[i].parent < int(i));
        if (i == 0) continue;
        // Joints and coordinates follow the bodies.
        const Model::Joint& joint = model->joints[i - 1];
        CHECK(joint.name == "j_" + order[i]);
        CHECK(joint.body == int(i));
        CHECK(joint.q_adr == int(i) - 1);
        CHECK(model->bodies[i].joint_begin == int(i) - 1);
        CHECK(model->bodies[i].joint_count == 1);
        CHECK(scene.joints()[joint.scene_joint].spec.name == joint.name);
    }
    CHECK(model->bodies[model->bodies[3].parent].name == "a1");
    CHECK(model->name == "order");
    CHECK(model->find_joint("j_b1") == 5);
    CHECK(model->find_joint("nobody") == -1);
    CHECK(model->find_body("nobody") == -1);
    CHECK(model->total_mass == 6);
}

TEST_CASE("compile: coordinates of every joint kind and of a compound joint") {
    for (const joints::JointInfo& info : joints::joint_list) {
        CAPTURE(std::string(info.name));
        Scene scene;
        const BodyId body = scene.add_body(world, body_named("b", {1, 2, 3}));
        scene.add_joint(body, {.name = "j", .type = info.type, .axis = {1, 0, 0}});
        const auto model = compile(scene);
        CHECK(model->nq == info.nq);
        CHECK(model->nv == info.nv);
        CHECK(model->joints.size() == (info.nv > 0 ? 1u : 0u));
        const JointState<double> state(*model);
        CHECK(int(state.q.size()) == info.nq);
        if (info.type == JointType::free) CHECK(state.q == std::vector<double>{1, 2, 3, 1, 0, 0, 0});
        if (info.type == JointType::ball) CHECK(state.q == std::vector<double>{1, 0, 0, 0});
    }
    Scene scene;
    const BodyId body = scene.add_body(world, body_named("b"));
    scene.add_joint(body, {.name = "lift", .type = JointType::slide, .axis = {0, 0, 1}, .reference = 0.5});
    scene.add_joint(body, {.name = "turn", .type = JointType::ball});
    const auto model = compile(scene);
    REQUIRE(model->tree.links.size() == 1);
    CHECK(model->tree.links[0].joint_count == 2);
    CHECK(model->tree.links[0].nv == 4);
    CHECK(model->joints[1].q_adr == 1);
    CHECK(model->joints[1].v_adr == 1);
    CHECK(model->q0 == std::vector<double>{0.5, 1, 0, 0, 0});
}

TEST_CASE("compile: fixed joints and bodies without joints make no link, and keep their names") {
    OneHinge s;
    const BodyId plate = s.scene.add_body(s.body, body_named("plate", {0, 0, 1}));
    s.scene.add_joint(plate, {.name = "bolt", .type = JointType::fixed, .pos = {0.1, 0.2, 0.3}});
    const BodyId cup = s.scene.add_body(plate, body_named("cup", {0, 0, 1}));
    s.scene.add_site(cup, {.name = "rim", .pose = {{0, 0, 0.5}}});
    s.scene.add_body(world, body_named("floor"));
    const auto model = compile(s.scene);
    CHECK(model->tree.links.size() == 1);
    CHECK(model->joints.size() == 1);
    for (const char* name : {"arm", "plate", "cup"}) CHECK(model->bodies[model->find_body(name)].link == 0);
    CHECK(model->bodies[model->find_body("floor")].link == -1);
    CHECK(model->bodies[model->find_body("cup")].X_LB.p.z == 2);
    CHECK(model->tree.links[0].inertia.mass == 3);
    CHECK(model->find_joint("bolt") == -1);
    const int bolt = model->find_site("bolt");
    REQUIRE(bolt >= 0);
    CHECK(model->bodies[model->sites[bolt].body].name == "plate");
    CHECK(model->sites[bolt].X_BS.p.y == 0.2);
    CHECK(model->bodies[model->sites[model->find_site("rim")].body].name == "cup");
}

TEST_CASE("compile: kinematic bodies are bases of their own") {
    Scene scene;
    const BodyId lift = scene.add_body(world, {.name = "lift", .pose = {{0, 0, 2}}, .kinematic = true});
    const BodyId door = scene.add_body(lift, body_named("door"));
    scene.add_joint(door, {.name = "hinge"});
    scene.add_body(lift, body_named("lamp", {0, 0, 1}));
    scene.add_body(world, {.name = "tray", .kinematic = true});
    const auto model = compile(scene);
    CHECK(model->nkinematic == 2);
    CHECK(model->bodies[model->find_body("lift")].link == -2);
    CHECK(model->bodies[model->find_body("lamp")].link == -2);
    CHECK(model->bodies[model->find_body("tray")].link == -3);
    CHECK(model->tree.links[0].parent == -2);
    const JointState<double> state(*model);
    REQUIRE(state.kinematic.size() == 2);
    CHECK(state.kinematic[0].pos.z == 2);
}

TEST_CASE("compile: a free joint below the world counts from the world, elsewhere from the body's place") {
    Scene scene;
    const BodyId a = scene.add_body(world, body_named("a", {1, 0, 0}));
    scene.add_joint(a, {.name = "ja", .type = JointType::free});
    const BodyId b = scene.add_body(a, body_named("b", {0, 1, 0}));
    scene.add_joint(b, {.name = "jb", .type = JointType::free});
    const auto model = compile(scene);
    CHECK(model->q0 == std::vector<double>{1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0});
}

TEST_CASE("compile: settings of joints arrive at the model") {
    OneHinge s;
    JointSpec& spec = s.scene.joint(s.joint);
    spec.range[0] = {-1, 2};
    spec.armature = 0.1;
    spec.damping = 0.2;
    spec.stiffness = 0.3;
    spec.friction_loss = 0.4;
    spec.effort = {-4, 5};
    spec.velocity_limit = 6;
    spec.reference = 0.7;
    spec.spring_reference = 0.8;
    s.scene.options.timestep = 0.01;
    s.scene.exclude_collision(world, s.body);
    s.scene.add_geom(s.body, {.name = "hull", .size = {0.1, 0, 0}, .friction = {0.9, 0, 0}});
    const auto model = compile(s.scene);
    const Model::Joint& joint = model->joints[0];
    CHECK(joint.range[0].lower == -1);
    CHECK(joint.range[0].upper == 2);
    CHECK(joint.armature == 0.1);
    CHECK(joint.damping == 0.2);
    CHECK(joint.stiffness == 0.3);
    CHECK(joint.friction_loss == 0.4);
    CHECK(joint.effort == Range{-4, 5});
    CHECK(joint.velocity_limit == 6);
    CHECK(joint.reference == 0.7);
    CHECK(model->q0 == std::vector<double>{0.7});
    CHECK(model->q_spring == std::vector<double>{0.8});
    CHECK(model->tree.armature == std::vector<double>{0.1});
    CHECK(model->options.timestep == 0.01);
    CHECK(model->exclusions.size() == 1);
    CHECK(model->geoms[0].spec.friction.x == 0.9);
    CHECK(model->geoms[0].body == 1);
}

TEST_CASE("compile: inertia comes from the geoms when the body has none of its own") {
    Scene scene;
    const BodyId body = scene.add_body(world, {.name = "dumbbell"});
    scene.add_joint(body, {.name = "j", .type = JointType::free});
    for (const double x : {-1.0, 1.0})
        scene.add_geom(body,
                       {.shape = ShapeType::sphere, .pose = {{x, 0, 0}}, .size = {0.1, 0, 0}, .mass = 2});
    const auto model = compile(scene);
    const Model::Body& made = model->bodies[1];
    CHECK(made.mass == 4);
    CHECK(std::abs(made.com.x) < 1e-15);
    CHECK(made.inertia.xx == doctest::Approx(2 * 2 * 0.4 * 0.01).epsilon(1e-14));
    CHECK(made.inertia.zz == doctest::Approx(2 * 2 * 0.4 * 0.01 + 4).epsilon(1e-14));
    // An inertia of its own comes first.
    scene.body(body).inertial = unit_inertial(7);
    CHECK(compile(scene)->bodies[1].mass == 7);
}

TEST_CASE("compile: a chain of 10,000 bodies, and 100,000, without recursion") {
    for (const int length : {10000, 100000}) {
        Scene scene("chain");
        BodyId at = world;
        for (int i = 0; i < length; ++i) {
            at = scene.add_body(at, body_named("b" + std::to_string(i), {0, 0, 0.1}));
            scene.add_joint(at, {.name = "j" + std::to_string(i), .axis = {1, 0, 0}});
        }
        const auto start = std::chrono::steady_clock::now();
        const auto model = compile(scene);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        CHECK(model->nv == length);
        CHECK(model->bodies.back().X_WB0.p.z == doctest::Approx(0.1 * length));
        // Linear: a few microseconds a body. A quadratic step would take minutes for the longer chain.
        CHECK(spent.count() < 1e-4 * length);
    }
}

TEST_CASE("compile: the fingerprint tells models apart and does not depend on where they were built") {
    const auto fingerprint = [](auto&& change) {
        OneHinge s;
        change(s);
        return compile(s.scene)->fingerprint;
    };
    const auto same = fingerprint([](OneHinge&) {});
    CHECK(fingerprint([](OneHinge&) {}) == same);
    CHECK(fingerprint([](OneHinge& s) { s.scene.joint(s.joint).name = "knee"; }) != same);
    CHECK(fingerprint([](OneHinge& s) { s.scene.joint(s.joint).type = JointType::slide; }) != same);
    CHECK(fingerprint([](OneHinge& s) { s.scene.joint(s.joint).axis = {1, 0, 0}; }) != same);
    CHECK(fingerprint([](OneHinge& s) { s.scene.body(s.body).inertial->mass = 2; }) != same);
    CHECK(fingerprint([](OneHinge& s) { s.scene.body(s.body).pose.pos.x = 1; }) != same);
}
