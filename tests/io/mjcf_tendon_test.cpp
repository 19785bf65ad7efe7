// Tendons and their paths.

#include "io/mjcf_support.h"

using namespace lig;
using namespace lig::test;

namespace {

const std::string bodies =
    "<asset><material name='red' rgba='1 0 0 1'/></asset><worldbody><body name='b'><joint name='h' "
    "type='slide'/>"
    "<joint name='k'/><geom name='ball' size='0.1'/><geom name='rod' type='cylinder' size='0.1 0.2'/>"
    "<geom name='box' type='box' size='1 1 1'/><site name='s'/><body name='c' pos='0 0 1'>"
    "<joint name='free3' type='ball'/><geom size='0.1'/><site name='t'/><site "
    "name='side'/></body></body></worldbody>";

ReadMjcf read_tendon(const std::string& element, const std::string& presets = "") {
    return read_model((presets.empty() ? "" : "<default>" + presets + "</default>") + bodies + "<tendon>" +
                      element + "</tendon>");
}

std::string said_of(const std::string& element) {
    const std::string text = read_tendon(element).messages();
    return text.substr(text.find(' ') + 1);
}

std::string spatial(const std::string& stops, const std::string& attributes = "") {
    return "<spatial " + attributes + ">" + stops + "</spatial>";
}

const std::string s = "<site site='s'/>", t = "<site site='t'/>", ball = "<geom geom='ball'/>",
                  pulley = "<pulley divisor='2'/>";
const std::string over_h = "<joint joint='h' coef='1'/>";

}  // namespace

