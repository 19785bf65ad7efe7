// docs/format.md lists what is refused, each line with an example. The list is read from there, so that it
// stays true: every example is refused with the code of its line, at the place of the element that it names
// first.

#include "io/support.h"

#include <ligament/load.h>
#include <ligament/model.h>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

struct Refusal {
    std::string what, code, example;
};

std::vector<Refusal> documented_refusals() {
    std::ifstream in(std::filesystem::path(LIG_SOURCE_DIR) / "docs/format.md");
    REQUIRE(in.good());
    std::vector<Refusal> list;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("| refused |")) {
            inside = true;
            continue;
        }
        if (!line.starts_with("|")) inside = false;
        if (!inside || line.starts_with("|---")) continue;
        Refusal row;
        std::size_t at = 1;
        for (std::string* cell : {&row.what, &row.code, &row.example}) {
            const std::size_t end = line.find(" |", at);
            REQUIRE_MESSAGE(end != line.npos, line);
            *cell = line.substr(at + 1, end - at - 1);
            at = end + 2;
        }
        REQUIRE_MESSAGE((row.example.size() > 2 && row.example.front() == '`'), line);
        row.example = row.example.substr(1, row.example.size() - 2);
        list.push_back(row);
    }
    return list;
}

// A model with one of everything that an example may refer to. The example starts on line 2.
std::string with_model(const std::string& example) {
    if (example.starts_with("<!")) return "\n" + example + with_model("");
    return "<mujoco><worldbody><body name=\"b\"><joint name=\"j\"/><geom name=\"g\" size=\"1\"/>"
           "<site name=\"s\" pos=\"0 0 2\"/></body><site name=\"s2\" pos=\"3 0 0\"/></worldbody>\n" +
           example + "\n</mujoco>";
}

Diagnostics read(const std::string& text) {
    Diagnostics log;
    try {
        compile(parse_scene(text, "m.xml", {}, log), log);
    } catch (const InputError&) {}
    return log;
}

}  // namespace

TEST_CASE("docs/format.md: everything that is listed as refused is refused by name") {
    REQUIRE(read(with_model("")).all().empty());
    const std::vector<Refusal> list = documented_refusals();
    CHECK(list.size() >= 30);
    for (const Refusal& refusal : list) {
        CAPTURE(refusal.what);
        CAPTURE(refusal.example);
        const Diagnostics log = read(with_model(refusal.example));
        CAPTURE(all_text(log));
        bool found = false;
        for (const Diagnostic& d : log.all()) {
            // Nothing but the refusal: exit code 5, and not 2.
            if (d.severity == Severity::error) CHECK(d.code->kind == ErrorKind::unsupported);
            if (d.code->id != refusal.code) continue;
            found = true;
            CHECK(d.where.file);
            CHECK(d.where.line == 2);
            CHECK(d.where.column >= 1);
        }
        CHECK(found);
    }
}

namespace {

// The examples below a heading of a page load without a word. Returns how many there are.
int check_examples(const char* page, std::string_view heading) {
    std::ifstream in(std::filesystem::path(LIG_SOURCE_DIR) / page);
    bool below = false, inside = false;
    int examples = 0;
    std::string example;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("## ")) below = line == heading;
        if (below && line == "```xml") {
            inside = true;
            example.clear();
        } else if (inside && line == "```") {
            inside = false;
            ++examples;
            // Bodies alone, or whole sections.
            const bool sections = example.starts_with("<worldbody>") || example.starts_with("<asset>");
            const Diagnostics log = read(
                "<mujoco>" + (sections ? example : "<worldbody>" + example + "</worldbody>") + "</mujoco>");
            CAPTURE(example);
            CHECK(all_text(log) == "");
        } else if (inside) {
            example += line + "\n";
        }
    }
    return examples;
}

}  // namespace

TEST_CASE("the examples of our additions load without a word") {
    CHECK(check_examples("docs/format.md", "## Our additions") >= 7);
    CHECK(check_examples("docs/constraints.md", "## In a file") == 1);
}
