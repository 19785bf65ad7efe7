#include "app/files/report_samples.h"

#include "dynamics/stretches.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig::app {

namespace {

// Rows beyond the first number are left out where the others still show the motion as screens do, beyond the
// second in any case.
constexpr std::size_t many_rows = 1000, max_rows = 2000;
constexpr double fine_interval = 1.0 / 55;
// Of large models less is kept, so that browsers can still open the file; but so many rows in any case.
constexpr std::size_t max_numbers = 2'500'000, min_rows = 100;

// A panel of more curves than this is left out: nobody chooses among them, and tables have them.
constexpr std::size_t max_curves = 400;

float value_of(double x) {
    return std::isfinite(x) ? static_cast<float>(x) : std::numeric_limits<float>::quiet_NaN();
}

bool is_shown(PlotPlace place) {
    switch (place) {
        case PlotPlace::energy:
        case PlotPlace::ledger:
        case PlotPlace::momentum_ledger:
        case PlotPlace::angular_momentum_ledger:
        case PlotPlace::tracking_error: return true;
        default: return is_place_of_error(place);
    }
}

// Of the ledgers, only what should not be there. (That of the energy has a plot of its own.)
bool is_shown(PlotPlace place, std::string_view name) {
    switch (place) {
        case PlotPlace::ledger: return name == method_energy_name;
        case PlotPlace::momentum_ledger:
        case PlotPlace::angular_momentum_ledger: return name.ends_with(method_momentum_name);
        default: return is_shown(place);
    }
}

ReportSamples::Between between_samples(PlotPlace place, std::string_view name) {
    if (is_place_of_error(place)) return ReportSamples::Between::largest;
    switch (place) {
        case PlotPlace::work:
            return std::ranges::find(step_counts, name, &StepCount::name)->is_sum
                       ? ReportSamples::Between::sum
                       : ReportSamples::Between::nothing;
        case PlotPlace::stages: return ReportSamples::Between::sum;
        default: return ReportSamples::Between::nothing;
    }
}

}  // namespace

ReportSamples::ReportSamples(const TrajectoryLayout& layout)
    : bodies_(layout.model.bodies.size()),
      xpos_(layout.find("xpos")->begin),
      xquat_(layout.find("xquat")->begin),
      com_(layout.find("com")->begin),
      has_contacts_(layout.contents.lists_contacts()) {
    for (std::size_t k = 0; k < layout.model.deforming.size(); ++k)
        visit_deforming(layout.model, static_cast<int>(k), [&](auto kind) {
            const std::size_t at = static_cast<std::size_t>(layout.model.tree.stretches[k].q_adr);
            // A program's kind is not in a file, and what comes from one is all that is seen here.
            if constexpr (decltype(kind)::kind != BodyKind::program)
                shapes_.push_back(
                    {layout.find("qpos")->begin + at, &decltype(kind)::template spread<double>});
        });
    // What is seen at first comes first.
    for (const bool shown : {true, false})
        for (const PanelKind& kind : panel_kinds)
            if (is_shown(kind.place) == shown) add_series(layout, kind);
}

void ReportSamples::add_series(const TrajectoryLayout& layout, const PanelKind& kind) {
    const std::size_t before = series_.size();
    for (const TrajectoryBlock& block : layout.blocks)
        for (std::size_t k = 0; k < block.size(); ++k)
            if (block.places[k] == kind.place)
                series_.push_back({std::string(kind.title), block.columns[k], std::string(kind.unit),
                                   is_shown(kind.place, block.name), kind.unless_zero || block.unless_zero,
                                   between_samples(kind.place, block.name), block.begin + k});
    if (series_.size() - before > max_curves)
        series_.erase(series_.begin() + static_cast<std::ptrdiff_t>(before), series_.end());
}

void ReportSamples::add(const TrajectorySample& sample) {
    Row row = row_of(sample);
    if (last_is_extra_) {
        carry(rows_.back(), row);
        numbers_ -= rows_.back().size();
        rows_.pop_back();
    }
    if (!rows_.empty()) keep_signs(rows_.back(), row);
    numbers_ += row.size();
    rows_.push_back(std::move(row));
    last_is_extra_ = taken_ % stride_ != 0;
    ++taken_;
    if (!last_is_extra_ && are_too_many()) thin_out();
}

bool ReportSamples::are_too_many() const {
    if (rows_.size() <= 2 * min_rows) return false;
    const double interval = rows_[1].time - rows_[0].time;
    return rows_.size() > max_rows || (rows_.size() > many_rows && 2 * interval < fine_interval) ||
           numbers_ > max_numbers;
}

ReportSamples::Row ReportSamples::row_of(const TrajectorySample& sample) const {
    Row row{sample.row[0], {}, {}, {}, {}, {}};
    const auto append = [&](std::vector<float>& to, std::size_t from, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) to.push_back(value_of(sample.row[from + k]));
    };
    for (std::size_t b = 0; b < bodies_; ++b) {
        append(row.poses, xpos_ + 3 * b, 3);
        append(row.poses, xquat_ + 4 * b, 4);
    }
    for (const Shape& shape : shapes_) {
        const Sym3d S = shape.spread(sample.row.data() + shape.column);
        for (const double x : {S.xx, S.yy, S.zz, S.xy, S.xz, S.yz}) row.stretches.push_back(value_of(x));
    }
    append(row.com, com_, 3);
    for (const Series& series : series_) append(row.values, series.column, 1);
    for (const ContactForce& contact : sample.contacts) {
        for (const Vec3d* v : {&contact.point, &contact.force, &contact.normal})
            for (const double x : {v->x, v->y, v->z}) row.contacts.push_back(value_of(x));
        row.contacts.push_back(value_of(contact.distance));
    }
    return row;
}

void ReportSamples::carry(const Row& from, Row& to) const {
    for (std::size_t k = 0; k < series_.size(); ++k) switch (series_[k].between) {
            case Between::nothing: break;
            case Between::largest: to.values[k] = std::max(to.values[k], from.values[k]); break;
            case Between::sum: to.values[k] += from.values[k]; break;
        }
}

void ReportSamples::keep_signs(const Row& before, Row& row) {
    for (std::size_t at = 3; at < row.poses.size(); at += 7) {
        float product = 0;
        for (std::size_t k = at; k < at + 4; ++k) product += before.poses[k] * row.poses[k];
        if (product < 0)
            for (std::size_t k = at; k < at + 4; ++k) row.poses[k] = -row.poses[k];
    }
}

void ReportSamples::thin_out() {
    stride_ *= 2;
    std::vector<Row> kept;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const bool is_last = i + 1 == rows_.size();
        if (i % 2 == 1 && !is_last) carry(rows_[i], rows_[i + 1]);
        if (i % 2 == 1 && is_last) last_is_extra_ = true;
        if (i % 2 == 1 && !is_last) continue;
        kept.push_back(std::move(rows_[i]));
        if (kept.size() > 1) keep_signs(kept[kept.size() - 2], kept.back());
    }
    rows_ = std::move(kept);
    numbers_ = 0;
    for (const Row& row : rows_) numbers_ += row.size();
}

}  // namespace lig::app
