#include "app/recording/sample_difference.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>

namespace lig::app {

namespace {

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

constexpr std::array<std::string_view, 13> contact_columns = {
    "distance", "point.x", "point.y", "point.z", "normal.x", "normal.y", "normal.z",
    "force.x", "force.y", "force.z", "moment.x", "moment.y", "moment.z"};

std::array<double, 13> numbers_of(const ContactForce& c) {
    return {c.distance, c.point.x, c.point.y, c.point.z, c.normal.x, c.normal.y, c.normal.z,
            c.force.x, c.force.y, c.force.z, c.moment.x, c.moment.y, c.moment.z};
}

}  // namespace

std::string SampleDifference::text() const {
    return fmt::format("sample {} ({:g} s): {} ({}) was {}, is now {}; the difference is {:g}", sample, time,
                       column, array, recorded, computed, computed - recorded);
}

Json SampleDifference::json() const {
    return {{"sample", sample},
            {"time", time},
            {"array", array},
            {"column", column},
            {"recorded", recorded},
            {"computed", computed},
            {"difference", computed - recorded}};
}

std::optional<SampleDifference> first_difference(const TrajectoryLayout& layout, std::size_t sample,
                                                 const TrajectorySample& recorded,
                                                 const TrajectorySample& computed) {
    const double time = recorded.row[0];
    for (const TrajectoryBlock& block : layout.blocks) {
        if (block.name == "stage_seconds") continue;
        for (std::size_t k = 0; k < block.size(); ++k) {
            const double was = recorded.row[block.begin + k], is = computed.row[block.begin + k];
            if (!same_bits(was, is))
                return SampleDifference{sample, time, block.name, block.columns[k], was, is};
        }
    }
    const std::size_t before = recorded.contacts.size(), now = computed.contacts.size();
    if (before != now)
        return SampleDifference{
            sample, time, "contact list", "how many", static_cast<double>(before), static_cast<double>(now)};
    for (std::size_t c = 0; c < now; ++c) {
        const ContactForce &a = recorded.contacts[c], &b = computed.contacts[c];
        const std::string which =
            fmt::format("contact {}, {} and {}", c, layout.geoms[a.geom_a], layout.geoms[a.geom_b]);
        for (const auto& [column, was, is] :
             {std::tuple{"geom1", a.geom_a, b.geom_a}, {"geom2", a.geom_b, b.geom_b}})
            if (was != is)
                return SampleDifference{
                    sample, time, which, column, static_cast<double>(was), static_cast<double>(is)};
        const std::array<double, 13> was = numbers_of(a), is = numbers_of(b);
        for (std::size_t k = 0; k < was.size(); ++k)
            if (!same_bits(was[k], is[k]))
                return SampleDifference{sample, time, which, std::string(contact_columns[k]), was[k], is[k]};
    }
    return std::nullopt;
}

}  // namespace lig::app
