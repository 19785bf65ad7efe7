// <contact>: pairs and exclusions.

#include "io/mjcf_support.h"

#include <ligament/model.h>

using namespace lig;
using namespace lig::test;

namespace {

const std::string bodies =
    "<worldbody><geom name='a' size='.2' condim='4' friction='.3' margin='.1'/>"
    "<body name='b'><freejoint/><geom name='bg' size='.2' condim='6'/></body></worldbody>";

}  // namespace

TEST_CASE("MJCF contact pairs take nothing from their geoms") {
    const ReadMjcf m = read_model(
        "<default><pair condim='1'/><default class='k'><pair friction='2 3' gap='.3' margin='1'/></default>"
        "</default>" +
        bodies +
        "<contact><pair name='p' geom1='a' geom2='bg'/><pair class='k' geom1='bg' geom2='a' solref='.3' "
        "solreffriction='.1 .2' solimp='.5' restitution='.25' condim='3'/></contact>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.pairs().size() == 2);
    const PairSpec& plain = m.scene.pairs()[0];
    CHECK(plain.name == "p");
    CHECK(plain.a.index == 0);
    CHECK(plain.b.index == 1);
    CHECK(plain.condim == 1);
    CHECK(plain.friction == std::array<double, 5>{1, 1, 0.005, 0.0001, 0.0001});
    CHECK(plain.margin == 0);
    CHECK(plain.soft == Softness{});
    CHECK(!plain.solref_friction);
    const PairSpec& other = m.scene.pairs()[1];
    CHECK(other.condim == 3);
    CHECK(other.friction == std::array<double, 5>{2, 3, 0.005, 0.0001, 0.0001});
    CHECK(other.margin == 1);
    CHECK(other.gap == 0.3);
    CHECK(other.restitution == 0.25);
    CHECK(other.soft.solref == std::array<double, 2>{0.3, 1});
    CHECK(other.soft.solimp == std::array<double, 5>{0.5, 0.95, 0.001, 0.5, 2});
    CHECK(*other.solref_friction == std::array<double, 2>{0.1, 0.2});

    const auto model = compile(m.scene);
    REQUIRE(model->pairs.size() == 2);
    CHECK(model->pairs[1].geom_a == 1);
    CHECK(model->pairs[1].geom_b == 0);
}

TEST_CASE("MJCF contact pairs that make no sense") {
    const auto messages = [](const std::string& inside) {
        return read_model(bodies + "<contact>" + inside + "</contact>").messages();
    };
    CHECK(contains(messages("<pair geom1='a'/>"), "error[E005]: <pair> has no attribute 'geom2'"));
    CHECK(contains(messages("<pair geom1='a' geom2='x'/>"), "error[E084]: there is no geom 'x'"));
    CHECK(contains(messages("<pair geom1='a' geom2='bg' condim='2'/>"), "error[E008]"));
    CHECK(contains(messages("<pare/>"), "warning[W011]"));
    Diagnostics log;
    const ReadMjcf same = read_model(bodies + "<contact><pair geom1='a' geom2='a'/></contact>");
    CHECK_THROWS_AS(compile(same.scene, log), InputError);
    CHECK(count_code(log, "E110") == 1);
}

TEST_CASE("MJCF contact exclusions") {
    const ReadMjcf m = read_model(
        bodies +
        "<contact><exclude name='e' body1='world' body2='b'/><exclude body1='b' body2='b'/></contact>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.exclusions().size() == 2);
    CHECK(m.scene.exclusions()[0].a == world);
    CHECK(m.scene.exclusions()[0].b.index == 1);
    CHECK(m.scene.exclusions()[0].name == "e");
    CHECK(contains(read_model(bodies + "<contact><exclude body1='b' body2='c'/></contact>").messages(),
                   "error[E084]: there is no body 'c'"));
    CHECK(contains(read_model(bodies + "<contact><exclude body1='b'/></contact>").messages(),
                   "error[E005]: <exclude> has no attribute 'body2'"));
}
