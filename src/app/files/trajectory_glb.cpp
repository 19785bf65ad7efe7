// A trajectory as an animated scene for other programs: a node a body, with its shapes, and what they do
// over time.

#include "app/files/drawn_scene.h"
#include "app/files/glb_file.h"
#include "app/files/report_samples.h"
#include "app/files/trajectory_files.h"
#include "core/length.h"
#include "core/rotation.h"
#include "io/whole_file.h"

#include <ligament/config.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

namespace lig::app {

namespace {

// Colours in files are as screens show them; glTF counts light.
double light(double shown) {
    const double x = std::clamp(shown, 0.0, 1.0);
    return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
}

// Quaternions end with w there.
Json rotation_json(const Quatd& q) { return Json::array({q.x, q.y, q.z, q.w}); }

class SceneWriter {
public:
    SceneWriter(const Model& model, const Names& names, const std::string& title,
                std::vector<ReportSamples::Row> rows)
        : model_(model), names_(names), drawn_(model) {
        keep_usable_rows(std::move(rows));
        file_.document["asset"]["generator"] =
            fmt::format("ligament {}.{}.{}", version_major, version_minor, version_patch);
        file_.document["scene"] = 0;
        file_.document["scenes"] = Json::array({{{"name", title}, {"nodes", Json::array({0})}}});
        // glTF's y is up.
        constexpr double half = std::numbers::sqrt2 / 2;
        nodes_.push_back({{"name", title}, {"rotation", rotation_json({half, -half, 0, 0})}});
    }

    std::vector<std::byte> write() {
        find_reach();
        std::vector<int> children;
        for (std::size_t b = 0; b < model_.bodies.size(); ++b)
            children.push_back(add_node(body_node(static_cast<int>(b))));
        nodes_[0]["children"] = children;
        for (const DrawnShape& shape : drawn_.shapes) add_shape(shape, children[body_of(shape)]);
        add_animation(children);
        const auto put = [&](const char* member, Json& list) {
            if (!list.empty()) file_.document[member] = std::move(list);
        };
        put("nodes", nodes_);
        put("meshes", meshes_);
        put("materials", materials_);
        return file_.bytes();
    }

private:
    // What is not a number cannot be in the file, and times must rise by more than a rounding.
    void keep_usable_rows(std::vector<ReportSamples::Row> rows) {
        for (ReportSamples::Row& row : rows) {
            const bool finite = std::ranges::all_of(row.poses, [](float x) { return std::isfinite(x); });
            const auto time = static_cast<float>(rows_.empty() ? 0 : row.time - rows_[0].time);
            if (!finite || (!times_.empty() && !(time > times_.back()))) continue;
            times_.push_back(time);
            rows_.push_back(std::move(row));
        }
    }

    int body_of(const DrawnShape& shape) const { return model_.geoms[shape.geom].body; }

    int add_node(Json node) {
        nodes_.push_back(std::move(node));
        return static_cast<int>(nodes_.size()) - 1;
    }

    static std::array<float, 3> position(const ReportSamples::Row& row, std::size_t body) {
        const float* const p = &row.poses[7 * body];
        return {p[0], p[1], p[2]};
    }
    static std::array<float, 4> rotation(const ReportSamples::Row& row, std::size_t body) {
        const float* const q = &row.poses[7 * body + 3];
        return {q[1], q[2], q[3], q[0]};
    }

    // Planes without end are drawn as far as the eye is led.
    void find_reach() {
        ViewTracker view(model_, drawn_);
        for (const ReportSamples::Row& row : rows_)
            for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
                const float* const p = &row.poses[7 * b];
                view.add(static_cast<int>(b), {p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]});
            }
        view_ = view.bounds();
    }

    // Where it is at the first sample.
    Json body_node(int body) const {
        Json node{{"name", names_.bodies[body]}};
        if (rows_.empty()) {
            const Transformd& X = model_.bodies[body].X_WB0;
            node["translation"] = to_json(X.p);
            node["rotation"] = rotation_json(quaternion(X.R));
        } else {
            node["translation"] = position(rows_[0], body);
            node["rotation"] = rotation(rows_[0], body);
        }
        return node;
    }

    void add_shape(const DrawnShape& shape, int parent) {
        const Model::Geom& geom = model_.geoms[shape.geom];
        const int node = add_node({{"name", names_.geoms[shape.geom]},
                                   {"translation", to_json(geom.X_BG.p)},
                                   {"rotation", rotation_json(quaternion(geom.X_BG.R))},
                                   {"mesh", mesh_of(shape)}});
        nodes_[parent]["children"].push_back(node);
    }

