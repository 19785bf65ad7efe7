// Programs that the docs print are the ones that are built and run; docs/cpp.md names every public header.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

std::string read(const char* file) {
    std::ifstream in(std::filesystem::path(LIG_SOURCE_DIR) / file);
    REQUIRE(in);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// Whole, as code, in a page.
void check_printed(const char* page, const char* file) {
    CAPTURE(file);
    const std::string program = read(file);
    REQUIRE(!program.empty());
    CHECK(read(page).find("```cpp\n" + program + "```") != std::string::npos);
}

}  // namespace

TEST_CASE("docs/simulation.md prints examples/first_simulation.cpp") {
    check_printed("docs/simulation.md", "examples/first_simulation.cpp");
}

TEST_CASE("docs/acceleration-constraints.md prints examples/planted_tip.cpp") {
    check_printed("docs/acceleration-constraints.md", "examples/planted_tip.cpp");
}

TEST_CASE("docs/cpp.md prints its examples, and hello has fewer than 20 lines") {
    check_printed("docs/cpp.md", "examples/hello.cpp");
    check_printed("docs/cpp.md", "examples/two_formulations.cpp");
    check_printed("docs/cpp.md", "examples/forward.cpp");
    check_printed("docs/cpp.md", "examples/many_states.cpp");
    const std::string hello = read("examples/hello.cpp");
    CHECK(std::count(hello.begin(), hello.end(), '\n') < 20);
}

TEST_CASE("docs/cpp.md has a line for every public header") {
    const std::string page = read("docs/cpp.md");
    const std::filesystem::path folder = std::filesystem::path(LIG_SOURCE_DIR) / "include/ligament";
    int headers = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        CAPTURE(name);
        CHECK(page.find("| [" + name + "](../include/ligament/" + name + ") |") != std::string::npos);
        ++headers;
    }
    CHECK(headers > 30);
}
