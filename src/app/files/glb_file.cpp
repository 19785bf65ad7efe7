#include "app/files/glb_file.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace lig::app {

namespace {

// Numbers of the format.
constexpr int unsigned_short = 5123, unsigned_int = 5125, float_number = 5126;
constexpr int for_vertices = 34962, for_indices = 34963;
constexpr std::uint32_t magic = 0x46546c67, json_chunk = 0x4e4f534a, data_chunk = 0x004e4942;

std::string_view type_of(int width) { return width == 1 ? "SCALAR" : width == 3 ? "VEC3"
                                                                                : "VEC4"; }

}  // namespace

GlbFile::GlbFile() { document = {{"asset", {{"version", "2.0"}}}}; }

int GlbFile::add_vertices(std::span<const float> numbers) {
    return add_floats(numbers, 3, {{"target", for_vertices}});
}

int GlbFile::add_samples(std::span<const float> numbers, int width) {
    return add_floats(numbers, width, Json::object());
}

int GlbFile::add_triangles(std::span<const std::array<int, 3>> triangles, std::size_t points) {
    const std::size_t begin = data_.out.size();
    const bool is_short = points <= 0xffff;  // the last of them stands for something else
    for (const std::array<int, 3>& triangle : triangles)
        for (const int k : triangle)
            if (is_short)
                data_.quarter(static_cast<std::uint16_t>(k));
            else
                data_.half(static_cast<std::uint32_t>(k));
    return add_accessor(begin, {{"target", for_indices}},
                        {{"componentType", is_short ? unsigned_short : unsigned_int},
                         {"count", 3 * triangles.size()},
                         {"type", "SCALAR"}});
}

int GlbFile::add_floats(std::span<const float> numbers, int width, Json view) {
    const std::size_t begin = data_.out.size(), count = numbers.size() / width;
    for (const float x : numbers) data_.half(std::bit_cast<std::uint32_t>(x));
    std::vector<float> least(numbers.begin(), numbers.begin() + width), most = least;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        least[i % width] = std::min(least[i % width], numbers[i]);
        most[i % width] = std::max(most[i % width], numbers[i]);
    }
    return add_accessor(begin, std::move(view),
                        {{"componentType", float_number},
                         {"count", count},
                         {"type", type_of(width)},
                         {"min", least},
                         {"max", most}});
}

int GlbFile::add_accessor(std::size_t begin, Json view, Json accessor) {
    view["buffer"] = 0;
    view["byteOffset"] = begin;
    view["byteLength"] = data_.out.size() - begin;
    while (data_.out.size() % 4 != 0) data_.out.push_back(std::byte{0});
    accessor["bufferView"] = views_.size();
    views_.push_back(std::move(view));
    accessors_.push_back(std::move(accessor));
    return static_cast<int>(accessors_.size()) - 1;
}

std::vector<std::byte> GlbFile::bytes() const {
    Json whole = document;
    if (!data_.out.empty()) {
        whole["accessors"] = accessors_;
        whole["bufferViews"] = views_;
        whole["buffers"] = Json::array({{{"byteLength", data_.out.size()}}});
    }
    std::string text = whole.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    const std::size_t size = 12 + 8 + text.size() + (data_.out.empty() ? 0 : 8 + data_.out.size());
    ByteWriter file;
    const auto put = [&](std::size_t x) { file.half(static_cast<std::uint32_t>(x)); };
    put(magic);
    put(2);
    put(size);
    put(text.size());
    put(json_chunk);
    file.bytes(std::as_bytes(std::span(text)));
    if (!data_.out.empty()) {
        put(data_.out.size());
        put(data_chunk);
        file.bytes(data_.out);
    }
    return std::move(file.out);
}

}  // namespace lig::app
