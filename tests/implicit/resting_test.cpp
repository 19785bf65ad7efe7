// Faces with more corners than a manifold has points, and round rims, come to rest on penalties.

#include "core/length.h"
#include "support/implicit_runs.h"
#include "support/simulation_scenes.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double pi = std::numbers::pi;

// Dropped from 1 cm with a tilt of 2° and 3°, of 1 kg.
Simulation dropped(const std::string& floor, const std::string& geom, double height, int corners = 3) {
    std::string vertices;
    for (const double z : {-0.1, 0.1})
        for (int k = 0; k < corners; ++k) {
            const double angle = 2 * pi * k / corners + 0.1;
            vertices += fmt::format("{:.17g} {:.17g} {} ", 0.15 * std::cos(angle), 0.15 * std::sin(angle), z);
        }
    SimulationOptions options = implicit_options();
    options.touching = Touching::penalty;
    return Simulation(
        model_of(fmt::format("<mujoco><default><geom friction='1 0 0'/></default><asset>"
                             "<mesh name='prism' vertex='{}'/></asset><worldbody>{}"
                             "<body pos='0 0 {}' euler='2 3 0'><freejoint name='root'/>{}</body></worldbody>"
                             "</mujoco>",
                             vertices, floor, height + 0.01, geom)),
        options);
}
const std::string prism = "<geom type='mesh' mesh='prism' mass='1'/>";
const std::string plane = "<geom type='plane' size='0 0 1'/>",
                  table = "<geom type='box' size='1 1 .5' pos='0 0 -.5'/>";

void check_rest(Simulation& sim, double dt) {
    int solves = 0, steps = 0;
    run(sim, 3, dt);
    const std::vector<double> q = sim.state().q;
    run(sim, 1, dt, [&](const StepReport& report) {
        solves += report.newton_iterations;
        ++steps;
        CHECK(report.penetration < 5e-5);
    });
    for (const double v : sim.state().v) CHECK(std::abs(v) < 1e-9);
    for (std::size_t k = 0; k < q.size(); ++k) CHECK(std::abs(sim.state().q[k] - q[k]) < 1e-9);
    CHECK(solves == steps);
    // Weight, and nothing else.
    const Vec3d force = contact_force_on(sim, 1);
    CHECK(length(force - Vec3d{0, 0, gravity}) < 1e-6);
}

}  // namespace

TEST_CASE("implicit penalties: prisms of any number of sides come to rest") {
    for (const int corners : {3, 5, 6, 7, 12})
        for (const std::string& floor : {plane, table})
            for (const double rate : {60.0, 1000.0}) {
                CAPTURE(corners);
                CAPTURE(floor);
                CAPTURE(rate);
                Simulation sim = dropped(floor, prism, 0.1, corners);
                check_rest(sim, 1 / rate);
            }
}

TEST_CASE("implicit penalties: cylinders and coins come to rest on a plane") {
    for (const double rate : {60.0, 240.0}) {
        CAPTURE(rate);
        Simulation coin = dropped(plane, "<geom type='cylinder' size='.2 .02' mass='1'/>", 0.02);
        check_rest(coin, 1 / rate);
        Simulation cylinder = dropped(plane, "<geom type='cylinder' size='.1 .3' mass='1'/>", 0.3);
        check_rest(cylinder, 1 / rate);
    }
}

// What slides on a plane holds on to its corners, too.
TEST_CASE("implicit penalties: a prism slides as far as friction lets it") {
    Simulation slides = dropped(plane, prism, 0.1, 7);
    run(slides, 2);
    const Vec3d from = position_of(slides);
    set_velocity(slides, {1, 0, 0});
    run(slides, 1, 1.0 / 960);
    // v²/(2 μ g), with friction below its centre: 1 m/s does not tip it.
    CHECK(position_of(slides).x - from.x == doctest::Approx(1 / (2 * gravity)).epsilon(5e-3));
    CHECK(std::abs(position_of(slides).z - from.z) < 1e-6);
}

TEST_CASE("implicit penalties: where corners hold on is part of snapshots") {
    Simulation sim = dropped(table, prism, 0.1, 7);
    run(sim, 0.3);
    const Snapshot snapshot = sim.save();
    Simulation other = dropped(table, prism, 0.1, 7);
    other.restore(snapshot);
    run(sim, 0.5);
    run(other, 0.5);
    CHECK(std::memcmp(sim.state().q.data(), other.state().q.data(), 7 * sizeof(double)) == 0);
    CHECK(std::memcmp(sim.state().v.data(), other.state().v.data(), 6 * sizeof(double)) == 0);
}
