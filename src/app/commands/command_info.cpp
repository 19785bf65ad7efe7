// What is in a model: counts, the tree of bodies with their joints, tendons, actuators, loops, couplings and
// keyframes; and how its actuators move joints through linkages.

#include "app/commands.h"
#include "app/dynamics/drive_output.h"
#include "app/dynamics/model_file.h"
#include "app/dynamics/sensor_output.h"
#include "app/dynamics/transmission_output.h"
#include "app/json_output.h"
#include "app/names.h"
#include "app/table.h"
#include "bodies/body_list.h"
#include "core/printable.h"
#include "core/rotation.h"
#include "joints/joint_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lig::app {

namespace {

// --- JSON --------------------------------------------------------------------------------------------------

Json joint_range(const Model::Joint& joint) {
    // As MJCF writes it: from no rotation to the largest.
    if (joint.type == JointType::ball) return joint.cone ? Json::array({0.0, *joint.cone}) : Json(nullptr);
    if (joint.type == JointType::free) return nullptr;
    if (joint.nq == 1) return to_json(joint.range[0]);
    Json ranges = Json::array();
    bool limited = false;
    for (int k = 0; k < joint.nq; ++k) {
        ranges.push_back(to_json(joint.range[k]));
        limited |= !ranges.back().is_null();
    }
    return limited ? ranges : Json(nullptr);
}

Json bodies_json(const Model& model, const Names& names) {
    Json list = Json::array();
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Model::Body& body = model.bodies[b];
        Json entry;
        entry["name"] = names.bodies[b];
        entry["parent"] = body.parent < 0 ? Json(nullptr) : Json(names.bodies[body.parent]);
        entry["parent_id"] = body.parent;
        entry["mass"] = body.mass;
        entry["com"] = to_json(body.com);
        entry["inertia"] = Json::array({body.inertia.xx, body.inertia.yy, body.inertia.zz, body.inertia.xy,
                                        body.inertia.xz, body.inertia.yz});
        entry["pos"] = to_json(body.X_WB0.p);
        entry["quat"] = to_json(quaternion(body.X_WB0.R));
        if (body.kinematic) entry["kinematic"] = true;
        if (body.kind != BodyKind::rigid) entry["kind"] = bodies::body_info(body.kind).name;
        list.push_back(std::move(entry));
    }
    return list;
}

Json joints_json(const Model& model, const Names& names) {
    Json list = Json::array();
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const Model::Joint& joint = model.joints[j];
        Json entry;
        entry["name"] = names.joints[j];
        entry["type"] = joints::joint_info(joint.type).name;
        entry["body"] = names.bodies[joint.body];
        if (joint.scene_joint < 0) entry["own"] = true;
        entry["qposadr"] = joint.q_adr;
        entry["dofadr"] = joint.v_adr;
        entry["range"] = joint_range(joint);
        if (joint.swing) entry["swing"] = *joint.swing;
        if (joint.twist) entry["twist"] = to_json(*joint.twist);
        entry["armature"] = joint.armature;
        entry["damping"] = joint.damping;
        entry["stiffness"] = joint.stiffness;
        if (joint.axis_spring) entry["axis_stiffness"] = to_json(joint.axis_spring->stiffness);
        entry["friction_loss"] = joint.friction_loss;
        list.push_back(std::move(entry));
    }
    return list;
}

