#pragma once

// Lines for drawing, of bounded length however many samples there are. Samples are gathered in groups of
// equal count, and of each group the smallest and the largest value are kept with their times, so that no
// spike is lost; when there are too many groups, neighbours are merged. Works as samples come, with memory
// for `max_points` points a line.

#include <cstddef>
#include <span>
#include <vector>

namespace lig::io {

struct PlotPoint {
    double x, y;
};

class LineReducer {
public:
    LineReducer(std::size_t lines, std::size_t max_points);

    // The next sample of all lines; x must not fall.
    void add(double x, std::span<const double> y);

    // In order of x, with the first and the last sample. A value that is not a number is a point, too: a gap
    // in the line.
    std::vector<PlotPoint> line(std::size_t index) const;

    bool empty() const { return first_.empty(); }

private:
    struct Extremes {
        PlotPoint low, high;
    };

    void merge_neighbours();

    std::size_t lines_, max_points_;
    std::size_t group_size_ = 1, in_group_ = 0;  // samples of a group, and those in the last one so far
    std::vector<Extremes> groups_;               // (groups × lines)
    std::vector<PlotPoint> first_, last_;        // (lines)
};

}  // namespace lig::io
