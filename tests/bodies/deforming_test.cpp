// The contract of bodies/deforming.h, for every kind that deforms, against a cloud of point masses that moves
// as the body says its points do.

#include "bodies/body_list.h"

#include "support/random_values.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace lig;
using namespace lig::test;
using bodies::max_body_dim;

namespace {

struct Point {
    double mass;
    Vec3d at;  // at rest, seen from the centre of mass
};

// Points whose centre of mass is the origin and whose products of inertia vanish: eight corners of a box, and
// pairs on its axes.
std::vector<Point> random_cloud(Random& random) {
    std::vector<Point> cloud;
    const Vec3d half{random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.2, 1)};
    const double corner = random.uniform(0.1, 1);
    for (const double x : {-1, 1})
        for (const double y : {-1, 1})
            for (const double z : {-1, 1}) cloud.push_back({corner, {x * half.x, y * half.y, z * half.z}});
    const double far = random.uniform(0.5, 2), mass = random.uniform(0.1, 1);
    for (const double x : {-far, far}) cloud.push_back({mass, {x, 0, 0}});
    return cloud;
}

template <class Body>
struct Case {
    std::vector<Point> cloud;
    double mass = 0;
    Sym3d moment = Sym3d::zero();
    Vec3d x;
    Quatd quat;
    double s[6], v[Body::dim];

    explicit Case(Random& random) : cloud(random_cloud(random)) {
        for (const Point& p : cloud) {
            mass += p.mass;
            const Vec3d& r = p.at;
            moment += p.mass * Sym3d{r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};
        }
        x = random_vec(random, 2);
        quat = random_rotation(random);
        for (int k = 0; k < Body::stretches; ++k)
            s[k] = k < 3 ? random.uniform(0.7, 1.4) : random.uniform(-0.2, 0.2);
        for (double& u : v) u = random.uniform(-1, 1);
    }
    bodies::Substance own() const { return {mass, moment}; }
    Mat3d R() const { return rotation_matrix(quat); }
    Sym3d S() const { return Body::spread(s); }

    // Where a point is a time t later while the velocity of the freedoms stays v.
    Vec3d place(const Point& p, const double* u, double t) const {
        double later[6];
        for (int k = 0; k < Body::stretches; ++k) later[k] = s[k] + t * u[6 + k];
        const Mat3d turned = rotation_matrix(rotation_exp(t * Vec3d{u[0], u[1], u[2]})) * R();
        return x + t * Vec3d{u[3], u[4], u[5]} + turned * (Body::spread(later) * p.at);
    }
    // Its velocity, by Ȧ of the header.
    Vec3d velocity(const Point& p, const double* u) const {
        const Vec3d arm = R() * (S() * p.at);
        return Vec3d{u[3], u[4], u[5]} + cross(Vec3d{u[0], u[1], u[2]}, arm) +
               R() * (Body::spread(u + 6) * p.at);
    }
};

template <class Check>
void for_each_case(Check&& check) {
    for (const bodies::BodyInfo& info : bodies::body_list)
        bodies::visit_body(info.kind, [&]<class Body>(Body) {
            if constexpr (Body::stretches > 0) {
                CAPTURE(std::string(info.name));
                Random random(11 + static_cast<int>(info.kind));
                for (int trial = 0; trial < 30; ++trial) check(Body{}, Case<Body>(random), random);
            }
        });
}

struct Totals {
    double energy = 0;
    Vec3d momentum = Vec3d::zero(), spin = Vec3d::zero();
};

struct Moving {
    Vec3d x;
    Quatd quat;
    Motion<double> V;
    StretchWork<double> shape;
};

template <class Body>
Moving start(const Case<Body>& c) {
    return {c.x, c.quat, Body::expand(c.v), {c.S(), Body::spread(c.v + 6)}};
}

// Summed over the cloud.
template <class Body>
Totals totals(const Case<Body>& c, const Moving& now) {
    Totals sum;
    const Mat3d R = rotation_matrix(now.quat);
    for (const Point& p : c.cloud) {
        const Vec3d arm = R * (now.shape.S * p.at);
        const Vec3d u = now.V.lin + cross(now.V.ang, arm) + R * (now.shape.rate * p.at);
        sum.energy += 0.5 * p.mass * dot(u, u);
        sum.momentum += p.mass * u;
        sum.spin += p.mass * cross(now.x + arm, u);
    }
    return sum;
}

double far(const Vec3d& a, const Vec3d& b) { return std::sqrt(dot(a - b, a - b)); }
double far(const Sym3d& a, const Sym3d& b) {
    const Sym3d d = a - b;
    return std::max({std::abs(d.xx), std::abs(d.yy), std::abs(d.zz), std::abs(d.xy), std::abs(d.xz),
                     std::abs(d.yz)});
}
double far(const Moving& a, const Moving& b) {
    return std::max({far(a.x, b.x), far((a.quat * conjugate(b.quat)).vec(), Vec3d::zero()),
                     far(a.V.ang, b.V.ang),
                     far(a.V.lin, b.V.lin), far(a.shape.S, b.shape.S), far(a.shape.rate, b.shape.rate)});
}

