// Couplings of tendons, on any number of bodies, in every formulation: against elimination in long double,
// against each other, and by what they conserve.

#include "formulations/maximal/body_dynamics.h"
#include "support/dense_kkt.h"

#include <ligament/load.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

using namespace lig;

namespace {

constexpr const char* all_formulations[] = {"reduced", "multiplier", "impulse", "implicit"};

// Wheels on the world, of which a sum of angles is held.
struct Wheels {
    std::vector<double> inertia, coefficient, torque;
};

Scene differential(const Wheels& wheels) {
    Scene scene("differential");
    TendonSpec sum{.name = "sum"};
    for (std::size_t k = 0; k < wheels.inertia.size(); ++k) {
        const double I = wheels.inertia[k];
        const std::string name = "wheel" + std::to_string(k);
        const BodyId body = scene.add_body(
            world, {.name = name,
                    .pose = {{1.0 * static_cast<double>(k), 0, 0}},
                    .inertial = InertialSpec{.mass = 1, .inertia = Sym3d::diagonal(I, I, I)}});
        const JointId joint = scene.add_joint(body, {.name = name, .axis = {0, 1, 0}});
        sum.joints.push_back({joint, wheels.coefficient[k]});
    }
    const TendonId id = scene.add_tendon(sum);
    scene.add_tendon_coupling({.name = "held", .follower = id, .coefficients = {0, 0, 0, 0, 0}});
    return scene;
}

// Of wheels: M is diagonal, and the row is the coefficients.
std::vector<double> accelerations(const Wheels& wheels) {
    const std::size_t n = wheels.inertia.size();
    std::vector<double> M(n * n, 0.0);
    for (std::size_t k = 0; k < n; ++k) M[k * (n + 1)] = wheels.inertia[k];
    return test::solve_kkt(M, wheels.coefficient, {0}, wheels.torque, {0}).acceleration;
}

SimulationOptions options_of(const char* formulation) {
    SimulationOptions options;
    options.formulation = formulation;
    return options;
}

// A tree of two arms on a turntable that may roll, with a loose ball: fixed and spatial tendons, over a site
// of the world, around a cylinder, and by a polynomial.
constexpr const char* rig = R"(<mujoco><compiler angle="radian"/><option gravity="0.3 -0.2 -9.81"/>
<worldbody>
  <site name="hook" pos="0 0 2"/>
  <body name="table" pos="0 0 1"><joint name="turn" axis="0 0 1"/><joint name="roll" axis="1 0 0"/>
    <geom type="cylinder" size="0.3 0.05" contype="0" conaffinity="0"/>
    <site name="rim" pos="0.3 0.1 0.05"/>
    <body name="left" pos="0.3 0 0"><joint name="left" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.5 0.1 0" size="0.03" contype="0" conaffinity="0"/>
      <site name="hand" pos="0.5 0.1 0"/>
      <body name="fore" pos="0.5 0.1 0"><joint name="fore" axis="0.2 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0.1" size="0.03" contype="0" conaffinity="0"/>
        <site name="tip" pos="0.4 0 0.1"/></body></body>
    <body name="right" pos="-0.3 0 0"><joint name="right" type="ball"/>
      <geom type="capsule" fromto="0 0 0 -0.5 0 0" size="0.03" contype="0" conaffinity="0"/>
      <geom name="spool" type="cylinder" size="0.08 0.1" pos="-0.2 0 0.1" zaxis="0 1 0" contype="0"
            conaffinity="0" mass="0.1"/>
      <site name="end" pos="-0.5 0 0"/></body></body>
  <body name="bob" pos="0.9 0.3 0.2"><freejoint/><geom size="0.1" contype="0" conaffinity="0"/>
    <site name="ring" pos="0 0.05 0.1"/></body>
</worldbody>
<tendon>
  <spatial name="rope"><site site="hook"/><site site="tip"/><site site="ring"/></spatial>
  <spatial name="wrap"><site site="rim"/><geom geom="spool"/><site site="end"/></spatial>
  <spatial name="tackle"><site site="hook"/><site site="ring"/><pulley divisor="2"/><site site="rim"/>
    <site site="end"/></spatial>
  <fixed name="sum"><joint joint="turn" coef="1"/><joint joint="left" coef="-2"/>
    <joint joint="fore" coef="0.7"/>
    <joint joint="roll" coef="0.5"/></fixed>
</tendon>
<equality>EQUALITY</equality></mujoco>)";

