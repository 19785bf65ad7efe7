// Lines that are reduced for drawing, against all samples; plots as XML.

#include "io/svg_plot.h"
#include "io/line_reducer.h"

#include <doctest/doctest.h>
#include <pugixml.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace lig::io;

TEST_CASE("a reduced line keeps its extremes, ends and order") {
    // Counts about the limit of 100 points, and far beyond it.
    for (const int count : {1, 2, 99, 100, 101, 102, 150, 199, 200, 201, 333, 5000, 100003}) {
        CAPTURE(count);
        LineReducer reducer(2, 100);
        std::vector<PlotPoint> all;
        for (int k = 0; k < count; ++k) {
            const double x = 0.01 * k;
            // Spikes of a single sample in both directions, at places that no stride hits.
            const double y[] = {std::sin(x) + (k == count / 3 ? 9 : 0) - (k == 5 * count / 7 ? 8 : 0), x};
            reducer.add(x, y);
            all.push_back({x, y[0]});
        }
        const std::vector<PlotPoint> line = reducer.line(0);
        CHECK(line.size() <= 102);  // and both ends
        CHECK(line.size() >= std::min<std::size_t>(count, 50));
        CHECK(line.front().x == all.front().x);
        CHECK(line.back().x == all.back().x);
        const auto lower = [](const PlotPoint& a, const PlotPoint& b) { return a.y < b.y; };
        CHECK(std::ranges::max_element(line, lower)->y == std::ranges::max_element(all, lower)->y);
        CHECK(std::ranges::min_element(line, lower)->y == std::ranges::min_element(all, lower)->y);
        CHECK(std::ranges::is_sorted(line, [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; }));
        // Every point is a sample.
        for (const PlotPoint& point : line) {
            const auto k = static_cast<std::size_t>(std::lround(point.x / 0.01));
            CHECK(point.y == all[k].y);
        }
        // A line that rises stays one.
        const std::vector<PlotPoint> rising = reducer.line(1);
        for (const PlotPoint& point : rising) CHECK(point.x == point.y);
    }
    CHECK(LineReducer(3, 100).line(1).empty());
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; at += part.size()) ++found;
    return found;
}

// The points of a path made of M and L.
std::vector<PlotPoint> points_of(std::string path) {
    std::replace_if(path.begin(), path.end(), [](char c) { return c == 'M' || c == 'L'; }, ' ');
    std::vector<PlotPoint> points;
    const char* at = path.c_str();
    for (char* next = nullptr;; at = next) {
        const double x = std::strtod(at, &next);
        if (next == at) return points;
        points.push_back({x, std::strtod(next, &next)});
    }
}

TEST_CASE("a plot is XML with a line for every series") {
    Plot plot{"<a & b>", "time [s]", {}};
    PlotPanel many{"many", "m", {}};
    for (int k = 0; k < 20; ++k)
        many.series.push_back({"line \"<" + std::to_string(k), {{0, 0.001 * k}, {1, 0.001 * k}, {2, 0.004}}});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    plot.panels = {many,
                   {"with a gap", "", {{"g", {{0, 1}, {0.5, 2}, {1, nan}, {1.5, 3}, {2, 2.5}}}}},
                   {"constant", "J", {{"c", {{0, 123456}, {2, 123456}}}}},
                   {"nothing", "J", {{"n", {}}}}};
    const std::string svg = svg_plot(plot);

    pugi::xml_document document;
    REQUIRE(document.load_string(svg.c_str()));
    const pugi::xml_node root = document.child("svg");
    CHECK(std::string(root.child("title").child_value()) == "<a & b>");
    std::vector<pugi::xml_node> panels;
    for (const pugi::xml_node g : root.children("g")) panels.push_back(g);
    REQUIRE(panels.size() == 4);

    const auto lines = [](pugi::xml_node panel) {
        std::vector<pugi::xml_node> found;
        for (const pugi::xml_node path : panel.children("path"))
            if (path.child("title")) found.push_back(path);
        return found;
    };
    // Drawn from the last to the first; those after twelve have no colour of their own, and no label.
    const auto drawn = lines(panels[0]);
    REQUIRE(drawn.size() == 20);
    CHECK(std::string(drawn[0].child("title").child_value()) == "line \"<19");
    CHECK(std::string(drawn[0].attribute("class").value()) == "rest");
    CHECK(std::string(drawn[19].attribute("class").value()) == "s0");
    CHECK(svg.find("and 8 more") != std::string::npos);
    CHECK(svg.find(">many [m]<") != std::string::npos);  // up to 19 mm, still as metres
    CHECK(svg.find(">constant [kJ]<") != std::string::npos);
    // A straight line is its ends, and larger values are higher up.
    const std::vector<PlotPoint> flat = points_of(drawn[19].attribute("d").value());
    REQUIRE(flat.size() == 3);
    CHECK(flat[0].y == flat[1].y);
    CHECK(flat[2].y < flat[1].y);
    CHECK(flat[1].x - flat[0].x == doctest::Approx(flat[2].x - flat[1].x));

    const std::string gap = lines(panels[1])[0].attribute("d").value();
    CHECK(count(gap, "M") == 2);
    CHECK(points_of(gap).size() == 4);
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
    CHECK(count(svg, "prefers-color-scheme:dark") == 1);
    CHECK(count(svg, "http") == 1);  // the namespace: nothing is loaded from elsewhere
}

TEST_CASE("ticks of plain numbers are short however small they are") {
    const std::string svg =
        svg_plot({"gap", "time [s]", {{"gap (m or rad)", "", {{"g", {{0, 0}, {1, 2.1e-13}, {2, 1e-13}}}}}}});
    CHECK(svg.find(">1e-13<") != std::string::npos);
    CHECK(svg.find("0.00000") == std::string::npos);
}

}  // namespace
