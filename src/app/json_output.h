#pragma once

// Results as JSON: one document on stdout, numbers with as many digits as it takes to read the same number
// back. JSON knows neither NaN nor infinity: what has no bound is null, and commands refuse to print what is
// not finite.

#include <ligament/diagnostics.h>
#include <ligament/scene.h>

#include <nlohmann/json.hpp>

#include <span>
#include <string>
#include <vector>

namespace lig::app {

using Json = nlohmann::ordered_json;

// Adds a member that is known to be new: ordered objects otherwise look through all that they have.
void add_member(Json& object, std::string key, Json value);

Json to_json(const Vec3d& a);
Json to_json(const Quatd& a);
Json to_json(std::span<const double> numbers);
// Row by row.
Json matrix_json(std::span<const double> entries, std::size_t columns);
// [lower, upper], null where there is no bound, and null altogether where there is none at all.
Json to_json(const Range& range);
Json to_json(const Diagnostic& diagnostic);
Json to_json(const std::vector<Diagnostic>& list);

void print_json(const Json& document);

}  // namespace lig::app