Json info_json(const LoadedModel& loaded, const Names& names) {
    const Model& model = *loaded.model;
    Json out;
    out["name"] = model.name;
    out["nq"] = model.nq;
    out["nv"] = model.nv;
    out["nu"] = model.nu;
    out["na"] = model.na;
    out["nbody"] = model.bodies.size();
    out["njnt"] = model.joints.size();
    out["ngeom"] = model.geoms.size();
    out["nsite"] = model.sites.size();
    out["nsensor"] = model.sensors.size();
    out["nsensordata"] = reading_count(model);
    out["total_mass"] = model.total_mass;
    out["timestep"] = model.options.timestep;
    out["gravity"] = to_json(model.options.gravity);
    out["bodies"] = bodies_json(model, names);
    out["joints"] = joints_json(model, names);
    out["actuators"] = actuators_json(model, names);
    out["tendons"] = tendons_json(model, names);
    out["sensors"] = sensors_json(model);
    out["loops"] = Json::array();
    for (std::size_t k = 0; k < model.loops.size(); ++k) {
        const Model::Loop& loop = model.loops[k];
        out["loops"].push_back({{"name", names.loops[k]},
                                {"type", joints::joint_info(loop.type).name},
                                {"body_a", names.bodies[loop.body_a]},
                                {"body_b", names.bodies[loop.body_b]},
                                {"rows", loop.rows}});
    }
    out["loop_coordinates"] = loop_coordinate_names(model, names);
    out["loop_velocities"] = loop_velocity_names(model, names);
    out["constraints"] = Json::array();
    for (const Model::PairConstraint& pair : model.pair_constraints)
        out["constraints"].push_back({{"name", pair.name},
                                      {"type", pair.constraint->kind()},
                                      {"body_a", names.bodies[pair.body_a]},
                                      {"body_b", names.bodies[pair.body_b]},
                                      {"rows", pair.rows}});
    out["bushings"] = Json::array();
    for (const Model::Bushing& bushing : model.bushings)
        out["bushings"].push_back({{"name", bushing.name},
                                   {"body_a", names.bodies[bushing.body_a]},
                                   {"body_b", names.bodies[bushing.body_b]},
                                   {"stiffness", to_json(bushing.stiffness)},
                                   {"damping", to_json(bushing.damping)},
                                   {"turn_stiffness", to_json(bushing.turn_stiffness)},
                                   {"turn_damping", to_json(bushing.turn_damping)}});
    out["couplings"] = Json::array();
    for (const Model::Coupling& coupling : model.couplings) {
        const Json leader = coupling.leader < 0 ? Json() : Json(names.joints[coupling.leader]);
        out["couplings"].push_back({{"name", coupling.name},
                                    {"follower", names.joints[coupling.follower]},
                                    {"leader", leader},
                                    {"coefficients", to_json(coupling.coefficients)}});
    }
    out["sites"] = Json::array();
    for (std::size_t s = 0; s < model.sites.size(); ++s)
        out["sites"].push_back({{"name", names.sites[s]}, {"body", names.bodies[model.sites[s].body]}});
    out["keyframes"] = Json::array();
    for (const Model::Keyframe& key : model.keyframes)
        out["keyframes"].push_back({{"name", key.name}, {"time", key.time}});
    out["warnings"] = to_json(loaded.warnings);
    return out;
}

// --- text --------------------------------------------------------------------------------------------------

std::string range_text(const Range& range, std::string_view unit) {
    if (!std::isfinite(range.lower) && !std::isfinite(range.upper)) return "";
    return fmt::format("{} … {} {}", number_text(range.lower), number_text(range.upper), unit);
}

std::string limit_text(const Model::Joint& joint) {
    std::vector<std::string> parts;
    const joints::JointInfo& info = joints::joint_info(joint.type);
    for (int k = 0; k < std::min(joint.nq, 3); ++k)
        if (info.coordinate_kinds[k] != joints::Coordinate::quaternion && joint.type != JointType::free) {
            const bool angle = info.coordinate_kinds[k] == joints::Coordinate::angle;
            if (std::string text = range_text(joint.range[k], angle ? "rad" : "m"); !text.empty())
                parts.push_back(std::move(text));
        }
    if (joint.cone) parts.push_back(fmt::format("cone {} rad", number_text(*joint.cone)));
    if (joint.swing) parts.push_back(fmt::format("swing {} rad", number_text(*joint.swing)));
    if (joint.twist) parts.push_back("twist " + range_text(*joint.twist, "rad"));
    return fmt::format("{}", fmt::join(parts, ", "));
}

// Joints that a body has by its kind are marked with it.
std::string type_text(const Model& model, const Model::Joint& joint) {
    const std::string_view type = joints::joint_info(joint.type).name;
    if (joint.scene_joint >= 0) return std::string(type);
    return fmt::format("{} ({})", type, bodies::body_info(model.bodies[joint.body].kind).name);
}

