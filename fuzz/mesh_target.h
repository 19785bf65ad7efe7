#pragma once

// What the fuzz targets of the mesh formats share: bytes → mesh → hull and mass.

#include "geometry/mesh_mass.h"
#include "io/mesh_file.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace lig::fuzz {

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "the mesh was accepted although %s\n", what);
    std::abort();
}

inline int read_mesh(io::MeshFormat format, const std::uint8_t* data, std::size_t size) {
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
    (void)io::mesh_format_of_content(bytes);
    const io::MeshResult result = io::parse_mesh(format, bytes);
    const TriangleMesh* mesh = std::get_if<TriangleMesh>(&result);
    if (!mesh) {
        require(!std::get<io::FileFault>(result).what.empty(), "it was refused without a reason");
        return 0;
    }
    for (const Vec3d& v : mesh->vertices)
        require(std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z), "a vertex is not finite");
    const int count = static_cast<int>(mesh->vertices.size());
    for (const std::array<int, 3>& face : mesh->faces)
        for (const int corner : face) require(corner >= 0 && corner < count, "a face names no vertex");

    for (const MeshInertia kind :
         {MeshInertia::legacy, MeshInertia::exact, MeshInertia::convex, MeshInertia::shell}) {
        const MeshAsset asset{.inertia = kind, .mesh = std::make_shared<TriangleMesh>(*mesh)};
        const auto body = geometry::mesh_body(asset);
        if (const auto* accepted = std::get_if<geometry::MeshBody>(&body)) {
            const geometry::MeshMass& mass = accepted->mass;
            const Sym3d& I = mass.inertia;
            require(std::isfinite(mass.volume) && mass.volume > 0, "its volume is not positive and finite");
            require(std::isfinite(dot(mass.com, mass.com)), "its centre is not finite");
            require(std::isfinite(I.xx + I.yy + I.zz + I.xy + I.xz + I.yz), "its inertia is not finite");
        }
    }
    return 0;
}

}  // namespace lig::fuzz
