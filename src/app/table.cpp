#include "app/table.h"

#include "core/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace lig::app {

namespace {

// Characters, not bytes.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

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

void Table::print() const {
    std::vector<std::size_t> widths(header_.size());
    for (std::size_t c = 0; c < header_.size(); ++c) widths[c] = width_of(header_[c]);
    for (const auto& row : rows_)
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));

    std::string text;
    const auto append = [&](const std::vector<std::string>& row) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string padding(widths[c] - width_of(row[c]), ' ');
            line += right_[c] ? padding + row[c] : row[c] + padding;
            line += "  ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    };
    append(header_);
    for (const auto& row : rows_) append(row);
    fmt::print("{}", text);
}

std::string number_text(double x) {
    std::string text = fmt::format("{:.6g}", x);
    return text == "-0" ? "0" : text;
}

}  // namespace lig::app