std::string axis_text(const LoadedModel& loaded, int j) {
    const Model::Joint& joint = loaded.model->joints[j];
    const auto direction = [](const Vec3d& a) {
        return fmt::format("{} {} {}", number_text(a.x), number_text(a.y), number_text(a.z));
    };
    if (joint.scene_joint < 0) {
        const Model::Body& body = loaded.model->bodies[joint.body];
        const auto& own = bodies::body_info(body.kind).own_joints[j - body.joint_begin];
        const bool has_axis = own.type == JointType::slide || own.type == JointType::hinge;
        return has_axis ? direction(own.axis) + " of the world" : "";
    }
    const joints::Placement placement = joints::joint_info(joint.type).placement;
    if (placement == joints::Placement::body || placement == joints::Placement::point) return "";
    const JointSpec& spec = loaded.scene.joints()[joint.scene_joint].spec;
    switch (placement) {
        case joints::Placement::body:
        case joints::Placement::point: break;
        case joints::Placement::two_axes: return direction(spec.axis) + ", " + direction(spec.axis2);
        case joints::Placement::axis:
        case joints::Placement::normal: break;
    }
    return direction(spec.axis);
}

// One line per body, further lines for its second and later joints. Indentation stops growing at some depth,
// or a long chain would be printed in the square of its length.
void print_tree(const LoadedModel& loaded, const Names& names, bool all) {
    constexpr int deepest = 16;
    constexpr std::size_t max_lines = 200;
    const Model& model = *loaded.model;
    std::vector<int> depth(model.bodies.size(), 0);
    Table table({"body", "mass [kg]", "joint", "type", "axis", "range"}, {1});
    std::size_t left_out = 0;
    for (std::size_t b = 1; b < model.bodies.size(); ++b) {
        const Model::Body& body = model.bodies[b];
        depth[b] = body.parent == 0 ? 0 : depth[body.parent] + 1;
        if (!all && table.size() >= max_lines) {
            ++left_out;
            continue;
        }
        std::string name = std::string(2 * std::min(depth[b], deepest), ' ');
        if (depth[b] > deepest) name += fmt::format("({}) ", depth[b]);
        name += names.bodies[b];
        std::string mass = number_text(body.mass);
        if (body.joint_count == 0) table.add({name, mass, body.kinematic ? "(kinematic)" : "(fixed)"});
        for (int j = body.joint_begin; j < body.joint_begin + body.joint_count; ++j) {
            const Model::Joint& joint = model.joints[j];
            table.add({name, mass, names.joints[j], type_text(model, joint), axis_text(loaded, j),
                       limit_text(joint)});
            name.clear();
            mass.clear();
        }
    }
    table.print();
    if (left_out > 0) fmt::print("… and {} more bodies; --all shows them.\n", left_out);
}

