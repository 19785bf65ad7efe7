// Includes: the files, their order, their places, and circles.

#include "io/mjcf_support.h"

using namespace lig;
using namespace lig::test;

namespace {

// Reads folder/main.xml.
struct ReadFolder {
    explicit ReadFolder(const TemporaryFolder& folder) {
        io::XmlSource source;
        REQUIRE(source.load_file(folder.path() / "main.xml", log));
        scene = io::read_mjcf(source, {}, log);
        messages = all_text(log);
        // The folder's own name is not known beforehand.
        const std::string prefix = folder.path().string() + "/";
        for (std::size_t at; (at = messages.find(prefix)) != std::string::npos;)
            messages.erase(at, prefix.size());
    }
    Diagnostics log;
    Scene scene;
    std::string messages;
};

}  // namespace

TEST_CASE("MJCF includes are replaced by what is in the file, wherever they stand") {
    TemporaryFolder folder;
    folder.write("main.xml",
                 "<mujoco model='main'><include file='settings.xml'/><worldbody><body name='first'/>"
                 "<include file='parts/bodies.xml'/><body name='last'/></worldbody></mujoco>");
    folder.write("settings.xml",
                 "<mujoco model='not this'><compiler angle='radian'/><default>"
                 "<include file='presets.xml'/></default></mujoco>");
    folder.write("presets.xml", "<mujocoinclude><joint ref='2'/></mujocoinclude>");
    folder.write("parts/bodies.xml",
                 "<mujocoinclude><body name='second'><joint name='j'/></body>\n"
                 "  <body name='third'/></mujocoinclude>");
    const ReadFolder m(folder);
    CHECK(m.messages == "");
    CHECK(m.scene.name == "main");
    REQUIRE(m.scene.bodies().size() == 5);
    CHECK(m.scene.bodies()[1].spec.name == "first");
    CHECK(m.scene.bodies()[2].spec.name == "second");
    CHECK(m.scene.bodies()[3].spec.name == "third");
    CHECK(m.scene.bodies()[4].spec.name == "last");
    CHECK(m.scene.joints()[0].spec.reference == 2);
    // Every element knows its own file.
    CHECK(m.scene.bodies()[3].spec.where.to_string() ==
          (folder.path() / "parts/bodies.xml").string() + ":2:3");
    CHECK(m.scene.bodies()[4].spec.where.to_string() == (folder.path() / "main.xml").string() + ":1:117");
}

TEST_CASE("MJCF: paths of includes start from the main file, then from the including file") {
    TemporaryFolder folder;
    folder.write("main.xml", "<mujoco><worldbody><include file='sub/a.xml'/></worldbody></mujoco>");
    folder.write("sub/a.xml", "<x><include file='sub/b.xml'/><include file='c.xml'/></x>");
    folder.write("sub/b.xml", "<x><body name='b'/></x>");
    folder.write("sub/c.xml", "<x><body name='c'/></x>");
    const ReadFolder m(folder);
    CHECK(m.messages == "");
    CHECK(m.scene.find_body("b").index == 1);
    CHECK(m.scene.find_body("c").index == 2);
}

TEST_CASE("MJCF: mistakes in an included file carry its name") {
    TemporaryFolder folder;
    folder.write("main.xml", "<mujoco><worldbody><include file='a.xml'/></worldbody></mujoco>");
    SUBCASE("in its values") {
        folder.write("a.xml", "<x>\n  <body pos='1 2'/>\n</x>");
        CHECK(ReadFolder(folder).messages ==
              "a.xml:2:14: error[E007]: attribute 'pos' of <body>: '1 2' has 2 numbers; 3 are expected\n");
    }
    SUBCASE("in its XML") {
        folder.write("a.xml", "<x>\n  <body></x>");
        const std::string messages = ReadFolder(folder).messages;
        CHECK(contains(messages, "a.xml:2:"));
        CHECK(contains(messages, "error[E003]"));
    }
    SUBCASE("not there") {
        CHECK(ReadFolder(folder).messages ==
              "main.xml:1:35: error[E001]: the included file 'a.xml' does not exist (looked for a.xml)\n");
    }
    SUBCASE("no file named") {
        folder.write("main.xml", "<mujoco><include/></mujoco>");
        CHECK(ReadFolder(folder).messages ==
              "main.xml:1:9: error[E005]: <include> has no attribute 'file' (add file=\"…\")\n");
    }
    SUBCASE("a folder") {
        folder.write("a.xml/inside", "");
        CHECK(ReadFolder(folder).messages ==
              "a.xml: error[E015]: this is a folder, not a file (give the path of a file)\n");
    }
}

TEST_CASE("MJCF: includes that repeat or go in a circle") {
    TemporaryFolder folder;
    SUBCASE("of itself") {
        folder.write("main.xml", "<mujoco><include file='main.xml'/></mujoco>");
        CHECK(ReadFolder(folder).messages ==
              "main.xml:1:24: error[E082]: the include goes in a circle: main.xml → "
              "main.xml (take out one of the includes)\n");
    }
    SUBCASE("through others, and written differently") {
        folder.write("main.xml", "<mujoco><include file='a.xml'/></mujoco>");
        folder.write("a.xml", "<x><worldbody><include file='b.xml'/></worldbody></x>");
        folder.write("b.xml", "<x><body><include file='./a.xml'/></body></x>");
        CHECK(ReadFolder(folder).messages ==
              "b.xml:1:25: error[E082]: the include goes in a circle: a.xml → b.xml → "
              "a.xml (take out one of the includes)\n");
    }
    SUBCASE("twice") {
        folder.write("main.xml", "<mujoco><include file='a.xml'/><include file='a.xml'/></mujoco>");
        folder.write("a.xml", "<x/>");
        CHECK(ReadFolder(folder).messages ==
              "main.xml:1:47: error[E082]: 'a.xml' is included twice (the first time at main.xml:1:9)\n");
    }
}
