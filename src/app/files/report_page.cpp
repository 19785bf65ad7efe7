#include "app/files/report_page.h"

#include "app/failure.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

// The bytes of the page, from the folder that CMakeLists.txt names; none where it could not be made.
asm(R"(
    .section .rodata
    .global lig_report_page_begin
    .global lig_report_page_end
lig_report_page_begin:
    .incbin "report_page.html"
lig_report_page_end:
    .byte 0
    .previous
)");
extern "C" const char lig_report_page_begin[], lig_report_page_end[];

namespace lig::app {

namespace {

std::string_view built_in() { return {lig_report_page_begin, lig_report_page_end}; }

std::string page_of_file(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::string page(std::istreambuf_iterator<char>(file), {});
    if (!file) throw Failure(Exit::io, fmt::format("LIGAMENT_PAGE: '{}' cannot be read", path));
    if (page.find(report_place) == std::string::npos)
        throw Failure(Exit::input, fmt::format("LIGAMENT_PAGE: '{}' has no line {}", path, report_place));
    return page;
}

const char* other_page() {
    const char* const path = std::getenv("LIGAMENT_PAGE");
    return path && *path ? path : nullptr;
}

}  // namespace

bool has_report_page() { return other_page() || !built_in().empty(); }

std::string report_page() {
    if (const char* const path = other_page()) return page_of_file(path);
    if (built_in().empty())
        throw Failure(Exit::unsupported,
                      "ligament: this build has no page for .html files: it was built without npm, or npm "
                      "failed; install nodejs and npm and build again, or write .glb, .svg or .csv");
    return std::string(built_in());
}

void require_report_page() { report_page(); }

}  // namespace lig::app
