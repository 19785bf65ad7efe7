#include "app/compare/comparison_output.h"

#include "app/compare/comparison_columns.h"
#include "app/run/promise_output.h"
#include "app/table.h"
#include "io/csv_text.h"
#include "io/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lig::app {

namespace {

std::string_view unit_of(const ComparisonColumn& column, std::string_view error_unit) {
    return column.unit == "error" ? error_unit : column.unit;
}

// Whether there is anything to see in a column.
bool says_something(const ComparisonColumn& column, const Comparison& comparison) {
    return std::ranges::any_of(comparison.runs, [&](const ComparedRun& run) {
        const double x = column.value(run);
        return std::isfinite(x) && x != 0;
    });
}

// Counts whole, everything else to three digits.
std::string figure_text(double x) {
    return x == std::floor(x) && std::abs(x) < 1e9 ? fmt::format("{:.0f}", x) : fmt::format("{:.3g}", x);
}

std::string missed_of(const ComparedRun& run) { return missed_text(run.run->summary().promises); }

Json number_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(); }

// The finest of a method first is what people look for: runs of a method in the order of their steps.
std::vector<std::size_t> in_order(const Comparison& comparison) {
    std::vector<std::size_t> order;
    for (const Comparison::Order& method : comparison.orders)
        order.insert(order.end(), method.runs.begin(), method.runs.end());
    for (std::size_t k = 0; k < comparison.runs.size(); ++k)
        if (std::ranges::find(order, k) == order.end()) order.push_back(k);
    return order;
}

Json orders_json(const Comparison& comparison) {
    Json orders = Json::array();
    for (const Comparison::Order& order : comparison.orders)
        orders.push_back({{"name", order.method},
                          {"order", order.order ? Json(*order.order) : Json()},
                          {"runs", order.runs}});
    return orders;
}

Json not_run_json(const Comparison& comparison) {
    Json list = Json::array();
    for (const Comparison::NotRun& one : comparison.not_run)
        list.push_back({{"name", one.name}, {"reason", one.reason}});
    return list;
}

Json reference_json(const Comparison& comparison) {
    return comparison.reference.empty() ? Json() : Json(comparison.reference);
}

io::PlotPanel log_panel(const Comparison& comparison, std::string title,
                        double (*x)(const ComparedRun& run)) {
    io::PlotPanel panel{std::move(title), "", {}};
    for (const Comparison::Order& method : comparison.orders) {
        io::PlotSeries series{method.method, {}};
        for (const std::size_t k : method.runs) {
            const ComparedRun& run = comparison.runs[k];
            if (run.deviation && run.deviation->rms > 0 && x(run) > 0)
                series.points.push_back({std::log10(x(run)), std::log10(run.deviation->rms)});
        }
        std::ranges::sort(series.points, {}, &io::PlotPoint::x);
        if (!series.points.empty()) panel.series.push_back(std::move(series));
    }
    return panel;
}

}  // namespace

Json column_json(const ComparisonColumn& column, std::string_view error_unit) {
    return {{"key", column.key},
            {"title", column.title},
            {"unit", unit_of(column, error_unit)},
            {"scale", column.scale},
            {"digits", 3},
            {"better", column.low_is_good ? Json("low") : Json()}};
}

std::string title_with_unit(const ComparisonColumn& column, const Comparison& comparison) {
    const std::string_view unit = unit_of(column, comparison.error_unit);
    return unit.empty() ? std::string(column.title) : fmt::format("{} [{}]", column.title, unit);
}

void print_comparison(const Comparison& comparison) {
    std::vector<std::string> header{"formulation", "step [s]", "status"};
    std::vector<int> right{1};
    std::vector<const ComparisonColumn*> columns;
    for (const ComparisonColumn& column : comparison_columns) {
        if (!column.in_table || !says_something(column, comparison)) continue;
        right.push_back(static_cast<int>(header.size()));
        header.push_back(title_with_unit(column, comparison));
        columns.push_back(&column);
    }
    Table table(header, right);
    for (const std::size_t k : in_order(comparison)) {
        const ComparedRun& run = comparison.runs[k];
        const std::string step =
            run.what.dt.empty() || run.name == "reference" ? fmt::format("{:.4g}", run.dt()) : run.what.dt;
        const std::string method = run.what.method();
        std::vector<std::string> cells{run.name == "reference" ? run.name
                                       : run.is_reference      ? method + " (reference)"
                                                               : method,
                                       step, run.status + (missed_of(run).empty() ? "" : ", missed")};
        for (const ComparisonColumn* column : columns) {
            const double x = column->value(run);
            cells.push_back(std::isfinite(x) ? figure_text(column->scale * x) : "");
        }
        table.add(std::move(cells));
    }
    table.print();
    if (!comparison.reference.empty())
        fmt::print("\nerrors: root mean square distance from {}, of all matter and over time\n",
                   comparison.reference);
    const bool measured = std::ranges::any_of(
        comparison.runs, [](const ComparedRun& run) { return run.deviation.has_value(); });
    if (!comparison.reference.empty() && !measured)
        fmt::print(
            "no sample of any run is at a time of the reference: --every chooses the times of samples\n");
    bool first = true;
    for (const Comparison::Order& order : comparison.orders)
        if (order.order) {
            fmt::print("{}{} {:.2f}", first ? "orders of convergence: " : ", ", order.method, *order.order);
            first = false;
        }
    if (!first) fmt::print("\n");
    for (const Comparison::NotRun& one : comparison.not_run)
        fmt::print("not run: {}: {}\n", one.name, one.reason);
    for (const ComparedRun& run : comparison.runs)
        if (!run.message.empty()) fmt::print("{}: {}\n", run.name, run.message);
    for (const ComparedRun& run : comparison.runs)
        if (const std::string missed = missed_of(run); !missed.empty())
            fmt::print("missed: {}: {}\n", run.name, missed);
}

