#include "io/mesh_file.h"
#include "io/support.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

using namespace lig;
using namespace lig::io;
using lig::test::contains;

namespace {

std::span<const std::byte> bytes(const std::string& text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
std::string u32(std::uint32_t x) {
    std::string s;
    for (int k = 0; k < 4; ++k) s += static_cast<char>(x >> (8 * k));
    return s;
}
std::string f32(float x) { return u32(std::bit_cast<std::uint32_t>(x)); }
std::string corner(float x, float y, float z) { return f32(x) + f32(y) + f32(z); }

TriangleMesh mesh_of(const MeshResult& result) {
    if (const auto* fault = std::get_if<FileFault>(&result)) FAIL(fault->what);
    return std::get<TriangleMesh>(result);
}
FileFault fault_of(const MeshResult& result) {
    REQUIRE(std::holds_alternative<FileFault>(result));
    return std::get<FileFault>(result);
}

// Two triangles that share an edge, one of its ends written as -0.
std::string binary_stl(const std::string& header = "solid like a text") {
    std::string s = header;
    s.resize(80, ' ');
    s += u32(2);
    s += corner(0, 0, 1) + corner(0, 0, 0) + corner(1, 0, 0) + corner(0, 1, 0) + "ab";
    s += corner(0, 0, 1) + corner(1, 0, 0) + corner(1, 1, 0) + corner(-0.0f, 1, 0) + "cd";
    return s;
}

std::string msh(int vertices, int normals, int texcoords, int faces, const std::string& rest) {
    return u32(vertices) + u32(normals) + u32(texcoords) + u32(faces) + rest;
}
const std::string four_points = corner(0, 0, 0) + corner(1, 0, 0) + corner(0, 1, 0) + corner(0, 0, 1);

}  // namespace

TEST_CASE("STL: binary, also when it begins like a text; equal vertices are one") {
    for (const char* header : {"solid x", "any"}) {
        const TriangleMesh mesh = mesh_of(parse_stl(bytes(binary_stl(header))));
        CHECK(mesh.vertices.size() == 4);
        REQUIRE(mesh.faces.size() == 2);
        CHECK(mesh.faces[1] == std::array<int, 3>{1, 3, 2});
        CHECK(mesh.vertices[3].y == 1);
    }
}

TEST_CASE("STL: text") {
    const TriangleMesh mesh = mesh_of(parse_stl(bytes(
        "Solid a\n facet normal 0 0 1\r\n  outer loop\n   vertex 0 0 0\n vertex 1e0 0 0\nVERTEX 0 +.5 0 \n"
        "endloop\nendfacet\nendsolid a\nsolid b\nfacet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 1 1 0\n"
        "vertex 0 0.5 0\nendloop\nendfacet\nendsolid b")));
    CHECK(mesh.vertices.size() == 4);
    CHECK(mesh.faces == std::vector<std::array<int, 3>>{{0, 1, 2}, {1, 3, 2}});
    const auto fault = [](const std::string& text) { return fault_of(parse_stl(bytes(text))); };
    CHECK(fault("solid\nouter loop\nvertex 0 0\n").line == 3);
    CHECK(fault("solid\nouter loop\nvertex 0 0 nan\n").line == 3);
    CHECK(fault("solid\nouter loop\nvertex 0 0 1e39\n").line == 3);
    CHECK(fault("solid\nvertex 0 0 0\n").line == 2);
    CHECK(fault("solid\nouter loop\nvertex 0 0 0\nendloop\n").line == 4);
    CHECK(contains(fault("solid\nouter loop\nvertex 0 0 0\n").what, "ends inside a face"));
    CHECK(contains(fault("solid\nendsolid\n").what, "no faces"));
}

TEST_CASE("STL: truncated, with a false count, not finite") {
    const std::string good = binary_stl();
    for (std::size_t size = 0; size < good.size(); ++size)
        CHECK(std::holds_alternative<FileFault>(parse_stl(bytes(good.substr(0, size)))));
    std::string wrong = binary_stl("x");
    wrong.replace(80, 4, u32(0xffffffff));
    CHECK(contains(fault_of(parse_stl(bytes(wrong))).what, "a binary STL file of 4294967295 faces has"));
    std::string infinite = binary_stl();
    infinite.replace(84 + 50 + 12, 4, f32(INFINITY));
    CHECK(contains(fault_of(parse_stl(bytes(infinite))).what, "face 1 is not finite"));
    std::string none(80, ' ');
    CHECK(contains(fault_of(parse_stl(bytes(none + u32(0)))).what, "no faces"));
}

TEST_CASE("OBJ: all forms of faces, polygons, comments, single precision") {
    const TriangleMesh mesh = mesh_of(parse_obj(
        bytes("# a comment\nmtllib x.mtl\no thing\nv 0 0 0 1\nv 2 0 0 # here too\nv\t2 1 \\\n 0\r\nv 0 0.1 "
              "0\nvt 0 0\n"
              "vn 0 0 1\ng part\nusemtl red\nf 1/1 2/1 3/1\nf 1//1 3//1 4//1\nf -4/1/1 -3/1/1 -2/1/1\ns off\n"
              "v 1 -1 0\nf 1 5 2 3 4\n")));
    REQUIRE(mesh.vertices.size() == 5);
    CHECK(mesh.vertices[3].y == double(0.1f));
    CHECK(mesh.faces ==
          std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}, {0, 4, 1}, {0, 1, 2}, {0, 2, 3}});
}

