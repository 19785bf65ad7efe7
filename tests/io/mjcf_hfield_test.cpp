// Height fields of MJCF. The numbers were computed with MuJoCo 3.14.

#include "io/height_field_file.h"
#include "io/mjcf_support.h"

#include <ligament/model.h>

#include <bit>
#include <random>

using namespace lig;
using namespace lig::io;
using namespace lig::test;

namespace {

// clang-format off
// Images of two rows and three columns.
const unsigned char grey_8[] = {
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 3, 0, 0, 0, 2, 8, 0, 0, 0, 0,
    184, 31, 57, 198, 0, 0, 0, 16, 73, 68, 65, 84, 120, 156, 99, 224, 178, 57, 193, 160, 241, 43, 10, 0,
    8, 100, 2, 139, 146, 140, 233, 227, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130};
const unsigned char grey_16[] = {
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 3, 0, 0, 0, 2, 16, 0, 0, 0,
    0, 232, 143, 229, 133, 0, 0, 0, 22, 73, 68, 65, 84, 120, 156, 99, 96, 126, 81, 106, 240, 255, 63, 3,
    163, 14, 227, 4, 63, 45, 0, 38, 71, 4, 197, 86, 5, 240, 132, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66,
    96, 130};
const unsigned char colour[] = {
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 0, 0, 0,
    18, 22, 241, 77, 0, 0, 0, 28, 73, 68, 65, 84, 120, 156, 99, 224, 58, 193, 108, 195, 200, 120, 130,
    33, 138, 65, 131, 147, 243, 23, 35, 83, 84, 84, 20, 0, 42, 236, 4, 123, 201, 99, 92, 33, 0, 0, 0, 0,
    73, 69, 78, 68, 174, 66, 96, 130};
const unsigned char colour_alpha[] = {
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 3, 0, 0, 0, 2, 8, 6, 0, 0, 0,
    157, 116, 102, 26, 0, 0, 0, 34, 73, 68, 65, 84, 120, 156, 99, 224, 58, 193, 204, 96, 195, 200, 248,
    255, 4, 67, 84, 3, 131, 6, 39, 39, 251, 47, 70, 38, 206, 168, 168, 40, 70, 0, 82, 191, 6, 11, 79,
    110, 88, 24, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130};
const unsigned char palette[] = {
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 3, 0, 0, 0, 2, 8, 3, 0, 0, 0,
    170, 170, 150, 40, 0, 0, 0, 9, 80, 76, 84, 69, 10, 20, 30, 100, 2, 3, 255, 1, 2, 107, 192, 110, 94,
    0, 0, 0, 16, 73, 68, 65, 84, 120, 156, 99, 96, 96, 100, 98, 96, 98, 100, 0, 0, 0, 32, 0, 7, 29, 43,
    112, 160, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130};
const unsigned char grey_4[] = {
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 3, 0, 0, 0, 2, 4, 0, 0, 0, 0,
    125, 239, 212, 199, 0, 0, 0, 14, 73, 68, 65, 84, 120, 156, 99, 144, 55, 96, 240, 106, 0, 0, 2, 117,
    1, 26, 68, 185, 110, 39, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130};
const unsigned char grey_1[] = {
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 3, 0, 0, 0, 2, 1, 0, 0, 0, 0,
    181, 15, 91, 183, 0, 0, 0, 12, 73, 68, 65, 84, 120, 156, 99, 88, 192, 224, 0, 0, 2, 36, 0, 225, 115,
    235, 59, 242, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130};
const unsigned char grey_alpha[] = {
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 3, 0, 0, 0, 2, 8, 4, 0, 0, 0,
    55, 125, 174, 145, 0, 0, 0, 22, 73, 68, 65, 84, 120, 156, 99, 224, 98, 176, 249, 127, 130, 147, 65,
    131, 241, 23, 83, 20, 51, 0, 26, 4, 3, 153, 211, 6, 242, 42, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66,
    96, 130};
// clang-format on

template <std::size_t N>
std::string text_of(const unsigned char (&data)[N]) {
    return {reinterpret_cast<const char*>(data), N};
}
std::span<const std::byte> bytes(const std::string& text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string binary(std::uint32_t rows, std::uint32_t columns, std::initializer_list<float> heights) {
    std::string s;
    const auto add = [&](std::uint32_t x) {
        for (int k = 0; k < 4; ++k) s += static_cast<char>(x >> (8 * k));
    };
    add(rows);
    add(columns);
    for (const float h : heights) add(std::bit_cast<std::uint32_t>(h));
    return s;
}

void check_field(const ReadMjcf& m, const std::vector<double>& expected, int rows = 2, int columns = 3) {
    CHECK(m.messages() == "");
    REQUIRE(m.scene.height_fields().size() == 1);
    const HeightFieldAsset& field = m.scene.height_fields()[0];
    CHECK(field.rows == rows);
    CHECK(field.columns == columns);
    REQUIRE(field.elevation);
    REQUIRE(field.elevation->size() == expected.size());
    // MuJoCo keeps heights in single precision.
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(std::fabs((*field.elevation)[i] - expected[i]) < 1e-7);
}

}  // namespace

TEST_CASE("MJCF: height fields from PNG images of all kinds") {
    TemporaryFolder folder;
    const auto read = [&](const std::string& image) {
        folder.write("maps/h.png", image);
        return ReadMjcf(
            "<mujoco><compiler meshdir='maps'/><asset><hfield file='h.png' size='1 2 .5 .1'/></asset>"
            "<worldbody><geom name='g' type='hfield' hfield='h'/></worldbody></mujoco>",
            folder.path() / "m.xml");
    };
    const std::vector<double> same{0.125, 1, 0.3333333432674408, 0, 0.2083333283662796, 0.7916666865348816};
    for (const std::string& image :
         {text_of(grey_8), text_of(colour), text_of(colour_alpha), text_of(grey_alpha)})
        check_field(read(image), same);
    check_field(read(text_of(grey_16)),
                {0, 0, 0.30314961075782776, 0.007874015718698502, 0.4566929042339325, 1});
    check_field(read(text_of(palette)), {1, 0.36734694242477417, 0, 0, 0.36734694242477417, 1});
    check_field(read(text_of(grey_4)),
                {0.2142857164144516, 0.6428571343421936, 0.5, 0, 1, 0.1428571492433548});
    check_field(read(text_of(grey_1)), {0, 1, 0, 1, 0, 1});
    // What MuJoCo reports as the geom's size.
    const ReadMjcf m = read(text_of(grey_8));
    check_vec(m.geom("g").size, {1, 2, 0.175});
    CHECK(m.geom("g").mesh == "h");
}

TEST_CASE("MJCF: height fields from MuJoCo's format and from the model") {
    TemporaryFolder folder;
    folder.write("h.bin", binary(2, 3, {1, 2, 3, 4, 5, 9}));
    check_field(ReadMjcf("<mujoco><asset><hfield file='h.bin' size='1 2 .5 .1'/></asset></mujoco>",
                         folder.path() / "m.xml"),
                {0, 0.125, 0.25, 0.375, 0.5, 1});
    // Written rows are seen from above: the first is the one of the largest y.
    check_field(
        read_model("<asset><hfield name='h' size='1 2 .5 .1' nrow='2' ncol='3' elevation='1 2 3 4 5 9'/>"
                   "</asset>"),
        {0.375, 0.5, 1, 0, 0.125, 0.25});
    check_field(read_model("<asset><hfield name='h' size='1 2 .5 .1' nrow='1' ncol='2'/></asset>"), {0, 0}, 1,
                2);
    check_field(
        read_model("<asset><hfield name='h' size='1 2 .5 .1' nrow='1' ncol='2' elevation='3 3'/></asset>"),
        {0, 0}, 1, 2);
}

TEST_CASE("MJCF: what is wrong with a height field is said") {
    const auto field = [](const std::string& attributes) {
        return read_model("<asset><hfield name='h' " + attributes + "/></asset>").messages();
    };
    CHECK(contains(field("nrow='2' ncol='2'"), "error[E005]"));
    CHECK(contains(field("size='1 1 1 0' nrow='2' ncol='2'"), "its sizes must be positive"));
    CHECK(contains(field("size='1 1 1 1'"), "error[E105]: <hfield \"h\">: it has 0 rows and 0 columns"));
    CHECK(contains(field("size='1 1 1 1' nrow='1e9' ncol='2'"), "error[E105]"));
    CHECK(contains(field("size='1 1 1 1' nrow='2' ncol='2' elevation='1 2 3'"),
                   "'elevation' has 3 numbers, nrow × ncol is 4"));
    CHECK(contains(field("size='1 1 1 1' file='nowhere.png'"),
                   "warning[W012]: the height field file 'nowhere.png' was not found"));
    CHECK(contains(field("size='1 1 1 1' file='nowhere.png' elevation='1'"), "error[E014]"));
    TemporaryFolder folder;
    folder.write("h.png", "no image");
    CHECK(contains(ReadMjcf("<mujoco><asset><hfield file='h.png' size='1 1 1 1'/></asset></mujoco>",
                            folder.path() / "m.xml")
                       .messages(),
                   "error[E101]: " + (folder.path() / "h.png").string() + ": this is no PNG image"));
}

TEST_CASE("height fields: truncated and changed bytes give a field or a fault") {
    const auto what = [](const HeightResult& result) {
        const auto* fault = std::get_if<FileFault>(&result);
        return fault ? fault->what : "";
    };
    CHECK(contains(what(parse_height_binary(bytes("short"))), "too short"));
    CHECK(contains(what(parse_height_binary(bytes(binary(0x7fffffff, 0x7fffffff, {})))), "it begins with"));
    CHECK(contains(what(parse_height_binary(bytes(binary(2, 2, {1, 2, 3})))), "this one has 20"));
    CHECK(contains(what(parse_height_binary(bytes(binary(1, 1, {NAN})))), "not finite"));
    const std::string image = text_of(colour);
    for (std::size_t size = 0; size + 12 < image.size(); ++size)
        CHECK(what(parse_height_png(bytes(image.substr(0, size)))) != "");
    std::mt19937 random(5);
    for (int round = 0; round < 3000; ++round) {
        std::string text = image;
        for (int i = 0; i < 3; ++i) text[random() % text.size()] = static_cast<char>(random());
        const HeightResult result = parse_height_png(bytes(text));
        if (const auto* grid = std::get_if<HeightGrid>(&result))
            CHECK(grid->heights.size() == std::size_t(grid->rows) * std::size_t(grid->columns));
    }
}