std::shared_ptr<const Model> rig_with(const std::string& equalities) {
    std::string text = rig;
    text.replace(text.find("EQUALITY"), 8, equalities);
    Diagnostics log;
    return compile(parse_scene(text, "rig.xml", {}, log), log);
}

constexpr const char* couplings[] = {
    R"(<tendon tendon1="sum" polycoef="0 0 0 0 0"/>)",
    R"(<tendon tendon1="rope" polycoef="0 0 0 0 0"/>)",
    R"(<tendon tendon1="rope" tendon2="sum" polycoef="0 0.3 0.2 -0.1 0.05"/>)",
    R"(<tendon tendon1="tackle"/><tendon tendon1="sum" tendon2="rope" polycoef="0 1.5 -0.4 0 0"/>)",
    R"(<tendon tendon1="wrap"/>)",
    R"(<tendon tendon1="rope"/><tendon tendon1="sum"/>
       <joint joint1="left" joint2="roll" polycoef="0 0.5 0.1 0 0"/>)",
};

// A state on the equalities, by closing a random one.
JointState<double> moving_state(SmoothDynamics& inputs, int seed) {
    JointState<double> state(inputs.model());
    for (std::size_t k = 0; k < state.v.size(); ++k)
        state.v[k] = std::sin(1.7 * static_cast<double>(k) + seed);
    REQUIRE(inputs.close_equalities(state).closed);
    return state;
}

}  // namespace

TEST_CASE("tendon couplings: wheels whose sum is held accelerate as elimination says, in every formulation") {
    const Wheels wheels{{0.1, 0.25, 0.3, 0.45, 0.2}, {1, -2, 3, 1, -0.5}, {1, 0, -0.4, 0, 0.3}};
    const std::vector<double> wanted = accelerations(wheels);
    const std::shared_ptr<const Model> model = compile(differential(wheels));
    for (const char* formulation : all_formulations) {
        CAPTURE(formulation);
        Simulation sim(model, options_of(formulation));
        std::copy(wheels.torque.begin(), wheels.torque.end(), sim.inputs().qfrc_applied.begin());
        const double h = 0.01;
        const StepReport report = sim.step(h);
        REQUIRE_MESSAGE(report.status == StepStatus::ok, report.where);
        for (std::size_t k = 0; k < wanted.size(); ++k)
            CHECK(sim.state().v[k] / h == doctest::Approx(wanted[k]).epsilon(1e-9));
    }
    SmoothDynamics inputs(model);
    std::copy(wheels.torque.begin(), wheels.torque.end(), inputs.qfrc_applied.begin());
    maximal::BodyDynamics bodies(model, EqualityMethod::direct);
    // Far from the reference configuration, by several turns.
    JointState<double> state(*model);
    state.q = {20, 1, -6, 5, 10};
    state.q[4] = 2 * (state.q[0] - 2 * state.q[1] + 3 * state.q[2] + state.q[3]);
    std::vector<double> qacc(model->nv);
    bodies.accelerate(inputs, state, qacc);
    for (std::size_t k = 0; k < wanted.size(); ++k)
        CHECK(qacc[k] == doctest::Approx(wanted[k]).epsilon(1e-12));
    CHECK(bodies.system.matrix.equality_error() < 1e-13);
}

TEST_CASE("tendon couplings: the four wheels of a shared model") {
    const std::filesystem::path path = std::filesystem::path(LIG_SHARED_DIR) / "models/real/diff.xml";
    if (!std::filesystem::exists(path)) {
        MESSAGE("skipped: there is no " << path.string());
        return;
    }
    Diagnostics log;
    const std::shared_ptr<const Model> model = compile(load_scene(path, {}, log), log);
    const double wanted[] = {8.4, 1.6, -1.6, -0.4};
    for (const char* formulation : all_formulations) {
        CAPTURE(formulation);
        Simulation sim(model, options_of(formulation));
        sim.inputs().qfrc_applied[0] = 1;
        REQUIRE(sim.step(0.01).status == StepStatus::ok);
        for (int k = 0; k < 4; ++k)
            CHECK(sim.state().v[k] / 0.01 == doctest::Approx(wanted[k]).epsilon(1e-9));
    }
}

