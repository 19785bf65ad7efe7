// What steps promise: the table, and who looks whether a run keeps it.

#include "formulations/promises.h"
#include "formulations/formulation_list.h"

#include <ligament/load.h>

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::formulations;

namespace {

// A kilogram: at a millimetre per second it has half a microjoule.
std::shared_ptr<const Model> ball() {
    Diagnostics log;
    return compile(parse_scene("<mujoco><worldbody><body><freejoint/><geom size='0.1' mass='1'/></body>"
                               "</worldbody></mujoco>",
                               "ball.xml", {}, log),
                   log);
}

StepReport step(double time, double kinetic, double method) {
    StepReport report;
    report.time = time;
    report.energy.kinetic = kinetic;
    report.energy.method = method;
    return report;
}

std::size_t index_of(std::string_view name) {
    std::size_t k = 0;
    while (promise_kinds[k].name != name) ++k;
    return k;
}

}  // namespace

TEST_CASE("every formulation promises something, and the guard as much energy as it has by default") {
    for (const FormulationInfo& info : formulation_list) {
        const Promises& promises = promises_of({.formulation = std::string(info.name)});
        CHECK(promises.formulation == info.name);
        CHECK(promises.stepping.empty());
    }
    const Promises& of_crowds = promises_of({.stepping = Stepping::crowd});
    CHECK(of_crowds.formulation == "reduced");
    CHECK(of_crowds.stepping == "crowd");
    for (std::size_t k = 0; k < std::size(promise_table); ++k) {
        for (const double most : promise_table[k].most) CHECK(most >= 0);
        const double energy = promise_table[k].most[energy_promise];
        CHECK((energy == not_promised || energy == SimulationOptions().energy_guard));
    }
}

TEST_CASE("the largest value of steps that are ok counts, with its time") {
    PromiseWatch watch(*ball(), {.formulation = "multiplier"});
    CHECK(worst_of(watch.kept()) == nullptr);
    const std::size_t equalities = index_of("equalities"), contacts = index_of("contacts");
    StepReport report = step(0.1, 1, 0);
    report.equality_error = 1e-8;
    report.penetration = 0.002;
    watch.note(report, 0.1);
    CHECK(worst_of(watch.kept()) == &promise_kinds[contacts]);
    report = step(0.2, 1, 0);
    report.equality_error = 4e-7;
    watch.note(report, 0.1);
    report = step(0.3, 1, 0);
    report.penetration = 1;
    report.status = StepStatus::not_converged;
    watch.note(report, 0.1);
    const PromiseKept &equality = watch.kept()[equalities], &depth = watch.kept()[contacts];
    CHECK(equality.value == 4e-7);
    CHECK(equality.time == 0.2);
    CHECK(equality.is_missed());
    CHECK(equality.share() == doctest::Approx(4));
    CHECK(depth.value == 0.002);
    CHECK(depth.time == 0.1);
    CHECK(!depth.is_missed());
    CHECK(worst_of(watch.kept()) == &promise_kinds[equalities]);
}

TEST_CASE(
    "energy that the method makes is counted over steps, without what it loses again and what is removed") {
    const auto energy_of = [](const PromiseWatch& watch) { return watch.kept()[energy_promise]; };
    const std::shared_ptr<const Model> model = ball();
    const double idle = 0.5e-6, h = 1e-6;  // so short that nothing fades
    SUBCASE("it swings") {
        PromiseWatch watch(*model, {});
        for (int k = 0; k < 100; ++k) watch.note(step(k, 10, k % 2 == 0 ? 0.09 : -0.09), h);
        CHECK(energy_of(watch).value == doctest::Approx(0.009 - idle / 10).epsilon(1e-4));
        CHECK(!energy_of(watch).is_missed());
    }
    SUBCASE("it grows") {
        PromiseWatch watch(*model, {});
        for (int k = 0; k < 4; ++k) watch.note(step(k, 10, 0.05), h);
        CHECK(energy_of(watch).value == doctest::Approx(0.02).epsilon(1e-4));
        CHECK(energy_of(watch).time == 3);
        CHECK(energy_of(watch).is_missed());
    }
    SUBCASE("the guard takes it") {
        PromiseWatch watch(*model, {});
        for (int k = 0; k < 100; ++k) {
            StepReport report = step(k, 10, 0.09);
            report.energy.flows.removed = 0.09;
            watch.note(report, h);
        }
        CHECK(energy_of(watch).value == 0);
    }
    SUBCASE("without a guard there is no promise, but a figure") {
        PromiseWatch watch(*model, {.energy_guard = 0});
        // 5 of the 10 J were not in motion before.
        watch.note(step(1, 10, 5), h);
        CHECK(energy_of(watch).value == doctest::Approx(1).epsilon(1e-4));
        CHECK(!energy_of(watch).is_missed());
        CHECK(worst_of(watch.kept()) == nullptr);
    }
    SUBCASE("with another share the promise is that one") {
        PromiseWatch watch(*model, {.energy_guard = 0.001});
        CHECK(energy_of(watch).most == doctest::Approx(0.001));
    }
    SUBCASE("what rests makes nothing of rounding") {
        PromiseWatch watch(*model, {});
        StepReport report = step(1, 0, 1e-9);
        report.energy.before = report.energy.potential = 1e3;
        watch.note(report, h);
        CHECK(energy_of(watch).value == 0);
    }
}

// 20 J in motion; impacts take 0.2 J and the method makes 0.6 J, so that the energy would rise by 0.4 J. The
// guard leaves a hundredth of what moves, 0.2 J.
TEST_CASE("what the method loses counts over a second, and swings do not") {
    const auto model = ball();
    SimulationOptions options;
    options.formulation = "multiplier";
    const auto share_lost = [&](double loss, double swing) {
        PromiseWatch watch(*model, options);
        for (int k = 0; k < 1000; ++k) {
            watch.note(step(0.01 * k, 50, -loss + (k % 2 ? swing : -swing)), 0.01);
        }
        return watch.kept()[losses_promise];
    };
    // Over a long time a loss of P watts is worth P times the fading time.
    CHECK(share_lost(0.1, 0).value == doctest::Approx((10 - 0.0981) / 50).epsilon(0.02));
    CHECK(!share_lost(0.1, 0).is_missed());
    CHECK(share_lost(0.4, 0).is_missed());
    CHECK(share_lost(0, 5).value < 0.11);
    options.formulation = "implicit";
    CHECK(!share_lost(0.4, 0).is_missed());
}

TEST_CASE("what the guard has removed has not been made") {
    PromiseWatch watch(*ball(), {.formulation = "reduced"});
    StepReport report = step(0.01, 20.4 - 0.2, 0.6);
    report.energy.before = 20;
    report.energy.flows.impacts = 0.2;
    report.energy.flows.removed = 0.2;
    watch.note(report, 1e-9);
    CHECK(watch.kept()[energy_promise].value == doctest::Approx(0.01).epsilon(1e-3));
    CHECK_FALSE(watch.kept()[energy_promise].is_missed());
}
