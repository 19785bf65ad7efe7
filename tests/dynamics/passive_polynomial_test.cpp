// Springs and dampers with coefficients of higher order, on all kinds of joints that MJCF has.

#include <ligament/dynamics.h>

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;

namespace {

// Free, ball, hinge and slide, one after the other, each with its own polynomials.
Scene sprung_chain() {
    Scene scene("springs");
    scene.options.gravity = {0, 0, 0};
    const InertialSpec unit{1, {}, Sym3d::diagonal(1, 1, 1), {}};
    const auto add = [&](BodyId parent, const Vec3d& pos, JointSpec joint) {
        const BodyId body = scene.add_body(parent, {.pose = {pos}, .inertial = unit});
        scene.add_joint(body, std::move(joint));
        return body;
    };
    BodyId body = add(world, {0, 0, 1},
                      {.type = JointType::free,
                       .damping = 0.4,
                       .stiffness = 3,
                       .damping_poly = {0.3, 0.2},
                       .stiffness_poly = {-2, 1.5}});
    body = add(body, {0, 0, 0},
               {.type = JointType::ball,
                .damping = 0.5,
                .stiffness = 2,
                .damping_poly = {0.2, 0.6},
                .stiffness_poly = {1.1, 0.7}});
    body =
        add(body, {0, 0, 0}, {.damping_poly = {0.8, 0}, .stiffness_poly = {1.7, 0}, .spring_reference = 0.3});
    add(body, {0, 0, 0},
        {.type = JointType::slide,
         .damping = 0.1,
         .stiffness = 5,
         .damping_poly = {0, 0.9},
         .stiffness_poly = {2, -1},
         .spring_reference = -0.2});
    return scene;
}

JointState<double> moving_state(const Model& model) {
    JointState<double> state(model);
    state.q = {0.4,
               -0.7,
               1.9,
               0.8295613557843402,
               0.3110855084191276,
               -0.4147806778921701,
               0.20739033894608505,
               0.6469966392206304,
               -0.5391638660171921,
               0.3234983196103152,
               0.4313310928137537,
               -0.9,
               0.35};
    state.v = {0.7, -1.1, 0.4, 2.0, -1.5, 0.8, 1.2, -0.5, 0.9, -1.7, 0.6};
    return state;
}

}  // namespace

TEST_CASE("polynomial springs and dampers: forces and energy as in MuJoCo") {
    const auto model = compile(sprung_chain());
    const JointState<double> state = moving_state(*model);
    std::vector<double> spring(model->nv, 0.0), damper(model->nv, 0.0);
    add_spring_forces<double>(state, *model, spring);
    add_damping_forces<double>(state, *model, damper);
    // Computed with MuJoCo 3.14.
    const double springs[] = {-1.1093563221124343,
                              1.9413735636967597,
                              -2.4960517247529768,
                              -1.8062552985084688,
                              2.4083403980112914,
                              -1.2041701990056457,
                              7.374310635079175,
                              -4.424586381047504,
                              -5.899448508063339,
                              -2.448,
                              -3.188625};
    const double dampers[] = {-0.49559999999999993,
                              1.0692000000000002,
                              -0.22080000000000002,
                              -3.6,
                              1.9500000000000002,
                              -0.6144000000000001,
                              -1.9248,
                              0.375,
                              -1.0493999999999999,
                              2.3120000000000003,
                              -0.2544};
    for (int k = 0; k < model->nv; ++k) {
        CAPTURE(k);
        CHECK(std::abs(spring[k] - springs[k]) < 1e-13);
        CHECK(std::abs(damper[k] - dampers[k]) < 1e-13);
    }
    Workspace<double> ws(model);
    forward_kinematics(state, ws);
    CHECK(energy(state, ws).potential == doctest::Approx(9.918470193711007).epsilon(1e-13));
}

TEST_CASE("polynomial springs: the force is the slope of the energy") {
    const auto model = compile(sprung_chain());
    Workspace<double> ws(model);
    const JointState<double> state = moving_state(*model);
    std::vector<double> force(model->nv, 0.0);
    add_spring_forces<double>(state, *model, force);
    const double h = 1e-5;
    for (int k = 0; k < model->nv; ++k) {
        CAPTURE(k);
        std::vector<double> direction(model->nv, 0.0);
        direction[k] = 1;
        double potential[2];
        for (const int side : {0, 1}) {
            JointState<double> moved = state;
            integrate<double>(ws, state.q, direction, side == 0 ? -h : h, moved.q);
            forward_kinematics(moved, ws);
            potential[side] = energy(moved, ws).potential;
        }
        // The central difference is exact to h² and 1e-16 / h.
        CHECK(std::abs(-(potential[1] - potential[0]) / (2 * h) - force[k]) < 1e-8);
    }
}
