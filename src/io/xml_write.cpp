#include "io/xml_write.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>

namespace lig::io {

namespace {

template <class Number>
void append_number(std::string& text, Number value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text.append(digits, end);
}

// Line breaks and tabs would be read back as blanks, so they are written by number like all control
// characters.
void append_escaped(std::string& text, std::string_view value) {
    for (const char c : value) {
        if (c == '&')
            text += "&amp;";
        else if (c == '<')
            text += "&lt;";
        else if (c == '>')
            text += "&gt;";
        else if (c == '"')
            text += "&quot;";
        else if (static_cast<unsigned char>(c) < 0x20) {
            text += "&#";
            append_number(text, static_cast<int>(c));
            text += ';';
        } else
            text += c;
    }
}

}  // namespace

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](double x, double y) { return same_bits(x, y); });
}

std::string number_text(double value) {
    std::string text;
    append_number(text, value);
    return text;
}

void XmlWriter::indent() {
    // A chain of 100,000 bodies would otherwise be gigabytes of blanks.
    constexpr int deepest = 24;
    const int depth = outer_depth_ + static_cast<int>(open_.size());
    text_.append(2 * static_cast<std::size_t>(std::min(depth, deepest)), ' ');
}

void XmlWriter::open(std::string_view element) {
    if (tag_is_open_) text_ += ">\n";
    indent();
    text_.append("<").append(element);
    open_.emplace_back(element);
    tag_is_open_ = true;
}

void XmlWriter::close() {
    const std::string element = std::move(open_.back());
    open_.pop_back();
    if (tag_is_open_) {
        text_ += "/>\n";
    } else {
        indent();
        text_.append("</").append(element).append(">\n");
    }
    tag_is_open_ = false;
}

void XmlWriter::word(std::string_view name, std::string_view value) {
    text_.append(" ").append(name).append("=\"");
    append_escaped(text_, value);
    text_ += '"';
}

void XmlWriter::text(std::string_view name, std::string_view value) {
    if (!value.empty()) word(name, value);
}

void XmlWriter::flag(std::string_view name, bool value, bool fallback) {
    if (value != fallback) word(name, value ? "true" : "false");
}

void XmlWriter::integer(std::string_view name, int value, int fallback) {
    if (value != fallback) integers(name, {&value, 1});
}

void XmlWriter::integers(std::string_view name, std::span<const int> values) {
    text_.append(" ").append(name).append("=\"");
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i) text_ += ' ';
        append_number(text_, values[i]);
    }
    text_ += '"';
}

void XmlWriter::number(std::string_view name, double value, double fallback) {
    if (!same_bits(value, fallback)) numbers(name, {&value, 1});
}

void XmlWriter::numbers(std::string_view name, std::span<const double> values,
                        std::span<const double> fallback, bool trim) {
    if (same_bits(values, fallback)) return;
    std::size_t count = values.size();
    if (trim)
        while (count > 1 && same_bits(values[count - 1], fallback[count - 1])) --count;
    numbers(name, values.first(count));
}

void XmlWriter::numbers(std::string_view name, std::span<const double> values) {
    text_.append(" ").append(name).append("=\"");
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i) text_ += ' ';
        append_number(text_, values[i]);
    }
    text_ += '"';
}

}  // namespace lig::io
