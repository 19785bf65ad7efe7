#include "io/svg_plot.h"

#include "core/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

namespace lig::io {

namespace {

// Pixels.
constexpr double left = 76, plot_width = 660, legend_gap = 16, legend_width = 208;
constexpr double head = 44, panel_head = 26, panel_height = 172, panel_foot = 26, foot = 28;
constexpr double width = left + plot_width + legend_gap + legend_width;
constexpr double legend_line = 13.5;

// Of middle brightness, to be seen on white and on black, neighbours far apart.
constexpr std::string_view colours[] = {"#3579c8", "#dc7a1e", "#2f9a58", "#d0484e", "#8c66c4", "#16a0aa",
                                        "#d563a5", "#9a9a22", "#8b6b4e", "#5a62dd", "#70a02c", "#b4563c"};
constexpr std::size_t labelled = std::size(colours);

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : printable(text)) switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            default: out += c;
        }
    return out;
}

// Values from `low` to `high` on pixels, with ticks at round numbers.
struct Axis {
    double low, high;    // of what is drawn
    double first, step;  // ticks
    double from, to;     // pixels

    double at(double value) const { return from + (value - low) / (high - low) * (to - from); }
    int ticks() const { return static_cast<int>(std::floor((high - first) / step + 1e-9)) + 1; }
    double tick(int k) const {
        const double value = first + k * step;
        return std::abs(value) < 1e-9 * step ? 0 : value;
    }
    std::string label(int k) const {
        const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 12);
        const bool readable = step < 1e6 && step > 1e-6;  // in full; a narrow range far from 0 needs them
        const double larger = std::max(std::abs(low), std::abs(high));
        const std::string text = readable || larger > 1e6 * step ? fmt::format("{:.{}f}", tick(k), decimals)
                                                                 : fmt::format("{:.4g}", tick(k));
        return text.starts_with('-') ? "\u2212" + text.substr(1) : text;
    }
};

// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

// A range about the values that is never empty, in numbers that can be told apart.
Axis make_axis(double low, double high, double from, double to, int max_ticks, bool padded) {
    if (!(low <= high)) low = 0, high = 1;
    // Not negative and not far from zero: zero is what it is compared with.
    if (padded && low > 0 && low < 0.5 * high) low = 0;
    const double size = std::max(std::abs(low), std::abs(high));
    if (high - low <= 1e-9 * size || size == 0) {
        const double room = size > 0 ? 0.1 * size : 1;
        low -= room;
        high += room;
    } else if (padded) {
        const double room = 0.06 * (high - low);
        if (low != 0) low -= room;
        high += room;
    }
    const double step = round_step((high - low) / max_ticks);
    return {low, high, std::ceil(low / step - 1e-9) * step, step, from, to};
}

struct Prefix {
    std::string_view text;
    double factor;  // by which values are multiplied
};

// "mm" for what is below a hundredth of a metre, "kJ" for ten thousand joules.
Prefix choose_prefix(double size, std::string_view unit) {
    if (unit.empty() || size == 0 || !std::isfinite(size)) return {"", 1};
    if (size >= 1e7) return {"M", 1e-6};
    if (size >= 1e4) return {"k", 1e-3};
    if (size >= 1e-2) return {"", 1};
    if (size >= 1e-5) return {"m", 1e3};
    if (size >= 1e-8) return {"\u00b5", 1e6};
    if (size >= 1e-11) return {"n", 1e9};
    return {"p", 1e12};
}

std::string style() {
    std::string css =
        "text{font:12px system-ui,sans-serif;fill:#1f262d}"
        ".title{font-size:15px;font-weight:600}.panel{font-weight:600}.tick{font-size:11px;fill:#59636e}"
        ".end{text-anchor:end}.middle{text-anchor:middle}.legend{font-size:11px}"
        ".paper{fill:#fff}.frame{fill:none;stroke:#aab2bb}.grid{stroke:#e4e8ec}"
        "path{fill:none;stroke-width:1.3;stroke-linejoin:round}.rest{stroke:#8a949e;stroke-width:.6}";
    for (std::size_t k = 0; k < labelled; ++k) css += fmt::format(".s{}{{stroke:{}}}", k, colours[k]);
    css +=
        "@media(prefers-color-scheme:dark){text{fill:#e2e6ea}.tick{fill:#9aa4ae}.paper{fill:#14181c}"
        ".frame{stroke:#56606a}.grid{stroke:#2a3138}.rest{stroke:#76808a}}";
    return css;
}

