// The constraint half of every joint: residual, Jacobian and its rate, on the joint's manifold and off it.

#include "support/joint_table.h"
#include "support/random_values.h"

#include <doctest/doctest.h>

#include <string>

using namespace lig;
using namespace lig::test;

namespace {

using Joint = JointFunctions<double>;

constexpr int trials = 50;
// As in freedom_test.cpp: truncation below 1e-9 for motions of order one, rounding of order 1e-12.
constexpr double h = 2e-5;
constexpr double difference_tolerance = 5e-9;
constexpr double rounding = 5e-14;

struct Place {
    joints::Parameters<double> parameters;
    double q[joints::max_nq] = {};
    Transformd X;  // X_FM(q), or moved away from it
};

Place on_manifold(Random& random, const Joint& joint) {
    Place place{{random.uniform(-0.5, 0.5)}};
    // Several turns, as a screw counts them.
    random_coordinates(random, joint.info, 8, place.q);
    place.X = joint.pose(place.parameters, place.q);
    return place;
}

Place off_manifold(Random& random, const Joint& joint) {
    Place place = on_manifold(random, joint);
    place.X = {rotation_matrix(random_rotation(random, 0.5)) * place.X.R,
               place.X.p + random_vec(random, 0.3)};
    return place;
}

Motion<double> random_twist(Random& random) {
    const Vec3d ang = random_vec(random, 1);
    return {ang, random_vec(random, 1)};
}

// The flow of a constant twist: Ṙ = [ω]× R, ṗ = v.
Transformd flow(const Transformd& X, const Motion<double>& V, double time) {
    return {rotation_matrix(rotation_exp(time * V.ang)) * X.R, X.p + time * V.lin};
}

std::array<double, 6> residual(const Joint& joint, const Place& place, const Transformd& X) {
    std::array<double, 6> C{};
    joint.residual(place.parameters, X, place.q, C.data());
    return C;
}

std::array<double, 6> jacobian_times(const Joint& joint, const Place& place, const Transformd& X,
                                     const Motion<double>& V) {
    Force<double> G[6];
    joint.jacobian(place.parameters, X, G);
    std::array<double, 6> rate{};
    for (int row = 0; row < joint.info.rows; ++row) rate[row] = dot(G[row], V);
    return rate;
}

template <class F>
void for_each_case(F&& f) {
    for (const Joint& joint : joint_table<double>()) {
        CAPTURE(std::string(joint.info.name));
        Random random(101 + static_cast<int>(joint.info.type));
        for (int trial = 0; trial < trials; ++trial) f(joint, random);
    }
}

}  // namespace

TEST_CASE("joints: C vanishes and G S = 0 where the joint can be") {
    for_each_case([](const Joint& joint, Random& random) {
        const Place place = on_manifold(random, joint);
        for (const double c : residual(joint, place, place.X)) CHECK(std::abs(c) < rounding);
        Motion<double> S[joints::max_nv];
        joint.motion(place.parameters, place.q, S);
        for (int k = 0; k < joint.info.nv; ++k)
            for (const double x : jacobian_times(joint, place, place.X, S[k])) CHECK(std::abs(x) < rounding);
    });
}

TEST_CASE("joints: C does not vanish where the joint cannot be") {
    for_each_case([](const Joint& joint, Random& random) {
        if (joint.info.rows == 0) return;
        const Place place = on_manifold(random, joint);
        // Along each row of G, a direction that the joint forbids, C grows at the rate |G|².
        Force<double> G[6];
        joint.jacobian(place.parameters, place.X, G);
        for (int row = 0; row < joint.info.rows; ++row) {
            const double square = dot(G[row].ang, G[row].ang) + dot(G[row].lin, G[row].lin);
            const double step = 1e-3;
            const auto C = residual(joint, place, flow(place.X, {G[row].ang, G[row].lin}, step));
            CHECK(std::abs(C[row] / step - square) < 0.01);
            CHECK(square > 0.5);
        }
    });
}

TEST_CASE("joints: the rows of G are independent where the joint can be") {
    for_each_case([](const Joint& joint, Random& random) {
        const Place place = on_manifold(random, joint);
        Force<double> G[6];
        joint.jacobian(place.parameters, place.X, G);
        const auto inner = [](const Force<double>& a, const Force<double>& b) {
            return dot(a.ang, b.ang) + dot(a.lin, b.lin);
        };
        // The pivots of the Gram matrix by Gram–Schmidt. All are of order one: no row is nearly a mix of the
        // others.
        for (int k = 0; k < joint.info.rows; ++k) {
            for (int l = 0; l < k; ++l) G[k] = G[k] - (inner(G[l], G[k]) / inner(G[l], G[l])) * G[l];
            CHECK(inner(G[k], G[k]) > 0.5);
        }
    });
}

TEST_CASE("joints: G is the derivative of C, also off the manifold") {
    for_each_case([](const Joint& joint, Random& random) {
        const Place place = off_manifold(random, joint);
        const Motion<double> V = random_twist(random);
        const auto before = residual(joint, place, flow(place.X, V, -h));
        const auto after = residual(joint, place, flow(place.X, V, h));
        const auto rate = jacobian_times(joint, place, place.X, V);
        for (int row = 0; row < joint.info.rows; ++row) {
            CAPTURE(row);
            CHECK(std::abs((after[row] - before[row]) / (2 * h) - rate[row]) < difference_tolerance);
        }
    });
}

TEST_CASE("joints: the rate of G is its derivative along V, also off the manifold") {
    for_each_case([](const Joint& joint, Random& random) {
        const Place place = off_manifold(random, joint);
        const Motion<double> V = random_twist(random);
        const auto before = jacobian_times(joint, place, flow(place.X, V, -h), V);
        const auto after = jacobian_times(joint, place, flow(place.X, V, h), V);
        double rate[6] = {};
        joint.jacobian_rate(place.parameters, place.X, V, rate);
        for (int row = 0; row < joint.info.rows; ++row) {
            CAPTURE(row);
            CHECK(std::abs((after[row] - before[row]) / (2 * h) - rate[row]) < difference_tolerance);
        }
    });
}

TEST_CASE("joints: both halves say the same acceleration") {
    // C̈ = G (S v̇ + Ṡ v) + Ġ S v vanishes on the manifold for any v and v̇. It joins the two halves to
    // second order.
    for_each_case([](const Joint& joint, Random& random) {
        const Place place = on_manifold(random, joint);
        double v[joints::max_nv], acc[joints::max_nv];
        Motion<double> S[joints::max_nv];
        joint.motion(place.parameters, place.q, S);
        Motion<double> V = Motion<double>::zero(), A = Motion<double>::zero();
        for (int k = 0; k < joint.info.nv; ++k) {
            v[k] = random.uniform(-1, 1);
            acc[k] = random.uniform(-1, 1);
            V += v[k] * S[k];
            A += acc[k] * S[k];
        }
        A += joint.velocity_product(place.parameters, place.q, v);
        double rate[6] = {};
        joint.jacobian_rate(place.parameters, place.X, V, rate);
        const auto GA = jacobian_times(joint, place, place.X, A);
        for (int row = 0; row < joint.info.rows; ++row) CHECK(std::abs(GA[row] + rate[row]) < rounding);
    });
}