TEST_CASE("tendon couplings: accelerations and forces on bodies are those of joint coordinates") {
    for (const char* equalities : couplings)
        for (const EqualityMethod method : {EqualityMethod::direct, EqualityMethod::anticipation}) {
            CAPTURE(equalities);
            const std::shared_ptr<const Model> model = rig_with(equalities);
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
                    CHECK(std::abs(found[k] - wanted[k]) < 1e-8 * (1 + std::abs(wanted[k])));
                for (std::size_t k = 0; k < multipliers.size(); ++k)
                    CHECK(std::abs(multipliers[k] - inputs.multipliers[k]) <
                          1e-8 * (1 + std::abs(inputs.multipliers[k])));
            }
        }
}

TEST_CASE("tendon couplings: RATTLE keeps the energy of what they hold") {
    for (const char* equalities : couplings) {
        CAPTURE(equalities);
        const std::shared_ptr<const Model> model = rig_with(equalities);
        double drift[2];
        for (int halved = 0; halved < 2; ++halved) {
            Simulation sim(model, options_of("multiplier"));
            SmoothDynamics inputs(model);
            sim.set_state(moving_state(inputs, 1));
            const double h = halved ? 0.0005 : 0.001;
            const auto total = [&] { return sim.energy().kinetic + sim.energy().potential; };
            const double before = total();
            drift[halved] = 0;
            for (int k = 0; k * h < 0.5; ++k) {
                const StepReport report = sim.step(h);
                REQUIRE_MESSAGE(report.status == StepStatus::ok, report.where);
                CHECK(report.equality_error < 1e-9);
                drift[halved] = std::max(drift[halved], std::abs(total() - before));
            }
        }
        CHECK(drift[0] < 2e-3);
        CHECK(drift[1] < 0.35 * drift[0] + 1e-9);
    }
}

TEST_CASE("tendon couplings: all formulations come to the same as steps become shorter") {
    for (const char* equalities : couplings) {
        CAPTURE(equalities);
        const std::shared_ptr<const Model> model = rig_with(equalities);
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

// Chains of hinges with a coupling of three neighbours at every other link, or of all links at once.
TEST_CASE("tendon couplings: the work on bodies grows with their number, whatever is coupled") {
    for (const bool all_at_once : {false, true}) {
        CAPTURE(all_at_once);
        double work[2];
        for (const int longer : {0, 1}) {
            const int n = longer ? 1000 : 100;
            Scene scene("chain");
            BodyId body = world;
            std::vector<TendonSpec::JointTerm> terms;
            for (int k = 0; k < n; ++k) {
                body = scene.add_body(body, {.pose = {{1, 0, 0}},
                                             .inertial = InertialSpec{
                                                 .mass = 1, .inertia = Sym3d::diagonal(0.1, 0.1, 0.1)}});
                terms.push_back({scene.add_joint(body, {.axis = {0, 1, 0}}), 1.0 + 0.1 * (k % 7)});
            }
            const auto hold = [&](std::vector<TendonSpec::JointTerm> some) {
                scene.add_tendon_coupling({.follower = scene.add_tendon({.joints = std::move(some)}),
                                           .coefficients = {0, 0, 0, 0, 0}});
            };
            if (all_at_once) hold(terms);
            for (int k = 0; k + 2 < n && !all_at_once; k += 2)
                hold({terms[k], terms[k + 1], terms[k + 2]});
            const std::shared_ptr<const Model> model = compile(scene);
            const std::vector<char> none(model->nv, 0);
            const maximal::BodyGraph graph(model, EqualityMethod::direct, none, false);
            work[longer] = BlockLdlt(graph.nodes(), graph.block_edges()).factor_operations();
        }
        CHECK(work[1] < 11 * work[0]);
    }
}
