#include "app/recording/recorded_settings.h"

#include "app/recording/old_names.h"
#include "app/run/run_choices.h"
#include "formulations/formulation_list.h"

#include <ligament/config.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <type_traits>

namespace lig::app {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

// To and from JSON, by the same list of names. JSON has no infinities and the like: such a number is null.
// `later`: of what older programs did not write yet.
struct ToJson {
    Json& out;

    template <class T>
    void operator()(std::string_view name, const T& value) {
        if constexpr (std::is_enum_v<T>)
            out[std::string(name)] = word_of(value);
        else if constexpr (std::is_same_v<T, Softening>)
            out[std::string(name)] = {value.frequency, value.damping_ratio};
        else
            out[std::string(name)] = value;
    }
    template <class T>
    void later(std::string_view name, const T& value) {
        (*this)(name, value);
    }
};

struct FromJson {
    const Json& in;

    template <class T>
    void operator()(std::string_view name, T& value) {
        const Json& found = in.at(std::string(name));
        if constexpr (std::is_enum_v<T>) {
            const auto& words = words_of(value);
            const auto word = std::ranges::find(words, found.get<std::string>());
            if (word == std::end(words))
                refuse(fmt::format("'{}' is '{}', which this program does not know", name,
                                   found.get<std::string>()));
            value = static_cast<T>(word - std::begin(words));
        } else if constexpr (std::is_same_v<T, Softening>) {
            value = {found.at(0).get<double>(), found.at(1).get<double>()};
        } else if constexpr (std::is_floating_point_v<T>) {
            value = found.is_null() ? std::numeric_limits<T>::quiet_NaN() : found.get<T>();
        } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            const bool is_whole = found.is_number_integer();
            if (!is_whole) refuse(fmt::format("'{}' is not a whole number", name));
            value = found.get<T>();
        } else {
            value = found.get<T>();
        }
    }
    template <class T>
    void later(std::string_view name, T& value) {
        if (in.contains(name)) (*this)(name, value);
    }
};

Json options_json(const SimulationOptions& options) {
    Json out;
    for_all_options(options, [&](std::string_view owner, const auto& value, const auto&,
                                 const OptionInfo& info) {
        ToJson{owner.empty() ? out : out[std::string(owner)]}(info.name, value);
    });
    return out;
}

// Programs before options had owners wrote most of them side by side, some under other names, and took what
// the formulation ignored: that is left at its default.
Json with_owners(Json options) {
    if (options.contains("multiplier")) return options;
    options["event"]["max_events"] = options.at("most_events");
    for (const char* kind : {"contact", "joint"})
        options.at("impulse")[std::string(kind) + "s"] = {
            options.at("impulse").at(std::string(kind) + "_frequency"),
            options.at("impulse").at(std::string(kind) + "_damping_ratio")};
    const SimulationOptions defaults;
    for_all_options(defaults, [&](std::string_view owner, const auto&, const auto&, const OptionInfo& info) {
        const std::string name(info.name);
        if (!owner.empty() && options.contains(name)) options[std::string(owner)][name] = options.at(name);
    });
    return options;
}

void forget_unused(SimulationOptions& options) {
    const formulations::FormulationInfo* const formulation =
        formulations::find_formulation(options.formulation);
    if (!formulation) return;
    for_all_options(options, [&](std::string_view owner, auto& value, const auto& by_default,
                                 const OptionInfo& info) {
        if (!formulation->uses(owner, info, options)) value = by_default;
    });
}

SimulationOptions options_from(const Json& document) {
    SimulationOptions options;
    options.energy_guard = 0;  // programs that do not tell had none
    const bool is_old = !document.contains("multiplier");
    Json all = with_owners(with_present_names(document));
    all["multiplier"] = with_present_names(all.at("multiplier"));
    for_all_options(options, [&](std::string_view owner, auto& value, const auto&, const OptionInfo& info) {
        FromJson{owner.empty() ? all : all.at(std::string(owner))}.later(info.name, value);
    });
    if (is_old) forget_unused(options);
    return options;
}

template <class Settings, class Visit>
void for_each_setting(Settings& settings, Visit visit) {
    visit("dt", settings.dt);
    visit("duration", settings.duration);
    visit("every", settings.every);
    visit("fixed", settings.fixed);
    visit("stepping_asked_for", settings.stepping_asked_for);
    visit("tracks", settings.tracks);
}

template <class Contents, class Visit>
void for_each_content(Contents& contents, Visit visit) {
    auto& [wrenches, contacts, figures, sensors, loops, tracking, ledger, momentum_ledger, replay] = contents;
    visit("wrenches", wrenches);
    visit("contacts", contacts);
    visit("figures", figures);
    visit("tracking", tracking);
    visit.later("sensors", sensors);
    visit.later("loops", loops);
    visit.later("ledger", ledger);
    visit.later("momentum_ledger", momentum_ledger);
    visit("replay", replay);
}

