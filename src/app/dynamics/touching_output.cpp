#include "app/dynamics/touching_output.h"

#include "app/table.h"
#include "core/length.h"

#include <fmt/format.h>

#include <algorithm>

namespace lig::app {

namespace {

constexpr double rounding = 1e-13;

std::string_view mode_text(TouchingMode mode) {
    switch (mode) {
        case TouchingMode::opens: return "opens";
        case TouchingMode::rests: return "rests";
        case TouchingMode::sticks: return "sticks";
        case TouchingMode::breaks_away: return "breaks away";
        case TouchingMode::slides: return "slides";
    }
    return "";
}

const std::string& limited(const TouchingLimit& limit, const Names& names) {
    return limit.joint >= 0 ? names.joints[limit.joint] : names.tendons[limit.tendon];
}

bool is_any(std::span<const double> all) {
    return std::any_of(all.begin(), all.end(), [](double x) { return x != 0; });
}

}  // namespace

void add_touching(const ContactDynamics& found, const Names& names, Json& out) {
    out["contacts"] = Json::array();
    for (const TouchingContact& contact : found.contacts)
        out["contacts"].push_back({{"geom1", names.geoms[contact.geom_a]},
                                   {"geom2", names.geoms[contact.geom_b]},
                                   {"mode", mode_text(contact.mode)},
                                   {"gap", contact.gap},
                                   {"point", to_json(contact.point)},
                                   {"normal", to_json(contact.normal)},
                                   {"force", to_json(contact.force)},
                                   {"moment", to_json(contact.moment)}});
    out["limits"] = Json::array();
    for (const TouchingLimit& limit : found.limits)
        out["limits"].push_back({{limit.joint >= 0 ? "joint" : "tendon", limited(limit, names)},
                                 {"gap", limit.gap},
                                 {"force", limit.force}});
    out["limit_force"] = found.limit_force;
    out["friction_force"] = found.friction_force;
}

void print_touching(const ContactDynamics& found, const Names& names) {
    if (!found.contacts.empty()) {
        Table table({"geom 1", "geom 2", "contact", "point", "normal force", "friction"}, {4, 5});
        for (const TouchingContact& contact : found.contacts) {
            const double normal = dot(contact.normal, contact.force);
            const double friction = length(contact.force - normal * contact.normal);
            const Vec3d& p = contact.point;
            table.add({names.geoms[contact.geom_a], names.geoms[contact.geom_b],
                       std::string(mode_text(contact.mode)),
                       fmt::format("{:.4g} {:.4g} {:.4g}", p.x + 0.0, p.y + 0.0, p.z + 0.0),
                       number_text(normal), number_text(friction > rounding * normal ? friction : 0)});
        }
        fmt::print("\n");
        table.print();
    }
    if (!found.limits.empty()) {
        Table table({"at its limit", "force"}, {1});
        for (const TouchingLimit& limit : found.limits)
            table.add({limited(limit, names), number_text(limit.force)});
        fmt::print("\n");
        table.print();
    }
    if (is_any(found.friction_force)) {
        const std::vector<std::string> coordinates = velocity_names(found.loops.model(), names);
        Table table({"dry friction", "force"}, {1});
        for (std::size_t k = 0; k < coordinates.size(); ++k)
            if (found.friction_force[k] != 0)
                table.add({coordinates[k], number_text(found.friction_force[k])});
        fmt::print("\n");
        table.print();
    }
}

}  // namespace lig::app
