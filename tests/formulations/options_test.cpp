// The lists of options, and what formulations make of each of them: an option is refused by name, or changes
// something. One that is added and used nowhere fails here.

#include "formulations/formulation_list.h"
#include "support/golden.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

using namespace lig;
using namespace lig::test;
using formulations::FormulationInfo;
using formulations::Unsupported;

namespace {

struct Anything {
    template <class T>
    operator T() const;
};
template <class T, class... Members>
consteval std::size_t count_members() {
    if constexpr (requires { T{Members{}..., Anything{}}; })
        return count_members<T, Members..., Anything>();
    else
        return sizeof...(Members);
}
template <class T>
std::size_t count_listed() {
    std::size_t count = 0;
    T::for_each([&](auto, const OptionInfo&) { ++count; });
    return count;
}

// Other values than the default, all of them where they are words.
std::vector<bool> others(bool value) { return {!value}; }
std::vector<Softening> others(const Softening& value) { return {{2 * value.frequency, value.damping_ratio}}; }
std::vector<std::string> others(const std::string& value) {
    if (value != formulations::automatic_solver) return {};  // the formulation itself
    return {"sweeps", "pgs", "lemke", "split-step", "soft-step", "classic"};
}
template <class Value>
std::vector<Value> others(const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
        std::vector<Value> values;
        for (std::size_t k = 0; k < std::size(words_of(value)); ++k)
            if (static_cast<Value>(k) != value) values.push_back(static_cast<Value>(k));
        return values;
    } else if constexpr (std::is_integral_v<Value>) {
        return {Value(1), value + Value(1)};
    } else {
        return value > 0 ? std::vector<Value>{value / 1000, value * 1e-9} : std::vector<Value>{1};
    }
}

std::string_view text_of(const std::string& value) { return value; }
template <class Value>
std::string_view text_of(const Value& value) {
    if constexpr (std::is_enum_v<Value>)
        return word_of(value);
    else
        return {};
}

// What has to be the case for an option to show: another option, or a stage on which it matters.
struct Setting {
    std::string_view option;
    void (*set)(SimulationOptions& options);
};
constexpr Setting settings[] = {
    {"tolerance",
     [](SimulationOptions& o) {
         if (o.formulation == "multiplier") o.integrator = SmoothIntegrator::rk45;
     }},
    {"seed",
     [](SimulationOptions& o) {
         o.friction = FrictionLaw::tangent;
         o.solver = "lemke";
     }},
    {"energy_guard",
     [](SimulationOptions& o) {
         if (o.formulation == "reduced") o.integrator = SmoothIntegrator::euler;
         if (o.formulation == "impulse") o.solver = "classic";
         if (o.formulation == "implicit") o.implicit = {.newton = 1, .geometric_stiffness = false};
     }},
    {"baumgarte", [](SimulationOptions& o) { o.integrator = SmoothIntegrator::rk4; }},
    {"penalty_frequency", [](SimulationOptions& o) { o.touching = Touching::penalty; }},
    {"penalty_dissipation", [](SimulationOptions& o) { o.touching = Touching::penalty; }},
    {"max_events", [](SimulationOptions& o) { o.stepping = Stepping::event; }},
    {"bias_factor", [](SimulationOptions& o) { o.solver = "classic"; }},
    {"contacts", [](SimulationOptions& o) { o.solver = "soft-step"; }},
    {"joints", [](SimulationOptions& o) { o.solver = "soft-step"; }},
    {"least_impulse",
     [](SimulationOptions& o) {
         o.solver = "classic";
         o.iterations = 50;
         o.accuracy = 1e-14;
     }},
};
// The solver and the law of friction that go together.
void settle(SimulationOptions& options) {
    const bool by_lemke =
        options.friction == FrictionLaw::six_rows || options.friction == FrictionLaw::tangent;
    if (by_lemke) options.solver = "lemke";
    if (options.solver == "lemke" && !by_lemke) options.friction = FrictionLaw::six_rows;
}
void prepare(std::string_view option, SimulationOptions& options) {
    for (const Setting& setting : settings)
        if (setting.option == option) setting.set(options);
}