template <class Body>
Moving drifted(const Case<Body>& c, Moving at, double time, int steps) {
    for (int k = 0; k < steps; ++k)
        Body::drift(c.own(), time / steps, at.x, at.quat, at.V, at.shape);
    return at;
}

}  // namespace

TEST_CASE("deforming bodies: gather is the transpose of spread, and read its inverse") {
    for_each_case([]<class Body>(Body, const Case<Body>& c, Random& random) {
        double back[6];
        Body::read(c.S(), back);
        for (int k = 0; k < Body::stretches; ++k) CHECK(back[k] == c.s[k]);
        const Vec3d g = random_vec(random, 1), r = random_vec(random, 1);
        double pull[6], power = 0;
        Body::gather(bodies::pull_on_stretches(g, r), pull);
        for (int k = 0; k < Body::stretches; ++k) power += pull[k] * c.v[6 + k];
        CHECK(std::abs(power - dot(g, Body::spread(c.v + 6) * r)) < 1e-14);
    });
}

TEST_CASE("deforming bodies: the mass block is that of the points") {
    for_each_case([]<class Body>(Body, const Case<Body>& c, Random&) {
        constexpr int dim = Body::dim;
        double M[dim * dim], p[dim];
        Body::mass_block(c.own(), c.R(), c.S(), M);
        Body::momenta(c.own(), c.R(), c.S(), c.v, p);
        for (int a = 0; a < dim; ++a) {
            double unit_a[dim] = {}, row = 0;
            unit_a[a] = 1;
            for (int b = 0; b < dim; ++b) {
                double unit_b[dim] = {}, sum = 0;
                unit_b[b] = 1;
                for (const Point& point : c.cloud)
                    sum += point.mass * dot(c.velocity(point, unit_a), c.velocity(point, unit_b));
                CHECK(std::abs(M[a * dim + b] - sum) < 1e-12);
                CHECK(M[a * dim + b] == M[b * dim + a]);
                row += M[a * dim + b] * c.v[b];
            }
            CHECK(std::abs(p[a] - row) < 1e-12);
        }
    });
}

TEST_CASE("deforming bodies: the bias is what points feel while the freedoms' velocity stays") {
    for_each_case([]<class Body>(Body, const Case<Body>& c, Random&) {
        constexpr int dim = Body::dim;
        constexpr double h = 1e-3;
        double bias[dim];
        Body::bias(c.own(), c.R(), c.S(), c.v, bias);
        for (int k = 0; k < dim; ++k) {
            double unit[dim] = {}, sum = 0;
            unit[k] = 1;
            for (const Point& p : c.cloud) {
                // Second difference of fourth order.
                const auto at = [&](double t) { return c.place(p, c.v, t); };
                const Vec3d second =
                    (1 / (12 * h * h)) * (16 * (at(h) + at(-h)) - at(2 * h) - at(-2 * h) - 30 * at(0));
                sum -= p.mass * dot(c.velocity(p, unit), second);
            }
            CHECK(std::abs(bias[k] - sum) < 1e-7);
        }
    });
}

TEST_CASE("deforming bodies: free motion keeps momentum and angular momentum to rounding") {
    for_each_case([]<class Body>(Body, const Case<Body>& c, Random&) {
        const Moving begin = start(c), end = drifted(c, begin, 1, 200);
        const Totals before = totals(c, begin), after = totals(c, end);
        CHECK(far(before.momentum, after.momentum) < 1e-12);
        CHECK(far(before.spin, after.spin) < 1e-11);
        // Of second order for stretching, and exact for affine ones, for which nothing but rounding is left.
        CHECK(std::abs(after.energy - before.energy) <
              (Body::kind == BodyKind::affine ? 1e-11 : 2e-3) * before.energy);
    });
}

TEST_CASE("deforming bodies: free motion is of second order and reversible") {
    for_each_case([]<class Body>(Body, const Case<Body>& c, Random&) {
        const Moving begin = start(c), best = drifted(c, begin, 0.5, 4096);
        const double coarse = far(drifted(c, begin, 0.5, 32), best);
        const double fine = far(drifted(c, begin, 0.5, 64), best);
        if (coarse > 1e-9) CHECK(fine < 0.3 * coarse);
        CHECK(far(drifted(c, drifted(c, begin, 0.5, 32), -0.5, 32), begin) < 1e-11);
    });
}

TEST_CASE("deforming bodies: an affine body that nothing acts on has points on straight lines") {
    Random random(5);
    const Case<bodies::Affine> c(random);
    const Moving end = drifted(c, start(c), 0.7, 1);
    for (const Point& p : c.cloud) {
        const Vec3d line = c.x + c.R() * (c.S() * p.at) + 0.7 * c.velocity(p, c.v);
        CHECK(far(end.x + rotation_matrix(end.quat) * (end.shape.S * p.at), line) < 1e-13);
    }
}
