#include "io/support_urdf.h"

#include <doctest/doctest.h>

#include <chrono>

using namespace lig;
using lig::test::count_code;
using lig::test::UrdfResult;

namespace {

std::string link(const std::string& name) { return "<link name='" + name + "'/>\n"; }

std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const char* type = "continuous") {
    return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" +
           child + "'/></joint>\n";
}

// The content starts on line 2.
UrdfResult robot(const std::string& content, const LoadOptions& options = {}) {
    return UrdfResult("<robot name='r'>\n" + content + "</robot>", options);
}

std::string joint_names(const Scene& scene) {
    std::string names;
    for (const Scene::Joint& j : scene.joints()) names += j.spec.name + " ";
    return names;
}

std::string body_names(const Scene& scene) {
    std::string names;
    for (const Scene::Body& b : scene.bodies()) names += b.spec.name + " ";
    return names;
}

}  // namespace

TEST_CASE("urdf: bodies come depth first, children in the order of their joints") {
    const UrdfResult r =
        robot(link("leaf") + joint("j3", "b", "leaf") + link("c") + link("b") + link("a") +
              joint("j2", "a", "c") + joint("j1", "a", "b") + joint("j4", "c", "d") + link("d"));
    CHECK(r.diagnostics.empty());
    CHECK(r.scene.name == "r");
    CHECK(body_names(r.scene) == "world a c d b leaf ");
    CHECK(joint_names(r.scene) == "j2 j4 j1 j3 ");
    CHECK(r.body("leaf").parent == r.scene.find_body("b"));
    CHECK(r.body("a").parent == world);
}

TEST_CASE("urdf: fixed and free base") {
    const std::string content = link("a") + link("b") + joint("j", "a", "b");
    const UrdfResult fixed = robot(content);
    CHECK(fixed.body("a").joints.empty());
    CHECK(joint_names(fixed.scene) == "j ");

    LoadOptions options;
    options.base = BaseMode::free;
    const UrdfResult free = robot(content, options);
    CHECK(joint_names(free.scene) == "root_joint j ");
    CHECK(free.joint("root_joint").spec.type == JointType::free);
    CHECK(free.joint("root_joint").body == free.scene.find_body("a"));

    const std::string taken = link("a") + link("b") + joint("root_joint", "a", "b");
    CHECK_FALSE(robot(taken).failed);
    CHECK(robot(taken, options)
              .says("r.urdf:4:1: error[E074]: the joint 'root_joint' has the name of the free joint of "
                    "the base (rename it, or load the robot with a fixed base)"));
}

TEST_CASE("urdf: the first link of an arm does not collide with its base") {
    // base – mount (fixed) – arm – hand
    std::string content = link("base") + link("mount") + link("arm") + link("hand");
    content += R"(<joint name="weld" type="fixed"><parent link="base"/><child link="mount"/></joint>)";
    content += joint("shoulder", "mount", "arm") + joint("wrist", "arm", "hand");
    const UrdfResult fixed = robot(content);
    REQUIRE(fixed.scene.exclusions().size() == 1);
    CHECK(fixed.scene.exclusions()[0].a == fixed.scene.find_body("mount"));
    CHECK(fixed.scene.exclusions()[0].b == fixed.scene.find_body("arm"));
    LoadOptions options;
    options.base = BaseMode::free;
    CHECK(robot(content, options).scene.exclusions().empty());
}

TEST_CASE("urdf: a link named world is a link like any other") {
    const UrdfResult r = robot(link("world") + link("a") + joint("j", "world", "a", "fixed"));
    CHECK(r.diagnostics.empty());
    CHECK(body_names(r.scene) == "world world a ");
    CHECK(r.body("a").parent.index == 1);
}

TEST_CASE("urdf: names may hold any characters") {
    const UrdfResult r = robot(link("linke Hand/α &amp; &quot;b&quot;") + link("b c") +
                               joint("j:1", "linke Hand/α &amp; &quot;b&quot;", "b c"));
    CHECK(r.diagnostics.empty());
    CHECK(r.scene.find_body("linke Hand/α & \"b\"").index == 1);
}

TEST_CASE("urdf: no links, no name") {
    CHECK(robot("").diagnostics ==
          "r.urdf:1:1: error[E063]: the robot has no links (add at least one <link>)\n");
    CHECK(UrdfResult("<robot><link name='a'/></robot>").diagnostics ==
          "r.urdf:1:1: warning[W077]: the robot has no name (write <robot name=\"…\">)\n");
    CHECK(robot("<link/>").says("r.urdf:2:1: error[E005]: <link> has no attribute 'name'"));
    CHECK(
        robot("<link name=''/>").says("r.urdf:2:13: error[E005]: attribute 'name' of <link \"\"> is empty"));
}

TEST_CASE("urdf: two roots") {
    CHECK(robot(link("a") + link("b") + link("c") + joint("j", "a", "c")).diagnostics ==
          "r.urdf:3:1: error[E064]: 2 links have no parent, but a robot has one root: 'a', 'b' (join them by "
          "joints, "
          "fixed ones if need be)\n");
    std::string many;
    for (int i = 0; i < 12; ++i) many += link("l" + std::to_string(i));
    CHECK(robot(many).says("'l8', 'l9', 2 more ("));
}

