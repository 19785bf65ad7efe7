// Default classes.

#include "io/mjcf_support.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("MJCF classes inherit, childclass and class choose") {
    const ReadMjcf m = read_model(
        "<default>"
        "  <geom size='0.1 0.2 0.3' density='500' friction='2'/><joint damping='1' armature='1'/>"
        "  <default class='arm'>"
        "    <geom type='box' density='600'/><joint damping='2'/>"
        "    <default class='hand'><geom rgba='1 0 0 1'/><joint axis='1 0 0'/></default>"
        "  </default>"
        "  <default class='leg'><joint damping='3'/></default>"
        "</default>"
        "<worldbody>"
        "  <body><geom name='main'/><joint name='main'/>"
        "    <body childclass='hand'><geom name='hand' density='700'/><joint name='hand'/>"
        "      <body><geom name='inherited'/><geom name='chosen' class='leg'/><joint name='chosen' "
        "class='main'/>"
        "        <body childclass='leg'><joint name='leg'/></body><joint name='still hand'/></body>"
        "    </body>"
        "    <frame childclass='arm'><geom name='framed'/></frame><geom name='after'/>"
        "  </body>"
        "</worldbody>");
    CHECK(m.messages() == "");
    CHECK(m.geom("main").shape == ShapeType::sphere);
    CHECK(m.geom("main").density == 500);
    check_vec(m.geom("main").friction, {2, 0.005, 0.0001});
    CHECK(m.joint("main").damping == 1);
    CHECK(m.geom("hand").shape == ShapeType::box);
    check_vec(m.geom("hand").size, {0.1, 0.2, 0.3});
    CHECK(m.geom("hand").density == 700);
    CHECK(m.geom("hand").rgba[1] == 0);
    CHECK(m.joint("hand").damping == 2);
    CHECK(m.joint("hand").armature == 1);
    check_vec(m.joint("hand").axis, {1, 0, 0});
    CHECK(m.geom("inherited").density == 600);
    CHECK(m.geom("chosen").shape == ShapeType::sphere);
    CHECK(m.joint("chosen").damping == 1);
    CHECK(m.joint("leg").damping == 3);
    CHECK(m.joint("still hand").damping == 2);
    CHECK(m.geom("framed").density == 600);
    CHECK(m.geom("after").density == 500);
}

TEST_CASE("MJCF: a nested class sees all presets of its parent, also those written after it") {
    const ReadMjcf m = read_model(
        "<default><default class='c'/><geom size='3'/></default>"
        "<worldbody><geom name='g' class='c'/></worldbody>");
    CHECK(m.messages() == "");
    CHECK(m.geom("g").size.x == 3);
}

TEST_CASE("MJCF: an orientation of the element replaces that of the class, whatever its form") {
    const ReadMjcf m = read_model(
        "<default><geom size='1' euler='0 0 90' pos='1 2 3'/></default><worldbody>"
        "<geom name='own' quat='0 1 0 0'/><geom name='preset'/></worldbody>");
    CHECK(m.messages() == "");
    check_quat(m.geom("own").pose.quat, {0, 1, 0, 0});
    check_vec(m.geom("own").pose.pos, {1, 2, 3});
    check_quat(m.geom("preset").pose.quat, {std::sqrt(0.5), 0, 0, std::sqrt(0.5)});
}

TEST_CASE("MJCF: a mistake in a class is reported once and where it stands") {
    CHECK(read_model("<default><geom size='1' density='x'/></default>"
                     "<worldbody><geom/><geom/><geom/></worldbody>")
              .messages() ==
          "m.xml:1:42: error[E006]: attribute 'density' of <geom>: 'x' is not a finite number (write it like "
          "0.5 or "
          "1e-3)\n");
    CHECK(read_model("<default><geom denisty='1'/></default>").messages() ==
          "m.xml:1:33: warning[W010]: attribute 'denisty' of <geom> is not known and was not read (did you "
          "mean "
          "'density'?)\n");
    CHECK(read_model("<default><geon/></default>").messages() ==
          "m.xml:1:18: warning[W011]: <geon> inside <default> is not known and was not read (did you mean "
          "'geom'?)\n");
    // Presets of what is not read yet are no news: the elements themselves are named.
    CHECK(
        read_model("<default><motor gear='2'/><tendon width='1'/><camera fovy='3'/></default>").messages() ==
        "");
}

TEST_CASE("MJCF classes that do not exist, have no name or are there twice") {
    const std::string defaults = "<default><default class='visual'/></default>";
    CHECK(read_model(defaults + "<worldbody><geom size='1' class='visul'/></worldbody>").messages() ==
          "m.xml:1:86: error[E080]: there is no default class 'visul' (did you mean 'visual'?)\n");
    CHECK(read_model(defaults + "<worldbody><body childclass='q'/></worldbody>").messages() ==
          "m.xml:1:82: error[E080]: there is no default class 'q' (define it in <default>)\n");
    CHECK(read_model("<default><default/></default>").messages() ==
          "m.xml:1:18: error[E005]: <default> has no attribute 'class' (add class=\"…\")\n");
    CHECK(
        read_model("<default><default class='a'/><default class='a'/></default>").messages() ==
        "m.xml:1:54: error[E081]: the default class 'a' is defined twice (give one of them another name)\n");
    CHECK(read_model("<default class='other'/>").messages() ==
          "m.xml:1:25: error[E081]: the outermost default class is called 'main', not 'other' (put the class "
          "into "
          "another <default> around it)\n");
    CHECK(read_model("<default class='main'/>").messages() == "");
}