void print_text(const LoadedModel& loaded, const Names& names, bool all) {
    const Model& model = *loaded.model;
    const Vec3d& g = model.options.gravity;
    fmt::print("{}\n\n", model.name.empty() ? "(without a name)" : printable(shortened(model.name, 200)));
    fmt::print("coordinates   {} (nq), velocities {} (nv)\n", model.nq, model.nv);
    fmt::print("bodies        {}, the world included\n", model.bodies.size());
    fmt::print("joints        {}\n", model.joints.size());
    if (model.nu > 0) fmt::print("actuators     {} (nu), {} with a state (na)\n", model.nu, model.na);
    const auto is_own = [](const Model::Tendon& tendon) { return tendon.loop < 0; };
    if (const auto tendons = std::count_if(model.tendons.begin(), model.tendons.end(), is_own); tendons > 0)
        fmt::print("tendons       {}\n", tendons);
    fmt::print("geoms         {}\n", model.geoms.size());
    fmt::print("sites         {}\n", model.sites.size());
    if (!model.sensors.empty())
        fmt::print("sensors       {}, {} numbers\n", model.sensors.size(), reading_count(model));
    fmt::print("total mass    {} kg\n", number_text(model.total_mass));
    fmt::print("gravity       {} {} {} m/s²\n", number_text(g.x), number_text(g.y), number_text(g.z));
    fmt::print("time step     {} s\n", number_text(model.options.timestep));
    fmt::print("warnings      {}\n", loaded.warnings.size());
    if (model.bodies.size() > 1) {
        fmt::print("\n");
        print_tree(loaded, names, all);
    }
    print_drives(model, names);
    if (!model.loops.empty()) {
        fmt::print("\n");
        Table table({"loop", "type", "between", "and"});
        for (std::size_t k = 0; k < model.loops.size(); ++k) {
            const Model::Loop& loop = model.loops[k];
            table.add({names.loops[k], std::string(joints::joint_info(loop.type).name),
                       names.bodies[loop.body_a], names.bodies[loop.body_b]});
        }
        table.print();
    }
    if (!model.pair_constraints.empty()) {
        fmt::print("\n");
        Table table({"constraint", "type", "between", "and"});
        for (const Model::PairConstraint& pair : model.pair_constraints)
            table.add({pair.name, std::string(pair.constraint->kind()), names.bodies[pair.body_a],
                       names.bodies[pair.body_b]});
        table.print();
    }
    if (!model.bushings.empty()) {
        fmt::print("\n");
        const auto axes = [](const Vec3d& a) {
            if (a.x == a.y && a.y == a.z) return number_text(a.x);
            return fmt::format("{} {} {}", number_text(a.x), number_text(a.y), number_text(a.z));
        };
        Table table({"bushing", "between", "and", "stiffness", "damping", "turn stiffness", "turn damping"});
        for (const Model::Bushing& bushing : model.bushings)
            table.add({bushing.name, names.bodies[bushing.body_a], names.bodies[bushing.body_b],
                       axes(bushing.stiffness), axes(bushing.damping), axes(bushing.turn_stiffness),
                       axes(bushing.turn_damping)});
        table.print();
    }
    if (!model.couplings.empty()) {
        fmt::print("\n");
        Table table({"coupled joint", "follows", "polynomial"});
        for (const Model::Coupling& coupling : model.couplings) {
            std::vector<std::string> terms;
            for (const double c : coupling.coefficients) terms.push_back(number_text(c));
            table.add({names.joints[coupling.follower],
                       coupling.leader < 0 ? "nothing" : names.joints[coupling.leader],
                       fmt::format("{}", fmt::join(terms, " "))});
        }
        table.print();
    }
    if (!model.keyframes.empty()) {
        std::vector<std::string> keys;
        for (const Model::Keyframe& key : model.keyframes)
            keys.push_back(key.name.empty() ? "(without a name)" : key.name);
        fmt::print("\nkeyframes: {}\n", fmt::join(keys, ", "));
    }
}

}  // namespace

Exit run_info(Arguments& arguments) {
    ModelOptions options;
    bool json = false, all = false, transmissions = false;
    std::string key, curves_path;
    options.declare(arguments);
    arguments.flag(all, "--all", "show the whole tree, however long");
    arguments.flag(transmissions, "--transmissions",
                   "show instead how actuators move joints through linkages, over their range");
    arguments.option(key, "--key", "NAME", "with --transmissions: start from a keyframe").keyframe();
    arguments
        .option(curves_path, "--curves", "FILE", "with --transmissions: write the curves as .csv or .svg")
        .file({".csv", ".svg"});
    arguments.flag(json, "--json", "print one JSON document");
    if (!arguments.parse()) return Exit::ok;
    if (!transmissions && !(key.empty() && curves_path.empty()))
        throw Failure(Exit::usage, fmt::format("ligament info: {} goes with --transmissions",
                                               key.empty() ? "--curves" : "--key"));

    const LoadedModel loaded = load_model(options);
    const Names names(*loaded.model);
    if (transmissions) {
        const std::vector<TransmissionCurve> curves = find_transmissions(loaded, names, key);
        if (!curves_path.empty()) write_transmissions(curves_path, *loaded.model, names, curves);
        if (json)
            print_json({{"transmissions", transmissions_json(*loaded.model, names, curves)}});
        else
            print_transmissions(*loaded.model, names, curves);
    } else if (json) {
        print_json(info_json(loaded, names));
    } else {
        print_text(loaded, names, all);
    }
    return Exit::ok;
}

}  // namespace lig::app
