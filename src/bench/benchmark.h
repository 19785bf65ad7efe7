#pragma once

// Benchmarks that `ligament bench` runs: what a paper claims beside what is measured here. A benchmark is one
// file and one line in benchmark_list.h. (Those that compare patches with each other, by
// google-benchmark, are programs of their own in bench/.)

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lig::bench {

// What was measured, as tables for reading and for programs.
struct Results {
    using Cell = std::variant<std::string, double>;
    struct Table {
        std::string title;
        std::vector<std::string> columns;  // with units where they have one
        std::vector<std::vector<Cell>> rows;
    };
    std::vector<Table> tables;
};

struct Benchmark {
    std::string_view name;  // words, the general one first: "papers kokkevis"
    std::string_view summary;
    // `quick`: fewer repetitions and smaller sizes, for a look.
    Results (*run)(bool quick);
};

}  // namespace lig::bench
