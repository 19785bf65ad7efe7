// What motion without friction keeps: energy and angular momentum, with the default options in frames of 60
// Hz. The scales are those of the benchmark scenes. The heavy chain is in the long test.

#include "scenes/generator_list.h"
#include "support/random_values.h"
#include "support/simulation_runs.h"

#include <ligament/dynamics.h>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

// A free body in space with these moments of inertia, turning with ω in its own axes.
Simulation top(const Vec3d& moments, const Vec3d& spin, const SimulationOptions& options = {}) {
    char text[200];
    std::snprintf(text, sizeof text, "<inertial pos='0 0 0' mass='1' diaginertia='%.17g %.17g %.17g'/>",
                  moments.x, moments.y, moments.z);
    const std::string begin = "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint name='root'/>";
    Simulation sim(model_of(begin + text + "</body></worldbody></mujoco>"), options);
    set_velocity(sim, Vec3d::zero(), spin);
    return sim;
}

// The largest errors of the angular momentum and of the energy, relative to them.
struct Kept {
    double momentum = 0, energy = 0;
    int flips = 0;  // of ω_y
};
Kept turn_for(Simulation& sim, const Vec3d& moments, double seconds) {
    const auto angular_momentum = [&] {
        const double* q = sim.state().q.data() + 3;
        const Vec3d w = spin_of(sim);
        return rotation_matrix(Quatd{q[0], q[1], q[2], q[3]}) *
               Vec3d{moments.x * w.x, moments.y * w.y, moments.z * w.z};
    };
    const Vec3d momentum = angular_momentum();
    const double energy = sim.energy().kinetic;
    double before = spin_of(sim).y;
    Kept kept;
    run(sim, seconds, frame, [&](const StepReport&) {
        kept.momentum = std::max(kept.momentum, length(angular_momentum() - momentum) / length(momentum));
        kept.energy = std::max(kept.energy, std::abs(sim.energy().kinetic / energy - 1));
        if (before * spin_of(sim).y < 0) ++kept.flips;
        before = spin_of(sim).y;
    });
    return kept;
}

}  // namespace

// G6: two rods of 1 m and 1 kg, let go when horizontal. ΔE is scaled by Σ 2 g (i + ½).
TEST_CASE("a double pendulum keeps its energy for a minute") {
    Simulation sim(compile(scenes::generate(scenes::pendulum, {})));
    REQUIRE(sim.model().nv == 2);
    const double start = total(sim.energy()), scale = 2 * gravity * (0.5 + 1.5);
    double worst = 0;
    int substeps = 0;
    run(sim, 60, frame, [&](const StepReport& report) {
        worst = std::max(worst, std::abs(total(sim.energy()) - start) / scale);
        substeps += report.substeps;
    });
    MESSAGE("double pendulum, 60 s: energy off by " << worst << " of the scale at most, " << substeps / 3600.0
                                                    << " sub-steps per frame");
    CHECK(worst < 1e-5);
}

// The default tolerance is met by one step per frame here; with a tighter one the rest is rounding.
TEST_CASE("a top without torque keeps its angular momentum") {
    const Vec3d moments{1, 2, 3};
    for (const auto& [tolerance, bound] :
         {std::pair{SimulationOptions{}.tolerance, 1e-9}, std::pair{1e-13, 1e-11}}) {
        Simulation sim = top(moments, {1, -2, 1.5}, {.tolerance = tolerance});
        const Kept kept = turn_for(sim, moments, 60);
        MESSAGE("free top, 60 s, tolerance " << tolerance << ": angular momentum off by " << kept.momentum
                                             << ", energy by " << kept.energy);
        CHECK(kept.momentum < 1e-13);  // rounding, over 3,600 frames
        CHECK(kept.energy < 3 * bound);
    }
}

// G6: ω = (0.01, 10, 0.01), nearly about the axis of the middle moment, which is unstable. By Euler's
// equations in Jacobi's functions ω_y changes its sign at 1.49059388808 s and every 2.75308405542 s from
// there on: 22 times in a minute.
TEST_CASE("Dzhanibekov's top flips, and keeps energy and angular momentum") {
    const Vec3d moments{1, 2, 3};
    Simulation sim = top(moments, {0.01, 10, 0.01});
    const Kept kept = turn_for(sim, moments, 60);
    MESSAGE("Dzhanibekov, 60 s: " << kept.flips << " flips, angular momentum off by " << kept.momentum
                                  << ", energy by " << kept.energy);
    CHECK(kept.momentum < 1e-13);
    CHECK(kept.energy < 1e-6);
    CHECK(kept.flips == 22);
    // The last one was at 59.305 s, the next would be at 62.058 s.
    CHECK(spin_of(sim).y > 9.9);
}

// asymtop of the reference problems: ω = (0.1, 3, 0.1).
TEST_CASE("a top that flips is where Jacobi's functions have it") {
    const Vec3d expected_spin{0.185634187115859, 2.995920551111767, 0.134734370059716};
    const Quatd expected{0.166333800498405, 0.021993976306478, 0.984058565437744, 0.058975177885248};
    Simulation sim = top({1, 2, 3}, {0.1, 3, 0.1});
    run(sim, 10);
    const double* q = sim.state().q.data() + 3;
    // The double cover: q and −q are one rotation.
    const double sign = q[0] * expected.w + q[2] * expected.y < 0 ? -1 : 1;
    const double off = 2 * std::hypot(std::hypot(sign * q[0] - expected.w, sign * q[1] - expected.x),
                                      std::hypot(sign * q[2] - expected.y, sign * q[3] - expected.z));
    MESSAGE("asymtop: omega off by " << length(spin_of(sim) - expected_spin) << " rad/s, turned by " << off
                                     << " rad");
    CHECK(length(spin_of(sim) - expected_spin) < 1e-6);
    CHECK(off < 1e-6);
}
