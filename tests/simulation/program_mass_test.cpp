// Bodies of a program's kind whose mass is their own: integrals that the program gives, and what resists
// their coordinates beside the points; and what of that cannot be.

#include "support/simulation_runs.h"

#include <ligament/body_kind.h>
#include <ligament/contracts.h>
#include <ligament/dynamics.h>
#include <ligament/model.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

// A box of these half lengths, 2 kg, that bends along x (mode 1, without its mean) and stretches along x.
constexpr Vec3d half{0.5, 0.2, 0.1};
constexpr double box_mass = 2;

class Own : public ProgramBody {
public:
    std::string_view kind() const override { return "own"; }
    int coordinates() const override { return 2; }
    void modes(const Vec3d& r, Vec3d* phi) const override {
        phi[0] = {0, 0, r.x * r.x - half.x * half.x / 3};
        phi[1] = {r.x, 0, 0};
    }
    void gradients(const Vec3d& r, Mat3d* out) const override {
        out[0] = out[1] = Mat3d::zero();
        out[0](2, 0) = 2 * r.x;
        out[1](0, 0) = 1;
    }
    void elastic(const double* s, ShapeForces& out) const override {
        out.energy = 100 * s[0] * s[0] + 300 * s[1] * s[1];
        out.force[0] = -200 * s[0];
        out.force[1] = -600 * s[1];
        out.stiffness[0][0] = 200;
        out.stiffness[1][1] = 600;
    }
};

// ∫ x² dm and so on of a box by hand: with a = half.x, ∫ x⁴ = a⁴/5 of the mass.
class WithIntegrals : public Own {
public:
    double spoilt = 0, weight = box_mass;
    std::optional<MassIntegrals> mass_integrals() const override {
        const double xx = box_mass * half.x * half.x / 3, yy = box_mass * half.y * half.y / 3,
                     zz = box_mass * half.z * half.z / 3, a4 = std::pow(half.x, 4);
        MassIntegrals out;
        out.mass = weight;
        for (auto& row : out.J)
            for (Mat3d& entry : row) entry = Mat3d::zero();
        out.J[0][0] = {{xx, 0, 0}, {0, yy, 0}, {0, 0, zz}};
        out.J[0][2] = out.J[2][0] = {{xx, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        out.J[2][2] = out.J[0][2];
        out.J[1][1](2, 2) = box_mass * (a4 / 5 - 2 * a4 / 9 + a4 / 9);
        out.J[0][1](1, 2) = spoilt;
        return out;
    }
};

std::shared_ptr<const Model> model_of(std::shared_ptr<const ProgramBody> kind) {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    const BodyId it = scene.add_body(
        world, {.name = "it", .pose = {{0, 0, 1}}, .kind = BodyKind::program, .program = std::move(kind)});
    scene.add_geom(it, {.shape = ShapeType::box, .size = half, .mass = box_mass, .collides = false});
    return compile(scene);
}

std::string said_of(std::shared_ptr<const ProgramBody> kind) {
    try {
        model_of(std::move(kind));
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

// Along x alone, with something heavy that goes with it: ½ A ṡ² more.
std::shared_ptr<const ProgramBody> sprung(double added) {
    ShapeMatrix A{};
    A[0][0] = added;
    return body_kind<1>([](const auto& r) { return std::array{Vec3{r.x, 0.0 * r.x, 0.0 * r.x}}; },
                        [](const auto& s) { return 300.0 * s[0] * s[0]; }, {.added_mass = A});
}

}  // namespace

TEST_CASE("program mass: integrals by hand are those of the geoms") {
    const auto by_hand = model_of(std::make_shared<WithIntegrals>()),
               by_geoms = model_of(std::make_shared<Own>());
    CHECK(contract_fault(WithIntegrals()) == "");
    const int nv = by_geoms->nv;
    REQUIRE(by_hand->nv == nv);
    JointState<double> state(*by_geoms);
    for (int k = 0; k < nv; ++k) state.v[k] = std::sin(1.0 + 2 * k);
    state.q[7] = 0.1, state.q[8] = -0.05;
    std::vector<double> a(nv * nv), b(nv * nv);
    Workspace<double> ws_a(by_hand), ws_b(by_geoms);
    mass_matrix<double>(state, ws_a, a);
    mass_matrix<double>(state, ws_b, b);
    for (int k = 0; k < nv * nv; ++k) CHECK(std::abs(a[k] - b[k]) < 1e-13);
    for (const char* formulation : {"multiplier", "implicit", "impulse"}) {
        CAPTURE(formulation);
        Simulation x(by_hand, {.formulation = formulation}), y(by_geoms, {.formulation = formulation});
        x.set_state(state);
        y.set_state(state);
        for (int k = 0; k < 100; ++k) {
            step_ok(x, 0.002);
            step_ok(y, 0.002);
        }
        for (int k = 0; k < by_hand->nq; ++k) CHECK(std::abs(x.state().q[k] - y.state().q[k]) < 1e-9);
    }
}

TEST_CASE("program mass: what is added swings along") {
    // ½ (m a²/3 + A) ṡ² + 300 s², and nothing turns.
    const double own = box_mass * half.x * half.x / 3, dt = 1e-4;
    for (const double added : {0.0, 0.5}) {
        const auto model = model_of(sprung(added));
        const double omega = std::sqrt(600 / (own + added));
        for (const char* formulation : {"multiplier", "implicit", "impulse"}) {
            CAPTURE(formulation);
            Simulation sim(model, {.formulation = formulation});
            JointState<double> start = sim.state();
            start.q[7] = 0.01;
            sim.set_state(start);
            // A quarter of a period, when it passes rest.
            int steps = 0;
            double before = 0.01;
            while (sim.state().q[7] > 0 && steps < 100000) {
                before = sim.state().q[7];
                step_ok(sim, dt);
                ++steps;
            }
            const double now = sim.state().q[7];
            const double quarter = dt * (steps - 1 + before / (before - now));
            CHECK(quarter == doctest::Approx(0.5 * std::numbers::pi / omega).epsilon(2e-3));
            // Its energy has what was added.
            Workspace<double> ws(model);
            forward_kinematics(sim.state(), ws);
            const double v = sim.state().v[6];
            CHECK(energy(sim.state(), ws).kinetic ==
                  doctest::Approx(0.5 * (own + added) * v * v).epsilon(1e-9));
        }
    }
}

TEST_CASE("program mass: blocks that are none are named") {
    const auto with = [](double WithIntegrals::* which, double value) {
        auto kind = std::make_shared<WithIntegrals>();
        (*kind).*which = value;
        return kind;
    };
    CHECK(model_of(with(&WithIntegrals::weight, 3))->bodies[1].mass == 3);  // not that of the geom
    CHECK(said_of(with(&WithIntegrals::spoilt, 0.1))
              .find("body 'it': its mass integrals or its added mass are not "
                    "symmetric") != std::string::npos);
    CHECK(said_of(with(&WithIntegrals::weight, 0)).find("body 'it' deforms and has no mass") !=
          std::string::npos);
    CHECK(said_of(with(&WithIntegrals::weight, NAN)) != "");
    CHECK(said_of(sprung(-1)).find("body 'it' has a mode without mass") != std::string::npos);
    CHECK(said_of(sprung(NAN)).find("body 'it': its modes or masses are not finite") != std::string::npos);
    CHECK(contract_fault(*with(&WithIntegrals::spoilt, 0.1)) == "J_01 is not J_10 turned over");
    CHECK(contract_fault(*with(&WithIntegrals::weight, -1)) == "the mass of its integrals is not positive");
}
