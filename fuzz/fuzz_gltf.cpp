// Bytes of glTF → mesh → hull and mass.

#include "mesh_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return lig::fuzz::read_mesh(lig::io::MeshFormat::gltf, data, size);
}
