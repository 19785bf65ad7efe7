// The freedom half of every joint: pose, motion, velocity product, integrate, difference, coordinates.

#include "support/joint_table.h"
#include "support/random_values.h"

#include <doctest/doctest.h>

#include <string>

using namespace lig;
using namespace lig::test;

namespace {

using Joint = JointFunctions<double>;
using Parameters = joints::Parameters<double>;

constexpr int trials = 50;
// Half the step of the central differences. Their error is h²/6 times a third derivative (speeds and lengths
// here are of order one: below 1e-9) plus rounding of order 1e-16 / h = 1e-12.
constexpr double h = 2e-5;
constexpr double difference_tolerance = 2e-9;
// What is exact but for rounding, on numbers of order one to ten.
constexpr double rounding = 5e-14;

struct Case {
    Parameters parameters;
    double q[joints::max_nq] = {};
    double v[joints::max_nv] = {};
};

Case random_case(Random& random, const Joint& joint, double reach = 2) {
    Case c{{random.uniform(-0.5, 0.5)}};
    random_coordinates(random, joint.info, reach, c.q);
    for (int k = 0; k < joint.info.nv; ++k) c.v[k] = random.uniform(-1, 1);
    return c;
}

struct Moved {
    double q[joints::max_nq] = {};
    Transformd X;
    Motion<double> V;
};

// Pose and velocity after moving along v for a time.
Moved moved(const Joint& joint, const Case& c, double time) {
    Moved out;
    joint.integrate(c.q, c.v, time, out.q);
    out.X = joint.pose(c.parameters, out.q);
    Motion<double> S[joints::max_nv];
    joint.motion(c.parameters, out.q, S);
    out.V = Motion<double>::zero();
    for (int k = 0; k < joint.info.nv; ++k) out.V += c.v[k] * S[k];
    return out;
}

template <class F>
void for_each_case(F&& f) {
    for (const Joint& joint : joint_table<double>()) {
        CAPTURE(std::string(joint.info.name));
        Random random(1 + static_cast<int>(joint.info.type));
        for (int trial = 0; trial < trials; ++trial) f(joint, random);
    }
}

}  // namespace

TEST_CASE("joints: freedoms and constraints add up to six, and the names differ") {
    const auto table = joint_table<double>();
    CHECK(int(table.size()) == joints::joint_count);
    for (const Joint& joint : table) {
        CAPTURE(std::string(joint.info.name));
        CHECK(joint.info.nv + joint.info.rows == 6);
        CHECK(joint.info.nq <= joints::max_nq);
        CHECK(joint.info.nq == joint.info.nv + (quaternion_at(joint.info) >= 0 ? 1 : 0));
        CHECK(!joint.info.summary.empty());
        for (const Joint& other : table)
            CHECK((other.info.name == joint.info.name) == (other.info.type == joint.info.type));
    }
}

TEST_CASE("joints: the pose moves with S v") {
    for_each_case([](const Joint& joint, Random& random) {
        const Case c = random_case(random, joint);
        const Moved now = moved(joint, c, 0), before = moved(joint, c, -h), after = moved(joint, c, h);
        const Vec3d p_rate = (0.5 / h) * (after.X.p - before.X.p);
        const Mat3d R_rate = (0.5 / h) * (after.X.R - before.X.R);
        CHECK(largest(p_rate - now.V.lin) < difference_tolerance);
        CHECK(largest(R_rate - cross_matrix(now.V.ang) * now.X.R) < difference_tolerance);
    });
}

TEST_CASE("joints: the velocity product is the rate of S v at constant v") {
    for_each_case([](const Joint& joint, Random& random) {
        const Case c = random_case(random, joint);
        const Motion<double> rate = (0.5 / h) * (moved(joint, c, h).V - moved(joint, c, -h).V);
        CHECK(largest(rate - joint.velocity_product(c.parameters, c.q, c.v)) < difference_tolerance);
    });
}

TEST_CASE("joints: the columns of S are independent") {
    for_each_case([](const Joint& joint, Random& random) {
        const Case c = random_case(random, joint);
        Motion<double> S[joints::max_nv];
        joint.motion(c.parameters, c.q, S);
        // Gram–Schmidt; all joints of the list have columns of length one or more at right angles.
        for (int k = 0; k < joint.info.nv; ++k) {
            const auto inner = [](const Motion<double>& a, const Motion<double>& b) {
                return dot(a.ang, b.ang) + dot(a.lin, b.lin);
            };
            for (int l = 0; l < k; ++l) S[k] = S[k] - (inner(S[l], S[k]) / inner(S[l], S[l])) * S[l];
            CHECK(inner(S[k], S[k]) > 0.1);
        }
    });
}

TEST_CASE("joints: integrate and difference are inverse to each other") {
    for_each_case([](const Joint& joint, Random& random) {
        const Case c = random_case(random, joint);
        double q1[joints::max_nq], v[joints::max_nv];
        joint.integrate(c.q, c.v, 1, q1);
        joint.difference(c.q, q1, v);
        for (int k = 0; k < joint.info.nv; ++k) CHECK(std::abs(v[k] - c.v[k]) < rounding);

        // Any other configuration is reached in unit time, as a pose: a quaternion may come out with the
        // other sign.
        const Case other = random_case(random, joint);
        joint.difference(c.q, other.q, v);
        joint.integrate(c.q, v, 1, q1);
        const Transformd X = joint.pose(c.parameters, q1), wanted = joint.pose(c.parameters, other.q);
        CHECK(largest(X.p - wanted.p) < rounding);
        CHECK(largest(X.R - wanted.R) < rounding);
    });
}

TEST_CASE("joints: integrate is a flow: two halves make a whole") {
    for_each_case([](const Joint& joint, Random& random) {
        const Case c = random_case(random, joint);
        double half[joints::max_nq], twice[joints::max_nq], whole[joints::max_nq];
        joint.integrate(c.q, c.v, 0.5, half);
        joint.integrate(half, c.v, 0.5, twice);
        joint.integrate(c.q, c.v, 1, whole);
        for (int k = 0; k < joint.info.nq; ++k) CHECK(std::abs(twice[k] - whole[k]) < rounding);
    });
}

TEST_CASE("joints: quaternions stay of unit length over many steps") {
    for (const Joint& joint : joint_table<double>()) {
        const int at = quaternion_at(joint.info);
        if (at < 0) continue;
        CAPTURE(std::string(joint.info.name));
        Random random(3);
        Case c = random_case(random, joint);
        for (int step = 0; step < 10000; ++step) joint.integrate(c.q, c.v, 0.01, c.q);
        const double* r = c.q + at;
        CHECK(std::abs(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3] - 1) < 1e-15);
    }
}

TEST_CASE("joints: coordinates are read back from the pose, also after several turns") {
    for_each_case([](const Joint& joint, Random& random) {
        // 20 rad are three turns.
        const Case c = random_case(random, joint, 20);
        const int at = quaternion_at(joint.info);
        double near[joints::max_nq], q[joints::max_nq];
        // Less than half a turn away; for a quaternion, on its side.
        for (int k = 0; k < joint.info.nq; ++k)
            near[k] = c.q[k] + (at >= 0 && k >= at ? random.uniform(-0.1, 0.1) : random.uniform(-3, 3));
        joint.coordinates(c.parameters, joint.pose(c.parameters, c.q), near, q);
        for (int k = 0; k < joint.info.nq; ++k) CHECK(std::abs(q[k] - c.q[k]) < rounding);
    });
}
