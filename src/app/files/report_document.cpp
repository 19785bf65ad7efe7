#include "app/files/report_document.h"

#include "app/files/report_page.h"
#include "app/files/scene_links.h"
#include "core/rotation.h"
#include "io/base64.h"
#include "io/deflate.h"
#include "shapes/shape_mass.h"

#include <ligament/config.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace lig::app {

namespace {

// What the columns of the ledger are, and which way energy goes.
Json ledger_list() {
    Json list = Json::array();
    for (const EnergyFlow& flow : energy_flows)
        list.push_back({{"name", flow.name}, {"title", flow.title}, {"sign", flow.sign}});
    list.push_back({{"name", method_energy_name}, {"title", method_energy_title}, {"sign", 1}});
    return list;
}

}  // namespace

ReportDocument::ReportDocument(ReportKind kind, std::string_view title, std::string_view command_line,
                               const Model& model, const Names& names)
    : kind_(kind), model_(model), names_(names), page_(report_page()), drawn_(model), view_(model, drawn_) {
    document_ = {{"format", "ligament-report"},
                 {"version", 1},
                 {"kind", kind == ReportKind::replay ? "replay" : "comparison"},
                 {"title", title},
                 {"command", command_line},
                 {"program", fmt::format("ligament {}.{}.{}", version_major, version_minor, version_patch)},
                 {"ledger", ledger_list()},
                 {"scene", scene_json()},
                 {"runs", Json::array()}};
}

Json ReportDocument::floats(const std::vector<float>& values, std::vector<std::size_t> shape) {
    const std::size_t at = data_.out.size();
    for (const float value : values) data_.half(std::bit_cast<std::uint32_t>(value));
    return {{"type", "f32"}, {"shape", std::move(shape)}, {"at", at}};
}

Json ReportDocument::whole_numbers(const std::vector<std::uint32_t>& values,
                                   std::vector<std::size_t> shape) {
    const std::size_t at = data_.out.size();
    for (const std::uint32_t value : values) data_.half(value);
    return {{"type", "u32"}, {"shape", std::move(shape)}, {"at", at}};
}

Json ReportDocument::scene_json() {
    Json bodies = Json::array(), meshes = Json::array(), shapes = Json::array();
    for (std::size_t b = 0; b < model_.bodies.size(); ++b)
        bodies.push_back({{"name", names_.bodies[b]}, {"parent", model_.bodies[b].parent}});
    for (const ShapeMesh& mesh : drawn_.meshes) {
        std::vector<std::uint32_t> indices;
        for (const std::array<int, 3>& triangle : mesh.triangles)
            for (const int k : triangle) indices.push_back(static_cast<std::uint32_t>(k));
        const std::size_t points = mesh.positions.size(), triangles = mesh.triangles.size();
        meshes.push_back({{"positions", floats(flat(mesh.positions), {points, 3})},
                          {"normals", floats(flat(mesh.normals), {points, 3})},
                          {"indices", whole_numbers(indices, {triangles, 3})}});
    }
    for (const DrawnShape& shape : drawn_.shapes) {
        const Model::Geom& geom = model_.geoms[shape.geom];
        Json entry{{"name", names_.geoms[shape.geom]},
                   {"body", geom.body},
                   {"kind", shape_name(geom.spec.shape)},
                   {"mesh", shape.mesh >= 0 ? Json(shape.mesh) : Json()},
                   {"pos", to_json(geom.X_BG.p)},
                   {"quat", to_json(quaternion(geom.X_BG.R))},
                   {"color", shape.color ? Json(*shape.color) : Json()}};
        if (shape.mesh < 0) entry["size"] = Json::array({geom.spec.size.x, geom.spec.size.y});
        shapes.push_back(std::move(entry));
    }
    Json deforming = Json::array();
    for (const Model::Deforming& own : model_.deforming) deforming.push_back(own.body);
    return {{"bodies", std::move(bodies)},
            {"deforming", std::move(deforming)},
            {"meshes", std::move(meshes)},
            {"shapes", std::move(shapes)},
            {"joints", joints_json(model_, names_)},
            {"links", links_json(model_, names_)},
            {"gravity", to_json(model_.options.gravity)}};
}

