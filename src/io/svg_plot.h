#pragma once

// Line plots as SVG: panels above each other over a common axis, each with its unit, ticks and legend. One
// file without references to others, light or dark as the reader's system is.

#include "io/line_reducer.h"

#include <string>
#include <vector>

namespace lig::io {

struct PlotSeries {
    std::string name;
    std::vector<PlotPoint> points;  // in order of x; values that are not finite are gaps
};

struct PlotPanel {
    std::string title;
    std::string unit;  // gets a prefix (mm, kJ) where the values are small or large; empty for plain numbers
    // Those after the first twelve are drawn thin and grey, and have their names where the mouse is.
    std::vector<PlotSeries> series;
};

struct Plot {
    std::string title, x_title;
    std::vector<PlotPanel> panels;
};

std::string svg_plot(const Plot& plot);

}  // namespace lig::io
