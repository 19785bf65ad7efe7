#include "io/support_urdf.h"

#include <doctest/doctest.h>

using namespace lig;
using lig::test::count_code;
using lig::test::UrdfResult;
using lig::test::with_joint;
using lig::test::with_link;

TEST_CASE("urdf: extensions are named once per kind") {
    const UrdfResult r(
        "<robot name='r' version='1.0' xmlns:drake='d'>\n<gazebo><a/></gazebo><link name='a'/>\n"
        " <transmission name='t'><joint name='x'/></transmission>\n<gazebo reference='a'/><gazebo/>\n"
        "<drake:collision_filter_group/></robot>");
    CHECK_FALSE(r.failed);
    CHECK(r.diagnostics ==
          "r.urdf:2:1: warning[W062]: <gazebo> belongs to an extension and was not read; the file has 3 of "
          "them\n"
          "r.urdf:3:2: warning[W062]: <transmission> belongs to an extension and was not read\n"
          "r.urdf:5:1: warning[W062]: <drake:collision_filter_group> belongs to an extension and was "
          "not read\n");
}

TEST_CASE("urdf: what is not known is named each time, with its place") {
    const UrdfResult r(
        "<robot name='r' colour='x'>\n<link name='a' "
        "typ='b'><visul/></link>\n<lnik/>\n<lnik/>\ntext</robot>");
    CHECK_FALSE(r.failed);
    CHECK(
        r.diagnostics ==
        "r.urdf:1:25: warning[W010]: attribute 'colour' of <robot \"r\"> is not known and was not read\n"
        "r.urdf:3:1: warning[W011]: <lnik> inside <robot \"r\"> is not known and was not read (did you mean "
        "'link'?)\n"
        "r.urdf:4:1: warning[W011]: <lnik> inside <robot \"r\"> is not known and was not read (did you mean "
        "'link'?)\n"
        "r.urdf:5:1: warning[W011]: text inside <robot \"r\"> was not read (values are written as "
        "attributes)\n"
        "r.urdf:2:21: warning[W010]: attribute 'typ' of <link \"a\"> is not known and was not read\n"
        "r.urdf:2:24: warning[W011]: <visul> inside <link \"a\"> is not known and was not read (did you mean "
        "'visual'?)\n");
    CHECK(UrdfResult(with_joint("continuous", "<dynamics dampign='1'/>"))
              .says("r.urdf:5:20: warning[W010]: attribute 'dampign' of <dynamics> is not known and was not "
                    "read (did you "
                    "mean 'damping'?)"));
    CHECK(UrdfResult(with_joint("continuous", "<orign/>")).says("(did you mean 'origin'?)"));
    for (const char* const element : {"<axis xyz='1 0 0' x='1'/>", "<mimic joint='j' x='1'/>",
                                      "<origin x='1'/>", "<limit effort='1' velocity='1' x='1'/>"})
        CHECK(UrdfResult(with_joint("continuous", element)).says("warning[W010]: attribute 'x' of <"));
    CHECK(UrdfResult(with_link("<collision><geometry><sphere radius='1' raduis='2'/></geometry></collision>"))
              .says("(did you mean 'radius'?)"));
}

TEST_CASE("urdf: warnings are errors under strict reading") {
    Diagnostics log;
    log.set_strict(true);
    CHECK_THROWS_AS(parse_scene("<robot name='r'><link name='a'/><gazebo/></robot>", "r.urdf", {}, log),
                    InputError);
    CHECK(log.all().at(0).to_string() ==
          "r.urdf:1:33: error[W062]: <gazebo> belongs to an extension and was not read");
}

TEST_CASE("urdf: sources of xacro are told from a URDF") {
    const UrdfResult expression(
        "<robot name='r'>\n<link name='${p}_a'/><link name='b'>\n<visual><geometry>"
        "<mesh filename='$(find k)/a.stl'/></geometry></visual></link></robot>");
    CHECK(expression.failed);
    CHECK(expression.diagnostics ==
          "r.urdf:2:13: error[E060]: this is a source of xacro, not a URDF: 2 elements or values are still "
          "to be expanded "
          "(run xacro first: xacro model.urdf.xacro > model.urdf)\n");
    const UrdfResult call(
        "<robot name='r' xmlns:xacro='x'><link name='a'/>\n <xacro:arm side='${left}'/></robot>");
    CHECK(call.says(
        "r.urdf:2:2: error[E060]: this is a source of xacro, not a URDF: 1 element or value is still"));

    // A definition that nothing uses does no harm, nor does what stands inside it or inside an extension.
    const UrdfResult leftover(
        "<robot name='r'><link name='a'/>\n<xacro:macro name='m'><link name='${x}'/></xacro:macro>"
        "<gazebo><a b='${c}'/></gazebo></robot>");
    CHECK_FALSE(leftover.failed);
    CHECK(
        leftover.says("r.urdf:2:1: warning[W061]: <xacro:macro> is a definition of xacro and was not read"));
    CHECK(leftover.log.all().size() == 2);
}
