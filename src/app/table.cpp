#include "app/table.h"

#include "app/text_width.h"
#include "core/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace lig::app {

Table::Table(std::vector<std::string> header, const std::vector<int>& right)
    : header_(std::move(header)), right_(header_.size(), false) {
    for (const int column : right) right_[column] = true;
}

void Table::add(std::vector<std::string> cells) {
    cells.resize(header_.size());
    // Names may hold anything, and the longest widens its column in every row.
    for (std::string& cell : cells) cell = printable(shortened(cell, 200));
    rows_.push_back(std::move(cells));
}

void Table::print(std::FILE* to) const {
    std::vector<int> widths(header_.size());
    for (std::size_t c = 0; c < header_.size(); ++c) widths[c] = text_width(header_[c]);
    for (const auto& row : rows_)
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], text_width(row[c]));

    std::string text;
    const auto append = [&](const std::vector<std::string>& row) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string padding(static_cast<std::size_t>(widths[c] - text_width(row[c])), ' ');
            line += right_[c] ? padding + row[c] : row[c] + padding;
            line += "  ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    };
    append(header_);
    for (const auto& row : rows_) append(row);
    fmt::print(to, "{}", text);
}

std::string number_text(double x) {
    std::string text = fmt::format("{:.6g}", x);
    return text == "-0" ? "0" : text;
}

}  // namespace lig::app
