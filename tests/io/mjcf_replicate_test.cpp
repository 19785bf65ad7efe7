// <replicate>: names, places, and what refers to the copies. Reference numbers were computed with
// MuJoCo 3.14.

#include "io/mjcf_support.h"

#include <ligament/model.h>

using namespace lig;
using namespace lig::test;

namespace {

template <class List>
std::string names(const List& list) {
    std::string text;
    for (const auto& item : list) {
        if constexpr (requires { item.spec; })
            text += item.spec.name + " ";
        else
            text += item.name + " ";
    }
    return text;
}

}  // namespace

TEST_CASE("MJCF replicate: the copies are turned by multiples of the angles and stand offset by offset") {
    const ReadMjcf m = read_world(
        "<replicate count='11' offset='1 .2 0' euler='10 20 30'>"
        "<body name='b' pos='0 1 0' euler='10 0 0'><joint name='j'/></body></replicate>");
    CHECK(m.messages() == "");
    CHECK(names(m.scene.bodies()) == "world b00 b01 b02 b03 b04 b05 b06 b07 b08 b09 b10 ");
    CHECK(names(m.scene.joints()) == "j00 j01 j02 j03 j04 j05 j06 j07 j08 j09 j10 ");
    check_vec(m.body("b01").pose.pos, {0.5301536896070458, 1.023172944645501, 0.3187957775971678}, 1e-15);
    check_vec(m.body("b10").pose.pos, {2.3011141633048067, 0.11015705283662075, 0.8086491815803196}, 1e-15);
    check_quat(m.body("b01").pose.quat,
               {0.9289952495893051, 0.20944370822536448, 0.1677312594965206, 0.25488700224417876}, 1e-15);
    check_quat(m.body("b10").pose.quat,
               {-0.31709707629299866, 0.4056184031943756, -0.541675220419702, -0.6644630243886747}, 1e-15);
}

TEST_CASE("MJCF replicate inside a frame of a body: geoms, sites and joints of that body") {
    const ReadMjcf m = read_world(
        "<body name='q'><frame pos='1 0 0' euler='5 4 3'>"
        "<replicate count='2' offset='.1 .2 .3' euler='0 30 0' sep='_'>"
        "<geom name='h' type='box' fromto='0 0 0 1 0 .2' size='.1'/><site name='z' pos='1 0 0'/>"
        "<joint axis='1 0 0' name='hj' pos='.1 .1 .1'/></replicate></frame></body>");
    CHECK(m.messages() == "");
    check_vec(m.joint("hj_0").pos, {1.101374492865905, 0.09657759738404384, 0.10196067810536624}, 1e-15);
    check_vec(m.joint("hj_1").pos, {1.2435203885182946, 0.2828601928589683, 0.34636680553199845}, 1e-15);
    check_vec(m.joint("hj_1").axis, {0.8278536059632476, 0.0938814522449198, -0.5530322594731999}, 1e-15);
    check_vec(m.geom("h_1").pose.pos, {1.579882677751987, 0.2209616475413159, 0.11608658391271026}, 1e-15);
    check_quat(m.geom("h_1").pose.quat,
               {0.8306152022863226, 0.05227230546069571, -0.5543771431155445, -0.0034604918324222488}, 1e-15);
    check_vec(m.site("z_1").pose.pos, {1.9379585467295848, 0.2725214886968325, -0.24325065996267248}, 1e-15);
    CHECK(m.scene.bodies()[1].joints.size() == 2);
}

