// OBJ: lines "v x y z" and "f 1 2 3", indices counting from 1 or, negative, back from the last vertex so far.
// Texture coordinates and normals (f 1/2/3), groups and materials do not change the shape.

#include "io/mesh_bytes.h"

#include <charconv>

namespace lig::io {

namespace {

class ObjParser {
public:
    explicit ObjParser(std::string_view text) : words_(text) {}

    MeshResult run() {
        do {
            const std::string_view word = words_.word();
            if (word == "v" ? !read_vertex() : word == "f" ? !read_face()
                                                           : false) return std::move(fault_);
        } while (words_.next_line());
        if (mesh_.vertices.empty()) return FileFault{"the mesh has no vertices", "is this an OBJ file?"};
        return std::move(mesh_);
    }

private:
    bool fail(std::string what, std::string hint) { return fail_with({std::move(what), std::move(hint)}); }

    bool fail_with(FileFault fault) {
        fault_ = std::move(fault);
        fault_.line = words_.line();
        return false;
    }

    bool read_vertex() {
        Vec3d v;
        for (int k = 0; k < 3; ++k) {
            const std::optional<double> value = parse_coordinate(words_.word());
            if (!value) return fail("a vertex needs three finite numbers", "repair the mesh");
            v[k] = *value;
        }
        if (mesh_.vertices.size() == max_vertices) return fail_with(too_many_faces());
        mesh_.vertices.push_back(v);
        return true;
    }

    bool read_face() {
        corners_.clear();
        for (std::string_view word = words_.word(); !word.empty(); word = words_.word()) {
            const std::string_view index = word.substr(0, word.find('/'));
            const auto count = static_cast<long>(mesh_.vertices.size());
            long value = 0;
            const auto [end, status] = std::from_chars(index.data(), index.data() + index.size(), value);
            if (end != index.data() + index.size() || (status != std::errc{}))
                return fail("'" + std::string(word.substr(0, 40)) + "' is no corner of a face",
                            "write a vertex, or vertex/texture/normal");
            if (value == 0 || value > count || value < -count)
                return fail("a face names vertex " + std::to_string(value) + ", and there are " +
                                std::to_string(count) + " so far",
                            "vertices count from 1 and stand before the faces that name them");
            corners_.push_back(static_cast<int>(value > 0 ? value - 1 : count + value));
        }
        if (corners_.size() < 3) return fail("a face needs three corners", "repair the mesh");
        if (mesh_.faces.size() + corners_.size() > max_faces) return fail_with(too_many_faces());
        add_polygon();
        return true;
    }

    double squared_distance(int a, int b) const {
        const Vec3d d = mesh_.vertices[a] - mesh_.vertices[b];
        return dot(d, d);
    }

    // A fan from the first corner. Four corners need not lie in a plane: they are cut along the shorter
    // diagonal, as MuJoCo does.
    void add_polygon() {
        const std::vector<int>& c = corners_;
        if (c.size() == 4 && !(squared_distance(c[0], c[2]) < squared_distance(c[1], c[3]))) {
            mesh_.faces.push_back({c[0], c[1], c[3]});
            mesh_.faces.push_back({c[1], c[2], c[3]});
            return;
        }
        for (std::size_t i = 1; i + 1 < c.size(); ++i) mesh_.faces.push_back({c[0], c[i], c[i + 1]});
    }

    TextWords words_;
    TriangleMesh mesh_;
    std::vector<int> corners_;
    FileFault fault_;
};

}  // namespace

MeshResult parse_obj(std::span<const std::byte> bytes) { return ObjParser(as_text(bytes)).run(); }

}  // namespace lig::io
