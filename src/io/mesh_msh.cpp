// MSH, MuJoCo's former binary format: the counts of vertices, normals, texture coordinates and faces as
// 32-bit integers, then the vertices, normals (as many as vertices, or none), texture coordinates (likewise)
// in single precision and the corners of the faces, little-endian. Without faces it is a cloud of points.

#include "io/mesh_bytes.h"

#include <cmath>
#include <limits>

namespace lig::io {

namespace {

struct Counts {
    std::uint64_t vertices, normals, texcoords, faces;

    std::uint64_t file_size() const { return 16 + 12 * vertices + 12 * normals + 8 * texcoords + 12 * faces; }
    bool valid() const {
        for (const std::uint64_t count : {vertices, normals, texcoords, faces})
            if (count > std::numeric_limits<std::int32_t>::max()) return false;
        return vertices > 0 && (normals == 0 || normals == vertices) &&
               (texcoords == 0 || texcoords == vertices);
    }
};

std::optional<Counts> read_counts(std::span<const std::byte> bytes) {
    if (bytes.size() < 16) return std::nullopt;
    const std::byte* at = bytes.data();
    return Counts{read_u32(at), read_u32(at + 4), read_u32(at + 8), read_u32(at + 12)};
}

}  // namespace

bool is_msh(std::span<const std::byte> bytes) {
    const std::optional<Counts> counts = read_counts(bytes);
    return counts && counts->valid() && counts->file_size() == bytes.size();
}

MeshResult parse_msh(std::span<const std::byte> bytes) {
    const std::optional<Counts> counts = read_counts(bytes);
    if (!counts) return FileFault{"the file is too short for MSH", "it may be truncated"};
    if (!counts->valid())
        return FileFault{"the counts at its beginning make no sense", "is this an MSH file of MuJoCo?"};
    if (counts->file_size() != bytes.size())
        return FileFault{"its counts ask for " + std::to_string(counts->file_size()) +
                             " bytes, the file has " + std::to_string(bytes.size()),
                         "it may be truncated"};
    if (counts->vertices > max_vertices || counts->faces > max_faces) return too_many_faces();
    TriangleMesh mesh;
    mesh.vertices.reserve(counts->vertices);
    const std::byte* at = bytes.data() + 16;
    for (std::uint64_t i = 0; i < counts->vertices; ++i) {
        Vec3d v;
        for (int k = 0; k < 3; ++k, at += 4) {
            v[k] = read_f32(at);
            if (!std::isfinite(v[k]))
                return FileFault{"vertex " + std::to_string(i) + " is not finite",
                                 "vertices count from 0; repair the mesh"};
        }
        mesh.vertices.push_back(v);
    }
    at += 12 * counts->normals + 8 * counts->texcoords;
    mesh.faces.reserve(counts->faces);
    for (std::uint64_t f = 0; f < counts->faces; ++f) {
        std::array<int, 3> face;
        for (int& corner : face) {
            const std::uint32_t index = read_u32(at);
            at += 4;
            if (index >= counts->vertices)
                return FileFault{"face " + std::to_string(f) + " names vertex " + std::to_string(index) +
                                     " of " + std::to_string(counts->vertices),
                                 "faces and vertices count from 0; repair the mesh"};
            corner = static_cast<int>(index);
        }
        mesh.faces.push_back(face);
    }
    return mesh;
}

}  // namespace lig::io
