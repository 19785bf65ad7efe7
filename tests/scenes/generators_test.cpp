// What holds for every generated scene. What each of them is, tests/app/generate_test.py computes by itself.

#include "scenes/generator_list.h"

#include "support/model_compare.h"
#include "support/passive_run.h"

#include <ligament/dynamics.h>
#include <ligament/load.h>
#include <ligament/save.h>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

using namespace lig;
using namespace lig::test;
using scenes::Generator;
using scenes::Parameter;
using scenes::Setting;

namespace {

void check_scene(const Scene& scene) {
    Diagnostics log;
    log.set_strict(true);
    const std::shared_ptr<const Model> model = compile(scene, log);
    CHECK(log.all().empty());
    const std::shared_ptr<const Model> again = compile(parse_scene(write_mjcf(scene), "s.xml", {}, log), log);
    CHECK(log.all().empty());
    CHECK(ModelComparison(*model, *again).first_difference() == "");
}

std::string refusal(const Generator& generator, const Setting& setting) {
    try {
        scenes::generate(generator, {&setting, 1});
    } catch (const std::invalid_argument& error) { return error.what(); }
    return "";
}

}  // namespace

TEST_CASE("scenes: all compile without a word and are written whole, as usual and as small as can be") {
    for (const Generator* generator : scenes::generators) {
        CAPTURE(generator->name);
        check_scene(scenes::generate(*generator, {}));
        std::vector<Setting> least;
        for (const Parameter& parameter : generator->parameters)
            least.push_back({parameter.name, parameter.least});
        check_scene(scenes::generate(*generator, least));
    }
}

TEST_CASE("scenes: names are used once, parameters have sound bounds") {
    std::set<std::string_view> names;
    for (const Generator* generator : scenes::generators) {
        CAPTURE(generator->name);
        CHECK(names.insert(generator->name).second);
        std::set<std::string_view> parameters;
        for (const Parameter& parameter : generator->parameters) {
            CHECK(parameters.insert(parameter.name).second);
            CHECK(parameter.least <= parameter.fallback);
            CHECK(parameter.fallback <= parameter.most);
        }
    }
}

TEST_CASE("scenes: what is out of bounds is refused by name") {
    constexpr double inf = std::numeric_limits<double>::infinity();
    for (const Generator* generator : scenes::generators) {
        CAPTURE(generator->name);
        for (const Parameter& parameter : generator->parameters) {
            for (const double value : {std::nextafter(parameter.least, -inf), parameter.most * 2, -inf, inf,
                                       std::numeric_limits<double>::quiet_NaN()})
                CHECK(refusal(*generator, {parameter.name, value}).find(parameter.name) != std::string::npos);
            if (parameter.whole)
                CHECK(refusal(*generator, {parameter.name, 1.5}).find("whole") != std::string::npos);
        }
        CHECK(refusal(*generator, {"colour", 1}).find("no parameter 'colour'") != std::string::npos);
    }
    const Setting settings[] = {{"count", 3}, {"loops", 4}};
    CHECK_THROWS_AS(scenes::generate(scenes::loops, settings), std::invalid_argument);
}

TEST_CASE("scenes: loops are closed at the start, and stay so") {
    // Many, with few and with many closures, and such that the links cannot move at all.
    for (const auto& [count, loops] : {std::pair{1000, 100}, {1000, 10}, {100, 30}, {50, 50}, {3, 1}}) {
        CAPTURE(count);
        CAPTURE(loops);
        const Setting settings[] = {{"count", static_cast<double>(count)},
                                    {"loops", static_cast<double>(loops)}};
        const std::shared_ptr<const Model> model = compile(scenes::generate(scenes::loops, settings));
        REQUIRE(model->loops.size() == static_cast<std::size_t>(loops));
        Workspace<double> ws(model);
        const JointState<double> start = keyframe_state(*model, 0);
        const auto residuals = [&](double t) {
            JointState<double> state = start;
            for (std::size_t j = 0; j < state.q.size(); ++j) state.q[j] += t * state.v[j];
            forward_kinematics(state, ws);
            std::vector<double> all(3 * static_cast<std::size_t>(loops));
            for (int c = 0; c < loops; ++c) loop_residual(ws, c, std::span(all).subspan(3 * c, 3));
            return all;
        };
        // Sums over the links between the ends of a loop, each rounded.
        const double rounding = 1e-15 * std::max(count / loops, 10);
        for (const double residual : residuals(0)) CHECK(std::abs(residual) < rounding);
        // Central differences: what is left is of the order of t² and of rounding over t.
        const double t = 1e-5;
        const std::vector<double> before = residuals(-t), after = residuals(t);
        for (std::size_t r = 0; r < before.size(); ++r)
            CHECK(std::abs(after[r] - before[r]) / (2 * t) < rounding / t + 1e3 * t * t);
    }
}

TEST_CASE("scenes: random ones start closed, within their limits and apart, and are written whole") {
    std::set<std::string> parts;
    int moving = 0, looped = 0;
    for (int seed = 0; seed < 100; ++seed) {
        CAPTURE(seed);
        const Setting setting{"seed", static_cast<double>(seed)};
        const Scene scene = scenes::generate(scenes::random_scene, {&setting, 1});
        check_scene(scene);
        const std::shared_ptr<const Model> model = compile(scene);
        for (const Model::Body& body : model->bodies)
            parts.insert(body.name.substr(0, body.name.find_first_of("0123456789_")));
        StateErrors errors(model);
        Simulation sim(model);
        sim.reset(0);
        const JointState<double> start = sim.state();
        PassiveRun at_start;
        errors.measure(sim, at_start);
        CHECK(at_start.equality_error < 1e-14);
        CHECK(at_start.depth < 1e-9);
        CHECK(at_start.limit == 0);

        // On along the velocities loops open by O(t²) only.
        double speed = 0;
        for (const double v : start.v) speed = std::max(speed, std::abs(v));
        moving += speed > 0;
        const bool closes =
            !model->loops.empty() || !model->pair_constraints.empty() || !model->couplings.empty();
        looped += closes;
        if (!closes) continue;
        const double t = 1e-6;
        Workspace<double> ws(model);
        JointState<double> later = start;
        integrate<double>(ws, start.q, start.v, t, later.q);
        sim.set_state(later);
        PassiveRun on;
        errors.measure(sim, on);
        CHECK(on.equality_error < 1e-13 + 10 * t * t * speed * speed);
    }
    MESSAGE(moving, " of 100 move, ", looped, " have loops");
    CHECK(moving > 30);
    CHECK(moving < 70);
    CHECK(looped > 40);
    for (const char* part : {"tree", "pinned", "rope", "hanging", "draped", "ring", "cranks", "mesh", "heap",
                             "hand", "telescope", "truss", "tether", "flying"}) {
        CAPTURE(part);
        CHECK(parts.count(part) == 1);
    }
}
