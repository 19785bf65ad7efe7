// glTF 2.0: JSON that describes buffers of bytes, on its own (.gltf) or with its bytes in one file (.glb). Of
// all that it may hold the triangles of the default scene count, placed by their nodes. The format has y up;
// the mesh has z up: (x, y, z) there is (x, −z, y) here.

#include "core/rotation.h"
#include "io/mesh_bytes.h"
#include "io/vertex_merger.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace lig::io {

namespace {

using Json = nlohmann::json;
using Bytes = std::span<const std::byte>;

constexpr std::uint32_t glb_magic = 0x46546c67, json_chunk = 0x4e4f534a, binary_chunk = 0x004e4942;
// A description; the numbers of meshes are in buffers. Parsed, it takes some ten times its length.
constexpr std::size_t max_json = std::size_t(32) << 20;
constexpr int float_component = 5126, triangles = 4, strip = 5, fan = 6;

[[noreturn]] void fail(std::string what, std::string hint = "export it again as plain glTF 2.0") {
    throw FileFault{std::move(what), std::move(hint)};
}

int component_size(int type) {
    switch (type) {
        case 5120:
        case 5121: return 1;
        case 5122:
        case 5123: return 2;
        case 5125:
        case float_component: return 4;
        default: fail("an accessor has the unknown component type " + std::to_string(type));
    }
}

std::size_t whole(const Json& object, const char* field, std::size_t fallback) {
    const auto found = object.find(field);
    if (found == object.end()) return fallback;
    if (!found->is_number_unsigned()) fail(std::string("'") + field + "' is not a whole number");
    return found->get<std::size_t>();
}
std::size_t whole(const Json& object, const char* field) {
    if (!object.contains(field)) fail(std::string("'") + field + "' is missing");
    return whole(object, field, 0);
}

// Linear map and shift of a node.
struct Placement {
    Mat3d A = Mat3d::identity();
    Vec3d p{0, 0, 0};
    Vec3d operator*(const Vec3d& x) const { return A * x + p; }
    Placement operator*(const Placement& inner) const { return {A * inner.A, A * inner.p + p}; }
};

template <std::size_t N>
std::array<double, N> numbers(const Json& node, const char* field, std::array<double, N> fallback) {
    const auto found = node.find(field);
    if (found == node.end()) return fallback;
    if (!found->is_array() || found->size() != N)
        fail(std::string("'") + field + "' of a node has not " + std::to_string(N) + " numbers");
    for (std::size_t k = 0; k < N; ++k) fallback[k] = (*found)[k].get<double>();
    return fallback;
}

Placement placement_of(const Json& node) {
    if (node.contains("matrix")) {
        const auto m = numbers<16>(node, "matrix", {});
        return {{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}, {m[12], m[13], m[14]}};
    }
    const auto t = numbers<3>(node, "translation", {0, 0, 0}), s = numbers<3>(node, "scale", {1, 1, 1});
    const auto q = numbers<4>(node, "rotation", {0, 0, 0, 1});
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 0)) fail("the rotation of a node is zero");
    const Mat3d R =
        rotation_matrix(Quatd{q[3] / length, q[0] / length, q[1] / length, q[2] / length});
    return {{s[0] * R.x, s[1] * R.y, s[2] * R.z}, {t[0], t[1], t[2]}};
}

class GltfReader {
public:
    GltfReader(const Json& document, Bytes binary, std::filesystem::path folder)
        : document_(document), binary_(binary), folder_(std::move(folder)), merger_(mesh_, 0) {}

    TriangleMesh read() {
        check_extensions();
        read_scene();
        if (mesh_.faces.empty()) fail("the mesh has no faces", "check where it was written");
        return std::move(mesh_);
    }

private:
    struct Accessor {
        Bytes bytes;
        std::size_t count = 0, stride = 0;
        int type = 0;
        const std::byte* at(std::size_t i) const { return bytes.data() + i * stride; }
    };

    const Json& element(const char* list, std::size_t index) const {
        const auto found = document_.find(list);
        if (found == document_.end() || !found->is_array() || index >= found->size())
            fail(std::string("there is no element ") + std::to_string(index) + " in '" + list + "'");
        return (*found)[index];
    }

    // Some compress what the mesh consists of.
    void check_extensions() const {
        for (const Json& name : document_.value("extensionsRequired", Json::array()))
            for (const char* prefix : {"KHR_draco", "EXT_meshopt", "KHR_meshopt", "KHR_mesh_quantization"})
                if (name.get<std::string>().starts_with(prefix))
                    fail("the mesh needs the extension " + name.get<std::string>() + ", which is not read",
                         "export it without compression");
    }

