#include "formulations/capabilities.h"

#include "constraints/equalities.h"
#include "formulations/formulation_list.h"
#include "formulations/option_text.h"
#include "formulations/rows/dense_impulses.h"
#include "model/named.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>

namespace lig::formulations {

namespace {

using Kind = Unsupported::Kind;

// Whether a geom is on a body that deforms and may touch others.
bool is_touchable(const Model& model, std::size_t index) {
    const Model::Geom& geom = model.geoms[index];
    const int link = model.bodies[geom.body].link;
    if (link < 0 || model.tree.links[link].stretch < 0 || !model.options.enabled.contact) return false;
    const auto names_it = [&](const Model::Pair& pair) {
        return pair.geom_a == static_cast<int>(index) || pair.geom_b == static_cast<int>(index);
    };
    return (geom.spec.collides && (geom.spec.contype != 0 || geom.spec.conaffinity != 0)) ||
           std::any_of(model.pairs.begin(), model.pairs.end(), names_it);
}

std::optional<Unsupported> find_one(const Model& model, Feature feature) {
    switch (feature) {
        case Feature::tendon_inertia:
            for (std::size_t t = 0; t < model.tendons.size(); ++t)
                if (const Model::Tendon& tendon = model.tendons[t]; tendon.armature > 0)
                    return Unsupported{
                        Kind::model,
                        tendon.loop < 0
                            ? "inertia of tendons, as " + named("tendon", tendon.name, t) + " has it"
                            : "armature of joints that close loops, as " +
                                  named("loop", model.loops[tendon.loop].name, tendon.loop) + " has it",
                        tendon.where};
            break;
        case Feature::massless_bodies:
            for (const Model::Body& body : model.bodies)
                if (body.link >= 0 && !(model.tree.links[body.link].inertia.mass > 0))
                    return Unsupported{Kind::model,
                                       "bodies without mass, as " + named(model, body) + " is",
                                       body.where};
            break;
        case Feature::deforming_bodies:
            for (const Model::Deforming& own : model.deforming)
                return Unsupported{Kind::model,
                                   "bodies that deform, as " + named(model, model.bodies[own.body]) + " does",
                                   model.bodies[own.body].where};
            break;
        case Feature::deforming_contacts:
            for (std::size_t g = 0; g < model.geoms.size(); ++g)
                if (const Model::Geom& geom = model.geoms[g]; is_touchable(model, g))
                    return Unsupported{Kind::model,
                                       "contacts of bodies that deform, as " +
                                           named("geom", geom.spec.name, g) + " would have them",
                                       geom.spec.where};
            break;
    }
    return std::nullopt;
}

// "'a', 'b'".
template <class Has>
std::string names_of_those(Has&& has) {
    std::string text;
    for (const FormulationInfo& info : formulation_list)
        if (has(info)) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", info.name);
    return text;
}

template <class Value>
std::string words_among(const Choices<Value>& choices) {
    std::string text;
    for (std::size_t k = 0; k < std::size(words_of(Value{})); ++k)
        if (choices.has(static_cast<Value>(k)))
            text += (text.empty() ? "" : ", ") + std::string(words_of(Value{})[k]);
    return text;
}

// The words of which a formulation has some.
std::string find_lacking_word(const Capabilities& can, const SimulationOptions& options) {
    std::string lacks;
    const auto ask = [&](const auto& choices, auto value, std::string_view name) {
        if (lacks.empty() && !choices.has(value))
            lacks = fmt::format("the {} {} (--{}); it has {}", name, word_of(value), name,
                                words_among(choices));
    };
    ask(can.coordinates, options.coordinates, "coordinates");
    ask(can.stepping, options.stepping, "stepping");
    ask(can.integrator, options.integrator, "integrator");
    ask(can.touching, options.touching, "touching");
    ask(can.impact, options.impact, "impact");
    ask(can.friction, options.friction, "friction");
    if (lacks.empty() && options.solver != automatic_solver && family_of(options.solver) != can.solvers)
        lacks = fmt::format("the solver '{}' (--solver); its own is '{}'", options.solver,
                            default_solver(can.solvers));
    return lacks;
}

Unsupported contradiction(std::string text) { return {Kind::contradiction, std::move(text)}; }

// Of options that all formulations share.
std::optional<Unsupported> find_contradiction(const SimulationOptions& options) {
    const bool by_lemke =
        options.friction == FrictionLaw::six_rows || options.friction == FrictionLaw::tangent;
    if ((options.solver == "lemke") != by_lemke)
        return contradiction(
            fmt::format("the solver '{}' and the friction {} exclude each other; six_rows and tangent are "
                        "laws of lemke, and its only ones",
                        options.solver, word_of(options.friction)));
    if (options.stepping == Stepping::smooth && options.impact != ImpactLaw::automatic)
        return contradiction(
            fmt::format("impact {} (--impact) and stepping smooth exclude each other: nothing is hit",
                        word_of(options.impact)));
    return std::nullopt;
}

// What a shared option is, in its word; empty for numbers.
std::string_view word_of_option(std::string_view name, const SimulationOptions& options) {
    std::string_view word;
    SimulationOptions::for_each([&](auto member, const OptionInfo& info) {
        using Value = std::remove_cvref_t<decltype(options.*member)>;
        if (info.name != name) return;
        if constexpr (std::is_enum_v<Value>) word = word_of(options.*member);
        if constexpr (std::is_same_v<Value, std::string>) word = options.*member;
    });
    return word;
}

template <class Value>
bool is_in_range(const Value& value, const OptionInfo& info) {
    if constexpr (std::is_same_v<Value, Softening>)
        return OptionRange{.above = true}.has(value.frequency) && info.range.has(value.damping_ratio);
    else if constexpr (std::is_arithmetic_v<Value>)
        return info.range.has(static_cast<double>(value));
    else
        return true;
}

std::string range_text(const OptionInfo& info) {
    const OptionRange& range = info.range;
    std::string text = fmt::format("{} {}", range.above ? "more than" : "at least", range.least);
    if (range.largest < OptionRange().largest) text += fmt::format(" and at most {}", range.largest);
    return text;
}

}  // namespace

std::string option_text(std::string_view owner, const OptionInfo& info) {
    return fmt::format("{}{}{}{}", owner, owner.empty() ? "" : ".", info.name,
                       info.flag.empty() ? "" : fmt::format(" ({})", info.flag));
}

std::optional<Unsupported> find_feature(const Model& model, const Choices<Feature>& features) {
    for (const Feature feature : all_features)
        if (features.has(feature))
            if (std::optional<Unsupported> found = find_one(model, feature)) return found;
    return std::nullopt;
}

std::optional<Unsupported> find_bounded_force(const Model& model, std::string_view with) {
    const auto find = [&](const auto& constraints) -> std::optional<Unsupported> {
        for (std::size_t k = 0; k < constraints.size(); ++k)
            if (const auto& constraint = constraints[k]; !constraint.is_equality())
                return Unsupported{
                    Kind::model,
                    fmt::format("constraints with a range of forces in steps with {}, as {} has it", with,
                                named("constraint", constraint.name, k)),
                    constraint.where};
        return std::nullopt;
    };
    const std::optional<Unsupported> of_pairs = find(model.pair_constraints);
    return of_pairs ? of_pairs : find(model.group_constraints);
}

std::optional<Unsupported> find_equality(const Model& model, std::string_view with) {
    const Equalities equalities(model);
    if (equalities.acting().empty()) return std::nullopt;
    const Equality& first = equalities.acting().front();
    return Unsupported{Kind::model,
                       fmt::format("loops, couplings and other equalities in steps with {}, as {} is one",
                                   with, Equalities::name_of(model, first.kind, first.source)),
                       Equalities::where_of(model, first.kind, first.source)};
}

void require_without(const Choices<Feature>& features, const Model& model) {
    if (const std::optional<Unsupported> found = find_feature(model, features))
        throw std::invalid_argument("lig: body coordinates do not have " + found->text);
}

bool FormulationInfo::ignores(std::string_view option) const {
    return std::ranges::find(can.unused, option) != can.unused.end();
}

bool FormulationInfo::has(std::string_view owner, const OptionInfo& info) const {
    return owner.empty() ? !ignores(info.name) : owner == can.own_options;
}

bool FormulationInfo::uses(std::string_view owner, const OptionInfo& info,
                           const SimulationOptions& options) const {
    return has(owner, info) && word_of_option(info.needs.option, options) == info.needs.word;
}

std::optional<Unsupported> FormulationInfo::find_unsupported(const Model& model,
                                                             const SimulationOptions& options) const {
    const auto lacking = [&](std::string_view what) {
        return fmt::format("the formulation '{}' does not have {}", name, what);
    };
    if (std::optional<Unsupported> found = find_feature(model, can.lacks)) {
        const std::string others = names_of_those(
            [&](const FormulationInfo& other) { return !find_feature(model, other.can.lacks); });
        found->text = lacking(found->text) + (others.empty() ? "" : "; try " + others);
        return found;
    }
    if (const std::string lacks = find_lacking_word(can, options); !lacks.empty())
        return Unsupported{Kind::option, lacking(lacks)};
    if (std::optional<Unsupported> found = find_contradiction(options)) return found;
    std::optional<Unsupported> found;
    for_all_options(options, [&](std::string_view owner, const auto& value, const auto& by_default,
                                 const OptionInfo& info) {
        if (found || value == by_default || uses(owner, info, options)) return;
        const std::string what = option_text(owner, info);
        const std::string others =
            names_of_those([&](const FormulationInfo& other) { return other.has(owner, info); });
        if (has(owner, info))
            found = contradiction(fmt::format("{} goes with {} {}, not with {}", what, info.needs.option,
                                              info.needs.word, word_of_option(info.needs.option, options)));
        else
            found = {Kind::option, fmt::format("the option {}; it is of {}", what, others)};
    });
    if (!found && (options.stepping == Stepping::event || options.stepping == Stepping::smooth))
        found = find_bounded_force(model, fmt::format("stepping {}", word_of(options.stepping)));
    if (!found && can.find_excluded) found = can.find_excluded(model, options);
    if (found && found->kind != Kind::contradiction) found->text = lacking(found->text);
    return found;
}

std::string find_bad_option(const SimulationOptions& options) {
    std::string bad;
    for_all_options(options, [&](std::string_view owner, const auto& value, const auto&,
                                 const OptionInfo& info) {
        if (bad.empty() && !is_in_range(value, info))
            bad = fmt::format("{} is {}; it has to be {}", option_text(owner, info), value_text(value),
                              range_text(info));
    });
    if (!bad.empty()) return bad;
    if (options.solver != automatic_solver && !find_impulse_solver(options.solver) &&
        !find_lcp_solver(options.solver))
        return "there is no solver '" + options.solver + "'; there are " + impulse_solver_names() + ", " +
               lcp_solver_names();
    return {};
}

}  // namespace lig::formulations
