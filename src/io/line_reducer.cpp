#include "io/line_reducer.h"

#include <cmath>

namespace lig::io {

namespace {

// A gap is kept like an extreme, or it would be drawn over.
bool is_lower(const PlotPoint& a, const PlotPoint& b) { return a.y < b.y || std::isnan(a.y); }
bool is_higher(const PlotPoint& a, const PlotPoint& b) { return a.y > b.y; }

}  // namespace

LineReducer::LineReducer(std::size_t lines, std::size_t max_points)
    : lines_(lines), max_points_(max_points) {}

void LineReducer::add(double x, std::span<const double> y) {
    last_.resize(lines_);
    for (std::size_t k = 0; k < lines_; ++k) last_[k] = {x, y[k]};
    if (first_.empty()) first_ = last_;

    if (in_group_ == group_size_ || groups_.empty()) {
        // A group of one is one point, any other two.
        const std::size_t points = lines_ == 0 ? 0 : groups_.size() / lines_ * (group_size_ > 1 ? 2 : 1);
        if (points >= max_points_) merge_neighbours();
    }
    if (in_group_ == group_size_ || groups_.empty()) {
        in_group_ = 0;
        for (const PlotPoint& point : last_) groups_.push_back({point, point});
    }
    Extremes* const group = groups_.data() + (groups_.size() - lines_);
    for (std::size_t k = 0; k < lines_; ++k) {
        if (is_lower(last_[k], group[k].low)) group[k].low = last_[k];
        if (is_higher(last_[k], group[k].high)) group[k].high = last_[k];
    }
    ++in_group_;
}

void LineReducer::merge_neighbours() {
    const std::size_t count = groups_.size() / lines_;
    for (std::size_t g = 0; g < count; ++g)
        for (std::size_t k = 0; k < lines_; ++k) {
            const Extremes from = groups_[g * lines_ + k];
            Extremes& to = groups_[g / 2 * lines_ + k];
            if (g % 2 == 0) {
                to = from;
                continue;
            }
            if (is_lower(from.low, to.low)) to.low = from.low;
            if (is_higher(from.high, to.high)) to.high = from.high;
        }
    groups_.resize((count + 1) / 2 * lines_);
    // All groups were full; the last one stays so unless it found no neighbour.
    in_group_ = count % 2 == 0 ? 2 * group_size_ : group_size_;
    group_size_ *= 2;
}

std::vector<PlotPoint> LineReducer::line(std::size_t index) const {
    std::vector<PlotPoint> points;
    const auto add_later = [&](const PlotPoint& point) {
        if (points.empty() || points.back().x < point.x) points.push_back(point);
    };
    if (first_.empty()) return points;
    add_later(first_[index]);
    for (std::size_t at = index; at < groups_.size(); at += lines_) {
        const Extremes& group = groups_[at];
        const bool rises = group.low.x <= group.high.x;
        add_later(rises ? group.low : group.high);
        add_later(rises ? group.high : group.low);
    }
    add_later(last_[index]);
    return points;
}

}  // namespace lig::io