TEST_CASE("MJCF fixed tendons with all attributes") {
    const ReadMjcf m = read_tendon(
        "<fixed name='f' class='main' group='2' range='-1 2' actuatorfrcrange='-3 4' solreflimit='0.1' "
        "solimplimit='0.8' solreffriction='0.3 0.4' solimpfriction='0.7 0.75' frictionloss='0.5' "
        "springlength='0.2 "
        "0.6' margin='0.01' stiffness='1 2 3' damping='4 5' armature='6' user='1'>"
        "<joint joint='h' coef='2'/><joint joint='k' coef='-0.5'/></fixed>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.tendons().size() == 1);
    const TendonSpec& f = m.scene.tendons()[0];
    CHECK(f.name == "f");
    REQUIRE(f.joints.size() == 2);
    CHECK(f.joints[1].joint.index == 1);
    CHECK(f.joints[1].coefficient == -0.5);
    CHECK(f.stops.empty());
    CHECK(f.group == 2);
    CHECK(f.range == Range{-1, 2});
    CHECK(f.effort == Range{-3, 4});
    CHECK(f.soft_limit == Softness{{0.1, 1}, {0.8, 0.95, 0.001, 0.5, 2}});
    CHECK(f.soft_friction == Softness{{0.3, 0.4}, {0.7, 0.75, 0.001, 0.5, 2}});
    CHECK(f.friction_loss == 0.5);
    CHECK(f.spring_length == std::array<double, 2>{0.2, 0.6});
    CHECK(f.margin == 0.01);
    CHECK(f.stiffness == 1);
    CHECK(f.stiffness_poly == std::array<double, 2>{2, 3});
    CHECK(f.damping == 4);
    CHECK(f.damping_poly == std::array<double, 2>{5, 0});
    CHECK(f.armature == 6);
}

TEST_CASE("MJCF spatial tendons") {
    const ReadMjcf m = read_tendon(spatial(s + "<geom geom='rod' sidesite='side'/>" + t + pulley + t + s,
                                           "width='0.01' material='red' springlength='0.5'"));
    CHECK(m.messages() == "");
    REQUIRE(m.scene.tendons().size() == 1);
    const TendonSpec& path = m.scene.tendons()[0];
    REQUIRE(path.stops.size() == 6);
    using Kind = TendonStop::Kind;
    CHECK(path.stops[0].kind == Kind::site);
    CHECK(path.stops[0].site.index == 0);
    CHECK(path.stops[1].kind == Kind::geom);
    CHECK(path.stops[1].geom.index == 1);
    CHECK(path.stops[1].side_site.index == 2);
    CHECK(path.stops[3].kind == Kind::pulley);
    CHECK(path.stops[3].divisor == 2);
    CHECK(path.width == 0.01);
    CHECK(path.rgba == std::array<double, 4>{1, 0, 0, 1});
    CHECK(path.spring_length == std::array<double, 2>{0.5, 0.5});
    // A pulley may come first, and a geom without a side.
    CHECK(said_of(spatial(pulley + s + ball + t)) == "");
}

TEST_CASE("MJCF tendons: the spring length of the reference configuration, presets of classes") {
    CHECK(!read_tendon("<fixed>" + over_h + "</fixed>").scene.tendons()[0].spring_length);
    CHECK(!read_tendon("<fixed springlength='-1'>" + over_h + "</fixed>").scene.tendons()[0].spring_length);
    const std::array<double, 2> half_given{-1, 0.5};
    CHECK(
        read_tendon("<fixed springlength='-1 0.5'>" + over_h + "</fixed>").scene.tendons()[0].spring_length ==
        half_given);
    const ReadMjcf m = read_tendon(
        "<fixed class='c'>" + over_h + "</fixed><fixed class='c' range='0 0'>" + over_h + "</fixed>",
        "<tendon stiffness='1 2 3'/><default class='c'><tendon range='0 1' "
        "stiffness='5' width='1'/></default>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.tendons().size() == 2);
    CHECK(m.scene.tendons()[0].stiffness == 5);
    CHECK(m.scene.tendons()[0].stiffness_poly == std::array<double, 2>{2, 3});
    CHECK(m.scene.tendons()[0].range == Range{0, 1});
    CHECK(m.scene.tendons()[1].range == Range{});
}

TEST_CASE("MJCF tendon paths that are wrong, by MuJoCo's rules") {
    const std::string two = "<spatial> of a tendon: its path needs at least two stops\n";
    CHECK(said_of(spatial("")) == "error[E121]: " + two);
    CHECK(said_of(spatial(s)) == "error[E121]: " + two);
    CHECK(said_of(spatial(s + s)) == "error[E121]: <site> of a tendon: the same site follows at once\n");
    CHECK(said_of(spatial(s + t + pulley)) ==
          "error[E121]: <pulley> of a tendon: the path ends with a pulley (add two sites behind it)\n");
    CHECK(said_of(spatial(s + t + pulley + pulley + s + t)) ==
          "error[E121]: <pulley> of a tendon: another pulley follows at once\n");
    CHECK(said_of(spatial(s + t + pulley + s)) ==
          "error[E121]: <site> of a tendon: the site is alone in its branch (a branch needs two sites)\n");
    const std::string between = "error[E121]: <geom> of a tendon: a geom must stand between two sites\n";
    CHECK(said_of(spatial(ball + s)) == between);
    CHECK(said_of(spatial(s + ball)) == between);
    CHECK(said_of(spatial(s + ball + pulley + s + t)) == between);
    CHECK(count_code(read_tendon(spatial(s + ball + ball + t)).log, "E121") == 2);
    CHECK(said_of(spatial(s + "<geom geom='box'/>" + t)) ==
          "error[E121]: a tendon wraps around spheres and cylinders only (give the geom that shape, or use "
          "another "
          "geom)\n");
    CHECK(said_of(spatial(s + ball + t, "armature='1'")) ==
          "error[E121]: <geom> of a tendon: a tendon with armature cannot wrap around geoms (remove the "
          "armature or "
          "the geom)\n");
    CHECK(said_of(spatial(s + t + "<pulley divisor='0'/>" + s + t)) ==
          "error[E121]: the divisor of a pulley must be positive\n");
    CHECK(said_of(spatial(s + t + "<pulley/>" + s + t)) ==
          "error[E005]: <pulley> has no attribute 'divisor' (add divisor=\"…\")\n");
    CHECK(said_of(spatial(s + "<site site='tt'/>")) ==
          "error[E084]: there is no site 'tt' (did you mean 't'?)\n");
    CHECK(said_of("<fixed/>") ==
          "error[E121]: <fixed> of a tendon: it runs over no joint (add <joint joint=\"…\" coef=\"1\"/>)\n");
    CHECK(said_of("<fixed><joint joint='h'/></fixed>") ==
          "error[E005]: <joint> has no attribute 'coef' (add coef=\"…\")\n");
    CHECK(said_of("<fixed><joint joint='free3' coef='1'/></fixed>") ==
          "error[E121]: a tendon runs over joints of one coordinate\n");
}

TEST_CASE("MJCF tendon values that are wrong") {
    const auto fixed = [](const std::string& attributes) {
        return said_of("<fixed " + attributes + ">" + over_h + "</fixed>");
    };
    CHECK(fixed("springlength='0.5 0.2'") ==
          "error[E120]: <fixed>: the first spring length must not exceed the second\n");
    CHECK(fixed("actuatorfrcrange='1 2'") == "error[E120]: <fixed>: 'actuatorfrcrange' must contain zero\n");
    CHECK(fixed("limited='true'").substr(0, 12) == "error[E120]:");
    CHECK(fixed("width='1'").substr(0, 14) == "warning[W010]:");
    CHECK(said_of(spatial(s + t, "width='0'")) == "error[E006]: <spatial>: 'width' must be positive\n");
}

TEST_CASE("MJCF fixed tendons run over joints that close loops") {
    const std::string bodies =
        "<worldbody><body name='a'><joint name='h'/><geom size='1'/></body><body name='b'><joint/>"
        "<geom size='1'/></body></worldbody><tendon><fixed name='t'><joint joint='h' coef='1'/>"
        "<joint joint='c' coef='-2'/></fixed></tendon>";
    const auto ring = [](const std::string& type) {
        return "<equality><loop name='c' type='" + type + "' body1='a' body2='b'/></equality>";
    };
    const ReadMjcf m = read_model(bodies + ring("hinge"));
    CHECK(m.messages() == "");
    REQUIRE(m.scene.tendons().at(0).joints.size() == 2);
    CHECK(m.scene.tendons()[0].joints[1].loop == LoopId{0});
    CHECK(m.scene.tendons()[0].joints[1].coefficient == -2);
    CHECK(count_code(read_model(bodies + ring("ball")).log, "E121") == 1);
    // Joints are coupled with others of the tree; with those of loops by their tendons.
    CHECK(count_code(read_model(bodies + "<equality><loop name='c' type='hinge' body1='a' body2='b'/>"
                                         "<joint joint1='h' joint2='c'/></equality>")
                         .log,
                     "E085") == 1);
}
