// From files and texts to scenes: which format, and whatever may be wrong with a file as a whole.

#include "io/support_locale.h"
#include "io/support_urdf.h"

#include <doctest/doctest.h>

using namespace lig;
using lig::test::all_text;
using lig::test::contains;
using lig::test::count_code;
using lig::test::TemporaryFolder;
using lig::test::UrdfResult;

namespace {

const std::string arm =
    "<?xml version='1.0'?>\n<robot name='arm'>\n  <link name='base'/>\n  <link name='tip'>\n    <inertial>\n"
    "      <mass value='0.25'/>\n      <inertia ixx='0.125' iyy='0.125' izz='0.125'/>\n    </inertial>\n  "
    "</link>\n"
    "  <joint name='j' type='continuous'>\n    <origin xyz='0.5 0 -1.5e-1'/>\n    <parent link='base'/>\n"
    "    <child link='tip'/>\n  </joint>\n</robot>\n";

void check_arm(const Scene& scene) {
    REQUIRE(scene.bodies().size() == 3);
    CHECK(scene.bodies()[2].spec.pose.pos.x == 0.5);
    CHECK(scene.bodies()[2].spec.pose.pos.z == -0.15);
    CHECK(scene.bodies()[2].spec.inertial->mass == 0.25);
    CHECK(scene.bodies()[2].spec.where.line == 4);
    CHECK(scene.joints()[0].spec.where.line == 10);
    CHECK(scene.joints()[0].spec.where.column == 3);
}

}  // namespace

TEST_CASE("load: a file") {
    const TemporaryFolder folder;
    Diagnostics log;
    // The content tells the format, not the name.
    check_arm(load_scene(folder.write("arm.xml", arm), {}, log));
    CHECK(log.all().empty());
}

TEST_CASE("load: files that are no model") {
    const TemporaryFolder folder;
    const auto failure = [](const std::filesystem::path& path) {
        Diagnostics log;
        CHECK_THROWS_AS(load_scene(path, {}, log), InputError);
        CHECK(log.error_count() == 1);
        return all_text(log);
    };
    CHECK(contains(failure(folder.path() / "none.urdf"), "error[E001]: there is no such file"));
    CHECK(contains(failure(folder.path()), "error[E015]: this is a folder"));
    CHECK(contains(failure(folder.write("empty.urdf", "")), "error[E002]"));
    CHECK(contains(failure(folder.write("cut.urdf", arm.substr(0, 200))), "error[E003]"));
    const std::string other = failure(folder.write("other.urdf", "\n <sdf/>"));
    CHECK(contains(
        other,
        "other.urdf:2:2: error[E004]: the root element <sdf> is of no format that can be read (a model "
        "starts with <robot> (urdf)"));
}

TEST_CASE("load: the kind of the error tells a wrong file from one that cannot be read") {
    Diagnostics log;
    try {
        load_scene("there/is/no/such.urdf", {}, log);
        FAIL("no exception");
    } catch (const InputError& error) { CHECK(error.kind() == ErrorKind::io); }
    log = {};
    try {
        parse_scene("<robot name='r'/>", "r.urdf", {}, log);
        FAIL("no exception");
    } catch (const InputError& error) {
        CHECK(error.kind() == ErrorKind::input);
        CHECK(contains(error.what(), "r.urdf:1:1: error[E063]"));
    }
}

TEST_CASE("load: Windows line ends and a byte order mark change nothing") {
    std::string windows = "\xEF\xBB\xBF";
    for (const char c : arm) c == '\n' ? windows += "\r\n" : windows += c;
    const UrdfResult r(windows);
    CHECK(r.diagnostics.empty());
    check_arm(r.scene);
}

TEST_CASE("load: a locale with a decimal comma changes nothing") {
    const lig::test::CommaLocale locale;
    if (!locale.active()) {
        MESSAGE("skipped: there is no locale with a decimal comma");
        return;
    }
    CHECK(std::to_string(0.5) == "0,500000");
    const UrdfResult r(arm);
    CHECK(r.diagnostics.empty());
    check_arm(r.scene);
}

TEST_CASE("load: every truncation of a file ends in one message") {
    // The end of the root element is the last character that matters.
    const std::size_t whole = arm.rfind('>');
    for (std::size_t length = 0; length <= whole; ++length) {
        const UrdfResult r(arm.substr(0, length));
        CAPTURE(length);
        CHECK(r.failed);
        CHECK(r.log.all().size() == 1);
    }
}

TEST_CASE("load: 100,000 nested elements end in a message") {
    const auto nested = [](int count, const std::string& open, const std::string& close) {
        std::string text;
        for (int i = 0; i < count; ++i) text += open;
        for (int i = 0; i < count; ++i) text += close;
        return text;
    };
    CHECK(UrdfResult(nested(100000, "<a>", "</a>")).says("r.urdf:1:1: error[E004]"));
    const UrdfResult inside("<robot name='r'><link name='a'/>\n" + nested(100000, "<a>", "</a>") +
                            "</robot>");
    CHECK_FALSE(inside.failed);
    CHECK(inside.diagnostics ==
          "r.urdf:2:1: warning[W011]: <a> inside <robot \"r\"> is not known and was not read\n");
    const UrdfResult links(nested(100000, "<robot>", "</robot>"));
    CHECK(links.says("error[E063]"));
}

TEST_CASE("load: a mangled file never does worse than an error") {
    // Every single character replaced, one after the other, by a few that matter in XML and in numbers.
    for (std::size_t at = 0; at < arm.size(); ++at)
        for (const char c : {'<', '>', '"', '\'', '&', '/', '\0', '\x80', 'n'}) {
            std::string text = arm;
            text[at] = c;
            const UrdfResult r(text);
            if (r.failed) CHECK(r.log.error_count() > 0);
        }
}