    void read_scene() {
        struct Pending {
            std::size_t node;
            Placement above;
        };
        std::vector<Pending> pending;
        const Placement z_up{{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, {0, 0, 0}};
        if (!document_.contains("scenes")) fail("the file has no scene");
        const Json& scene = element("scenes", whole(document_, "scene", 0));
        for (const Json& node : scene.value("nodes", Json::array()))
            pending.push_back({node.get<std::size_t>(), z_up});
        std::vector<char> seen(document_.value("nodes", Json::array()).size(), false);
        while (!pending.empty()) {
            const Pending next = pending.back();
            pending.pop_back();
            const Json& node = element("nodes", next.node);
            if (seen[next.node]) fail("node " + std::to_string(next.node) + " has two parents");
            seen[next.node] = true;
            const Placement own = next.above * placement_of(node);
            if (node.contains("mesh")) read_mesh(element("meshes", whole(node, "mesh")), own);
            for (const Json& child : node.value("children", Json::array()))
                pending.push_back({child.get<std::size_t>(), own});
        }
    }

    void read_mesh(const Json& mesh, const Placement& placement) {
        for (const Json& primitive : mesh.at("primitives")) {
            const std::size_t mode = whole(primitive, "mode", triangles);
            if (mode < triangles) continue;  // points and lines have no surface
            if (mode > fan) fail("a primitive has the unknown mode " + std::to_string(mode));
            read_primitive(primitive, static_cast<int>(mode), placement);
        }
    }

    void read_primitive(const Json& primitive, int mode, const Placement& placement) {
        const Json& attributes = primitive.at("attributes");
        if (!attributes.contains("POSITION")) return;  // as the format has it: nothing to draw
        const Accessor positions = accessor(whole(attributes, "POSITION"), "VEC3", 3);
        if (positions.type != float_component) fail("positions are not of type float");
        // Also of what many nodes share.
        visited_ += positions.count;
        if (visited_ > max_vertices) throw too_many_faces();
        Accessor indices;
        const bool indexed = primitive.contains("indices");
        if (indexed) indices = accessor(whole(primitive, "indices"), "SCALAR", 1);
        if (indexed && indices.type == float_component) fail("indices are not whole numbers");
        const std::size_t corners = indexed ? indices.count : positions.count;
        const std::size_t faces = mode == triangles ? corners / 3 : corners < 3 ? 0
                                                                                : corners - 2;
        if (faces > max_faces - mesh_.faces.size()) throw too_many_faces();

        std::vector<int> vertex(positions.count, -1);  // in the mesh
        const auto corner = [&](std::size_t i) {
            const std::size_t k = indexed ? index_at(indices, i) : i;
            if (k >= positions.count)
                fail("a face names vertex " + std::to_string(k) + " of " + std::to_string(positions.count),
                     "vertices count from 0; repair the mesh");
            if (vertex[k] < 0) vertex[k] = add_vertex(positions.at(k), placement);
            return vertex[k];
        };
        const bool mirrored = dot(placement.A.x, cross(placement.A.y, placement.A.z)) < 0;
        for (std::size_t f = 0; f < faces; ++f) {
            std::array<std::size_t, 3> at{f, f + 1, f + 2};
            if (mode == triangles) at = {3 * f, 3 * f + 1, 3 * f + 2};
            if (mode == fan) at = {0, f + 1, f + 2};
            if ((mode == strip && f % 2 == 1) != mirrored) std::swap(at[1], at[2]);
            mesh_.faces.push_back({corner(at[0]), corner(at[1]), corner(at[2])});
        }
    }

    int add_vertex(const std::byte* at, const Placement& placement) {
        const Vec3d v = placement * Vec3d{read_f32(at), read_f32(at + 4), read_f32(at + 8)};
        const std::array<float, 3> rounded{static_cast<float>(v.x), static_cast<float>(v.y),
                                           static_cast<float>(v.z)};
        for (const float x : rounded)
            if (!std::isfinite(x)) fail("a vertex is not finite", "repair the mesh");
        return merger_.add(rounded);
    }

    static std::size_t index_at(const Accessor& indices, std::size_t i) {
        const std::byte* at = indices.at(i);
        std::size_t value = 0;
        for (int k = component_size(indices.type) - 1; k >= 0; --k)
            value = value << 8 | std::to_integer<std::size_t>(at[k]);
        return value;
    }

    Accessor accessor(std::size_t index, const char* shape, std::size_t components) {
        const Json& given = element("accessors", index);
        if (given.contains("sparse") || !given.contains("bufferView"))
            fail("accessor " + std::to_string(index) + " is sparse, which is not read");
        if (given.at("type") != shape)
            fail("accessor " + std::to_string(index) + " is not of type " + shape);
        Accessor out;
        out.type = static_cast<int>(std::min<std::size_t>(whole(given, "componentType"), 10000));
        out.count = whole(given, "count");
        const Json& view = element("bufferViews", whole(given, "bufferView"));
        const std::size_t size = components * component_size(out.type);
        out.stride = whole(view, "byteStride", size);
        const Bytes bytes = buffer(whole(view, "buffer"));
        const std::size_t begin = whole(view, "byteOffset", 0), length = whole(view, "byteLength");
        const std::size_t first = whole(given, "byteOffset", 0);
        if (out.stride < size || out.stride > 252 || begin > bytes.size() || length > bytes.size() - begin ||
            first > length || out.count > length ||
            (out.count > 0 && (out.count - 1) * out.stride + size > length - first))
            fail("accessor " + std::to_string(index) + " reaches beyond its buffer",
                 "the file may be truncated");
        out.bytes = bytes.subspan(begin + first);
        return out;
    }

    Bytes buffer(std::size_t index) {
        const Json& given = element("buffers", index);
        if (!given.contains("uri")) {
            if (index != 0 || binary_.empty()) fail("buffer " + std::to_string(index) + " has no bytes");
            return binary_;
        }
        if (buffers_.size() <= index) buffers_.resize(index + 1);
        std::vector<std::byte>& bytes = buffers_[index];
        if (bytes.empty()) bytes = bytes_of(given.at("uri").get<std::string>());
        return bytes;
    }

    // "data:…;base64,…", or a file beside this one.
    std::vector<std::byte> bytes_of(const std::string& uri) const {
        if (uri.starts_with("data:")) {
            const std::size_t comma = uri.find(";base64,");
            if (comma == uri.npos) fail("the data of a buffer is not in base64");
            return decoded(std::string_view(uri).substr(comma + 8));
        }
        if (folder_.empty() || uri.find("://") != uri.npos || uri.find("..") != uri.npos ||
            std::filesystem::path(uri).is_absolute())
            fail("the buffer '" + uri + "' is not beside the file", "write it as one .glb file");
        auto read = read_file_bytes(folder_ / uri);
        if (FileFault* fault = std::get_if<FileFault>(&read))
            fail("the buffer '" + uri + "': " + fault->what, fault->hint);
        return std::get<std::vector<std::byte>>(std::move(read));
    }

    static std::vector<std::byte> decoded(std::string_view text) {
        std::vector<std::byte> bytes;
        bytes.reserve(text.size() / 4 * 3);
        std::uint32_t bits = 0;
        int count = 0;
        for (const char c : text) {
            if (c == '=') break;
            const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                              : c >= 'a' && c <= 'z' ? c - 'a' + 26
                              : c >= '0' && c <= '9' ? c - '0' + 52
                              : c == '+'             ? 62
                              : c == '/'             ? 63
                                                     : -1;
            if (value < 0) fail("the data of a buffer is not in base64");
            bits = bits << 6 | static_cast<std::uint32_t>(value);
            if ((count += 6) < 8) continue;
            count -= 8;
            bytes.push_back(static_cast<std::byte>(bits >> count & 0xff));
        }
        return bytes;
    }

    const Json& document_;
    Bytes binary_;
    std::filesystem::path folder_;
    std::vector<std::vector<std::byte>> buffers_;
    TriangleMesh mesh_;
    VertexMerger merger_;
    std::size_t visited_ = 0;  // vertices of all primitives
};

struct Parts {
    std::string_view json;
    Bytes binary;
};

Parts split(Bytes bytes) {
    if (!is_glb(bytes)) return {as_text(bytes), {}};
    if (bytes.size() < 20) fail("the file is too short for glTF", "it may be truncated");
    if (const std::uint32_t version = read_u32(bytes.data() + 4); version != 2)
        fail("this is version " + std::to_string(version) + " of the format, which is not read");
    Parts parts;
    for (std::size_t at = 12; at + 8 <= bytes.size();) {
        const std::size_t length = read_u32(bytes.data() + at);
        if (length > bytes.size() - at - 8)
            fail("a part of the file reaches beyond its end", "it may be truncated");
        const Bytes part = bytes.subspan(at + 8, length);
        const std::uint32_t kind = read_u32(bytes.data() + at + 4);
        if (kind == json_chunk && parts.json.empty()) parts.json = as_text(part);
        if (kind == binary_chunk && parts.binary.empty()) parts.binary = part;
        at += 8 + length;
    }
    return parts;
}

}  // namespace

bool is_glb(std::span<const std::byte> bytes) {
    return bytes.size() >= 4 && read_u32(bytes.data()) == glb_magic;
}

MeshResult parse_gltf(std::span<const std::byte> bytes, const std::filesystem::path& folder) {
    try {
        const Parts parts = split(bytes);
        if (parts.json.size() > max_json)
            return FileFault{"the description in the file is longer than 32 MiB",
                             "write it as one .glb file"};
        const Json document = Json::parse(parts.json);
        const std::string version = document.at("asset").at("version").get<std::string>();
        if (!version.starts_with("2."))
            return FileFault{"this is version " + version + " of the format, which is not read",
                             "export it as glTF 2.0"};
        return GltfReader(document, parts.binary, folder).read();
    } catch (FileFault& fault) {
        return std::move(fault);
    } catch (const Json::exception& error) {
        return FileFault{std::string("the description in the file is malformed: ") + error.what(),
                         "export it again as glTF 2.0"};
    }
}

}  // namespace lig::io
