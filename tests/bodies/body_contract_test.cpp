// The contract of bodies/body.h, for every kind in the list: Φ read off expand, everything else against it.

#include "bodies/body_list.h"

#include "support/random_values.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace lig;
using namespace lig::test;
using bodies::max_body_dim;

namespace {

// Sums of at most six products of numbers up to ten.
constexpr double rounding = 1e-13;

using Row = std::array<double, 6>;

Row row(const Vec3d& ang, const Vec3d& lin) { return {ang.x, ang.y, ang.z, lin.x, lin.y, lin.z}; }

// The columns of Φ.
template <class Body>
std::vector<Row> freedoms() {
    std::vector<Row> columns;
    for (int k = 0; k < Body::dim; ++k) {
        double v[max_body_dim] = {};
        v[k] = 1;
        const Motion<double> V = Body::expand(v);
        columns.push_back(row(V.ang, V.lin));
    }
    return columns;
}

double dot(const Row& a, const Row& b) {
    double sum = 0;
    for (int i = 0; i < 6; ++i) sum += a[i] * b[i];
    return sum;
}

// The inertia of a body: three principal moments that a body can have, in any axes.
Sym3d random_inertia(Random& random) {
    const double a = random.uniform(0.1, 1), b = random.uniform(0.1, 1), c = random.uniform(0.1, 1);
    return rotate(rotation_matrix(random_rotation(random)), Sym3d::diagonal(b + c, a + c, a + b));
}

template <class Body>
struct Case {
    double mass;
    Sym3d inertia;
    double v[Body::dim];
    Motion<double> V;
    Force<double> f;
};

// Calls check(kind, Φ, case) on fifty random cases of every kind.
template <class Check>
void for_each_case(Check&& check) {
    for (const bodies::BodyInfo& info : bodies::body_list) {
        CAPTURE(std::string(info.name));
        // Those that deform have a contract of their own: deforming_test.cpp.
        bodies::visit_body(info.kind, [&]<class Body>(Body) {
            if constexpr (Body::stretches > 0)
                return;
            else {
                const std::vector<Row> phi = freedoms<Body>();
                Random random(7 + static_cast<int>(info.kind));
                for (int trial = 0; trial < 50; ++trial) {
                    Case<Body> c;
                    c.mass = random.uniform(0.1, 10);
                    c.inertia = random_inertia(random);
                    for (double& x : c.v) x = random.uniform(-2, 2);
                    c.V = Body::expand(c.v);
                    c.f = {random_vec(random, 3), random_vec(random, 3)};
                    check(Body{}, phi, c);
                }
            }
        });
    }
}

}  // namespace

TEST_CASE("bodies: the list says what each kind is") {
    for (const bodies::BodyInfo& info : bodies::body_list) {
        CAPTURE(std::string(info.name));
        CHECK(info.dim >= 1);
        CHECK(info.dim <= max_body_dim);
        CHECK(!info.summary.empty());
        bool visited = false;
        bodies::visit_body(info.kind, [&]<class Body>(Body) { visited = Body::kind == info.kind; });
        CHECK(visited);
        CHECK(bodies::body_info(info.kind).name == info.name);
        CHECK(bodies::body_words[static_cast<int>(info.kind)] == info.name);
    }
    CHECK(bodies::body_info(BodyKind::rigid).dim == 6);
    CHECK(bodies::body_info(BodyKind::planar).dim == 3);
    CHECK(bodies::body_info(BodyKind::particle).dim == 3);
}

TEST_CASE("bodies: expand is linear, by the freedoms that the kind is said to have") {
    for_each_case([](auto body, const std::vector<Row>& phi, const auto& c) {
        const Row V = row(c.V.ang, c.V.lin);
        for (int i = 0; i < 6; ++i) {
            double sum = 0;
            for (int k = 0; k < body.dim; ++k) sum += phi[k][i] * c.v[k];
            CHECK(V[i] == sum);
        }
    });
    const double v[6] = {1, 2, 3, 4, 5, 6};
    CHECK(row(bodies::Rigid::expand(v).ang, bodies::Rigid::expand(v).lin) == Row{1, 2, 3, 4, 5, 6});
    CHECK(row(bodies::Planar::expand(v).ang, bodies::Planar::expand(v).lin) == Row{0, 3, 0, 1, 0, 2});
    CHECK(row(bodies::Particle::expand(v).ang, bodies::Particle::expand(v).lin) == Row{0, 0, 0, 1, 2, 3});
}

