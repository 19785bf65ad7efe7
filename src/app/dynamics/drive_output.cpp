#include "app/dynamics/drive_output.h"

#include "app/table.h"

#include <fmt/format.h>

#include <cmath>

namespace lig::app {

namespace {

std::string_view transmission_name(Transmission transmission) {
    switch (transmission) {
        case Transmission::joint: return "joint";
        case Transmission::joint_in_parent: return "jointinparent";
        case Transmission::tendon: return "tendon";
        case Transmission::site: return "site";
        case Transmission::slider_crank: return "slidercrank";
        case Transmission::body: return "body";
    }
    return "";
}

std::string_view activation_name(Activation activation) {
    switch (activation) {
        case Activation::none: return "none";
        case Activation::integrator: return "integrator";
        case Activation::filter: return "filter";
        case Activation::filter_exact: return "filterexact";
        case Activation::muscle: return "muscle";
    }
    return "";
}

// The loop whose joint an actuator acts on, or −1.
int loop_of(const Model& model, const Model::Actuator& actuator) {
    return actuator.tendon < 0 ? -1 : model.tendons[actuator.tendon].loop;
}

std::string_view transmission_name(const Model& model, const Model::Actuator& actuator) {
    return transmission_name(loop_of(model, actuator) < 0 ? actuator.transmission : Transmission::joint);
}

std::string_view target_name(const Model& model, const Model::Actuator& actuator, const Names& names) {
    if (actuator.joint >= 0) return names.joints[actuator.joint];
    if (const int loop = loop_of(model, actuator); loop >= 0) return names.loops[loop];
    if (actuator.tendon >= 0) return names.tendons[actuator.tendon];
    if (actuator.body >= 0) return names.bodies[actuator.body];
    return names.sites[actuator.site];
}

std::string range_text(const Range& range) {
    if (!std::isfinite(range.lower) && !std::isfinite(range.upper)) return "";
    return fmt::format("{} … {}", number_text(range.lower), number_text(range.upper));
}

std::string_view tendon_kind(const Model::Tendon& tendon) {
    if (tendon.loop >= 0) return "loop";
    return tendon.point_count > 0 ? "spatial" : "fixed";
}

}  // namespace

Json muscle_json(const MuscleSpec& muscle) {
    return {{"range", muscle.range},
            {"force", muscle.force},
            {"lmin", muscle.min_length},
            {"lmax", muscle.max_length},
            {"vmax", muscle.max_velocity},
            {"fpmax", muscle.passive_force},
            {"fvmax", muscle.lengthening_force}};
}

Json actuators_json(const Model& model, const Names& names) {
    Json list = Json::array();
    for (std::size_t i = 0; i < model.actuators.size(); ++i) {
        const Model::Actuator& actuator = model.actuators[i];
        Json entry;
        entry["name"] = names.actuators[i];
        entry["transmission"] = transmission_name(model, actuator);
        entry["target"] = target_name(model, actuator, names);
        entry["gear"] = to_json(actuator.gear);
        entry["length0"] = actuator.length0;
        entry["activation"] = activation_name(actuator.activation);
        entry["actadr"] = actuator.act_adr;
        entry["gain"] = to_json(actuator.gain);
        entry["bias"] = to_json(actuator.bias);
        if (actuator.muscle_gain) entry["gain"] = muscle_json(*actuator.muscle_gain);
        if (actuator.muscle_bias) entry["bias"] = muscle_json(*actuator.muscle_bias);
        if (actuator.muscle_gain || actuator.muscle_bias) entry["lengthrange"] = actuator.length_range;
        entry["ctrlrange"] = to_json(actuator.ctrl_range);
        entry["forcerange"] = to_json(actuator.force_range);
        entry["actrange"] = to_json(actuator.act_range);
        entry["group"] = actuator.group;
        entry["enabled"] = actuator.enabled;
        list.push_back(std::move(entry));
    }
    return list;
}

Json tendons_json(const Model& model, const Names& names) {
    Json list = Json::array();
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Model::Tendon& tendon = model.tendons[i];
        Json entry;
        entry["name"] = names.tendons[i];
        entry["type"] = tendon_kind(tendon);
        entry["length0"] = tendon.length0;
        entry["springlength"] = to_json(tendon.spring_length);
        entry["range"] = to_json(tendon.range);
        entry["stiffness"] = tendon.stiffness;
        entry["damping"] = tendon.damping;
        entry["armature"] = tendon.armature;
        entry["friction_loss"] = tendon.friction_loss;
        list.push_back(std::move(entry));
    }
    return list;
}

void print_drives(const Model& model, const Names& names) {
    if (!model.tendons.empty()) {
        const bool of_loops = model.tendons.back().loop >= 0;
        Table table({of_loops ? "tendon, joint of a loop" : "tendon", "type",
                     of_loops ? "length [m, rad]" : "length [m]", "range"},
                    {2});
        for (std::size_t i = 0; i < model.tendons.size(); ++i)
            table.add({names.tendons[i], std::string(tendon_kind(model.tendons[i])),
                       number_text(model.tendons[i].length0), range_text(model.tendons[i].range)});
        fmt::print("\n");
        table.print();
    }
    if (!model.actuators.empty()) {
        Table table({"actuator", "acts on", "", "activation", "control", "force"});
        for (std::size_t i = 0; i < model.actuators.size(); ++i) {
            const Model::Actuator& actuator = model.actuators[i];
            table.add({names.actuators[i], std::string(transmission_name(model, actuator)),
                       std::string(target_name(model, actuator, names)),
                       std::string(activation_name(actuator.activation)), range_text(actuator.ctrl_range),
                       range_text(actuator.force_range)});
        }
        fmt::print("\n");
        table.print();
    }
}

void add_drive_results(const Model& model, const DriveWorkspace<double>& drives, Json& out) {
    if (!model.tendons.empty()) out["tendon_length"] = drives.tendon_length;
    if (model.nu > 0) out["actuator_force"] = drives.actuator_force;
    if (model.na > 0) out["act_dot"] = drives.act_dot;
}

void print_drive_results(const Model& model, const Names& names, const DriveWorkspace<double>& drives,
                         std::span<const double> ctrl) {
    if (!model.tendons.empty()) {
        Table table({"tendon", "length", "velocity"}, {1, 2});
        for (std::size_t i = 0; i < model.tendons.size(); ++i)
            table.add({names.tendons[i], number_text(drives.tendon_length[i]),
                       number_text(drives.tendon_velocity[i])});
        fmt::print("\n");
        table.print();
    }
    if (model.nu > 0) {
        Table table({"actuator", "ctrl", "length", "velocity", "force", "act_dot"}, {1, 2, 3, 4, 5});
        for (int i = 0; i < model.nu; ++i) {
            const int act = model.actuators[i].act_adr;
            table.add({names.actuators[i], number_text(ctrl[i]), number_text(drives.actuator_length[i]),
                       number_text(drives.actuator_velocity[i]), number_text(drives.actuator_force[i]),
                       act < 0 ? "" : number_text(drives.act_dot[act])});
        }
        fmt::print("\n");
        table.print();
    }
}

}  // namespace lig::app