void ReportDocument::add(const ReportRun& run) {
    Json entry{{"name", run.name},
               {"formulation", run.formulation},
               {"integrator", run.integrator},
               {"dt", run.dt},
               {"status", run.status},
               {"message", run.message},
               {"missed", run.missed},
               {"drawn", run.drawn && run.samples.has_value()},
               {"figures", run.figures}};
    for (const char* const member : {"time", "poses", "com", "contacts"}) entry[member] = nullptr;
    entry["series"] = Json::array();
    if (run.samples) {
        const std::vector<ReportSamples::Row>& rows = run.samples->rows();
        std::vector<float> time;
        for (const ReportSamples::Row& row : rows) time.push_back(static_cast<float>(row.time));
        entry["time"] = floats(time, {rows.size()});
        entry["samples"] = {{"taken", run.samples->taken()}, {"every", run.samples->stride()}};
        if (run.drawn) add_motion(*run.samples, entry);
        entry["series"] = series_json(*run.samples);
    }
    document_["runs"].push_back(std::move(entry));
}

void ReportDocument::add_motion(const ReportSamples& samples, Json& run) {
    const std::size_t count = samples.rows().size(), bodies = samples.bodies();
    std::vector<float> poses, stretches, com;
    for (const ReportSamples::Row& row : samples.rows()) {
        poses.insert(poses.end(), row.poses.begin(), row.poses.end());
        stretches.insert(stretches.end(), row.stretches.begin(), row.stretches.end());
        com.insert(com.end(), row.com.begin(), row.com.end());
        for (std::size_t b = 0; b < bodies; ++b) {
            const float* const p = &row.poses[7 * b];
            view_.add(static_cast<int>(b), {p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]});
        }
    }
    run["poses"] = floats(poses, {count, bodies, 7});
    if (samples.deforming() > 0) run["stretches"] = floats(stretches, {count, samples.deforming(), 6});
    run["com"] = floats(com, {count, 3});
    if (samples.has_contacts()) run["contacts"] = contacts_json(samples);
}

Json ReportDocument::contacts_json(const ReportSamples& samples) {
    std::vector<std::uint32_t> start{0};
    std::vector<float> points, forces, normals, distances;
    for (const ReportSamples::Row& row : samples.rows()) {
        for (auto at = row.contacts.begin(); at != row.contacts.end(); at += ReportSamples::contact_size) {
            points.insert(points.end(), at, at + 3);
            forces.insert(forces.end(), at + 3, at + 6);
            normals.insert(normals.end(), at + 6, at + 9);
            distances.push_back(at[9]);
        }
        start.push_back(static_cast<std::uint32_t>(distances.size()));
    }
    const std::size_t count = distances.size();
    return {{"start", whole_numbers(start, {start.size()})},
            {"points", floats(points, {count, 3})},
            {"forces", floats(forces, {count, 3})},
            {"normals", floats(normals, {count, 3})},
            {"distances", floats(distances, {count})}};
}

Json ReportDocument::series_json(const ReportSamples& samples) {
    Json list = Json::array();
    for (std::size_t k = 0; k < samples.series().size(); ++k) {
        const ReportSamples::Series& series = samples.series()[k];
        std::vector<float> values;
        for (const ReportSamples::Row& row : samples.rows()) values.push_back(row.values[k]);
        const auto is_something = [](float value) { return value < 0 || value > 0; };
        if (series.unless_zero && std::ranges::none_of(values, is_something)) continue;
        // Of several runs, parts of the energy would be too many lines.
        const bool is_part =
            series.name == "kinetic" || series.name == "potential" || series.name == "elastic";
        const std::size_t count = values.size();
        list.push_back({{"group", series.group},
                        {"name", series.name},
                        {"unit", series.unit},
                        {"values", floats(values, {count})},
                        {"shown", series.shown && !(is_part && kind_ == ReportKind::comparison)}});
    }
    return list;
}

void ReportDocument::set_columns(Json columns) { document_["columns"] = std::move(columns); }
void ReportDocument::set_comparison(Json comparison) { document_["comparison"] = std::move(comparison); }

std::string ReportDocument::page() const {
    Json document = document_;
    const ViewBounds bounds = view_.bounds();
    document["scene"]["bounds"] = {{"center", to_json(bounds.center)}, {"radius", bounds.radius}};
    std::string filled(
        std::string_view(page_).substr(0, page_.find(report_place)));
    filled += "<script type=\"application/json\" id=\"ligament-document\">";
    // What would end the element, or open a comment in it, is in strings only.
    for (const char c : document.dump(-1, ' ', false, Json::error_handler_t::replace))
        if (c == '<')
            filled += "\\u003c";
        else
            filled += c;
    filled += "</script>\n<script type=\"text/plain\" id=\"ligament-data\">";
    filled += io::base64(io::deflated(data_.out, io::Effort::usual));
    filled += "</script>";
    filled += std::string_view(page_).substr(page_.find(report_place) + report_place.size());
    return filled;
}

}  // namespace lig::app