TEST_CASE("bodies: project is the transpose of expand") {
    for_each_case([](auto body, const std::vector<Row>& phi, const auto& c) {
        double out[max_body_dim];
        body.project(c.f, out);
        double power = 0;
        for (int k = 0; k < body.dim; ++k) {
            CHECK(out[k] == dot(phi[k], row(c.f.ang, c.f.lin)));
            power += out[k] * c.v[k];
        }
        CHECK(std::abs(power - lig::dot(c.V, c.f)) <= rounding);
    });
}

TEST_CASE("bodies: the mass block is that of the rigid body on the kind's freedoms") {
    for_each_case([](auto body, const std::vector<Row>& phi, const auto& c) {
        double M[max_body_dim * max_body_dim];
        body.mass_block(c.mass, c.inertia, M);
        for (int j = 0; j < body.dim; ++j) {
            const Vec3d ang{phi[j][0], phi[j][1], phi[j][2]}, lin{phi[j][3], phi[j][4], phi[j][5]};
            const Row momentum = row(c.inertia * ang, c.mass * lin);
            for (int i = 0; i < body.dim; ++i) {
                CHECK(std::abs(M[i * body.dim + j] - dot(phi[i], momentum)) <= rounding);
                CHECK(M[i * body.dim + j] == M[j * body.dim + i]);
            }
        }
        // Kinetic energy, positive for any velocity.
        double twice = 0;
        for (int i = 0; i < body.dim; ++i)
            for (int j = 0; j < body.dim; ++j) twice += c.v[i] * M[i * body.dim + j] * c.v[j];
        CHECK(twice > 0);
        CHECK(std::abs(twice - (c.mass * lig::dot(c.V.lin, c.V.lin) +
                                lig::dot(c.V.ang, c.inertia * c.V.ang))) <= 10 * rounding);
    });
}

TEST_CASE("bodies: the bias is the gyroscopic moment on the kind's freedoms, and it does no work") {
    for_each_case([](auto body, const std::vector<Row>& phi, const auto& c) {
        double out[max_body_dim];
        body.bias(c.inertia, c.V, out);
        const Row moment = row(-cross(c.V.ang, c.inertia * c.V.ang), Vec3d{0, 0, 0});
        double power = 0;
        for (int k = 0; k < body.dim; ++k) {
            CHECK(std::abs(out[k] - dot(phi[k], moment)) <= rounding);
            power += out[k] * c.v[k];
        }
        CHECK(std::abs(power) <= 10 * rounding);
    });
}

TEST_CASE("bodies: a body's own joints are its freedoms, one each and in their order") {
    for (const bodies::BodyInfo& info : bodies::body_list) {
        if (info.own_joints.empty() || info.stretches > 0) continue;
        CAPTURE(std::string(info.name));
        REQUIRE(static_cast<int>(info.own_joints.size()) == info.dim);
        bodies::visit_body(info.kind, [&]<class Body>(Body) {
            const std::vector<Row> phi = freedoms<Body>();
            for (int k = 0; k < info.dim; ++k) {
                const bodies::OwnJoint& joint = info.own_joints[k];
                const Vec3d none{0, 0, 0};
                CHECK(phi[k] ==
                      (joint.type == JointType::hinge ? row(joint.axis, none) : row(none, joint.axis)));
            }
        });
    }
    CHECK(bodies::body_info(BodyKind::rigid).own_joints.empty());
    // Those that deform: a free joint and their stretches.
    for (const bodies::BodyInfo& info : bodies::body_list) {
        if (info.stretches == 0) continue;
        REQUIRE(static_cast<int>(info.own_joints.size()) == 1 + info.stretches);
        CHECK(info.own_joints[0].type == JointType::free);
        for (int k = 1; k <= info.stretches; ++k) CHECK(info.own_joints[k].type == JointType::stretch);
        CHECK(info.dim == 6 + info.stretches);
    }
}
