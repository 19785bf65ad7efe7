#pragma once

// Benchmarks that `ligament bench` runs: what a paper claims beside what is measured here. A benchmark is one
// file and one line in benchmark_list.h. (Those that compare patches with each other, by
// google-benchmark, are programs of their own in bench/.)

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lig::bench {

// How far a benchmark goes: a look, with few repetitions and small sizes; what fits into a minute or so; all
// sizes.
enum class Extent {
    quick,
    usual,
    full
};

// What was measured, as tables for reading and for programs, and as curves.
struct Results {
    using Cell = std::variant<std::string, double>;
    struct Table {
        std::string title;
        std::vector<std::string> columns;  // with units where they have one
        std::vector<std::vector<Cell>> rows;
    };
    struct Point {
        double x, y;
    };
    struct Curve {
        std::string name;
        std::vector<Point> points;  // in order of x
    };
    struct Panel {
        std::string title, unit;
        std::vector<Curve> curves;
    };
    struct Plot {
        std::string name;  // of the file it may be written to, without an ending
        std::string title, x_title;
        std::vector<Panel> panels;
    };
    std::vector<Table> tables;
    std::vector<Plot> plots{};
};

struct Benchmark {
    std::string_view name;  // words, the general one first: "papers kokkevis"
    std::string_view summary;
    Results (*run)(Extent extent);
};

}  // namespace lig::bench