Json figures_json(const ComparedRun& run) {
    Json figures = Json::object();
    for (const ComparisonColumn& column : comparison_columns)
        add_member(figures, std::string(column.key), number_or_null(column.value(run)));
    return figures;
}

Json comparison_json(const Comparison& comparison, const std::string& scene) {
    Json runs = Json::array();
    for (const ComparedRun& run : comparison.runs) {
        Json one = {{"name", run.name},
                    {"formulation", run.what.formulation},
                    {"integrator", run.what.integrator},
                    {"dt", run.dt()},
                    {"status", run.status},
                    {"message", run.message},
                    {"is_reference", run.is_reference}};
        one.update(figures_json(run));
        Json stages = Json::object();
        for (int k = 0; k < step_stages; ++k)
            stages[std::string(stage_names[k])] = run.run->summary().stage_seconds[k];
        one["stage_seconds"] = std::move(stages);
        const RunSummary& summary = run.run->summary();
        one["ledger"] = ledger_json(summary.ledger);
        one["momentum"] = momentum_json(summary.momentum);
        one["worst"] = worst_json(summary.promises);
        one["missed"] = missed_json(summary.promises);
        runs.push_back(std::move(one));
    }
    return {{"scene", scene},
            {"duration", comparison.duration},
            {"every", comparison.every},
            {"reference", reference_json(comparison)},
            {"error_unit", comparison.error_unit},
            {"runs", std::move(runs)},
            {"orders", orders_json(comparison)},
            {"not_run", not_run_json(comparison)}};
}

Json comparison_for_page(const Comparison& comparison) {
    Json columns = Json::array(), rows = Json::array();
    for (const ComparisonColumn& column : comparison_columns)
        if (column.on_page && says_something(column, comparison))
            columns.push_back(column_json(column, comparison.error_unit));
    for (const std::size_t k : in_order(comparison))
        rows.push_back({{"run", k}, {"reference", comparison.runs[k].is_reference}});
    return {{"reference", reference_json(comparison)},
            {"columns", std::move(columns)},
            {"rows", std::move(rows)},
            {"orders", orders_json(comparison)},
            {"not_run", not_run_json(comparison)}};
}

std::string comparison_csv(const Comparison& comparison) {
    std::string text = "name,formulation,integrator,dt,status,message";
    for (const ComparisonColumn& column : comparison_columns) text += fmt::format(",{}", column.key);
    text += ",missed\n";
    for (const std::size_t k : in_order(comparison)) {
        const ComparedRun& run = comparison.runs[k];
        for (const std::string& word : {run.name, run.what.formulation, run.what.integrator}) {
            io::append_csv_text(text, word);
            text += ',';
        }
        text += fmt::format("{},{},", run.dt(), run.status);
        io::append_csv_text(text, run.message);
        for (const ComparisonColumn& column : comparison_columns) {
            const double x = column.value(run);
            text += std::isfinite(x) ? fmt::format(",{}", x) : ",";
        }
        text += ',';
        io::append_csv_text(text, missed_of(run));
        text += '\n';
    }
    return text;
}

std::string comparison_svg(const Comparison& comparison, const std::string& title) {
    const std::string error = fmt::format("log10 error [{}]", comparison.error_unit);
    io::Plot plot{title, "log10 of the step [s], and of the time per simulated second [s]", {}};
    plot.panels.push_back(log_panel(comparison, error + " over the step",
                                    [](const ComparedRun& run) { return run.dt(); }));
    plot.panels.push_back(log_panel(comparison, error + " over the time of computation",
                                    [](const ComparedRun& run) { return run.time_per_second(); }));
    return io::svg_plot(plot);
}

}  // namespace lig::app
