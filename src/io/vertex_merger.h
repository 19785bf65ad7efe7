#pragma once

// Vertices of a mesh, of which equal ones become one.

#include <ligament/mesh.h>

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace lig::io {

// In the order of their first appearance.
class VertexMerger {
public:
    VertexMerger(TriangleMesh& mesh, std::size_t expected) : mesh_(mesh), slots_(64, -1) {
        while (slots_.size() < expected) slots_.resize(2 * slots_.size(), -1);
    }

    int add(std::array<float, 3> v) {
        std::uint64_t hash = 0;
        for (float& x : v) {
            x += 0.0f;  // −0 is 0
            hash = (hash ^ std::bit_cast<std::uint32_t>(x)) * 0x9e3779b97f4a7c15;
            hash ^= hash >> 29;
        }
        if (2 * (mesh_.vertices.size() + 1) > slots_.size()) grow();
        const Vec3d vertex{v[0], v[1], v[2]};
        std::size_t slot = hash & (slots_.size() - 1);
        for (; slots_[slot] >= 0; slot = (slot + 1) & (slots_.size() - 1)) {
            const Vec3d& other = mesh_.vertices[slots_[slot]];
            if (other.x == vertex.x && other.y == vertex.y && other.z == vertex.z) return slots_[slot];
        }
        slots_[slot] = static_cast<int>(mesh_.vertices.size());
        mesh_.vertices.push_back(vertex);
        hashes_.push_back(hash);
        return slots_[slot];
    }

private:
    void grow() {
        slots_.assign(2 * slots_.size(), -1);
        for (std::size_t i = 0; i < hashes_.size(); ++i) {
            std::size_t slot = hashes_[i] & (slots_.size() - 1);
            while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<int>(i);
        }
    }

    TriangleMesh& mesh_;
    std::vector<int> slots_;  // a power of two of them
    std::vector<std::uint64_t> hashes_;
};

}  // namespace lig::io
