// Bodies that deform under `implicit`: any stiffness at 60 Hz, statics against Hooke and Euler–Bernoulli, and
// the motion that `multiplier` has.

#include "support/deforming_scenes.h"
#include "support/implicit_runs.h"

using namespace lig;
using namespace lig::test;

namespace {

// A bar along x of n affine bodies, clamped at x = 0: pieces hold together at the middles of their ends, and
// against turning by springs, by half a piece between the wall and the first middle.
struct Bar {
    int pieces;
    double length = 2, side = 0.02, young = 1e8, density = 0.3;

    double section() const { return side * side; }
    double second_moment() const { return side * side * side * side / 12; }

    std::shared_ptr<const Model> model() const {
        Scene scene;
        const double piece = length / pieces;
        BodyId before = world;
        for (int k = 0; k < pieces; ++k) {
            const BodyId own = add_jelly(scene, "piece" + std::to_string(k), {{(k + 0.5) * piece, 0, 0}},
                                         {.half = {0.5 * piece, 0.5 * side, 0.5 * side},
                                          .young = young,
                                          .poisson = 0,
                                          .damping = 0.05,
                                          .density = density});
            const double stiffness = (k == 0 ? 2 : 1) * young * second_moment() / piece;
            const Pose frame_a{{k == 0 ? 0.0 : 0.5 * piece, 0, 0}}, frame_b{{-0.5 * piece, 0, 0}};
            scene.add_loop({.body_a = before, .body_b = own, .frame_a = frame_a, .frame_b = frame_b});
            scene.add_bushing({.body_a = before,
                               .body_b = own,
                               .frame_a = frame_a,
                               .frame_b = frame_b,
                               .turn_stiffness = {stiffness, stiffness, stiffness},
                               .turn_damping = 0.05 * Vec3d{stiffness, stiffness, stiffness}});
            before = own;
        }
        return compile(scene);
    }

    // How far its end comes down under its own weight.
    double sag(double seconds, double dt) const {
        const auto made = model();
        Simulation sim(made, implicit_options(SmoothIntegrator::backward_euler));
        run(sim, seconds, dt);
        Workspace<double> ws(made);
        forward_kinematics(sim.state(), ws);
        const int last = made->tree.stretches.back().link;
        const Vec3d end{0.5 * length / pieces, 0, 0};
        return -(ws.poses[last].X_WL * (ws.stretches.back().S * end)).z;
    }

    double euler_bernoulli() const {
        const double load = density * section() * gravity;
        return load * std::pow(length, 4) / (8 * young * second_moment());
    }
};

}  // namespace

TEST_CASE("implicit deforming: a bar bends like Euler-Bernoulli's, to second order") {
    double before = 0;
    for (const int pieces : {1, 2, 4, 8, 16, 32, 64}) {
        CAPTURE(pieces);
        const Bar bar{pieces};
        const double error = std::abs(bar.sag(20, 0.2) / bar.euler_bernoulli() - 1);
        CAPTURE(error);
        if (pieces > 1) CHECK(error < 0.3 * before);
        CHECK(error < 1.1 / (pieces * pieces));
        before = error;
    }
}

// Welds hold the axes R, which are the wall's all along the bar, and a body has one strain: there is nothing
// left to bend by. With the slope s = S_xz, the energy is 2 G s² for each volume and the force Q across the
// bar works by s: s = Q/4GA, whatever the number of pieces.
TEST_CASE("implicit deforming: a bar of pieces that are welded together shears, and does not bend") {
    constexpr double length = 2, side = 0.1, young = 1e7, poisson = 0.3, density = 100;
    for (const int pieces : {1, 4, 16}) {
        CAPTURE(pieces);
        Scene scene;
        const double piece = length / pieces;
        BodyId before = world;
        for (int k = 0; k < pieces; ++k) {
            const BodyId own = add_jelly(scene, "piece" + std::to_string(k), {{(k + 0.5) * piece, 0, 0}},
                                         {.half = {0.5 * piece, 0.5 * side, 0.5 * side},
                                          .young = young,
                                          .poisson = poisson,
                                          .damping = 0.05,
                                          .density = density});
            scene.add_loop({.type = JointType::fixed,
                            .body_a = before,
                            .body_b = own,
                            .frame_a = {{k == 0 ? 0.0 : 0.5 * piece, 0, 0}},
                            .frame_b = {{-0.5 * piece, 0, 0}}});
            before = own;
        }
        const auto made = compile(scene);
        Simulation sim(made, implicit_options(SmoothIntegrator::backward_euler));
        run(sim, 20, 0.1);
        Workspace<double> ws(made);
        forward_kinematics(sim.state(), ws);
        const Vec3d end{0.5 * piece, 0, 0};
        const int last = made->tree.stretches.back().link;
        const double sag = -(ws.poses[last].X_WL * (ws.stretches.back().S * end)).z;
        const double G = young / (2 * (1 + poisson)), load = density * side * side * gravity;
        CHECK(sag == doctest::Approx(load * length * length / (8 * G * side * side)).epsilon(1e-4));
    }
}

TEST_CASE("implicit deforming: a gigapascal at 60 Hz") {
    for (const BodyKind kind : deforming_kinds) {
        CAPTURE(static_cast<int>(kind));
        Scene scene;
        const BodyId bar =
            add_jelly(scene, "bar", {{0, 0, -0.5}}, {.kind = kind, .half = {0.2, 0.2, 0.5}, .young = 1e9});
        scene.add_loop({.name = "hook", .body_a = world, .body_b = bar, .frame_b = {{0, 0, 0.5}}});
        const auto model = compile(scene);
        Simulation sim(model, implicit_options());
        set_velocity(sim, {0, 0, 0}, {1, 0.5, 2}, "bar");
        run(sim, 3, frame, [&](const StepReport& report) {
            CHECK(report.substeps <= 1);
            CHECK(report.equality_error < 1e-9);
        });
        const TreeStretch& own = model->tree.stretches[0];
        for (int k = 0; k < own.count; ++k)
            CHECK(std::abs(sim.state().q[own.q_adr + k] - model->q0[own.q_adr + k]) < 1e-5);
    }
}

TEST_CASE("implicit deforming: steps get to what multiplier has") {
    for (const BodyKind kind : deforming_kinds) {
        CAPTURE(static_cast<int>(kind));
        Scene scene;
        const BodyId a = add_jelly(scene, "a", {{0.5, 0, 0}}, {.kind = kind});
        scene.add_loop({.name = "hook",
                        .body_a = world,
                        .body_b = a,
                        .frame_a = {{0, 0.1, 0}},
                        .frame_b = {{-0.5, 0.1, 0}}});
        const auto model = compile(scene);
        const auto end = [&](SimulationOptions options, double dt) {
            options.stepping = Stepping::smooth;
            options.tolerance = 1e-11;
            Simulation sim(model, options);
            set_velocity(sim, {0, 0, 0}, {3, 1, 2}, "a");
            run(sim, 0.2, dt);
            return sim.state();
        };
        const JointState<double> best =
            end({.formulation = "multiplier", .integrator = SmoothIntegrator::rk45}, 0.01);
        const auto error = [&](const JointState<double>& state) {
            double most = 0;
            for (std::size_t k = 0; k < state.q.size(); ++k)
                most = std::max(most, std::abs(state.q[k] - best.q[k]));
            return most;
        };
        const double coarse = error(end(implicit_options(SmoothIntegrator::bdf2), 5e-4));
        const double fine = error(end(implicit_options(SmoothIntegrator::bdf2), 2.5e-4));
        CHECK(coarse < 0.02);
        CHECK(fine < 0.35 * coarse);
    }
}