std::vector<GoldenScene> stages() {
    std::vector<GoldenScene> chosen;
    for (GoldenScene& scene : gallery_scenes())
        for (const std::string_view name : {"limits", "cradle", "four_bar", "character", "constraint_list"})
            if (scene.name == name) {
                scene.step = 1.0 / 60;
                chosen.push_back(std::move(scene));
            }
    Diagnostics log;
    const auto add = [&](const char* name, const char* xml, int keyframe) {
        chosen.push_back({name, compile(parse_scene(xml, "stage.xml", {}, log)), keyframe});
    };
    // Three balls in a row, one of which is about to hit the others.
    add("row", R"(<mujoco><option gravity="0 0 0"/><worldbody>
        <body pos="-0.201 0 0"><freejoint/><geom size="0.1" mass="1" restitution="0.9"/></body>
        <body><freejoint/><geom size="0.1" mass="1" restitution="0.9"/></body>
        <body pos="0.2 0 0"><freejoint/><geom size="0.1" mass="1" restitution="0.9"/></body></worldbody>
        <keyframe><key qpos="-0.201 0 0 1 0 0 0 0 0 0 1 0 0 0 0.2 0 0 1 0 0 0"
        qvel="1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"/></keyframe></mujoco>)",
        0);
    // A rod that falls straight down onto its end: where it slides to is left to friction.
    add("rod", R"(<mujoco><worldbody><geom type="plane" size="9 9 1"/><body pos="0 0 0.46" euler="0 40 0">
        <freejoint/><geom type="capsule" size="0.05 0.5" mass="1"/></body></worldbody></mujoco>)",
        -1);
    // Nothing is touched, and much energy in motion.
    add("swing", R"(<mujoco><worldbody><body><joint axis="0 1 0"/>
        <geom size="0.1" pos="2 0 0" mass="3"/></body>
        </worldbody></mujoco>)",
        -1);
    // Pushed out of the floor.
    add("sunk", R"(<mujoco><worldbody><geom type="plane" size="9 9 1"/><body pos="0 0 0.05"><freejoint/>
        <geom type="box" size="0.1 0.1 0.1" mass="1"/></body></worldbody></mujoco>)",
        -1);
    // At rest, for what sleeps, beside arms that swing fast; nothing bounces, for penalties.
    add("rest", R"(<mujoco><worldbody><geom type="plane" size="9 9 1"/>
        <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
        <body pos="1 0 0.3"><freejoint/><geom size="0.1" mass="1"/></body>
        <body pos="9 0 5"><joint axis="0 1 0"/><geom size="0.1" pos="0.5 0 0"/>
        <body pos="1 0 0"><joint axis="0 1 0"/><geom size="0.1" pos="0.5 0 0"/></body></body></worldbody>
        <keyframe><key qpos="0 0 0.1 1 0 0 0 1 0 0.3 1 0 0 0 0 0" qvel="0 0 0 0 0 0 0 0 0 0 0 0 15 -9"/>
        </keyframe></mujoco>)",
        0);
    return chosen;
}

// Of all that a run lets the world see; empty: it is refused.
std::string seen_of(const GoldenScene& scene, const SimulationOptions& options, int steps) {
    std::optional<Simulation> sim;
    try {
        sim.emplace(scene.model, options);
    } catch (const std::invalid_argument&) {
        return {};
    }
    if (scene.keyframe >= 0) sim->reset(scene.keyframe);
    BitHash hash;
    for (int k = 0; k < steps; ++k) {
        const StepReport report = sim->step(scene.step);
        hash.add(sim->state().q);
        hash.add(sim->state().v);
        for (const int count : {static_cast<int>(report.status), report.substeps, report.rejected,
                                report.iterations, report.newton_iterations, report.guarded, report.sleeping})
            hash.add(static_cast<double>(count));
        double seconds = 0;
        for (const double stage : report.seconds) seconds += stage;
        hash.add(seconds > 0 ? 1.0 : 0.0);
        hash.add(report.momentum.flows.weight.lin.z != 0 ? 1.0 : 0.0);
        if (!was_taken(report)) break;
    }
    return hash.text();
}

