// The tables of the documentation say what the lists in the code say.

#include "core/diagnostic_codes.h"
#include "joints/joint_list.h"

#include <ligament/pair_kinds.h>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace lig;

namespace {

using Row = std::vector<std::string>;

// The rows of all tables whose header starts with a word, cells without surrounding spaces and backticks.
std::vector<Row> table_rows(const char* file, std::string_view first_header) {
    std::ifstream in(std::filesystem::path(LIG_SOURCE_DIR) / "docs" / file);
    REQUIRE_MESSAGE(in.good(), file);
    std::vector<Row> rows;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] != '|') {
            inside = false;
            continue;
        }
        Row cells;
        for (std::size_t at = 1; at < line.size();) {
            const std::size_t end = line.find('|', at);
            if (end == line.npos) break;
            std::string cell = line.substr(at, end - at);
            const auto strip = [&](char c) {
                while (!cell.empty() && cell.front() == c) cell.erase(cell.begin());
                while (!cell.empty() && cell.back() == c) cell.pop_back();
            };
            strip(' ');
            if (cell.size() > 2 && cell.find('`', 1) == cell.size() - 1) strip('`');
            cells.push_back(cell);
            at = end + 1;
        }
        if (!cells.empty() && cells[0] == first_header)
            inside = true;
        else if (inside && cells[0].find("---") == std::string::npos)
            rows.push_back(cells);
    }
    return rows;
}

}  // namespace

TEST_CASE("docs/diagnostics.md lists every code with its severity and meaning, and no other") {
    const std::vector<Row> rows = table_rows("diagnostics.md", "code");
    const std::vector<const DiagnosticCode*> codes{
#define LIG_CODE(id, title, severity, kind) &codes::id,
        LIG_FOR_EACH_DIAGNOSTIC(LIG_CODE)
#undef LIG_CODE
    };
    REQUIRE(rows.size() == codes.size());
    for (std::size_t i = 0; i < codes.size(); ++i) {
        CAPTURE(std::string(codes[i]->id));
        REQUIRE(rows[i].size() == 4);
        CHECK(rows[i][0] == codes[i]->id);
        CHECK(rows[i][1] == (codes[i]->severity == Severity::error ? "error" : "warning"));
        CHECK(rows[i][2] == codes[i]->title);
        CHECK(!rows[i][3].empty());
        // The letter says the same as the severity and the kind.
        CHECK((codes[i]->id[0] == 'W') == (codes[i]->severity == Severity::warning));
        CHECK((codes[i]->id[0] == 'U') == (codes[i]->kind == ErrorKind::unsupported));
    }
}

TEST_CASE("docs/constraints.md lists every constraint between two bodies, and no other") {
    const std::vector<Row> rows = table_rows("constraints.md", "kind");
    REQUIRE(rows.size() == std::size(pair_list));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const PairInfo& info = pair_list[i];
        std::string count = std::to_string(info.min_rows);
        if (info.max_rows > info.min_rows) count += "–" + std::to_string(info.max_rows);
        CHECK(rows[i] == Row{std::string(info.name), count, std::to_string(info.nonholonomic),
                             std::string(info.summary)});
    }
    // Each has its attributes in the second table.
    const std::vector<Row> elements = table_rows("constraints.md", "element");
    REQUIRE(elements.size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) CHECK(elements[i][0] == rows[i][0]);
}

TEST_CASE("docs/joints.md lists every joint kind, and no other") {
    const std::vector<Row> rows = table_rows("joints.md", "name");
    REQUIRE(rows.size() == std::size(joints::joint_list));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const joints::JointInfo& info = joints::joint_list[i];
        CAPTURE(std::string(info.name));
        std::string coordinates;
        for (int k = 0; k < info.nq; ++k) {
            if (!coordinates.empty()) coordinates += ", ";
            switch (info.coordinate_kinds[k]) {
                case joints::Coordinate::angle: coordinates += "angle"; break;
                case joints::Coordinate::length: coordinates += "length"; break;
                case joints::Coordinate::quaternion:
                    coordinates += "quaternion";
                    k += 3;
                    break;
            }
        }
        if (coordinates.empty()) coordinates = "none";
        CHECK(rows[i] == Row{std::string(info.name), std::to_string(info.nq), std::to_string(info.nv),
                             std::to_string(info.rows), coordinates, std::string(info.summary)});
    }
}
