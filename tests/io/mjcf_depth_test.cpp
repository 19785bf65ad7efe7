// Nothing in the reader recurses on the depth of a file, and nothing is quadratic in it.

#include "io/mjcf_support.h"

using namespace lig;
using namespace lig::test;

namespace {

std::string repeated(const std::string& part, int count) {
    std::string text;
    text.reserve(part.size() * static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) text += part;
    return text;
}

}  // namespace

TEST_CASE("MJCF: a chain of 10,000 nested bodies") {
    const int count = 10000;
    const ReadMjcf m = read_world(
        repeated(
            "<body pos='0 0 1'><joint axis='0 1 0'/><geom type='capsule' size='0.1' fromto='0 0 0 0 0 1'/>",
            count) +
        "<site name='tip'/>" + repeated("</body>", count));
    CHECK(m.messages() == "");
    REQUIRE(m.scene.bodies().size() == static_cast<std::size_t>(count) + 1);
    CHECK(m.scene.joints().size() == static_cast<std::size_t>(count));
    CHECK(m.scene.bodies()[count].parent.index == count - 1);
    CHECK(m.scene.sites()[0].body.index == count);
}

TEST_CASE("MJCF: nesting of 100,000 elements of other kinds") {
    const int count = 100000;
    SUBCASE("unknown") {
        CHECK(read_world(repeated("<a>", count) + repeated("</a>", count)).messages() ==
              "m.xml:1:20: warning[W011]: <a> inside <worldbody> is not known and was not read\n");
    }
    SUBCASE("unknown sections") {
        CHECK(count_code(read_model(repeated("<a>", count) + repeated("</a>", count)).log, "W011") == 1);
    }
    SUBCASE("frames") {
        const ReadMjcf m = read_world(repeated("<frame pos='1 0 0'>", count) + "<body name='b'/>" +
                                      repeated("</frame>", count));
        CHECK(m.messages() == "");
        CHECK(m.body("b").pose.pos.x == count);
    }
    SUBCASE("default classes without names") {
        const ReadMjcf m = read_model("<default>" + repeated("<default>", count) +
                                      repeated("</default>", count) + "</default>");
        CHECK(m.log.error_count() >= count);  // and that there are too many
        CHECK(count_code(m.log, "E005") == Diagnostics::max_per_code + 1);
    }
    SUBCASE("bodies in a text that ends early") {
        Diagnostics log;
        io::XmlSource source;
        CHECK_FALSE(source.load_text("<mujoco><worldbody>" + repeated("<body>", count), "m.xml", log));
        CHECK(count_code(log, "E003") == 1);
    }
}

TEST_CASE("MJCF: many frames with a bad element each give their diagnostics") {
    const int count = 100;
    const ReadMjcf m = read_world(repeated("<body><geom size='x'/></body>\n", count));
    CHECK(count_code(m.log, "E006") == count);
    CHECK(m.log.all()[2 * (count - 1)].where.line == count);
}