TEST_CASE("OBJ: a face of four is cut along the shorter diagonal") {
    const std::string corners = "v 0 0 0\nv 1 0 0\nv 3 3 0\nv 0 1 0\n";
    CHECK(mesh_of(parse_obj(bytes(corners + "f 1 2 3 4"))).faces ==
          std::vector<std::array<int, 3>>{{0, 1, 3}, {1, 2, 3}});
    CHECK(mesh_of(parse_obj(bytes(corners + "f 2 3 4 1"))).faces ==
          std::vector<std::array<int, 3>>{{1, 2, 3}, {1, 3, 0}});
}

TEST_CASE("OBJ: mistakes are named with their line") {
    const auto fault = [](const std::string& text) { return fault_of(parse_obj(bytes(text))); };
    CHECK(fault("v 0 0 0\nv 1 x 0\n").line == 2);
    CHECK(fault("v 0 0 1e400\n").line == 1);
    CHECK(fault("v 0 0 0\nf 1 1 2\n").line == 2);
    CHECK(fault("v 0 0 0\nf 0 1 1\n").line == 2);
    CHECK(fault("v 0 0 0\nf 1 1 -2\n").line == 2);
    CHECK(fault("v 0 0 0\n\n\nf 1 1\n").line == 4);
    CHECK(fault("v 0 0 0\nf 1 1 1x\n").line == 2);
    CHECK(fault("v 0 0 0\nf 1 1 99999999999999999999\n").line == 2);
    CHECK(contains(fault("nothing of the kind").what, "no vertices"));
}

TEST_CASE("MSH: counts, faces and points") {
    const std::string face = u32(0) + u32(1) + u32(2);
    CHECK(mesh_of(parse_msh(bytes(msh(4, 0, 0, 0, four_points)))).faces.empty());
    const TriangleMesh mesh =
        mesh_of(parse_msh(bytes(msh(4, 4, 4, 1, four_points + four_points + std::string(32, '\0') + face))));
    CHECK(mesh.vertices.size() == 4);
    CHECK(mesh.faces == std::vector<std::array<int, 3>>{{0, 1, 2}});
    const auto what = [](const std::string& text) { return fault_of(parse_msh(bytes(text))).what; };
    CHECK(contains(what("short"), "too short"));
    CHECK(contains(what(msh(4, 1, 0, 0, four_points)), "make no sense"));
    CHECK(contains(what(msh(-1, 0, 0, 0, four_points)), "make no sense"));
    CHECK(contains(what(msh(0x7fffffff, 0, 0, 0x7fffffff, four_points)), "its counts ask for"));
    CHECK(contains(what(msh(4, 0, 0, 1, four_points + u32(0) + u32(1) + u32(4))), "names vertex 4 of 4"));
    CHECK(contains(what(msh(1, 0, 0, 0, corner(0, NAN, 0))), "not finite"));
}

TEST_CASE("mesh files: the format by content type, ending or content; what is no file") {
    const test::TemporaryFolder folder;
    CHECK(mesh_of(load_mesh_file(folder.write("a.STL", binary_stl()))).faces.size() == 2);
    CHECK(mesh_of(load_mesh_file(folder.write("a.obj", binary_stl()), "model/stl")).faces.size() == 2);
    CHECK(mesh_of(load_mesh_file(folder.write("a.bin", binary_stl()))).faces.size() == 2);
    CHECK(mesh_of(load_mesh_file(folder.write("b.bin", msh(4, 0, 0, 0, four_points)))).vertices.size() == 4);
    CHECK(mesh_of(load_mesh_file(folder.write("c.bin", "# x\nv 0 0 0\n"))).vertices.size() == 1);
    CHECK(contains(fault_of(load_mesh_file(folder.write("d.bin", "what?"))).what,
                   "no mesh in STL, OBJ, glTF or MSH"));
    CHECK(contains(fault_of(load_mesh_file(folder.write("e.stl", ""))).what, "empty"));
    CHECK(contains(
        fault_of(load_mesh_file(folder.write("f.stl", "version https://git-lfs.github.com/spec/v1\n"))).what,
        "Git LFS"));
    CHECK(contains(fault_of(load_mesh_file(folder.path())).what, "a folder, not a file"));
    CHECK(contains(fault_of(load_mesh_file(folder.path() / "nowhere.stl")).what, "there is no such file"));
}

TEST_CASE("mesh files: bytes changed at random give a valid mesh or a fault") {
    std::mt19937 random(11);
    const std::string seeds[] = {binary_stl(),
                                 msh(4, 4, 0, 1, four_points + four_points + u32(0) + u32(1) + u32(2)),
                                 "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/2/3 2 -1\nf 1 2 3 1 2\n",
                                 "solid\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"};
    for (int round = 0; round < 20000; ++round) {
        std::string text = seeds[round % 4];
        for (int i = static_cast<int>(random() % 4); i >= 0; --i)
            text[random() % text.size()] = static_cast<char>(random());
        if (random() % 4 == 0) text.resize(random() % text.size());
        for (const MeshFormat format : {MeshFormat::stl, MeshFormat::obj, MeshFormat::msh}) {
            const MeshResult result = parse_mesh(format, bytes(text));
            const auto* mesh = std::get_if<TriangleMesh>(&result);
            if (!mesh) continue;
            for (const Vec3d& v : mesh->vertices) REQUIRE(std::isfinite(v.x + v.y + v.z));
            for (const auto& face : mesh->faces)
                for (const int k : face) REQUIRE((k >= 0 && k < static_cast<int>(mesh->vertices.size())));
        }
    }
}
