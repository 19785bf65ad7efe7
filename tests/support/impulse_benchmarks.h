#pragma once

// The benchmark scenes under `impulse`, with default options at 60 Hz, and the measures that were set for it.

#include "scenes/generator_list.h"
#include "support/character_errors.h"
#include "support/impulse_runs.h"
#include "support/standing_boxes.h"

#include <numbers>

namespace lig::test {

inline std::shared_ptr<const Model> generated(const scenes::Generator& generator, double count) {
    const scenes::Setting settings[] = {{"count", count}};
    return compile(scenes::generate(generator, settings));
}

// Stacks and pyramids (G4) for 10 s.
inline Standing check_standing(const scenes::Generator& generator, double count) {
    Simulation sim(generated(generator, count), usual());
    const Standing standing = stand(sim, 10);
    MESSAGE(generator.name << " of " << count << ": moved by " << 1e3 * standing.moved
                           << " mm, settled depth " << 1e3 * standing.settled << " mm, sunk by "
                           << 1e3 * standing.sunk << " mm, kinetic energy " << standing.kinetic << " J");
    CHECK(standing.moved < 0.5);
    CHECK(standing.settled < 0.5e-3);
    CHECK(standing.sunk < 20e-3);
    return standing;
}

// Characters that are dropped at random (G1) for 5 s.
inline void check_pile(int characters) {
    Simulation sim(generated(scenes::pile, characters), usual());
    CharacterErrors errors;
    run(sim, 5, frame, [&](const StepReport&) { errors.measure(sim); });
    MESSAGE("pile of " << characters << ": joints apart by " << 1e3 * errors.separation << " mm at most, "
                       << 1e3 * errors.rms() << " mm rms, limits passed by "
                       << errors.violation * 180 / std::numbers::pi << " deg, ground by "
                       << 1e3 * errors.depth << " mm");
    CHECK(errors.joints == 300L * characters * 15);
    CHECK(errors.separation < 12e-3);
    CHECK(errors.rms() < 0.3e-3);
    CHECK(errors.violation < 10 * std::numbers::pi / 180);
    CHECK(errors.depth < 10e-3);
}

}  // namespace lig::test
