// The benchmarks: what papers claim beside what this build does, on this machine.

#include "app/commands.h"
#include "app/file_failure.h"
#include "app/json_output.h"
#include "app/table.h"
#include "bench/benchmark_list.h"
#include "io/svg_plot.h"
#include "io/whole_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace lig::app {

namespace {

std::vector<std::string_view> words_of(std::string_view name) {
    std::vector<std::string_view> words;
    while (!name.empty()) {
        const std::size_t end = std::min(name.find(' '), name.size());
        words.push_back(name.substr(0, end));
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    return words;
}

// Of the names of all benchmarks, each once.
std::vector<std::string_view> all_words() {
    std::vector<std::string_view> all;
    for (const bench::Benchmark* benchmark : bench::benchmarks)
        for (const std::string_view word : words_of(benchmark->name))
            if (std::find(all.begin(), all.end(), word) == all.end()) all.push_back(word);
    return all;
}

// Those whose names have all of the words; without words all.
std::vector<const bench::Benchmark*> chosen(const std::vector<std::string>& wanted) {
    std::vector<const bench::Benchmark*> list;
    const std::vector<std::string_view> all = all_words();
    for (const bench::Benchmark* benchmark : bench::benchmarks) {
        const std::vector<std::string_view> words = words_of(benchmark->name);
        if (std::all_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
                return std::find(words.begin(), words.end(), word) != words.end();
            }))
            list.push_back(benchmark);
    }
    for (const std::string& word : wanted) {
        if (std::find(all.begin(), all.end(), word) != all.end()) continue;
        const std::string suggestion = did_you_mean(word, all);
        throw Failure(Exit::usage,
                      fmt::format("ligament bench: there is no benchmark '{}'{}", word,
                                  suggestion.empty() ? "; see ligament bench --list" : suggestion));
    }
    if (list.empty())
        throw Failure(Exit::usage, fmt::format("ligament bench: no benchmark is called '{}'; see ligament "
                                               "bench --list",
                                               fmt::join(wanted, " ")));
    return list;
}

std::string text_of(const bench::Results::Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    return fmt::format("{:.4g}", std::get<double>(cell));
}

Json json_of(const bench::Results::Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    return std::get<double>(cell);
}

void print_text(const bench::Results& results) {
    for (const bench::Results::Table& table : results.tables) {
        std::vector<int> right;
        for (std::size_t c = 0; c < table.columns.size() && !table.rows.empty(); ++c)
            if (std::holds_alternative<double>(table.rows.front()[c])) right.push_back(static_cast<int>(c));
        fmt::print("\n{}\n\n", table.title);
        Table out(table.columns, right);
        for (const std::vector<bench::Results::Cell>& row : table.rows) {
            std::vector<std::string> cells;
            for (const bench::Results::Cell& cell : row) cells.push_back(text_of(cell));
            out.add(std::move(cells));
        }
        out.print();
    }
}

Json to_json(const bench::Results& results) {
    Json tables = Json::array();
    for (const bench::Results::Table& table : results.tables) {
        Json rows = Json::array();
        for (const std::vector<bench::Results::Cell>& cells : table.rows) {
            Json row = Json::object();
            for (std::size_t c = 0; c < cells.size(); ++c)
                add_member(row, table.columns[c], json_of(cells[c]));
            rows.push_back(std::move(row));
        }
        tables.push_back({{"title", table.title}, {"rows", std::move(rows)}});
    }
    return tables;
}

void write_plots(const bench::Results& results, const std::string& folder) {
    for (const bench::Results::Plot& plot : results.plots) {
        io::Plot drawn{plot.title, plot.x_title, {}};
        for (const bench::Results::Panel& panel : plot.panels) {
            io::PlotPanel& to = drawn.panels.emplace_back(io::PlotPanel{panel.title, panel.unit, {}});
            for (const bench::Results::Curve& curve : panel.curves) {
                io::PlotSeries& series = to.series.emplace_back(io::PlotSeries{curve.name, {}});
                for (const bench::Results::Point& point : curve.points)
                    series.points.push_back({point.x, point.y});
            }
        }
        const std::filesystem::path path = std::filesystem::path(folder) / (plot.name + ".svg");
        try {
            io::WholeFile file(path);
            file.write(io::svg_plot(drawn));
            file.finish();
        } catch (const std::system_error& error) { throw cannot_write(path.string(), error.code()); }
    }
}

}  // namespace

Exit run_bench(Arguments& arguments) {
    std::vector<std::string> wanted;
    std::string plots;
    bool list = false, quick = false, full = false, json = false;
    arguments.positionals(wanted, "NAME", "words of the benchmarks to run; all without")
        .choice(all_words());
    arguments.flag(list, "--list", "list them instead");
    arguments.flag(quick, "--quick", "fewer repetitions and smaller sizes");
    arguments.flag(full, "--full", "all sizes, up to those that take minutes");
    arguments.option(plots, "--plots", "FOLDER", "write the plots there, NAME.svg").folder();
    arguments.flag(json, "--json", "print one JSON document");
    if (!arguments.parse()) return Exit::ok;
    if (quick && full) throw Failure(Exit::usage, "ligament bench: --quick and --full exclude each other");
    const bench::Extent extent = quick  ? bench::Extent::quick
                                 : full ? bench::Extent::full
                                        : bench::Extent::usual;

    if (!plots.empty() && !std::filesystem::is_directory(plots))
        throw cannot_write(plots + "/", std::make_error_code(std::errc::no_such_file_or_directory));
    const std::vector<const bench::Benchmark*> benchmarks = chosen(wanted);
    Json document = Json::array();
    Table names({"name", "summary"});
    for (const bench::Benchmark* benchmark : benchmarks) {
        Json entry = {{"name", benchmark->name}, {"summary", benchmark->summary}};
        if (list) {
            names.add({std::string(benchmark->name), std::string(benchmark->summary)});
        } else {
            const bench::Results results = benchmark->run(extent);
            if (!plots.empty()) write_plots(results, plots);
            if (json)
                add_member(entry, "tables", to_json(results));
            else {
                fmt::print("{}: {}\n", benchmark->name, benchmark->summary);
                print_text(results);
            }
        }
        document.push_back(std::move(entry));
    }
    if (json)
        print_json({{"benchmarks", std::move(document)}});
    else if (list)
        names.print();
    return Exit::ok;
}

}  // namespace lig::app
