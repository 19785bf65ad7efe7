// Centres of mass and momenta of subtrees, in every formulation: against closed forms, against each other,
// and by what they hold.

#include "formulations/maximal/body_dynamics.h"

#include <ligament/load.h>
#include <ligament/save.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;

namespace {

constexpr const char* all_formulations[] = {"reduced", "multiplier", "impulse", "implicit"};

// A trunk that floats, with two arms of two links.
constexpr const char* figure = R"(<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/>
<default><geom contype="0" conaffinity="0"/></default>
<worldbody>
  <body name="trunk" pos="0.1 0.2 1"><freejoint name="root"/><geom type="box" size="0.1 0.15 0.3"/>
    <body name="left" pos="0 0.15 0.3"><joint name="left" axis="1 0 0"/>
      <geom type="capsule" fromto="0 0 0 0 0.4 0" size="0.04"/>
      <body name="left hand" pos="0 0.4 0"><joint name="left hand" axis="0 0 1"/>
        <geom type="capsule" fromto="0 0 0 0 0.3 0" size="0.03"/></body></body>
    <body name="right" pos="0 -0.15 0.3"><joint name="right" type="ball"/>
      <geom type="capsule" fromto="0 0 0 0 -0.4 0" size="0.04"/>
      <body name="ring" pos="0 -0.4 0"><geom size="0.06"/></body></body></body>
</worldbody><equality>EQUALITY</equality></mujoco>)";

std::shared_ptr<const Model> figure_with(const std::string& equalities) {
    std::string text = figure;
    text.replace(text.find("EQUALITY"), 8, equalities);
    Diagnostics log;
    return compile(parse_scene(text, "figure.xml", {}, log), log);
}

SimulationOptions options_of(const char* formulation) {
    SimulationOptions options;
    options.formulation = formulation;
    return options;
}

Vec3d centre_of(const std::shared_ptr<const Model>& model, const JointState<double>& state) {
    Workspace<double> ws(model);
    forward_kinematics(state, ws);
    return center_of_mass(ws);
}

constexpr const char* held[] = {
    R"(<center_of_mass body="trunk"/>)",
    R"(<center_of_mass body="world" axes="z"/>)",
    R"(<center_of_mass body="left" axes="xy"/>)",
    R"(<center_of_mass body="ring"/>)",
    R"(<linear_momentum body="trunk" axes="xz" target="3 0 -2"/>)",
    R"(<angular_momentum body="trunk" target="0.3 0.1 -0.2"/>)",
    R"(<angular_momentum body="left" axes="x"/><center_of_mass body="trunk" axes="xy"/>)",
};

JointState<double> moving_state(SmoothDynamics& inputs, int seed) {
    JointState<double> state(inputs.model());
    for (std::size_t k = 0; k < state.v.size(); ++k)
        state.v[k] = std::sin(1.7 * static_cast<double>(k) + seed);
    REQUIRE(inputs.close_equalities(state).closed);
    return state;
}

}  // namespace

// Its weight is what holds the centre of mass of something that falls.
TEST_CASE("subtrees: a centre of mass is held by the weight of what it is of") {
    const std::shared_ptr<const Model> model = figure_with(held[0]);
    SmoothDynamics inputs(model);
    maximal::BodyDynamics bodies(model, EqualityMethod::direct);
    const JointState<double> state = moving_state(inputs, 0);
    std::vector<double> qacc(model->nv), multipliers(inputs.multipliers.size());
    bodies.accelerate(inputs, state, qacc);
    bodies.write_multipliers(multipliers);
    REQUIRE(multipliers.size() == 3);
    CHECK(std::abs(multipliers[0]) < 1e-9);
    CHECK(multipliers[2] == doctest::Approx(9.81 * model->total_mass).epsilon(1e-10));
    for (const char* formulation : all_formulations) {
        CAPTURE(formulation);
        Simulation sim(model, options_of(formulation));
        sim.set_state(state);
        const Vec3d before = centre_of(model, sim.state());
        for (int k = 0; k < 50; ++k) {
            const StepReport report = sim.step(0.005);
            REQUIRE_MESSAGE(report.status == StepStatus::ok, report.where);
        }
        const Vec3d moved = centre_of(model, sim.state()) - before;
        CHECK(std::sqrt(dot(moved, moved)) < (formulation == std::string("impulse") ? 2e-3 : 1e-6));
    }
}

TEST_CASE("subtrees: accelerations and forces on bodies are those of joint coordinates") {
    for (const char* equalities : held)
        for (const EqualityMethod method : {EqualityMethod::direct, EqualityMethod::anticipation}) {
            CAPTURE(equalities);
            const std::shared_ptr<const Model> model = figure_with(equalities);
            SmoothDynamics inputs(model);
            maximal::BodyDynamics bodies(model, method);
            for (int seed = 0; seed < 3; ++seed) {
                const JointState<double> state = moving_state(inputs, seed);
                std::vector<double> found(model->nv), multipliers(inputs.multipliers.size());
                const maximal::BodyDynamics::Solved solved = bodies.accelerate(inputs, state, found);
                REQUIRE(solved.bad_link == -1);
                CHECK(solved.redundant_rows == 0);
                bodies.write_multipliers(multipliers);
                const std::span<const double> wanted = inputs.accelerate(state);
                for (std::size_t k = 0; k < found.size(); ++k)
                    CHECK(std::abs(found[k] - wanted[k]) < 1e-9 * (1 + std::abs(wanted[k])));
                for (std::size_t k = 0; k < multipliers.size(); ++k)
                    CHECK(std::abs(multipliers[k] - inputs.multipliers[k]) <
                          1e-9 * (1 + std::abs(inputs.multipliers[k])));
            }
        }
}

