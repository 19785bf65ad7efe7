#include "app/json_output.h"

#include <fmt/format.h>

#include <cmath>

namespace lig::app {

namespace {

Json bound(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

}  // namespace

void add_member(Json& object, std::string key, Json value) {
    if (!object.is_object()) object = Json::object();
    object.get_ref<Json::object_t&>().emplace_back(std::move(key), std::move(value));
}

Json to_json(const Vec3d& a) { return Json::array({a.x, a.y, a.z}); }
Json to_json(const Quatd& a) { return Json::array({a.w, a.x, a.y, a.z}); }
Json to_json(std::span<const double> numbers) {
    return Json(std::vector<double>(numbers.begin(), numbers.end()));
}

Json matrix_json(std::span<const double> entries, std::size_t columns) {
    Json rows = Json::array();
    for (std::size_t at = 0; at < entries.size(); at += columns)
        rows.push_back(to_json(entries.subspan(at, columns)));
    return rows;
}

Json to_json(const Range& range) {
    if (!std::isfinite(range.lower) && !std::isfinite(range.upper)) return nullptr;
    return Json::array({bound(range.lower), bound(range.upper)});
}

Json to_json(const Diagnostic& diagnostic) {
    Json object;
    object["code"] = diagnostic.code->id;
    object["severity"] = diagnostic.severity == Severity::error ? "error" : "warning";
    object["file"] = diagnostic.where.file ? Json(*diagnostic.where.file) : Json(nullptr);
    object["line"] = diagnostic.where.line;
    object["column"] = diagnostic.where.column;
    object["location"] = diagnostic.where.to_string();
    object["message"] = diagnostic.message;
    object["hint"] = diagnostic.hint;
    return object;
}

Json to_json(const std::vector<Diagnostic>& list) {
    Json array = Json::array();
    for (const Diagnostic& diagnostic : list) array.push_back(to_json(diagnostic));
    return array;
}

void print_json(const Json& document) {
    // Names come from files; text that is not valid UTF-8 must not cost the whole document.
    fmt::print("{}\n", document.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace lig::app
