#pragma once

// Simulations from event to event, for the tests of Stepping::event.

#include "support/simulation_runs.h"

namespace lig::test {

inline SimulationOptions by_events(double tolerance = 1e-9) {
    return {.stepping = Stepping::event, .tolerance = tolerance};
}

// What frames have done, all together.
struct EventCounts {
    int frames = 0, substeps = 0, events = 0, impacts = 0, fallbacks = 0;
    int max_impacts = 0;  // in one frame

    void add(const StepReport& report) {
        ++frames;
        substeps += report.substeps;
        events += report.events;
        impacts += report.impacts;
        fallbacks += report.fallbacks;
        max_impacts = std::max(max_impacts, report.impacts);
    }
};

// Runs in frames of 60 Hz, and a shorter one at the end, up to a time.
inline EventCounts run_until(Simulation& sim, double time, double dt = frame) {
    EventCounts counts;
    while (time - sim.state().time > 1e-12) counts.add(step_ok(sim, std::min(dt, time - sim.state().time)));
    return counts;
}

// Relative to what was expected.
inline double off(double measured, double expected) { return std::abs(measured / expected - 1); }

}  // namespace lig::test
