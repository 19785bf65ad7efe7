// Programs that the docs print are the ones that are built and run.

#include <doctest/doctest.h>

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

}  // namespace

TEST_CASE("docs/simulation.md prints examples/first_simulation.cpp") {
    const std::string program = read("examples/first_simulation.cpp");
    REQUIRE(!program.empty());
    CHECK(read("docs/simulation.md").find("```cpp\n" + program + "```") != std::string::npos);
}

TEST_CASE("docs/acceleration-constraints.md prints examples/planted_tip.cpp") {
    const std::string program = read("examples/planted_tip.cpp");
    REQUIRE(!program.empty());
    CHECK(read("docs/acceleration-constraints.md").find("```cpp\n" + program + "```") != std::string::npos);
}