TEST_CASE("subtrees: all formulations come to the same as steps become shorter") {
    for (const char* equalities : held) {
        CAPTURE(equalities);
        const std::shared_ptr<const Model> model = figure_with(equalities);
        SmoothDynamics inputs(model);
        const JointState<double> start = moving_state(inputs, 2);
        const auto end_of = [&](const char* formulation, double h) {
            Simulation sim(model, options_of(formulation));
            sim.set_state(start);
            for (int k = 0; k < static_cast<int>(std::lround(0.1 / h)); ++k) {
                const StepReport report = sim.step(h);
                REQUIRE_MESSAGE(report.status == StepStatus::ok, formulation << ": " << report.where);
            }
            return sim.state().q;
        };
        const std::vector<double> wanted = end_of("reduced", 1e-3);
        for (const char* formulation : {"multiplier", "impulse", "implicit"}) {
            CAPTURE(formulation);
            double off[2];
            for (int fine = 0; fine < 2; ++fine) {
                const std::vector<double> found = end_of(formulation, fine ? 5e-4 : 1e-3);
                off[fine] = 0;
                for (std::size_t k = 0; k < found.size(); ++k)
                    off[fine] = std::max(off[fine], std::abs(found[k] - wanted[k]));
            }
            CHECK(off[0] < 0.02);
            CHECK(off[1] < 0.7 * off[0] + 1e-9);
        }
    }
}

// Momenta are rows on velocities: an error that steps leave must not add up.
TEST_CASE("subtrees: momenta stay what they are for ten seconds") {
    for (const char* equalities :
         {R"(<linear_momentum body="trunk" target="3 0 -2"/>)",
          R"(<angular_momentum body="trunk" target="0.3 0.1 -0.2"/>)",
          R"(<linear_momentum body="trunk" axes="xz" target="3 0 -2"/><angular_momentum body="trunk"/>)"}) {
        CAPTURE(std::string(equalities));
        const bool turning = std::string(equalities).find("angular") != std::string::npos;
        const bool linear = std::string(equalities).find("linear") != std::string::npos;
        const Vec3d target = !turning ? Vec3d{3, 0, -2} : linear ? Vec3d{0, 0, 0}
                                                                 : Vec3d{0.3, 0.1, -0.2};
        const std::shared_ptr<const Model> model = figure_with(equalities);
        SmoothDynamics inputs(model);
        const JointState<double> start = moving_state(inputs, 1);
        for (const char* formulation : all_formulations) {
            CAPTURE(std::string(formulation));
            double early[2], late[2];
            for (const int fine : {0, 1}) {
                Simulation sim(model, options_of(formulation));
                sim.set_state(start);
                Workspace<double> ws(model);
                early[fine] = late[fine] = 0;
                const int steps = fine ? 4000 : 2000;
                for (int k = 0; k < steps; ++k) {
                    const StepReport report = sim.step(10.0 / steps);
                    REQUIRE_MESSAGE(report.status == StepStatus::ok, report.where);
                    forward_kinematics(sim.state(), ws);
                    const Force<double> now = momentum(ws);
                    const Vec3d error = (turning ? now.ang : now.lin) - target;
                    double& most = 2 * k < steps ? early[fine] : late[fine];
                    most = std::max(most, std::sqrt(dot(error, error)));
                }
            }
            // Steps that put equalities back onto their rows leave rounding. Sweeps and backward differences
            // leave what their order does, which becomes less with the step and no more with time.
            const bool exact =
                formulation == std::string("reduced") || formulation == std::string("multiplier");
            if (exact) {
                CHECK(std::max(early[0], late[0]) < 1e-10);
                continue;
            }
            CHECK(early[0] < 3e-4 * model->total_mass);
            CHECK(late[0] < 1.5 * early[0]);
            CHECK(early[1] < 0.6 * early[0]);
            CHECK(late[1] < 0.6 * late[0]);
        }
    }
}

TEST_CASE("subtrees: what is read is written, and what cannot be held is refused with its place") {
    const std::string all = R"(<center_of_mass name="c" body="trunk" axes="xz" target="1 2 3"/>
        <linear_momentum body="world"/>
        <angular_momentum body="left" axes="y" target="0 0.5 0" active="false"/>)";
    std::string text = figure;
    text.replace(text.find("EQUALITY"), 8, all);
    Diagnostics log;
    const Scene scene = parse_scene(text, "figure.xml", {}, log);
    const Scene again = parse_scene(write_mjcf(scene), "again.xml", {}, log);
    REQUIRE(again.subtree_constraints().size() == 3);
    for (std::size_t k = 0; k < 3; ++k) {
        const SubtreeConstraintSpec &a = scene.subtree_constraints()[k], &b = again.subtree_constraints()[k];
        CHECK(a.name == b.name);
        CHECK(a.quantity == b.quantity);
        CHECK(a.axes == b.axes);
        CHECK(a.active == b.active);
        CHECK(a.target.has_value() == b.target.has_value());
    }
    for (const char* bad :
         {R"(<center_of_mass body="trunk" axes="xq"/>)", R"(<center_of_mass body="trunk" axes="xx"/>)"}) {
        CAPTURE(bad);
        try {
            figure_with(bad);
            FAIL("read");
        } catch (const InputError& error) {
            CHECK(std::string(error.what()).find("E163") != std::string::npos);
            CHECK(std::string(error.what()).find("figure.xml:12:") != std::string::npos);
        }
    }
}
