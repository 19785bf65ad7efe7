// glTF: what a description says of bytes, in each of its forms, and what it says wrongly.

#include "io/mesh_file.h"
#include "io/support.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <random>

using namespace lig;
using namespace lig::io;
using lig::test::contains;

namespace {

std::span<const std::byte> bytes(const std::string& text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
std::string number(std::uint32_t x, int size) {
    std::string s;
    for (int k = 0; k < size; ++k) s += static_cast<char>(x >> (8 * k));
    return s;
}
std::string corner(float x, float y, float z) {
    std::string s;
    for (const float c : {x, y, z}) s += number(std::bit_cast<std::uint32_t>(c), 4);
    return s;
}

// A corner of a cube with edges along the axes, 1, 2 and 3 long: volume 1. Four vertices, one of them twice
// as exporters write it where normals differ; then four faces that look outwards, as 16-bit indices.
const std::string positions =
    corner(0, 0, 0) + corner(1, 0, 0) + corner(0, 2, 0) + corner(0, 0, 3) + corner(0, 0, 0);
std::string indices(int size) {
    std::string s;
    for (const int k : {0, 2, 1, 4, 1, 3, 0, 3, 2, 1, 2, 3}) s += number(static_cast<std::uint32_t>(k), size);
    return s;
}

struct Sketch {
    std::string node = "{\"mesh\":0}", more, primitive = "\"indices\":1", buffer, extensions;
    int index_size = 2, count = 12, vertices = 5;
    int index_type() const { return index_size == 1 ? 5121 : index_size == 2 ? 5123
                                                                             : 5125; }
    std::string binary() const { return positions + indices(index_size); }
    std::string json() const {
        const std::string length = std::to_string(binary().size());
        return "{\"asset\":{\"version\":\"2.0\"}," + extensions + "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[" +
               node + more + "],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}" +
               (primitive.empty() ? "" : "," + primitive) +
               "}]}],\"accessors\":[{\"bufferView\":0,\"count\":" + std::to_string(vertices) +
               ",\"componentType\":5126,\"type\":\"VEC3\"},{\"bufferView\":0,\"byteOffset\":60,\"count\":" +
               std::to_string(count) + ",\"componentType\":" + std::to_string(index_type()) +
               ",\"type\":\"SCALAR\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":" + length +
               "}],\"buffers\":[{\"byteLength\":" + length + buffer + "}]}";
    }
    std::string glb() const {
        std::string text = json(), data = binary();
        text.resize((text.size() + 3) / 4 * 4, ' ');
        data.resize((data.size() + 3) / 4 * 4, '\0');
        const auto part = [](const std::string& kind, const std::string& content) {
            return number(static_cast<std::uint32_t>(content.size()), 4) + kind + content;
        };
        const std::string parts = part("JSON", text) + part(std::string("BIN\0", 4), data);
        return "glTF" + number(2, 4) + number(static_cast<std::uint32_t>(12 + parts.size()), 4) + parts;
    }
};

TriangleMesh mesh_of(const MeshResult& result) {
    if (const auto* fault = std::get_if<FileFault>(&result)) FAIL(fault->what);
    return std::get<TriangleMesh>(result);
}
TriangleMesh mesh_of(const Sketch& sketch) { return mesh_of(parse_gltf(bytes(sketch.glb()))); }
std::string fault_of(const MeshResult& result) {
    REQUIRE(std::holds_alternative<FileFault>(result));
    const FileFault& fault = std::get<FileFault>(result);
    CHECK(!fault.hint.empty());
    return fault.what;
}
std::string fault_of(const Sketch& sketch) { return fault_of(parse_gltf(bytes(sketch.glb()))); }

// Signed: negative where the faces look inwards.
double volume_of(const TriangleMesh& mesh) {
    double sum = 0;
    for (const auto& [a, b, c] : mesh.faces)
        sum += dot(mesh.vertices[a], cross(mesh.vertices[b], mesh.vertices[c])) / 6;
    return sum;
}

}  // namespace

TEST_CASE("glTF: vertices with y up become vertices with z up, equal ones are one") {
    for (const int size : {1, 2, 4}) {
        const TriangleMesh mesh = mesh_of(Sketch{.index_size = size});
        REQUIRE(mesh.vertices.size() == 4);
        CHECK(mesh.faces.size() == 4);
        CHECK(volume_of(mesh) == doctest::Approx(1).epsilon(1e-15));
        // In the order in which faces name them: (0, 0, 0), (0, 2, 0), (1, 0, 0), (0, 0, 3) with y up.
        const Vec3d wanted[] = {{0, 0, 0}, {0, 0, 2}, {1, 0, 0}, {0, -3, 0}};
        for (int k = 0; k < 4; ++k)
            for (int c = 0; c < 3; ++c) CHECK(mesh.vertices[k][c] == wanted[k][c]);
    }
}

TEST_CASE("glTF: nodes place, turn, scale and mirror; faces go on to look outwards") {
    const TriangleMesh placed = mesh_of(Sketch{
        .node = "{\"children\":[1],\"translation\":[10,20,30]}",
        .more = ",{\"mesh\":0,\"scale\":[2,1,-1],\"rotation\":[0,0.7071067811865476,0,0.7071067811865476]}"});
    CHECK(volume_of(placed) == doctest::Approx(2).epsilon(1e-6));
    // (1, 0, 0): 2 along x, turned by a quarter about y to −z, shifted: (10, 20, 28) with y up.
    CHECK(placed.vertices[1].x == doctest::Approx(10).epsilon(1e-7));
    CHECK(placed.vertices[1].y == doctest::Approx(-28).epsilon(1e-7));
    CHECK(placed.vertices[1].z == doctest::Approx(20).epsilon(1e-7));
    const TriangleMesh by_matrix =
        mesh_of(Sketch{.node = "{\"mesh\":0,\"matrix\":[2,0,0,0, 0,1,0,0, 0,0,1,0, 5,6,7,1]}"});
    CHECK(volume_of(by_matrix) == doctest::Approx(2).epsilon(1e-6));
    CHECK(by_matrix.vertices[2].x == 7);
    // Two nodes share one mesh.
    const TriangleMesh twice = mesh_of(
        Sketch{.node = "{\"mesh\":0,\"children\":[1]}", .more = ",{\"mesh\":0,\"translation\":[9,0,0]}"});
    CHECK(twice.faces.size() == 8);
    CHECK(volume_of(twice) == doctest::Approx(2).epsilon(1e-6));
}

TEST_CASE("glTF: strips, fans, faces without indices; points and lines have no surface") {
    CHECK(mesh_of(Sketch{.primitive = "\"mode\":5", .vertices = 4}).faces.size() == 2);
    const TriangleMesh strip = mesh_of(Sketch{.primitive = "\"mode\":5", .vertices = 4});
    CHECK(strip.faces[1] == std::array<int, 3>{1, 3, 2});  // the second one is turned
    const TriangleMesh fan = mesh_of(Sketch{.primitive = "\"mode\":6", .vertices = 4});
    CHECK(fan.faces[1] == std::array<int, 3>{0, 2, 3});
    CHECK(mesh_of(Sketch{.primitive = "", .vertices = 3}).faces.size() == 1);
    CHECK(contains(fault_of(Sketch{.primitive = "\"mode\":1"}), "no faces"));
}

TEST_CASE("glTF: bytes within the description, or in a file beside it") {
    // The first nine numbers are zero: one face of a point. Base64 of 36 zero bytes is 48 letters A.
    const Sketch within{.primitive = "", .vertices = 3};
    const std::string text = within.json();
    const std::string inside =
        "\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64," +
        std::string(48, 'A') + "\"}]}";
    const std::string view = "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],";
    const std::string head = text.substr(0, text.find("\"bufferViews\""));
    const TriangleMesh point = mesh_of(parse_gltf(bytes(head + view + inside)));
    CHECK(point.faces.size() == 1);
    CHECK(point.vertices.size() == 1);

    const test::TemporaryFolder folder;
    const Sketch beside{.buffer = ",\"uri\":\"part.bin\""};
    folder.write("part.bin", beside.binary());
    CHECK(volume_of(mesh_of(load_mesh_file(folder.write("a.gltf", beside.json())))) == doctest::Approx(1));
    CHECK(volume_of(mesh_of(load_mesh_file(folder.write("a.GLB", Sketch{}.glb())))) == doctest::Approx(1));
    CHECK(volume_of(mesh_of(load_mesh_file(folder.write("a.bin", Sketch{}.glb())))) == doctest::Approx(1));
    CHECK(volume_of(mesh_of(load_mesh_file(folder.write("b", Sketch{}.glb()), "model/gltf-binary"))) ==
          doctest::Approx(1));
    for (const char* away : {"../part.bin", "/etc/hostname", "http://x/part.bin", "nowhere.bin"})
        CHECK(contains(fault_of(load_mesh_file(folder.write(
                           "c.gltf", Sketch{.buffer = ",\"uri\":\"" + std::string(away) + "\""}.json()))),
                       away));
}

TEST_CASE("glTF: what is wrong is named") {
    CHECK(contains(fault_of(Sketch{.count = 60}), "accessor 1 reaches beyond its buffer"));
    CHECK(contains(fault_of(Sketch{.vertices = 3}), "a face names vertex 4 of 3"));
    CHECK(contains(fault_of(Sketch{.node = "{\"mesh\":7}"}), "no element 7 in 'meshes'"));
    CHECK(contains(fault_of(Sketch{.node = "{\"children\":[0]}"}), "node 0 has two parents"));
    CHECK(contains(fault_of(Sketch{.node = "{\"mesh\":0,\"scale\":[1,2]}"}), "'scale' of a node"));
    CHECK(contains(fault_of(Sketch{.node = "{\"mesh\":-1}"}), "not a whole number"));
    CHECK(contains(fault_of(Sketch{.extensions = "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],"}),
                   "KHR_draco_mesh_compression"));
    CHECK(contains(fault_of(parse_gltf(bytes("{\"asset\":{\"version\":\"1.0\"}}"))), "version 1.0"));
    CHECK(contains(fault_of(parse_gltf(bytes("{\"asset\""))), "malformed"));
    CHECK(contains(fault_of(parse_gltf(bytes(Sketch{}.glb().substr(0, 300)))), "beyond its end"));
}

TEST_CASE("glTF: bytes changed at random give a valid mesh or a fault") {
    std::mt19937 random(5);
    const std::string seed = Sketch{}.glb();
    for (int round = 0; round < 5000; ++round) {
        std::string text = seed;
        for (int i = static_cast<int>(random() % 4); i >= 0; --i)
            text[random() % text.size()] = static_cast<char>(random());
        if (random() % 4 == 0) text.resize(random() % text.size());
        const MeshResult result = parse_gltf(bytes(text));
        const auto* mesh = std::get_if<TriangleMesh>(&result);
        if (!mesh) continue;
        for (const Vec3d& v : mesh->vertices) REQUIRE(std::isfinite(v.x + v.y + v.z));
        for (const auto& face : mesh->faces)
            for (const int k : face) REQUIRE((k >= 0 && k < static_cast<int>(mesh->vertices.size())));
    }
}
