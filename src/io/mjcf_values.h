#pragma once

// Small values shared by the parts of the MJCF reader.

#include "core/diagnostic_codes.h"
#include "core/suggest.h"
#include "io/xml.h"

#include <ligament/specs.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

namespace lig::io::mjcf {

// An attribute that is there replaces what the default class said.
template <class T>
void assign(T& target, const std::optional<T>& value) {
    if (value) target = *value;
}
template <class T>
void assign(std::optional<T>& target, const std::optional<T>& value) {
    if (value) target = value;
}

// As many numbers as are given replace the first ones; the rest stays.
template <std::size_t N>
void assign_first(std::array<double, N>& target, const std::optional<std::vector<double>>& values) {
    if (values) std::copy(values->begin(), values->end(), target.begin());
}
inline void assign_first(Vec3d& target, const std::optional<std::vector<double>>& values) {
    if (!values) return;
    for (std::size_t i = 0; i < values->size(); ++i) target[static_cast<int>(i)] = (*values)[i];
}

template <std::size_t N>
void read_array(ElementReader& in, const char* attribute, std::optional<std::array<double, N>>& target) {
    if (const auto values = in.numbers(attribute, N, N)) {
        target.emplace();
        std::copy(values->begin(), values->end(), target->begin());
    }
}

inline void read_softness(ElementReader& in, const char* solref, const char* solimp, Softness& soft) {
    assign_first(soft.solref, in.numbers(solref, 1, 2));
    assign_first(soft.solimp, in.numbers(solimp, 1, 5));
}

inline std::optional<double> non_negative(ElementReader& in, const char* attribute) {
    const std::optional<double> value = in.number(attribute);
    if (!value || *value >= 0) return value;
    in.log().report(codes::E006, in.where(attribute),
                    "attribute '" + std::string(attribute) + "' of " + in.label() + " must not be negative");
    return {};
}

inline std::optional<int> integer(ElementReader& in, const char* attribute) {
    const std::optional<double> value = in.number(attribute);
    if (!value) return {};
    if (*value == std::floor(*value) && std::abs(*value) <= std::numeric_limits<int>::max())
        return static_cast<int>(*value);
    in.log().report(
        codes::E006, in.where(attribute),
        "attribute '" + std::string(attribute) + "' of " + in.label() + " must be a whole number");
    return {};
}

inline std::optional<int> contact_dimension(ElementReader& in) {
    const std::optional<int> condim = integer(in, "condim");
    if (!condim || *condim == 1 || *condim == 3 || *condim == 4 || *condim == 6) return condim;
    in.log().report(codes::E008, in.where("condim"),
                    "attribute 'condim' of " + in.label() + " must be 1, 3, 4 or 6");
    return {};
}

// For an element that has no meaning where it stands.
inline void report_unknown_element(ElementReader& in, std::string_view parent,
                                   std::span<const std::string_view> known) {
    const std::string_view near = nearest(in.name(), known);
    in.log().report(
        codes::W011, in.where(),
        "<" + std::string(in.name()) + "> inside <" + std::string(parent) + "> is not known and was not read",
        near.empty() ? "" : "did you mean '" + std::string(near) + "'?");
}

}  // namespace lig::io::mjcf