bool changes_something(const std::vector<GoldenScene>& all, const SimulationOptions& plain,
                       const SimulationOptions& changed) {
    for (const int steps : {6, 60})
        for (const GoldenScene& scene : all) {
            if (steps > 6 && scene.name != "rest" && scene.name != "swing") continue;
            const std::string a = seen_of(scene, plain, steps), b = seen_of(scene, changed, steps);
            if (!a.empty() && !b.empty() && a != b) return true;
        }
    return false;
}

}  // namespace

TEST_CASE("options: every member is in the list of its struct") {
    SimulationOptions options;
    std::size_t structs = 0;
    for_each_option_struct(options, [&](std::string_view owner, auto& part) {
        using Struct = std::remove_cvref_t<decltype(part)>;
        CAPTURE(std::string(owner));
        ++structs;
        if (!owner.empty()) CHECK(count_members<Struct>() == count_listed<Struct>());
    });
    CHECK(count_members<SimulationOptions>() == count_listed<SimulationOptions>() + structs - 1);
}

TEST_CASE("options: names and flags are distinct, defaults within their ranges") {
    SimulationOptions options;
    CHECK(formulations::find_bad_option(options) == "");
    std::set<std::string_view> names, flags;
    for_all_options(options, [&](std::string_view owner, auto& value, const auto& by_default,
                                 const OptionInfo& info) {
        CAPTURE(std::string(info.name));
        CHECK(names.insert(info.name).second);
        if (!info.flag.empty()) CHECK(flags.insert(info.flag).second);
        CHECK(!info.sentence.empty());
        using Value = std::remove_cvref_t<decltype(value)>;
        if (!info.flag.empty()) CHECK(info.value.empty() == std::is_same_v<Value, bool>);
        if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
            CHECK(info.range.has(static_cast<double>(by_default)));
            if constexpr (std::is_floating_point_v<Value>) {
                for (const double bad : {info.range.least - 1, std::nan(""), HUGE_VAL}) {
                    value = bad;
                    CHECK(formulations::find_bad_option(options).find(info.name) != std::string::npos);
                }
            } else if constexpr (std::is_signed_v<Value>) {
                value = static_cast<Value>(info.range.least) - 1;
                CHECK(formulations::find_bad_option(options).find(info.name) != std::string::npos);
            }
            value = by_default;
        }
        CHECK(!formulations::option_text(owner, info).empty());
    });
}

TEST_CASE("options: each is refused by name or changes something, in every formulation") {
    const std::vector<GoldenScene> all = stages();
    const std::shared_ptr<const Model> model = all.back().model;
    for (const FormulationInfo& formulation : formulations::formulation_list) {
        SimulationOptions plain;
        plain.formulation = formulation.name;
        CHECK(!formulation.find_unsupported(*model, plain));
        SimulationOptions changed = plain;
        for_all_options(changed, [&](std::string_view owner, auto& value, const auto& by_default,
                                     const OptionInfo& info) {
            if (info.name == "formulation") return;
            CAPTURE(std::string(formulation.name));
            CAPTURE(formulations::option_text(owner, info));
            int accepted = 0;
            bool changes = false;
            using Value = std::remove_cvref_t<decltype(value)>;
            std::vector<Value> values = others(by_default);
            if constexpr (std::is_same_v<Value, double>)
                if (by_default > 0 && info.range.has(0)) values.push_back(0);
            for (const auto& other : values) {
                changed = plain;
                if (formulation.has(owner, info)) prepare(info.name, changed);
                const SimulationOptions without = changed;
                value = other;
                if (formulation.can.solvers == formulations::SolverFamily::rows) settle(changed);
                const std::optional<Unsupported> lack = formulation.find_unsupported(*model, changed);
                if (!lack) {
                    ++accepted;
                    changes = changes || changes_something(all, without, changed);
                    continue;
                }
                CHECK_THROWS_WITH_AS(Simulation(model, changed), doctest::Contains(lack->text.c_str()),
                                     std::invalid_argument);
                CHECK(lack->text.find(info.name) != std::string::npos);
            }
            changed = plain;
            // A number or a switch is one or the other. One word that says what `automatic` does is fine.
            const bool is_word = std::is_enum_v<Value> || std::is_same_v<Value, std::string>;
            if (!is_word) CHECK((accepted > 0) == formulation.has(owner, info));
            const int needed = is_word && text_of(by_default) == "automatic" ? 2 : 1;
            if (info.name == "threads") CHECK(!changes);
            if (info.name != "threads" && accepted >= needed) CHECK(changes);
        });
    }
}

