// The contract of bodies/deforming.h, for every kind that deforms, against a cloud of point masses that moves
// as the body says its points do.

#include "bodies/body_list.h"
#include "linalg/small_dense.h"

#include "support/random_values.h"

#include <ligament/body_kind.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace lig;
using namespace lig::test;
using bodies::max_body_dim;

namespace {

double far(const Vec3d& a, const Vec3d& b) { return std::sqrt(dot(a - b, a - b)); }

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

// A program's kind that bends along x, twists about it and swells, with modes that are not linear.
std::shared_ptr<const ProgramBody> bending_kind() {
    return body_kind<3>(
        [](const auto& r) {
            const auto zero = 0.0 * r.x;
            return std::array{Vec3{zero, zero, r.x * r.x - 0.3 * r.x * r.y},
                              Vec3{zero, -r.x * r.z, r.x * r.y}, Vec3{0.4 * r.x, r.y + 0.2 * sin(r.z), r.z}};
        },
        [](const auto& s) { return 2.0 * s[0] * s[0] + s[1] * s[1] * (1.0 + s[2] * s[2]) + cosh(s[2]); });
}

template <class Body>
struct Case {
    Body kind;
    std::vector<Point> cloud;
    double mass = 0;
    Sym3d moment = Sym3d::zero();
    Vec3d x;
    Quatd quat;
    double s[Body::stretches], v[Body::dim];
    std::shared_ptr<bodies::Modal> modal;  // of a program's kind

    explicit Case(Random& random) : cloud(random_cloud(random)) {
        for (const Point& p : cloud) {
            mass += p.mass;
            const Vec3d& r = p.at;
            moment += p.mass * Sym3d{r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};
        }
        if constexpr (Body::kind == BodyKind::program) {
            std::vector<MassSample> samples;
            for (const Point& p : cloud) samples.push_back({p.mass, p.at});
            modal = std::make_shared<bodies::Modal>(bodies::modal_of(bending_kind(), samples, mass));
            bodies::Modal::Field& field = modal->fields.emplace_back();
            modal->field_of = {0};
            field.at = {0.3, -0.2, 0.1};
            modal->phi(field.at, field.phi);
            modal->kind->gradients(field.at, field.gradient);
            kind.modal = modal.get();
        }
        x = random_vec(random, 2);
        quat = random_rotation(random);
        for (int k = 0; k < kind.shapes(); ++k)
            s[k] = k < 3 && !modal ? random.uniform(0.7, 1.4) : random.uniform(-0.2, 0.2);
        for (double& u : v) u = random.uniform(-1, 1);
    }
    bodies::Substance own() const { return {mass, moment}; }
    Mat3d R() const { return rotation_matrix(quat); }
    Sym3d S() const { return kind.spread(s); }