    int mesh_of(const DrawnShape& shape) {
        const int material = material_of(shape);
        // A plane is as large as its place asks for, so each has a mesh of its own.
        const std::pair key{shape.mesh >= 0 ? shape.mesh : -1 - shape.geom, material};
        const auto [entry, is_new] = mesh_indices_.try_emplace(key, static_cast<int>(meshes_.size()));
        if (is_new) {
            const Primitive& primitive = primitive_of(shape, key.first);
            meshes_.push_back(
                {{"primitives",
                  Json::array({{{"attributes",
                                 {{"POSITION", primitive.positions}, {"NORMAL", primitive.normals}}},
                                {"indices", primitive.indices},
                                {"material", material}}})}});
        }
        return entry->second;
    }

    struct Primitive {
        int positions, normals, indices;
    };
    const Primitive& primitive_of(const DrawnShape& shape, int key) {
        const auto [entry, is_new] = primitives_.try_emplace(key);
        if (is_new) {
            const ShapeMesh mesh = shape.mesh >= 0 ? drawn_.meshes[shape.mesh] : plane_mesh(shape.geom);
            entry->second = {file_.add_vertices(flat(mesh.positions)), file_.add_vertices(flat(mesh.normals)),
                             file_.add_triangles(mesh.triangles, mesh.positions.size())};
        }
        return entry->second;
    }

    ShapeMesh plane_mesh(int g) const {
        const Model::Geom& geom = model_.geoms[g];
        const Vec3d middle = model_.bodies[geom.body].X_WB0 * geom.X_BG.p;
        const double reach = 4 * view_.radius + length(middle - view_.center);
        return shape_mesh({.type = ShapeType::plane, .size = geom.spec.size}, reach);
    }

    int material_of(const DrawnShape& shape) {
        const std::array<double, 4> color = shape.color.value_or(GeomSpec{}.rgba);
        const int next = static_cast<int>(materials_.size());
        const auto [entry, is_new] = material_indices_.try_emplace(color, next);
        if (is_new) {
            const double alpha = std::clamp(color[3], 0.0, 1.0);
            Json material{{"pbrMetallicRoughness",
                           {{"baseColorFactor", {light(color[0]), light(color[1]), light(color[2]), alpha}},
                            {"metallicFactor", 0},
                            {"roughnessFactor", 0.7}}}};
            if (alpha < 1) material["alphaMode"] = "BLEND";
            materials_.push_back(std::move(material));
        }
        return entry->second;
    }

    void add_animation(const std::vector<int>& nodes) {
        Json channels = Json::array(), samplers = Json::array();
        int input = -1;
        const auto add_channel = [&](int node, const char* path, std::size_t b, const auto& value_of) {
            std::vector<float> values;
            bool changes = false;
            for (const ReportSamples::Row& row : rows_) {
                const auto value = value_of(row, b);
                changes = changes || value != value_of(rows_[0], b);
                values.insert(values.end(), value.begin(), value.end());
            }
            if (!changes) return;
            if (input < 0) input = file_.add_samples(times_, 1);
            const int width = static_cast<int>(value_of(rows_[0], b).size());
            channels.push_back({{"sampler", samplers.size()}, {"target", {{"node", node}, {"path", path}}}});
            samplers.push_back({{"input", input},
                                {"output", file_.add_samples(values, width)},
                                {"interpolation", "LINEAR"}});
        };
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            add_channel(nodes[b], "translation", b, position);
            add_channel(nodes[b], "rotation", b, rotation);
        }
        if (channels.empty()) return;
        file_.document["animations"] =
            Json::array({{{"name", "motion"}, {"channels", channels}, {"samplers", samplers}}});
    }

    const Model& model_;
    const Names& names_;
    DrawnScene drawn_;
    std::vector<ReportSamples::Row> rows_;
    std::vector<float> times_;  // (rows) from 0 on
    ViewBounds view_{};
    GlbFile file_;
    Json nodes_ = Json::array(), meshes_ = Json::array(), materials_ = Json::array();
    std::map<std::pair<int, int>, int> mesh_indices_;
    std::map<int, Primitive> primitives_;
    std::map<std::array<double, 4>, int> material_indices_;
};

class TrajectoryGlb final : public TrajectoryFile {
public:
    TrajectoryGlb(const std::string& path, const TrajectoryContext& context)
        : path_(path), context_(context), file_(path), samples_(context.layout) {}

    void add(const TrajectorySample& sample) override { samples_.add(sample); }

    void finish(const RunEnd&) override {
        SceneWriter scene(context_.model, context_.names, context_.layout.title, samples_.rows());
        file_.write(scene.write());
        file_.finish();
    }

    std::vector<std::string> paths() const override { return {path_}; }

private:
    std::string path_;
    TrajectoryContext context_;
    io::WholeFile file_;
    ReportSamples samples_;
};

}  // namespace

std::unique_ptr<TrajectoryFile> make_trajectory_glb(const std::string& path,
                                                    const TrajectoryContext& context) {
    return std::make_unique<TrajectoryGlb>(path, context);
}

}  // namespace lig::app