TEST_CASE("timed: stages of smooth steps are measured in every formulation, none of them twice") {
    const std::vector<GoldenScene> all = stages();
    const auto swing = std::ranges::find(all, "swing", &GoldenScene::name);
    for (const FormulationInfo& formulation : formulations::formulation_list)
        for (const bool timed : {false, true}) {
            CAPTURE(std::string(formulation.name));
            SimulationOptions options;
            options.formulation = formulation.name;
            options.timed = timed;
            Simulation sim(swing->model, options);
            const auto begin = std::chrono::steady_clock::now();
            const StepReport report = sim.step(swing->step);
            const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
            double sum = 0;
            for (const double seconds : report.seconds) {
                CHECK(seconds >= 0);
                sum += seconds;
            }
            CHECK((sum > 0) == timed);
            CHECK(sum <= taken.count());
            if (!timed || !formulation.can.on_bodies || report.smooth_steps == 0) continue;
            for (const StepStage stage : {StepStage::assemble, StepStage::factor, StepStage::resolve})
                CHECK(report.seconds[static_cast<std::size_t>(stage)] > 0);
        }
}

// What a model may hold, and who has it.
TEST_CASE("capabilities: features of models by formulation") {
    const std::string tendon =
        R"(<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.5 0 0"/></body>
        </worldbody><tendon><fixed name="rope" ARMATURE><joint joint="j" coef="1"/></fixed></tendon>
        EQUALITY</mujoco>)";
    const auto with = [](std::string text, const std::string& what, const std::string& by) {
        return text.replace(text.find(what), what.size(), by);
    };
    struct Case {
        const char* name;
        std::string xml;
        std::vector<std::string_view> lacking;
        const char *words, *place;
    };
    const Case cases[] = {
        {"nothing of that", with(with(tendon, "ARMATURE", ""), "EQUALITY", ""), {}, "", ""},
        {"inertia of tendons",
         with(with(tendon, "ARMATURE", "armature=\"0.1\""), "EQUALITY", ""),
         {"multiplier", "implicit"},
         "tendon 'rope'",
         "m.xml:2:"},
        {"couplings of tendons",
         with(with(tendon, "ARMATURE", ""), "EQUALITY", "<equality><tendon tendon1=\"rope\"/></equality>"),
         {},
         "",
         ""},
        {"bodies without mass",
         R"(<mujoco><worldbody><body name="ghost"><joint axis="0 1 0"/>
         <body><joint axis="1 0 0"/><geom size="0.1" pos="0.5 0 0"/></body></body></worldbody></mujoco>)",
         {"multiplier", "implicit", "impulse"},
         "body 'ghost'",
         "m.xml:1:"},
    };
    for (const Case& one : cases) {
        Diagnostics log;
        const auto model = compile(parse_scene(one.xml, "m.xml", {}, log));
        for (const FormulationInfo& formulation : formulations::formulation_list) {
            CAPTURE(std::string(one.name));
            CAPTURE(std::string(formulation.name));
            SimulationOptions options;
            options.formulation = formulation.name;
            const std::optional<Unsupported> lack = formulation.find_unsupported(*model, options);
            const bool lacks = std::ranges::find(one.lacking, formulation.name) != one.lacking.end();
            REQUIRE(lack.has_value() == lacks);
            if (!lacks) {
                CHECK(Simulation(model, options).step(0.001).status == StepStatus::ok);
                continue;
            }
            CHECK(lack->kind == Unsupported::Kind::model);
            CHECK(lack->text.find("the formulation '" + options.formulation + "' does not have") == 0);
            CHECK(lack->text.find(one.words) != std::string::npos);
            CHECK(lack->text.find("try 'reduced'") != std::string::npos);
            CHECK(lack->where.to_string().find(one.place) == 0);
            CHECK_THROWS_WITH_AS(Simulation(model, options), doctest::Contains(lack->text.c_str()),
                                 std::invalid_argument);
        }
    }
}