    // Where a point is a time t later while the velocity of the freedoms stays v.
    Vec3d place(const Point& p, const double* u, double t) const {
        double later[Body::stretches];
        for (int k = 0; k < kind.shapes(); ++k) later[k] = s[k] + t * u[6 + k];
        const Mat3d turned = rotation_matrix(rotation_exp(t * Vec3d{u[0], u[1], u[2]})) * R();
        return x + t * Vec3d{u[3], u[4], u[5]} + turned * kind.place(kind.spread(later), p.at);
    }
    // Its velocity, by Ȧ of the header.
    Vec3d velocity(const Point& p, const double* u) const {
        const Vec3d arm = R() * kind.place(S(), p.at);
        return Vec3d{u[3], u[4], u[5]} + cross(Vec3d{u[0], u[1], u[2]}, arm) +
               R() * kind.slip(kind.spread(u + 6), p.at);
    }
};

template <class Check>
void for_each_case(Check&& check) {
    for (const bodies::BodyInfo& info : bodies::body_list)
        bodies::visit_body(info.kind, [&]<class Body>(Body) {
            if constexpr (Body::stretches > 0) {
                CAPTURE(std::string(info.name));
                Random random(11 + static_cast<int>(info.kind));
                for (int trial = 0; trial < 30; ++trial) {
                    const Case<Body> c(random);
                    check(c.kind, c, random);
                }
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
    return {c.x, c.quat, Body::expand(c.v), {c.S(), c.kind.spread(c.v + 6)}};
}

// Summed over the cloud.
template <class Body>
Totals totals(const Case<Body>& c, const Moving& now) {
    Totals sum;
    const Mat3d R = rotation_matrix(now.quat);
    for (const Point& p : c.cloud) {
        const Vec3d arm = R * c.kind.place(now.shape.S, p.at);
        const Vec3d u = now.V.lin + cross(now.V.ang, arm) + R * c.kind.slip(now.shape.rate, p.at);
        sum.energy += 0.5 * p.mass * dot(u, u);
        sum.momentum += p.mass * u;
        sum.spin += p.mass * cross(now.x + arm, u);
    }
    return sum;
}

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
        c.kind.drift(c.own(), time / steps, at.x, at.quat, at.V, at.shape);
    return at;
}

}  // namespace

TEST_CASE("deforming bodies: what points do to the stretches is the transpose of how they move") {
    for_each_case([]<class Body>(Body kind, const Case<Body>& c, Random& random) {
        double back[Body::stretches];
        kind.read(c.S(), back);
        for (int k = 0; k < kind.shapes(); ++k) CHECK(back[k] == c.s[k]);
        const auto check = [&](Body at) {
            const Vec3d g = random_vec(random, 1), r = random_vec(random, 1);
            double pull[Body::stretches], power = 0;
            at.pull(g, r, pull);
            for (int k = 0; k < at.shapes(); ++k) power += pull[k] * c.v[6 + k];
            CHECK(std::abs(power - dot(g, at.slip(at.spread(c.v + 6), r))) < 1e-14);
            const double h = 1e-6;
            const Sym3d rate = at.spread(c.v + 6);
            const Vec3d moved = (0.5 / h) * (at.place(c.S() + h * rate, r) - at.place(c.S() - h * rate, r));
            CHECK(far(moved, at.slip(rate, r)) < 1e-9);
            return r;
        };
        check(kind);
        if constexpr (Body::kind == BodyKind::program) {
            // Fixed to a geom: the linear map there, which is the field itself to first order.
            kind.geom = 0;
            const Vec3d r = check(kind), at = c.modal->fields[0].at;
            CHECK(far(kind.rest(c.S(), kind.place(c.S(), r)), r) < 1e-12);
            const Vec3d near = at + 1e-5 * r;
            CHECK(far(kind.place(c.S(), near), c.kind.place(c.S(), near)) < 1e-9);
        } else {
            const Vec3d r = random_vec(random, 1);
            CHECK(far(kind.rest(c.S(), kind.place(c.S(), r)), r) < 1e-12);
        }
    });
}

TEST_CASE("deforming bodies: the mass block is that of the points, and positive definite") {
    for_each_case([]<class Body>(Body kind, const Case<Body>& c, Random&) {
        const int dim = kind.freedoms();
        double M[Body::dim * Body::dim], p[Body::dim];
        kind.mass_block(c.own(), c.R(), c.S(), M);
        kind.momenta(c.own(), c.R(), c.S(), c.v, p);
        for (int a = 0; a < dim; ++a) {
            double unit_a[Body::dim] = {}, row = 0;
            unit_a[a] = 1;
            for (int b = 0; b < dim; ++b) {
                double unit_b[Body::dim] = {}, sum = 0;
                unit_b[b] = 1;
                for (const Point& point : c.cloud)
                    sum += point.mass * dot(c.velocity(point, unit_a), c.velocity(point, unit_b));
                CHECK(std::abs(M[a * dim + b] - sum) < 1e-12);
                CHECK(M[a * dim + b] == M[b * dim + a]);
                row += M[a * dim + b] * c.v[b];
            }
            CHECK(std::abs(p[a] - row) < 1e-12);
        }
        CHECK(cholesky_of<double>(dim, M, 1e-9));
    });
}

TEST_CASE("deforming bodies: the bias is what points feel while the freedoms' velocity stays") {
    for_each_case([]<class Body>(Body kind, const Case<Body>& c, Random&) {
        constexpr double h = 1e-3;
        double bias[Body::dim];
        kind.bias(c.own(), c.R(), c.S(), c.v, bias);
        for (int k = 0; k < kind.freedoms(); ++k) {
            double unit[Body::dim] = {}, sum = 0;
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

TEST_CASE("deforming bodies: what drives the momenta of the shape is the derivative of the kinetic energy") {
    for_each_case([]<class Body>(Body kind, const Case<Body>& c, Random&) {
        double push[Body::stretches];
        kind.push_by_motion(c.own(), c.R(), c.S(), c.v, push);
        for (int k = 0; k < kind.shapes(); ++k) {
            const double h = 1e-4;
            const auto energy = [&](double by) {
                double s[Body::stretches], p[Body::dim], sum = 0;
                std::copy_n(c.s, kind.shapes(), s);
                s[k] += by;
                kind.momenta(c.own(), c.R(), kind.spread(s), c.v, p);
                for (int i = 0; i < kind.freedoms(); ++i) sum += 0.5 * c.v[i] * p[i];
                return sum;
            };
            // Quadratic in s: differences are exact but for rounding.
            CHECK(std::abs(push[k] - (energy(h) - energy(-h)) / (2 * h)) < 1e-9);
        }
    });
}

TEST_CASE("deforming bodies: a program's law of its own has the derivatives of its energy") {
    const auto kind = bending_kind();
    Random random(3);
    for (int trial = 0; trial < 20; ++trial) {
        double s[3];
        for (double& x : s) x = random.uniform(-1, 1);
        ShapeForces at;
        kind->elastic(s, at);
        CHECK(at.energy ==
              doctest::Approx(2 * s[0] * s[0] + s[1] * s[1] * (1 + s[2] * s[2]) + std::cosh(s[2]))
                  .epsilon(1e-14));
        for (int k = 0; k < 3; ++k) {
            const double h = 1e-5;
            ShapeForces ahead, back;
            s[k] += h;
            kind->elastic(s, ahead);
            s[k] -= 2 * h;
            kind->elastic(s, back);
            s[k] += h;
            CHECK(std::abs(at.force[k] + (ahead.energy - back.energy) / (2 * h)) < 1e-9);
            for (int l = 0; l < 3; ++l)
                CHECK(std::abs(at.stiffness[l][k] + (ahead.force[l] - back.force[l]) / (2 * h)) < 1e-9);
        }
    }
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
