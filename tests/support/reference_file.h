#pragma once

// The references of the benchmark problems, from the shared file where it is present.

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string_view>

namespace lig::test {

inline std::filesystem::path reference_path() {
    return std::filesystem::path(LIG_SHARED_DIR) / "refs" / "problems.json";
}
inline bool have_references() { return std::filesystem::exists(reference_path()); }

// Of the problem with that id; an empty list, with a message, where the file is not there.
inline nlohmann::json references_of(std::string_view id) {
    if (!have_references()) {
        MESSAGE("skipped: there are no reference problems");
        return nlohmann::json::array();
    }
    std::ifstream stream(reference_path());
    const nlohmann::json all = nlohmann::json::parse(stream);
    for (const nlohmann::json& problem : all["problems"])
        if (problem["id"] == id) return problem["references"];
    FAIL("there is no such problem");
    return {};
}

}  // namespace lig::test