TEST_CASE("urdf: cycles") {
    CHECK(robot(link("a") + link("b") + joint("j1", "a", "b") + joint("j2", "b", "a")).diagnostics ==
          "r.urdf:5:1: error[E065]: the joints form a cycle of links: 'a' → 'b' → 'a' (a URDF is a tree; "
          "remove the "
          "joint that closes the cycle)\n");
    // A root of its own, a cycle, and a tail that hangs on the cycle and comes first in the file.
    const UrdfResult r =
        robot(link("tail") + link("root") + link("b") + link("c") + link("d") + joint("t", "c", "tail") +
              joint("j1", "b", "c") + joint("j2", "c", "d") + joint("j3", "d", "b"));
    CHECK(r.says("r.urdf:10:1: error[E065]: the joints form a cycle of links: 'b' → 'c' → 'd' → 'b' ("));
    CHECK(r.log.error_count() == 1);
    CHECK(robot(link("a") + joint("j", "a", "a")).diagnostics ==
          "r.urdf:3:1: error[E065]: <joint \"j\"> joins link 'a' to itself (parent and child must be "
          "two links)\n");
}

TEST_CASE("urdf: two parents") {
    CHECK(robot(link("a") + link("b") + link("c") + joint("j1", "a", "b") + joint("j2", "a", "c") +
                joint("j3", "b", "c"))
              .diagnostics ==
          "r.urdf:7:67: error[E066]: link 'c' is already the child of <joint \"j2\">, and <joint "
          "\"j3\"> would give it a second parent (a URDF is a tree; the first joint is at "
          "r.urdf:6:1)\n");
}

TEST_CASE("urdf: unknown links") {
    CHECK(robot(link("base") + link("arm") + joint("j", "bsae", "arm")).diagnostics ==
          "r.urdf:4:49: error[E067]: the parent of <joint \"j\"> is 'bsae', but no link has this name (did "
          "you mean "
          "'base'?)\n");
    CHECK(robot(link("base") + link("arm") + joint("j", "base", "hand")).diagnostics ==
          "r.urdf:4:69: error[E067]: the child of <joint \"j\"> is 'hand', but no link has this name (add "
          "the link or "
          "correct the name)\n");
}

TEST_CASE("urdf: names used twice") {
    CHECK(robot(link("a") + link("a")).diagnostics ==
          "r.urdf:3:1: error[E068]: there are two links 'a' (the first is at r.urdf:2:1; rename one)\n");
    CHECK(
        robot(link("a") + link("b") + link("c") + joint("j", "a", "b") + joint("j", "b", "c")).diagnostics ==
        "r.urdf:6:1: error[E068]: there are two joints 'j' (the first is at r.urdf:5:1; rename one)\n");
    // A joint and a link may share a name.
    CHECK(robot(link("a") + link("b") + joint("b", "a", "b")).diagnostics.empty());
}

TEST_CASE("urdf: one reading shows all errors") {
    const UrdfResult r =
        robot(link("a") + link("b") + joint("j1", "a", "x") + joint("j2", "y", "b", "fixd") +
              "<joint name='j3' type='continuous'><axis xyz='0 0 0'/><parent link='a'/></joint>");
    CHECK(count_code(r.log, "E067") == 2);
    CHECK(count_code(r.log, "E008") == 1);
    CHECK(count_code(r.log, "E069") == 1);
    CHECK(count_code(r.log, "E009") == 1);
    CHECK(r.log.all().size() == 5);
}

TEST_CASE("urdf: a chain of 10,000 links, root last") {
    const int count = 10000;
    std::string content;
    for (int i = count - 1; i > 0; --i)
        content += joint("j" + std::to_string(i), "l" + std::to_string(i - 1), "l" + std::to_string(i));
    for (int i = count - 1; i >= 0; --i) content += link("l" + std::to_string(i));
    const UrdfResult r = robot(content);
    CHECK(r.diagnostics.empty());
    REQUIRE(r.scene.bodies().size() == count + 1);
    CHECK(r.scene.joints().size() == count - 1);
    for (int i = 0; i < count; ++i) REQUIRE(r.scene.bodies()[i + 1].parent.index == i);
    CHECK(r.scene.bodies().back().spec.name == "l9999");
}

TEST_CASE("urdf: 10,000 broken references take no quadratic time") {
    std::string content;
    for (int i = 0; i < 10000; ++i)
        content += link("link_number_" + std::to_string(i)) +
                   joint("j" + std::to_string(i), "linc_nunber_" + std::to_string(i), "none");
    const auto start = std::chrono::steady_clock::now();
    const UrdfResult r = robot(content);
    CHECK(r.log.error_count() == 20000);
    CHECK(count_code(r.log, "E067") == Diagnostics::max_per_code + 1);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}
