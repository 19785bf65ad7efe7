// What this build has. Every topic is read from the list that the library itself runs on.

#include "app/commands.h"
#include "app/files/trajectory_files.h"
#include "app/json_output.h"
#include "app/run/option_arguments.h"
#include "app/table.h"
#include "bodies/body_list.h"
#include "constraints/row_kinds.h"
#include "formulations/formulation_list.h"
#include "formulations/impulse_solvers.h"
#include "formulations/option_text.h"
#include "formulations/promises.h"
#include "io/format_list.h"
#include "joints/joint_list.h"
#include "linalg/lcp_list.h"
#include "scenes/generator_list.h"
#include "shapes/shape_list.h"

#include <ligament/pair_kinds.h>

#include <fmt/format.h>

#include <cmath>

namespace lig::app {

namespace {

Json list_formulations() {
    Json list = Json::array();
    for (const auto& f : formulations::formulation_list)
        list.push_back({{"name", f.name}, {"summary", f.summary}});
    return list;
}

// The member of SimulationOptions, and which formulations have it.
Json list_options() {
    Json list = Json::array();
    const SimulationOptions defaults;
    for_all_options(defaults, [&](std::string_view owner, const auto& value, const auto&,
                                  const OptionInfo& info) {
        using Value = std::remove_cvref_t<decltype(value)>;
        std::vector<std::string_view> of;
        for (const auto& f : formulations::formulation_list)
            if (f.has(owner, info)) of.push_back(f.name);
        std::string range, sentence(info.sentence);
        if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
            range = fmt::format("{} {}", info.range.above ? ">" : "≥", info.range.least);
            if (info.range.largest < OptionRange().largest)
                range += fmt::format(", ≤ {}", info.range.largest);
        }
        if (const std::vector<std::string_view> words = choices_of(value, info); !words.empty()) {
            range = join(words);
            if (const std::size_t gap = sentence.find("{}"); gap != sentence.npos)
                sentence.replace(gap, 2, join_or({words.begin(), words.end()}));
        }
        list.push_back({{"name", fmt::format("{}{}{}", owner, owner.empty() ? "" : ".", info.name)},
                        {"flag", info.flag},
                        {"default", formulations::value_text(value)},
                        {"default_means", info.by_default},
                        {"range", range},
                        {"unit", info.unit},
                        {"of", of.size() == std::size(formulations::formulation_list) ? "all" : join(of)},
                        {"summary", sentence}});
    });
    return list;
}

Json list_joints() {
    Json list = Json::array();
    for (const joints::JointInfo& joint : joints::joint_list)
        list.push_back({{"name", joint.name},
                        {"nq", joint.nq},
                        {"nv", joint.nv},
                        {"rows", joint.rows},
                        {"summary", joint.summary}});
    return list;
}

Json list_bodies() {
    Json list = Json::array();
    for (const bodies::BodyInfo& body : bodies::body_list)
        list.push_back({{"name", body.name}, {"dimension", body.dim}, {"summary", body.summary}});
    return list;
}

Json list_shapes() {
    Json list = Json::array();
#define LIG_LIST_SHAPE(type, Shape) list.push_back({{"name", Shape::name}, {"sizes", Shape::size_count}});
    LIG_FOR_EACH_SHAPE(LIG_LIST_SHAPE)
#undef LIG_LIST_SHAPE
    return list;
}

Json list_formats() {
    Json list = Json::array();
    for (const io::Format& format : io::formats)
        list.push_back({{"name", format.name},
                        {"root", format.root},
                        {"written", format.write != nullptr},
                        {"summary", format.description}});
    return list;
}

Json list_scenes() {
    Json list = Json::array();
    for (const scenes::Generator* generator : scenes::generators) {
        std::vector<std::string_view> parameters;
        for (const scenes::Parameter& parameter : generator->parameters) parameters.push_back(parameter.name);
        list.push_back(
            {{"name", generator->name}, {"options", join(parameters)}, {"summary", generator->summary}});
    }
    return list;
}

Json list_constraints() {
    Json list = Json::array();
    const auto add = [&](const auto& kind, std::string_view bounds) {
        list.push_back({{"name", kind.name}, {"bounds", bounds}, {"summary", kind.summary}});
    };
    for (std::size_t k = 0; k < std::size(row_kind_list); ++k) {
        add(row_kind_list[k], row_kind_list[k].bounds);
        if (static_cast<RowKind>(k) != RowKind::pair) continue;
        for (const PairInfo& info : pair_list) add(info, row_kind_list[k].bounds);
    }
    return list;
}

Json list_surfaces() {
    Json list = Json::array();
    for (const SurfaceInfo& surface : surface_list)
        list.push_back({{"name", surface.name}, {"sizes", surface.sizes}, {"summary", surface.summary}});
    return list;
}

Json list_solvers() {
    Json list = Json::array();
    const auto add = [&](const auto& solver) {
        list.push_back({{"name", solver.name},
                        {"friction", name_of(solver.friction)},
                        {"summary", solver.summary}});
    };
    for (const formulations::ImpulseSolverInfo& solver : formulations::impulse_solver_list) add(solver);
    for (const LcpSolverInfo& solver : lcp_solver_list) add(solver);
    return list;
}

Json list_outputs() {
    Json list = Json::array();
    for (const OutputFormat& output : output_formats())
        list.push_back({{"name", output.ending}, {"there", output.there}, {"summary", output.summary}});
    return list;
}

Json list_promises() {
    Json list = Json::array();
    for (const formulations::Promises& promises : formulations::promise_table) {
        std::string name(promises.formulation);
        if (!promises.stepping.empty()) name += fmt::format(" --stepping {}", promises.stepping);
        Json row = {{"name", name}};
        for (std::size_t k = 0; k < formulations::promise_count; ++k)
            row[std::string(formulations::promise_kinds[k].name)] =
                std::isfinite(promises.most[k]) ? Json(promises.most[k]) : Json();
        list.push_back(std::move(row));
    }
    return list;
}

struct Topic {
    std::string_view name;
    Json (*list)();
};

constexpr Topic topics[] = {
    {"formulations", list_formulations},
    {"options", list_options},
    {"promises", list_promises},
    {"joints", list_joints},
    {"bodies", list_bodies},
    {"shapes", list_shapes},
    {"constraints", list_constraints},
    {"surfaces", list_surfaces},
    {"solvers", list_solvers},
    {"formats", list_formats},
    {"outputs", list_outputs},
    {"scenes", list_scenes},
};

std::string cell(const Json& value) {
    if (value.is_null()) return "-";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

void print_text(const Json& list) {
    std::vector<std::string> header;
    std::vector<int> right;
    for (const auto& [key, value] : list.front().items()) {
        if (value.is_number()) right.push_back(static_cast<int>(header.size()));
        header.push_back(key);
    }
    Table table(header, right);
    for (const Json& entry : list) {
        std::vector<std::string> cells;
        for (const Json& value : entry) cells.push_back(cell(value));
        table.add(std::move(cells));
    }
    table.print();
}

}  // namespace

Exit run_list(Arguments& arguments) {
    std::vector<std::string_view> names;
    for (const Topic& topic : topics) names.push_back(topic.name);
    std::string wanted;
    bool json = false;
    arguments.positional(wanted, "TOPIC", "{}").choice(names);
    arguments.flag(json, "--json", "print one JSON document");
    if (!arguments.parse()) return Exit::ok;

    for (const Topic& topic : topics) {
        if (topic.name != wanted) continue;
        const Json list = topic.list();
        if (json)
            print_json({{wanted, list}});
        else
            print_text(list);
        return Exit::ok;
    }
    const std::string suggestion = did_you_mean(wanted, names);
    throw Failure(Exit::usage, fmt::format("ligament list: there is no topic '{}'{}", wanted,
                                           suggestion.empty() ? "; there are: " + join(names) : suggestion));
}

}  // namespace lig::app
