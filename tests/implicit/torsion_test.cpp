// A spring on a hinge through the centre of mass, whose implicit steps are known in closed form:
// v⁺ = (v − h ω² θ)/(1 + h c/I + h² ω²), θ⁺ = θ + h v⁺.

#include "support/implicit_runs.h"
#include "support/reference_file.h"

#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double moment = 0.1;

Scene top(JointType type, double stiffness, double damping) {
    Scene scene;
    scene.options.gravity = Vec3d::zero();
    const BodyId body = scene.add_body(
        world, {.name = "top", .inertial = InertialSpec{1, {}, Sym3d::diagonal(moment, moment, moment), {}}});
    JointSpec joint;
    joint.name = "axis";
    joint.type = type;
    joint.axis = {0, 0, 1};
    joint.stiffness = stiffness;
    joint.damping = damping;
    scene.add_joint(body, joint);
    return scene;
}

struct Turned {
    double angle, rate;
};

// Of a ball that turns about z: its angle on the branch nearest to `near`.
Turned turned(const Simulation& sim, double near) {
    const JointState<double>& state = sim.state();
    if (sim.model().joints[0].type == JointType::hinge) return {state.q[0], state.v[0]};
    const double angle = 2 * std::atan2(state.q[3], state.q[0]);
    return {near + std::remainder(angle - near, 2 * std::numbers::pi), state.v[2]};
}

void turn(Simulation& sim, double angle) {
    JointState<double> state = sim.state();
    if (sim.model().joints[0].type == JointType::hinge) {
        state.q[0] = angle;
    } else {
        state.q[0] = std::cos(0.5 * angle);
        state.q[3] = std::sin(0.5 * angle);
    }
    sim.set_state(state);
}

}  // namespace

TEST_CASE("implicit: steps of a torsion spring are those of the recursion") {
    for (const JointType type : {JointType::hinge, JointType::ball})
        for (const auto& [k, c, steps] : {std::tuple{1e6, 0.0, 3}, std::tuple{10.0, 0.0, 60},
                                          std::tuple{10.0, 0.05, 60}, std::tuple{1e8, 0.0, 5}}) {
            CAPTURE(static_cast<int>(type));
            CAPTURE(k);
            SimulationOptions options = implicit_options();
            options.tolerance = 1e-13;
            Simulation sim(compile(top(type, k, c)), options);
            turn(sim, 1);
            double angle = 1, rate = 0;
            for (int n = 0; n < steps; ++n) {
                step_ok(sim, frame);
                rate = (rate - frame * k / moment * angle) /
                       (1 + frame * c / moment + frame * frame * k / moment);
                angle += frame * rate;
                const Turned now = turned(sim, angle);
                // 1e8: rounding of an angle of 1 rad, times h k / I.
                CHECK(std::abs(now.angle - angle) < 1e-12);
                CHECK(std::abs(now.rate - rate) < 1e-10);
            }
        }
}

TEST_CASE("implicit: implicit_euler_torsion of the reference problems") {
    int checked = 0;
    for (const nlohmann::json& at : references_of("implicit_euler_torsion")) {
        const double k = at["k"], c = at.value("c", 0.0);
        Simulation sim(compile(top(JointType::ball, k, c)), implicit_options());
        turn(sim, 1);
        const bool list = at["n"].is_array();
        const int steps = list ? at["n"].back().get<int>() : at["n"].get<int>();
        for (int n = 1; n <= steps; ++n) {
            step_ok(sim, frame);
            const Turned now = turned(sim, 0);
            if (!list && n < steps) continue;
            const double theta = list ? at["theta"][n - 1] : at["theta"],
                         omega = list ? at["omega"][n - 1] : at["omega"];
            CHECK(std::abs(now.angle - theta) < 1e-9 * std::max(1.0, std::abs(theta)));
            CHECK(std::abs(now.rate - omega) < 1e-9 * std::max(1.0, std::abs(omega)));
            ++checked;
        }
    }
    CHECK((checked == 5 || !have_references()));
}

// Wound up by 1.5 turns of π, a spring that took the shortest way would push on instead of back.
TEST_CASE("implicit: the spring of a ball pulls back through half a turn") {
    const auto model = compile(top(JointType::ball, 10, 0));
    Simulation sim(model, implicit_options());
    turn(sim, 3);
    JointState<double> state = sim.state();
    state.v[2] = 25;
    sim.set_state(state);
    double angle = 3, rate = 25, most = 0;
    for (int n = 0; n < 60; ++n) {
        step_ok(sim, frame);
        rate = (rate - frame * 10 / moment * angle) / (1 + frame * frame * 10 / moment);
        angle += frame * rate;
        most = std::max(most, angle);
        const Turned now = turned(sim, angle);
        CHECK(std::abs(now.angle - angle) < 1e-6);
        CHECK(std::abs(now.rate - rate) < 1e-5);
    }
    CHECK(most > 1.1 * std::numbers::pi);
    // What is followed is part of the state.
    turn(sim, 3);
    state = sim.state();
    state.v[2] = 25;
    sim.set_state(state);
    for (int n = 0; n < 2; ++n) step_ok(sim, frame);
    Simulation other(model, implicit_options());
    other.restore(sim.save());
    for (int n = 0; n < 20; ++n) {
        step_ok(sim, frame);
        step_ok(other, frame);
        CHECK(sim.state().q == other.state().q);
        CHECK(sim.state().v == other.state().v);
    }
}
