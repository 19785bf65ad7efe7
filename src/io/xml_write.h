#pragma once

// XML as the model writers make it: one element per line, indented, attributes that say nothing left out, and
// numbers in the shortest text that reads back to the same bits.

#include <ligament/vec.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lig::io {

// Whether two numbers have the same bits. Zero and minus zero do not.
bool same_bits(double a, double b);
bool same_bits(std::span<const double> a, std::span<const double> b);
inline std::span<const double> span_of(const Vec3d& v) { return {&v.x, 3}; }
inline std::span<const double> span_of(const Quatd& q) { return {&q.w, 4}; }

// The shortest text that reads back to the same number.
std::string number_text(double value);

class XmlWriter {
public:
    // `depth` is how many elements the text will stand in.
    explicit XmlWriter(int depth = 0) : outer_depth_(depth) {}

    void open(std::string_view element);
    void close();

    // Attributes of the element opened last, before it has children.
    void word(std::string_view name, std::string_view value);
    void text(std::string_view name, std::string_view value);  // left out when empty
    void flag(std::string_view name, bool value, bool fallback = false);
    void integer(std::string_view name, int value, int fallback);
    void integers(std::string_view name, std::span<const int> values);
    void number(std::string_view name, double value, double fallback);
    // Left out when all are as in `fallback`; with `trim` also those at the end that are.
    void numbers(std::string_view name, std::span<const double> values, std::span<const double> fallback,
                 bool trim = false);
    void numbers(std::string_view name, std::span<const double> values);

    bool is_empty() const { return text_.empty(); }
    std::string take() { return std::move(text_); }

private:
    void indent();

    std::string text_;
    std::vector<std::string> open_;
    int outer_depth_;
    bool tag_is_open_ = false;
};

}  // namespace lig::io
