// Things that stand on each other: stacks and pyramids of the benchmark scenes for 10 s, a heavy box on light
// ones, and the forces between them. Default options and frames of 60 Hz. The pyramid of 210 boxes is in the
// long test.

#include "scenes/generator_list.h"
#include "support/standing_boxes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

Simulation stack_of(int count) {
    const scenes::Setting boxes[] = {{"count", double(count)}};
    return Simulation(compile(scenes::generate(scenes::stack, boxes)));
}

Standing stand_and_tell(Simulation& sim) {
    const Standing standing = stand(sim, 10);
    MESSAGE("stack of " << sim.model().joints.size() << ": moved by " << 1e3 * standing.moved
                        << " mm, penetration " << 1e3 * standing.penetration << " mm, kinetic energy "
                        << standing.kinetic << " J");
    return standing;
}

}  // namespace

TEST_CASE("a stack of 10 boxes stands, and each level carries what is above it") {
    Simulation sim = stack_of(10);
    const Standing standing = stand_and_tell(sim);
    CHECK(standing.moved < 0.005);
    CHECK(standing.penetration < 1e-4);
    CHECK(standing.kinetic < 1e-3);
    // The contacts of a box and of all above it: between neighbours they cancel.
    Vec3d carried = Vec3d::zero();
    for (int body = 10; body >= 1; --body) {
        carried += contact_force_on(sim, body);
        const double load = (11 - body) * 100 * gravity;
        CHECK(std::hypot(carried.x, carried.y) < 1e-3 * load);
        CHECK(std::abs(carried.z / load - 1) < 1e-3);
    }
}

// The benchmark's measure: no box moves by more than 0.5 m.
TEST_CASE("a stack of 20 boxes stands") {
    Simulation sim = stack_of(20);
    const Standing standing = stand_and_tell(sim);
    CHECK(standing.moved < 0.5);
    CHECK(standing.penetration < 1e-3);
}

// What stands does not begin to sway by itself.
TEST_CASE("a tall stack does not begin to sway" * doctest::should_fail()) {
    Simulation sim = stack_of(15);
    CHECK(stand_and_tell(sim).kinetic < 1e-3);
}

TEST_CASE("a pyramid of 55 boxes stands") {
    const scenes::Setting base[] = {{"count", 10}};
    Simulation sim(compile(scenes::generate(scenes::pyramid, base)));
    const Standing standing = stand(sim, 10);
    MESSAGE("pyramid of " << sim.model().joints.size() << ": moved by " << 1e3 * standing.moved
                          << " mm, penetration " << 1e3 * standing.penetration << " mm, kinetic energy "
                          << standing.kinetic << " J");
    CHECK(standing.moved < 0.01);
    CHECK(standing.penetration < 1e-3);
    CHECK(standing.kinetic < 0.1);
}

TEST_CASE("a heavy box stands on light ones") {
    std::string xml = "<mujoco><worldbody><geom type='plane' size='0 0 1'/>";
    for (int k = 0; k < 4; ++k)
        xml += "<body pos='0 0 " + std::to_string(k) + ".5'><freejoint name='box" + std::to_string(k) +
               "'/><geom type='box' size='0.5 0.5 0.5' mass='" + (k == 3 ? "1000" : "1") + "'/></body>";
    Simulation sim(model_of(xml + "</worldbody></mujoco>"));
    const Standing standing = stand(sim, 10);
    MESSAGE("1000 kg on 3 x 1 kg: moved by " << 1e3 * standing.moved << " mm, penetration "
                                             << 1e3 * standing.penetration << " mm");
    CHECK(standing.moved < 5e-3);
    CHECK(standing.penetration < 1.5e-3);
    CHECK(std::abs(contact_force_on(sim, 4).z / (1000 * gravity) - 1) < 1e-5);
}

// Let go a little above each other, turned against each other and not quite centred.
TEST_CASE("boxes that are dropped on each other come to rest as a stack") {
    std::string xml = "<mujoco><worldbody><geom type='plane' size='0 0 1'/>";
    for (int k = 0; k < 6; ++k)
        xml += "<body pos='" + std::to_string(0.05 * (k % 3)) + " " + std::to_string(0.04 * (k % 2)) + " " +
               std::to_string(0.52 + 1.03 * k) + "' euler='0 0 " + std::to_string(17 * k) +
               "'><freejoint name='box" + std::to_string(k) +
               "'/><geom type='box' size='0.5 0.5 0.5' mass='100'/></body>";
    Simulation sim(model_of(xml + "</worldbody></mujoco>"));
    run(sim, 4);
    MESSAGE("six dropped boxes: kinetic energy " << sim.energy().kinetic << " J, top at "
                                                 << position_of(sim, "box5").z);
    CHECK(sim.energy().kinetic < 1e-3);
    for (int k = 0; k < 6; ++k)
        CHECK(std::abs(position_of(sim, "box" + std::to_string(k)).z - 0.5 - k) < 2e-3);
    Vec3d force = Vec3d::zero();
    for (int body = 1; body <= 6; ++body) force += contact_force_on(sim, body);
    CHECK(std::abs(force.z / (600 * gravity) - 1) < 1e-4);
}