template <class Summary, class Visit>
void for_each_figure(Summary& summary, Visit visit) {
    auto& [status, totals, steps, not_converged, too_many_events, fallback, contacts, simulated_time,
           wall_time, energy_start, energy_end, energy_lowest, energy_max_rise, energy_max_drift, ledger,
           momentum, promises, stage_seconds, tracking] = summary;
    (void)tracking;
    visit("status", status);
    visit("steps", steps);
    for (std::size_t k = 0; k < std::size(step_counts); ++k)
        if (step_counts[k].is_sum || !step_counts[k].told_as.empty())
            visit.later(step_counts[k].name, totals.counts[k]);
    for (std::size_t k = 0; k < std::size(step_errors); ++k)
        visit.later(step_errors[k].name, totals.errors[k]);
    visit("not_converged", not_converged);
    visit("too_many_events", too_many_events);
    visit("fallback", fallback);
    visit("contacts", contacts);
    visit("simulated_time", simulated_time);
    visit("wall_time", wall_time);
    visit("energy_start", energy_start);
    visit("energy_end", energy_end);
    visit("energy_lowest", energy_lowest);
    visit("energy_max_rise", energy_max_rise);
    visit("energy_max_drift", energy_max_drift);
    for (const EnergyFlow& flow : energy_flows) visit.later(flow.name, ledger.flows.*flow.value);
    visit.later(method_energy_name, ledger.method);
    visit.later("energy_in_motion", ledger.moving);
    const auto visit_momentum = [&](std::string_view name, auto& sum) {
        const auto visit_vector = [&](std::string_view prefix, auto& v) {
            const std::string full = prefixed(prefix, name);
            visit.later(full + ".x", v.x);
            visit.later(full + ".y", v.y);
            visit.later(full + ".z", v.z);
        };
        visit_vector(linear_prefix, sum.lin);
        visit_vector(angular_prefix, sum.ang);
    };
    for (const MomentumFlow& flow : momentum_flows) visit_momentum(flow.name, momentum.flows.*flow.value);
    visit_momentum(method_momentum_name, momentum.method);
    visit.later("momentum_drift", momentum.max_made);
    visit.later("angular_momentum_drift", momentum.max_turned);
    for (std::size_t k = 0; k < promises.size(); ++k) {
        const std::string name(formulations::promise_kinds[k].name);
        visit.later(name + "_kept", promises[k].value);
        visit.later(name + "_promised", promises[k].most);
        visit.later(name + "_kept_at", promises[k].time);
    }
    visit("stage_seconds", stage_seconds);
}

template <class Totals, class Visit>
void for_each_total(Totals& totals, Visit visit) {
    auto& [samples, freedoms, largest_error, sum, largest_force] = totals;
    visit("samples", samples);
    visit("freedoms", freedoms);
    visit("largest_error", largest_error);
    visit("sum", sum);
    visit("largest_force", largest_force);
}

// As `run` has it from its options.
void check_times(const RunSettings& settings) {
    const double dt = settings.dt, duration = settings.duration, every = settings.every;
    if (!(dt > 0) || !(every > 0) || !(duration >= 0) || every / dt > 1e9 || duration / every > 1e15)
        refuse("its times make no sense");
}

}  // namespace

std::string program_version() {
    return fmt::format("ligament {}.{}.{}", version_major, version_minor, version_patch);
}

Json RecordedSettings::json() const {
    Json document{{"program", program},
                  {"command_line", command_line},
                  {"fingerprint", fmt::format("{:016x}", fingerprint)},
                  {"integrator", settings.integrator}};
    for_each_setting(settings, ToJson{document});
    document["options"] = options_json(settings.simulation);
    for_each_content(contents, ToJson{document["contents"]});
    return document;
}

RecordedSettings RecordedSettings::from_json(const Json& document) {
    RecordedSettings result;
    result.program = document.at("program").get<std::string>();
    result.command_line = document.at("command_line").get<std::string>();
    const std::string digits = document.at("fingerprint").get<std::string>();
    const char* const end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, result.fingerprint, 16).ptr != end)
        refuse("the fingerprint of its model is no number");
    result.contents.ledger = result.contents.loops = false;  // programs that do not tell had none
    RunSettings& settings = result.settings;
    for_each_setting(settings, FromJson{document});
    check_times(settings);
    settings.simulation = options_from(document.at("options"));
    for_each_content(result.contents, FromJson{document.at("contents")});
    const std::string word = document.at("integrator").get<std::string>();
    for (const Integrator& integrator : integrators)
        if (integrator.name == word) settings.integrator = integrator.name;
    if (settings.integrator.empty())
        refuse(fmt::format("this program does not know its integrator '{}'", word));
    return result;
}

Json layout_json(const TrajectoryLayout& layout) {
    Json arrays = Json::array();
    for (const TrajectoryBlock& block : layout.blocks)
        arrays.push_back({{"name", block.name},
                          {"shape", block.shape},
                          {"begin", block.begin},
                          {"columns", block.columns}});
    Json names = Json::object();
    for (const auto& [name, list] : layout.name_lists) names[name] = list;
    return {{"model", layout.title},
            {"columns", layout.row_size},
            {"arrays", std::move(arrays)},
            {"names", std::move(names)},
            {"geoms", layout.geoms}};
}

bool is_layout(const TrajectoryLayout& layout, Json recorded) {
    if (!recorded.contains("arrays")) return false;
    for (Json& array : recorded["arrays"]) {
        const std::string name = array.at("name").get<std::string>(), now = present_name(name);
        if (now == name) continue;
        array["name"] = now;
        array["columns"] = Json::array({now});
    }
    return recorded == layout_json(layout);
}

Json RecordedEnd::json() const {
    Json document{{"message", message}, {"samples", samples}};
    for_each_figure(summary, ToJson{document});
    const TrackingFigures::Totals totals = summary.tracking.totals();
    for_each_total(totals, ToJson{document["tracking"]});
    return document;
}

RecordedEnd RecordedEnd::from_json(const Json& recorded, const Model& model) {
    const Json document = with_present_names(recorded);
    RecordedEnd end{RunSummary(model), document.at("message").get<std::string>(),
                    document.at("samples").get<std::size_t>()};
    for_each_figure(end.summary, FromJson{document});
    end.summary.status = present_name(end.summary.status);
    TrackingFigures::Totals totals{};
    for_each_total(totals, FromJson{document.at("tracking")});
    end.summary.tracking = TrackingFigures(model, totals);
    return end;
}

}  // namespace lig::app
