// Joints and equalities follow their bodies as these turn within a sub-step: no energy is lost by turning,
// and gaps are of third order.

#include "support/impulse_runs.h"

#include <ligament/simulation.h>

#include <string>

using namespace lig;
using namespace lig::test;

namespace {

// A box off its centre without weight, on something that holds it.
std::string held_box(const std::string& joints, const std::string& equality = "") {
    return "<mujoco><compiler angle='radian'/><option gravity='0 0 0'><flag contact='disable'/></option>"
           "<worldbody><body name='box'>" +
           joints +
           "<geom type='box' pos='0.5 0.1 0' size='0.1 0.06 0.03' mass='2'/></body></worldbody>" + equality +
           "</mujoco>";
}

constexpr const char* connect = "<equality><connect body1='box' anchor='0 0 0'/></equality>";

struct Kept {
    double lost;  // of the energy, as a share of that at the start
    double gap;
};

// A second of turning, from velocities v.
Kept turn(const std::string& xml, const std::vector<double>& v, const SimulationOptions& options) {
    Simulation sim(model_of(xml.c_str()), options);
    JointState<double> state = sim.state();
    state.v = v;
    sim.set_state(state);
    const double start = sim.energy().kinetic;
    Kept kept{0, 0};
    run(sim, 1, 1.0 / 60, [&](const StepReport& report) {
        REQUIRE(report.status == StepStatus::ok);
        kept.gap = std::max({kept.gap, report.joint_error, report.equality_error});
    });
    kept.lost = (start - sim.energy().kinetic) / start;
    return kept;
}

struct Holder {
    std::string name;
    std::string xml;
    std::vector<double> v;
};

std::vector<Holder> holders() {
    return {{"hinge", held_box("<joint axis='0 0 1'/>"), {6}},
            {"hinge off the principal axes", held_box("<joint axis='0.3 0.2 1'/>"), {6}},
            {"ball", held_box("<joint type='ball'/>"), {1, 3, 5}},
            {"two hinges", held_box("<joint axis='0 0 1'/><joint axis='0 1 0'/>"), {5, 3}},
            {"loop", held_box("<freejoint/>", connect), {0, 0, 0, 1, 3, 5}}};
}

}  // namespace

TEST_CASE("impulse: what turns about a joint keeps its energy, with few sub-steps") {
    for (const Holder& holder : holders()) {
        CAPTURE(holder.name);
        const Kept kept = turn(holder.xml, holder.v, impulse_options(8));
        // Joints that stop what turning has added would lose a share h ω² of it per second: 5 to 10 %.
        CHECK(std::abs(kept.lost) < 0.005);
    }
}

TEST_CASE("impulse: joints that follow their bodies open by the third power of the sub-step") {
    for (const Holder& holder : holders()) {
        CAPTURE(holder.name);
        const double coarse = turn(holder.xml, holder.v, impulse_options(8)).gap;
        const double fine = turn(holder.xml, holder.v, impulse_options(16)).gap;
        CAPTURE(coarse);
        CAPTURE(fine);
        CHECK(coarse < 1e-4);
        CHECK(fine < 0.2 * coarse);
    }
}

TEST_CASE("impulse: soft-step keeps the energy of what turns") {
    for (const Holder& holder : holders()) {
        CAPTURE(holder.name);
        CHECK(std::abs(turn(holder.xml, holder.v, impulse_options(8, 0, "soft-step")).lost) < 0.02);
    }
}
