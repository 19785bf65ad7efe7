// Friction as Kokkevis 2004, 8.1, has it, in simulations: by six rows and along one tangent. Closed forms of
// a box on an incline and on the floor, with velocity steps.

#include "core/length.h"
#include "support/simulation_runs.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double slope = std::numbers::pi / 6, h = 1e-3;

// A box of 20 × 20 × 10 cm. The axes of friction are those of the world on the floor, along and across an
// incline that falls towards +x.
std::string box_on(const std::string& plane, const std::string& pose, double mu) {
    return "<mujoco><default><geom friction='" + std::to_string(mu) +
           " 0 0'/></default><worldbody><geom type='plane' size='0 0 1' " + plane + "/><body " + pose +
           "><freejoint name='root'/><geom type='box' size='0.1 0.1 0.05'/></body></worldbody></mujoco>";
}
std::string box_on_incline(double mu) {
    const double x = 0.05 * std::sin(slope), z = 0.05 * std::cos(slope);
    char pose[100];
    std::snprintf(pose, sizeof pose, "pos='%.17g 0 %.17g' euler='0 30 0'", x, z);
    return box_on("euler='0 30 0'", pose, mu);
}
std::string box_on_floor(double mu) { return box_on("", "pos='0 0 0.05'", mu); }

Simulation simulate(const std::string& xml, FrictionLaw friction, unsigned seed = 0, int iterations = 0) {
    return Simulation(model_of(xml), {.stepping = Stepping::velocity,
                                      .friction = friction,
                                      .seed = seed,
                                      .solver = "lemke",
                                      .iterations = iterations});
}

Vec3d downhill() { return {std::cos(slope), 0, -std::sin(slope)}; }

}  // namespace

TEST_CASE("six rows: a box slides down an incline with g (sin − μ cos), and sticks where μ suffices") {
    Simulation slides = simulate(box_on_incline(0.3), FrictionLaw::six_rows);
    run(slides, 0.5, h);
    const double a = gravity * (std::sin(slope) - 0.3 * std::cos(slope));
    CHECK(dot(velocity_of(slides), downhill()) == doctest::Approx(0.5 * a).epsilon(1e-6));
    CHECK(std::abs(velocity_of(slides).y) < 1e-9);

    Simulation sticks = simulate(box_on_incline(1.001 * std::tan(slope)), FrictionLaw::six_rows);
    const Vec3d before = position_of(sticks);
    run(sticks, 0.5, h);
    CHECK(length(position_of(sticks) - before) < 1e-9);
}

TEST_CASE("six rows: a sliding box is braked by μ g along the axes, by μ g/√2 along the diagonals") {
    const double mu = 0.4, speed = 1.5, time = 0.2;
    for (const double angle : {0.0, 0.25, 0.5, 0.75}) {
        const Vec3d d{std::cos(angle * std::numbers::pi), std::sin(angle * std::numbers::pi), 0};
        Simulation sim = simulate(box_on_floor(mu), FrictionLaw::six_rows);
        set_velocity(sim, speed * d);
        run(sim, time, h);
        const bool diagonal = angle == 0.25 || angle == 0.75;
        CAPTURE(angle);
        const double left = speed - mu * gravity * time / (diagonal ? std::numbers::sqrt2 : 1);
        CHECK(dot(velocity_of(sim), d) == doctest::Approx(left).epsilon(1e-6));
        CHECK(length(velocity_of(sim) - dot(velocity_of(sim), d) * d) < 1e-6);
    }
}

TEST_CASE("one tangent: sliding is braked by μ g, whatever its direction, and ends") {
    const double mu = 0.4, speed = 0.8, time = 0.15;
    for (const double angle : {0.0, 0.3, 1.0, 4.0}) {
        const Vec3d d{std::cos(angle), std::sin(angle), 0};
        Simulation sim = simulate(box_on_floor(mu), FrictionLaw::tangent);
        set_velocity(sim, speed * d);
        run(sim, time, h);
        CAPTURE(angle);
        CHECK(dot(velocity_of(sim), d) == doctest::Approx(speed - mu * gravity * time).epsilon(1e-6));
        CHECK(length(velocity_of(sim) - dot(velocity_of(sim), d) * d) < 1e-6);
        run(sim, 0.2, h);
        CHECK(length(velocity_of(sim)) < 1e-9);
    }
}

