#pragma once

// Binary glTF 2.0: one JSON document and the bytes that it refers to, in one file.

#include "app/json_output.h"
#include "core/byte_stream.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace lig::app {

class GlbFile {
public:
    GlbFile();

    // Members of the document but for "accessors", "bufferViews" and "buffers".
    Json document;

    // Each returns the index of an accessor. `width`: 1 for single numbers, 3 for vectors, 4 for quaternions.
    int add_vertices(std::span<const float> numbers);
    int add_triangles(std::span<const std::array<int, 3>> triangles, std::size_t points);
    int add_samples(std::span<const float> numbers, int width);

    // The whole file.
    std::vector<std::byte> bytes() const;

private:
    int add_floats(std::span<const float> numbers, int width, Json view);
    int add_accessor(std::size_t begin, Json view, Json accessor);

    Json accessors_ = Json::array(), views_ = Json::array();
    ByteWriter data_;
};

}  // namespace lig::app
