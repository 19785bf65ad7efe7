// What compile says of bodies that deform and cannot.

#include "model/support_scene.h"

#include <functional>

using namespace lig;
using namespace lig::test;

namespace {

// A box of rubber, changed.
Scene with_jelly(const std::function<void(BodySpec&)>& change, double size = 0.1) {
    Scene scene;
    BodySpec spec{.name = "jelly", .kind = BodyKind::affine, .elastic = {1e4, 0.3, 0.01}};
    change(spec);
    const BodyId body = scene.add_body(world, spec);
    if (size > 0) scene.add_geom(body, {.shape = ShapeType::box, .size = {size, size, size}});
    return scene;
}

}  // namespace

TEST_CASE("compile E173: elastic bodies need stiffness, volume and mass") {
    CHECK_NOTHROW(compile(with_jelly([](BodySpec&) {})));
    check_diagnosed(with_jelly([](BodySpec& b) { b.elastic.young = 0; }), "E173", "Young's modulus is 0");
    check_diagnosed(with_jelly([](BodySpec& b) { b.elastic.young = -1e4; }), "E173", "Young's modulus is -1");
    check_diagnosed(with_jelly([](BodySpec& b) { b.elastic.poisson = 0.5; }), "E173", "Poisson ratio 0.5");
    check_diagnosed(with_jelly([](BodySpec& b) { b.elastic.damping = -1; }), "E173", "damping -1");
    check_diagnosed(with_jelly([](BodySpec& b) { b.kind = BodyKind::particle; }), "E173", "does not deform");
    const InertialSpec box{1, {}, Sym3d::diagonal(1, 1, 1), {}};
    check_diagnosed(with_jelly([&](BodySpec& b) { b.inertial = box; }, 0), "E173", "has no volume");
    const InertialSpec rod{1, {}, Sym3d::diagonal(1, 1, 0), {}};
    check_diagnosed(with_jelly([&](BodySpec& b) { b.inertial = rod; }), "E173", "nothing resists");
}

TEST_CASE("compile U174: what is not done with bodies that deform is refused by name") {
    const InertialSpec box{1, {}, Sym3d::diagonal(1, 1, 1), {}};
    Scene twice = with_jelly([](BodySpec&) {});
    const BodyId child = twice.add_body({1}, {.name = "child", .inertial = box});
    twice.add_joint(child, {.name = "first"});
    twice.add_joint(child, {.name = "second", .axis = {1, 0, 0}});
    check_diagnosed(twice, "U174", "'child' has several joints");
    Scene loose = with_jelly([](BodySpec&) {});
    loose.add_joint({1}, {.name = "free", .type = JointType::free});
    check_diagnosed(loose, "U174", "has a free joint");
    Scene coupled = with_jelly([](BodySpec&) {});
    coupled.add_coupling({.name = "both", .follower = coupled.add_joint({1}, {.name = "hinge"})});
    check_diagnosed(coupled, "U174", "coupling 'both'");
    Scene wrapped = with_jelly([](BodySpec&) {});
    const GeomId pulley =
        wrapped.add_geom({1}, {.name = "pulley", .shape = ShapeType::sphere, .size = {0.1}});
    const SiteId from = wrapped.add_site(world, {.pose = {{-1, 0, 0.2}}}),
                 to = wrapped.add_site(world, {.pose = {{1, 0, 0.2}}});
    wrapped.add_tendon({.name = "rope",
                        .stops = {{.site = from},
                                  {.kind = TendonStop::Kind::geom, .geom = pulley},
                                  {.site = to}}});
    check_diagnosed(wrapped, "U174", "tendon 'rope', which wraps, is on body 'jelly'");
    Scene felt = with_jelly([](BodySpec&) {});
    const SiteId foot = felt.add_site({1}, {.name = "foot"});
    felt.add_sensor(
        {.name = "load", .type = SensorType::force, .object = {ObjectRef::Kind::site, foot.index}});
    check_diagnosed(felt, "U174", "sensor 'load', of what a joint bears, is on body 'jelly'");
    Scene swimming = with_jelly([](BodySpec&) {}, 0);
    swimming.options.density = 1000;
    swimming.add_geom({1}, {.name = "fin",
                            .shape = ShapeType::box,
                            .size = {0.1, 0.1, 0.1},
                            .fluid = FluidSpec{}});
    check_diagnosed(swimming, "U174", "geom 'fin', with coefficients of a medium, is on body 'jelly'");
    Scene balanced = with_jelly([](BodySpec&) {});
    balanced.add_body({1}, {.name = "hat", .inertial = box});
    balanced.add_subtree_constraint({.name = "still", .body = {1}});
    check_diagnosed(balanced, "U174",
                    "constraint 'still' is of the subtree of body 'jelly', on which body 'hat'");
    Scene pulled = with_jelly([](BodySpec&) {});
    pulled.add_bushing({.name = "rubber", .body_a = world, .body_b = {1}, .stiffness = {1, 1, 1}});
    pulled.options.density = 1000;
    CHECK_NOTHROW(compile(pulled));
}

TEST_CASE("compile: springs by time constant are what they are without bodies that deform") {
    const auto joint_of = [](Scene scene) {
        const BodyId arm = scene.add_body(world, {.name = "arm", .pose = {{0, 0, 2}}});
        scene.add_joint(arm, {.name = "hinge", .axis = {0, 1, 0}, .spring_damper = {{0.1, 0.7}}});
        scene.add_geom(arm, {.shape = ShapeType::box, .pose = {{0.2, 0, 0.1}}, .size = {0.3, 0.1, 0.2}});
        const auto model = compile(scene);
        return model->joints[model->find_joint("hinge")];
    };
    const Model::Joint alone = joint_of(Scene()), beside = joint_of(with_jelly([](BodySpec&) {}));
    CHECK(alone.stiffness > 0);
    CHECK(beside.stiffness == doctest::Approx(alone.stiffness).epsilon(1e-12));
    CHECK(beside.damping == doctest::Approx(alone.damping).epsilon(1e-12));
}