TEST_CASE("MJCF replicate in replicate, and what refers to the content") {
    const ReadMjcf m = read_model(
        "<worldbody><body name='anchor'><joint name='aj'/><geom name='ag' size='.1'/></body>"
        "<replicate count='3' offset='1 0 0'><body name='b'><joint name='j'/><geom name='g' size='.1'/>"
        "<replicate count='2' offset='0 0 .5' sep='-'><body name='c'><joint name='cj'/></body></replicate>"
        "</body></replicate></worldbody>"
        "<contact><exclude name='e' body1='b' body2='c'/><exclude name='own' body1='world' body2='anchor'/>"
        "<exclude name='one' body1='b1' body2='anchor'/><pair name='p' geom1='ag' geom2='g'/></contact>"
        "<equality><connect name='hold' body1='b' anchor='0 0 0'/></equality>");
    CHECK(m.messages() == "");
    CHECK(names(m.scene.bodies()) == "world anchor b0 c-00 c-10 b1 c-01 c-11 b2 c-02 c-12 ");
    CHECK(names(m.scene.joints()) == "aj j0 cj-00 cj-10 j1 cj-01 cj-11 j2 cj-02 cj-12 ");
    // What is not replicated comes first.
    CHECK(names(m.scene.exclusions()) == "own one e-00 e-10 e-01 e-11 e-02 e-12 ");
    const Scene::Exclusion& last = m.scene.exclusions().back();
    CHECK(m.scene.bodies()[last.a.index].spec.name == "b2");
    CHECK(m.scene.bodies()[last.b.index].spec.name == "c-12");
    CHECK(m.scene.bodies()[m.scene.exclusions()[1].a.index].spec.name == "b1");
    CHECK(names(m.scene.pairs()) == "p0 p1 p2 ");
    CHECK(m.scene.geoms()[m.scene.pairs()[2].b.index].spec.name == "g2");
    // The point on the world is taken from each copy's own place.
    CHECK(names(m.scene.loops()) == "hold0 hold1 hold2 ");
    check_vec(m.scene.loops()[2].frame_b.pos, {2, 0, 0});
}

TEST_CASE("MJCF replicate: counts of nothing, of one, and of too many") {
    const ReadMjcf none = read_model(
        "<worldbody><replicate count='0'><body name='b'/></replicate><body name='c'/></worldbody>"
        "<contact><exclude body1='b' body2='c'/></contact>");
    CHECK(none.messages() == "");
    CHECK(names(none.scene.bodies()) == "world c ");
    CHECK(none.scene.exclusions().empty());
    CHECK(names(read_world("<replicate count='1'><body name='b'/></replicate>").scene.bodies()) ==
          "world b0 ");
    CHECK(read_world("<replicate count='1000000000'><body/></replicate>").messages() ==
          "m.xml:1:38: error[E111]: 1000000000 copies of 1 objects are more than can be held (a model has at "
          "most 200000 bodies, joints, geoms, sites and cameras together)\n");
    // Each is small enough, together they are not.
    const ReadMjcf nested = read_world(
        "<replicate count='1000'><replicate count='1000'><body/><geom size='1'/></replicate></replicate>");
    CHECK(count_code(nested.log, "E111") == 1);
    CHECK(count_code(read_world("<replicate count='1.5'/>").log, "E006") == 1);
    CHECK(count_code(read_world("<replicate/>").log, "E005") == 1);
}

TEST_CASE("MJCF replicate: the same pattern names may be used again with another separator") {
    const ReadMjcf m = read_world(
        "<replicate count='1' sep='-'><body name='b'/></replicate>"
        "<replicate count='1' sep='_'><body name='b'/></replicate><body name='b'/>");
    CHECK(m.messages() == "");
    CHECK(names(m.scene.bodies()) == "world b-0 b_0 b ");
    CHECK(count_code(read_world("<replicate count='1'><body name='b'/></replicate><body name='b0'/>").log,
                     "E086") == 1);
}

TEST_CASE("MJCF replicate: deep nesting costs no more than its objects") {
    std::string open, close;
    for (int i = 0; i < 200; ++i) {
        open += "<replicate count='1'>";
        close += "</replicate>";
    }
    const ReadMjcf m = read_world(open + "<body name='b'/>" + close);
    CHECK(m.messages() == "");
    REQUIRE(m.scene.bodies().size() == 2);
    CHECK(m.scene.bodies()[1].spec.name == "b" + std::string(200, '0'));
}
