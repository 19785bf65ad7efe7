#pragma once

// The meshes that MJCF makes from a name and a few numbers (mesh builtin="…" params="…"): the same vertices
// and faces as MuJoCo's, in single precision. Sizes are about 1; the mesh's scale does the rest.

#include "io/file_bytes.h"

#include <ligament/mesh.h>

#include <array>
#include <span>
#include <string_view>

namespace lig::io {

inline constexpr std::array<std::string_view, 7> builtin_mesh_names{
    "sphere", "hemisphere", "cone", "supersphere", "supertorus", "wedge", "plate"};

// `kind` is an index into the names. Faults speak of the parameters.
std::variant<TriangleMesh, FileFault> make_builtin_mesh(int kind, std::span<const double> params);

}  // namespace lig::io