// The directions of the first step are drawn, so the box gives way for a few steps before it is held.
TEST_CASE("one tangent: a box on an incline slides or, after a first slip, sticks") {
    for (const unsigned seed : {0u, 1u, 2u, 3u}) {
        CAPTURE(seed);
        Simulation slides = simulate(box_on_incline(0.3), FrictionLaw::tangent, seed);
        run(slides, 0.1, h);
        const double first = dot(velocity_of(slides), downhill());
        run(slides, 0.4, h);
        const double a = gravity * (std::sin(slope) - 0.3 * std::cos(slope));
        CHECK(dot(velocity_of(slides), downhill()) - first == doctest::Approx(0.4 * a).epsilon(1e-4));
        CHECK(std::abs(first - 0.1 * a) < 2 * h * gravity);

        Simulation sticks = simulate(box_on_incline(1.2 * std::tan(slope)), FrictionLaw::tangent, seed);
        const Vec3d start = position_of(sticks);
        run(sticks, 0.1, h);
        CHECK(length(position_of(sticks) - start) < 20 * gravity * h * h);
        const Vec3d before = position_of(sticks);
        run(sticks, 0.5, h);
        CHECK(length(position_of(sticks) - before) < 1e-7);
    }
}

TEST_CASE(
    "one tangent: the same seed gives the same bits, another one other directions, and snapshots go on") {
    const auto velocities_after = [](unsigned seed, int steps) {
        Simulation sim = simulate(box_on_incline(0.3), FrictionLaw::tangent, seed);
        run(sim, steps * h, h);
        return sim.state().v;
    };
    CHECK(velocities_after(7, 5) == velocities_after(7, 5));
    CHECK(velocities_after(7, 1) != velocities_after(8, 1));

    Simulation sim = simulate(box_on_incline(0.7), FrictionLaw::tangent, 3);
    run(sim, 0.003, h);
    const Snapshot saved = sim.save();
    run(sim, 0.02, h);
    Simulation other = simulate(box_on_incline(0.7), FrictionLaw::tangent, 3);
    other.restore(saved);
    run(other, 0.02, h);
    CHECK(sim.state().q == other.state().q);
    CHECK(sim.state().v == other.state().v);
}

TEST_CASE("a solver that ends without a solution is replaced by name") {
    Simulation sim = simulate(box_on_incline(0.3), FrictionLaw::six_rows, 0, 1);
    const StepReport report = step_ok(sim, h);
    CHECK(report.fallbacks > 0);
    CHECK(report.fallback == "solver lemke ended with iteration_limit on 12 rows; nncg took over");
    const double a = gravity * (std::sin(slope) - 0.3 * std::cos(slope));
    run(sim, 0.1 - h, h);
    CHECK(dot(velocity_of(sim), downhill()) == doctest::Approx(0.1 * a).epsilon(1e-5));

    Simulation along = simulate(box_on_incline(0.3), FrictionLaw::tangent, 0, 1);
    CHECK(step_ok(along, h).fallback ==
          "solver lemke ended with iteration_limit on 12 rows; six_rows took over");
    Simulation enough = simulate(box_on_incline(0.3), FrictionLaw::six_rows);
    const StepReport good = step_ok(enough, h);
    CHECK(good.fallbacks == 0);
    CHECK(good.fallback.empty());
}

TEST_CASE("laws of friction and solvers that do not go together are refused") {
    const auto model = model_of(box_on_floor(0.5));
    CHECK_THROWS_WITH_AS(Simulation(model, {.solver = "lemke"}),
                         doctest::Contains("'lemke' and the friction cone exclude each other; six_rows"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(Simulation(model, {.friction = FrictionLaw::tangent}),
                         doctest::Contains("'automatic' and the friction tangent exclude each other"),
                         std::invalid_argument);
}