// In tenths of a pixel. Points between two others on the same level are left out: much of what is plotted
// comes to rest.
std::string path_of(const PlotSeries& series, const Axis& x, const Axis& y, double factor) {
    struct Dot {
        long x, y;
    };
    std::string path;
    std::vector<Dot> dots;
    const auto draw = [&] {
        for (std::size_t k = 0; k < dots.size(); ++k) {
            if (k > 0 && k + 1 < dots.size() && dots[k].y == dots[k - 1].y && dots[k].y == dots[k + 1].y)
                continue;
            path += fmt::format("{}{:g} {:g}", k == 0 ? 'M' : 'L', 0.1 * static_cast<double>(dots[k].x),
                                0.1 * static_cast<double>(dots[k].y));
        }
        dots.clear();
    };
    for (const PlotPoint& point : series.points) {
        if (!std::isfinite(point.y)) {
            draw();
            continue;
        }
        const Dot dot{std::lround(10 * x.at(point.x)), std::lround(10 * y.at(factor * point.y))};
        if (dots.empty() || dots.back().x != dot.x || dots.back().y != dot.y) dots.push_back(dot);
    }
    draw();
    return path;
}

void draw_legend(const PlotPanel& panel, double top, std::string& svg) {
    const std::size_t shown = std::min(panel.series.size(), labelled);
    const double x = left + plot_width + legend_gap;
    double y = top + 5;
    for (std::size_t k = 0; k < shown; ++k, y += legend_line)
        svg += fmt::format(
            "<path class=\"s{}\" style=\"stroke-width:2.4\" d=\"M{:.1f} {:.1f}h14\"/>"
            "<text class=\"legend\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
            k, x, y, x + 20, y + 4, escaped(shortened(panel.series[k].name, 30)));
    if (panel.series.size() > shown)
        svg += fmt::format(
            "<path class=\"rest\" d=\"M{:.1f} {:.1f}h14\"/>"
            "<text class=\"legend\" x=\"{:.1f}\" y=\"{:.1f}\">and {} more</text>\n",
            x, y, x + 20, y + 4, panel.series.size() - shown);
}

void draw_panel(const PlotPanel& panel, const Axis& x, double top, std::string& svg) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const PlotSeries& series : panel.series)
        for (const PlotPoint& point : series.points) {
            if (!std::isfinite(point.y)) continue;
            low = std::min(low, point.y);
            high = std::max(high, point.y);
        }
    const bool none = low > high;
    const Prefix prefix = choose_prefix(none ? 0 : std::max(std::abs(low), std::abs(high)), panel.unit);
    const double bottom = top + panel_height;
    const Axis y = make_axis(prefix.factor * low, prefix.factor * high, bottom, top, 6, true);

    const std::string unit = panel.unit.empty() ? "" : fmt::format(" [{}{}]", prefix.text, panel.unit);
    svg += fmt::format("<g>\n<text class=\"panel\" x=\"{:.1f}\" y=\"{:.1f}\">{}{}</text>\n", left, top - 8,
                       escaped(panel.title), escaped(unit));
    for (int k = 0; k < x.ticks(); ++k)
        svg += fmt::format(
            "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/>"
            "<text class=\"tick middle\" x=\"{0:.1f}\" y=\"{3:.1f}\">{4}</text>\n",
            x.at(x.tick(k)), top, bottom, bottom + 15, x.label(k));
    for (int k = 0; k < y.ticks(); ++k)
        svg += fmt::format(
            "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/>"
            "<text class=\"tick end\" x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
            left, y.at(y.tick(k)), left + plot_width, left - 7, y.at(y.tick(k)) + 4, y.label(k));
    svg += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>\n", left,
                       top, plot_width, panel_height);
    // Those with a colour lie on top, the first one highest.
    for (std::size_t k = panel.series.size(); k-- > 0;) {
        const PlotSeries& series = panel.series[k];
        svg += fmt::format("<path class=\"{}\" d=\"{}\"><title>{}</title></path>\n",
                           k < labelled ? fmt::format("s{}", k) : "rest",
                           path_of(series, x, y, prefix.factor), escaped(series.name));
    }
    draw_legend(panel, top, svg);
    svg += "</g>\n";
}

}  // namespace

std::string svg_plot(const Plot& plot) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const PlotPanel& panel : plot.panels)
        for (const PlotSeries& series : panel.series) {
            if (series.points.empty()) continue;
            low = std::min(low, series.points.front().x);
            high = std::max(high, series.points.back().x);
        }
    const Axis x = make_axis(low, high, left, left + plot_width, 10, false);
    const double stride = panel_head + panel_height + panel_foot;
    const double height = head + stride * static_cast<double>(plot.panels.size()) + foot;

    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n"
        "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
        "<text class=\"title\" x=\"{4}\" y=\"26\">{2}</text>\n",
        width, height, escaped(plot.title), style(), left);
    double top = head + panel_head;
    for (const PlotPanel& panel : plot.panels) {
        draw_panel(panel, x, top, svg);
        top += stride;
    }
    svg += fmt::format("<text class=\"middle\" x=\"{}\" y=\"{:.1f}\">{}</text>\n</svg>\n",
                       left + plot_width / 2, height - 14, escaped(plot.x_title));
    return svg;
}

}  // namespace lig::io
