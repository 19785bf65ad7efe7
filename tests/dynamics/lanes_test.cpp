// W states in the lanes of one run give the bits of W runs.

#include "support/recursions.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

std::shared_ptr<const Model> random_model(Random& random, int bodies) {
    TreeShape shape;
    shape.bodies = bodies;
    shape.kinematic = 1;
    shape.springs = true;
    Scene scene = random_scene(random, shape);
    for (int b = 1; b < int(scene.bodies().size()); b += 3) scene.body({b}).gravity_scale = 0.5;
    return compile(scene);
}

}  // namespace

TEST_CASE_TEMPLATE("dynamics: every lane gives the bits of the plain number", T, lig::Lanes4d, lig::Lanes8d,
                   lig::Lanes8f, lig::Lanes16f) {
    using R = real_t<T>;
    Random random(21);
    for (const int bodies : {1, 2, 5, 30, 60}) {
        CAPTURE(bodies);
        const auto model = random_model(random, bodies);
        Workspace<T> lanes_ws(model);
        Workspace<R> ws(model);
        std::vector<Inputs<R>> inputs;
        Lanewise<T> lanes(*model);
        for (int lane = 0; lane < lane_width<T>; ++lane) {
            inputs.push_back(random_inputs<R>(random, *model));
            lanes.set(lane, inputs.back());
        }
        const std::vector<T> together = all_results(lanes, lanes_ws);
        for (int lane = 0; lane < lane_width<T>; ++lane) {
            CAPTURE(lane);
            Lanewise<R> single(*model);
            single.set(0, inputs[lane]);
            const std::vector<R> alone = all_results(single, ws);
            REQUIRE(alone.size() == together.size());
            std::size_t different = 0;
            for (std::size_t k = 0; k < alone.size(); ++k)
                if (!same_bits(alone[k], get_lane(together[k], lane))) ++different;
            CHECK(different == 0);
        }
    }
}

TEST_CASE("dynamics: float agrees with double") {
    Random random(22);
    for (int tree = 0; tree < 20; ++tree) {
        const auto model = random_model(random, 1 + tree);
        // The float inputs are exact in double, so that only the recursions differ.
        const Inputs<float> in = random_inputs<float>(random, *model);
        Lanewise<float> narrow(*model);
        narrow.set(0, in);
        Lanewise<double> wide(*model);
        for (int k = 0; k < model->nq; ++k) wide.state.q[k] = in.state.q[k];
        for (int k = 0; k < model->nv; ++k) wide.state.v[k] = in.state.v[k];
        for (std::size_t k = 0; k < wide.state.kinematic.size(); ++k) {
            const BaseMotion<float>& from = in.state.kinematic[k];
            BaseMotion<double>& to = wide.state.kinematic[k];
            const auto copy = [](Vec3d& a, const Vec3<float>& b) { a = {b.x, b.y, b.z}; };
            copy(to.pos, from.pos);
            to.quat = {from.quat.w, from.quat.x, from.quat.y, from.quat.z};
            copy(to.velocity.ang, from.velocity.ang);
            copy(to.velocity.lin, from.velocity.lin);
            copy(to.acceleration.ang, from.acceleration.ang);
            copy(to.acceleration.lin, from.acceleration.lin);
        }
        Workspace<double> ws(model);
        Workspace<float> ws_float(model);
        const std::size_t n = model->nv;
        std::vector<double> tau(n), M(n * n), acc(n);
        std::vector<float> tau_float(n), M_float(n * n), acc_float(n);
        for (std::size_t k = 0; k < n; ++k) acc[k] = acc_float[k] = in.tau[k];
        inverse_dynamics<double>(wide.state, acc, ws, tau);
        inverse_dynamics<float>(narrow.state, acc_float, ws_float, tau_float);
        double worst = 0;
        for (std::size_t k = 0; k < n; ++k) worst = std::max(worst, std::abs(tau[k] - double(tau_float[k])));
        // Roundings of 6e-8 over at most 20 links, some of which cancel.
        CHECK(worst < 2e-5 * largest_joint_wrench(ws));
        mass_matrix<double>(wide.state, ws, M);
        mass_matrix<float>(narrow.state, ws_float, M_float);
        worst = 0;
        for (std::size_t k = 0; k < n * n; ++k) worst = std::max(worst, std::abs(M[k] - double(M_float[k])));
        CHECK(worst < 2e-5 * largest(M));
    }
}
