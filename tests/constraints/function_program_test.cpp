// Programs of functions (symbol.h): what they say of functions of many kinds, against derivatives in forward
// mode; and what they leave to others.

#include "support/random_values.h"

#include <ligament/function_constraint.h>

#include <doctest/doctest.h>

#include <array>
#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

constexpr int bodies = 4;
template <class T>
using Poses = std::array<Transform<T>, bodies>;
template <class T>
using Velocities = std::array<Motion<T>, bodies>;

struct Motions {
    std::array<Transformd, bodies> X;
    std::array<Motion<double>, bodies> V;
    double time;
    explicit Motions(Random& random) : time(random.uniform(0.1, 2)) {
        for (int k = 0; k < bodies; ++k) {
            X[k] = {rotation_matrix(random_rotation(random)), random_vec(random, 2)};
            V[k] = {random_vec(random, 1), random_vec(random, 1)};
        }
    }
    GroupState state() const { return {X, V, time}; }
};

// The program of a function of poses, velocities and the time, called at some motion.
template <class Function>
FunctionProgram program_of(const Function& f, const Motions& at) {
    SymbolTape tape(bodies);
    Poses<Symbol> X;
    Velocities<Symbol> V;
    for (int k = 0; k < bodies; ++k)
        for (int c = 0; c < 3; ++c) {
            for (int r = 0; r < 3; ++r) X[k].R(r, c) = tape.pose(k, 3 * c + r, at.X[k].R(r, c));
            X[k].p[c] = tape.pose(k, 9 + c, at.X[k].p[c]);
            V[k].ang[c] = tape.velocity(k, c, at.V[k].ang[c]);
            V[k].lin[c] = tape.velocity(k, 3 + c, at.V[k].lin[c]);
        }
    const std::array<Symbol, 1> results{f(X, V, tape.time(at.time))};
    return {tape, results};
}

void check_same(double a, double b, double size) { CHECK(std::abs(a - b) <= 1e-12 * size); }

// A holonomic function in forward mode.
template <class Function>
GroupRow forward(const Function& f, const Motions& at) {
    using Partial = Dual<double, 6 * bodies + 1>;
    using functions::Curve;
    Poses<Partial> X;
    Poses<Curve> moving;
    for (int k = 0; k < bodies; ++k) {
        X[k] = functions::seeded<Partial>(at.X[k], 6 * k);
        moving[k] = functions::on_its_way(at.X[k], at.V[k], Motion<double>::zero());
    }
    Partial time = at.time;
    time.d[6 * bodies] = 1;
    const Partial C = f(X, Velocities<Partial>{}, time);
    GroupRow row;
    row.error = C.value;
    row.rate = C.d[6 * bodies];
    for (int k = 0; k < bodies; ++k)
        row.on[k] = {{C.d[6 * k], C.d[6 * k + 1], C.d[6 * k + 2]},
                     {C.d[6 * k + 3], C.d[6 * k + 4], C.d[6 * k + 5]}};
    row.product = f(moving, Velocities<Curve>{}, functions::on_curve(at.time, 1, 0)).d[0].d[0];
    return row;
}

// Says that the program answers as forward mode does, at motions that it was not made at.
template <class Function>
void check(const char* name, const Function& f) {
    CAPTURE(name);
    Random random(3);
    const FunctionProgram program = program_of(f, Motions(random));
    for (int trial = 0; trial < 20; ++trial) {
        const Motions at(random);
        const GroupRow expected = forward(f, at);
        GroupRow found;
        REQUIRE(program.evaluate_holonomic(at.state(), &found));
        double size = 1 + std::abs(expected.error) + std::abs(expected.product);
        for (const Force<double>& on : expected.on) size += std::abs(on.lin.x) + std::abs(on.ang.z);
        check_same(found.error, expected.error, size);
        check_same(found.rate, expected.rate, size);
        check_same(found.product, expected.product, size);
        for (int k = 0; k < bodies; ++k)
            for (int c = 0; c < 3; ++c) {
                check_same(found.on[k].ang[c], expected.on[k].ang[c], size);
                check_same(found.on[k].lin[c], expected.on[k].lin[c], size);
            }
    }
}

// R r by its elements.
template <class T>
Vec3<T> turned(const Mat3<T>& R, double x, double y, double z) {
    return {R(0, 0) * x + R(0, 1) * y + R(0, 2) * z, R(1, 0) * x + R(1, 1) * y + R(1, 2) * z,
            R(2, 0) * x + R(2, 1) * y + R(2, 2) * z};
}

}  // namespace

TEST_CASE("function programs: sums, points and vectors of all kinds") {
    check("half", [](const auto& X, const auto&, const auto&) {
        return X[1].p.x - 0.5 * (X[0].p.x + X[2].p.x) + 0.3;
    });
    check("constant", [](const auto& X, const auto&, const auto&) { return 0.0 * X[0].p.x + 2.0; });
    check("elements", [](const auto& X, const auto&, const auto&) {
        return X[0].R(0, 1) * X[1].R(2, 0) - 2.0 * X[0].R(1, 1) + X[2].R(2, 2) / X[3].R(0, 0);
    });
    check("points", [](const auto& X, const auto&, const auto&) {
        const auto a = X[0].p + turned(X[0].R, 0.1, 0.2, -0.3), b = X[1].p - turned(X[1].R, 0.4, 0.0, 0.2),
                   c = 2.0 * X[2].p + turned(X[2].R, 0.1, 0.5, 0.0),
                   d = turned(X[3].R, 0.0, -0.5, 0.0) - X[3].p;
        return dot(a - b, c - d) + a.y - 3.0 * d.z;
    });
    check("volume", [](const auto& X, const auto&, const auto&) {
        return dot(X[1].p - X[0].p, cross(X[2].p - X[0].p, X[3].p - X[0].p)) - 0.96;
    });
    check("crosses", [](const auto& X, const auto&, const auto&) {
        const auto a = cross(X[0].R.x, X[1].p), b = cross(X[2].p, X[0].p - X[3].p),
                   c = cross(a, b) + cross(b, X[0].R.y);
        return c.x + 2.0 * c.y * c.z + dot(a, b) - (X[0].p.y * X[1].p.z - X[0].p.z * X[1].p.y + 0.2);
    });
    check("lengths", [](const auto& X, const auto&, const auto&) {
        const auto a = X[0].p - X[1].p, b = X[2].p + turned(X[2].R, 0.3, -0.1, 0.2) - X[3].p;
        const auto square = dot(b, b);
        return sqrt(dot(a, a)) + sqrt(2.0 * square) + square + sqrt(3.0 * dot(a, a) + 0.5) +
               sqrt(a.x * a.x + 1.0);
    });
    check("roots that nothing comes of", [](const auto& X, const auto&, const auto&) {
        const auto a = X[0].p - X[1].p;
        const auto square = dot(a, a);
        [[maybe_unused]] const auto unused = sqrt(square);
        return square * X[2].p.x;
    });
    check("matrices", [](const auto& X, const auto&, const auto&) {
        const auto R = transpose(X[0].R) * X[1].R;
        const auto p = transpose_mul(X[2].R, X[3].p - X[2].p);
        return atan2(R(1, 0) - R(0, 1), R(0, 0) + R(1, 1) + 3.0) + p.x * p.y - p.z / (2.0 + p.x * p.x);
    });
    check("many terms", [](const auto& X, const auto&, const auto& t) {
        auto sum = 0.1 * t;
        for (int k = 0; k < bodies; ++k)
            for (int c = 0; c < 3; ++c) {
                sum = 0.9 * sum + X[k].p[c] + 0.2 * X[k].R(c, 1);
                if (c == k % 3) sum += sum * sum * 0.01;
            }
        return sum;
    });
    check("time", [](const auto& X, const auto&, const auto& t) {
        return (X[0].p.x - sin(2.0 * t)) * t + exp(-t) * X[1].p.y;
    });
    check("what cancels", [](const auto& X, const auto&, const auto&) {
        const auto x = X[0].p.x * X[1].p.y, y = x - x;
        return y + X[2].p.x - X[2].p.x + X[3].p.z;
    });
}

TEST_CASE("function programs: all functions of numbers") {
    const auto of = [](auto f) {
        return [f](const auto& X, const auto&, const auto& t) {
            // Between 0.25 and 0.75, and its square.
            const auto x = 0.5 + 0.25 * sin(X[0].p.x + X[1].p.y), y = x * x + 0.01 * t * X[0].R(0, 0) * t;
            return f(x, y) * (1.0 + 0.1 * X[2].p.z);
        };
    };
    check("sqrt", of([](const auto& x, const auto& y) { return sqrt(x) + sqrt(1.0 + y); }));
    check("sin, cos, tan", of([](const auto& x, const auto& y) { return sin(x) * cos(y) + tan(x); }));
    check("asin, acos", of([](const auto& x, const auto& y) { return asin(x) + acos(y); }));
    check("atan, atan2",
          of([](const auto& x, const auto& y) { return atan(x) + atan2(y, x) + atan2(x, 1.0 - y); }));
    check("sinh, cosh, tanh", of([](const auto& x, const auto& y) { return sinh(x) * cosh(y) - tanh(y); }));
    check("exp, log", of([](const auto& x, const auto& y) { return exp(x) * log(1.0 + y); }));
    check("pow", of([](const auto& x, const auto& y) {
              return pow(x, 2.5) + pow(y + 1.0, x) + pow(x, 1.0) + pow(y, 0.0);
          }));
    check("hypot", of([](const auto& x, const auto& y) { return hypot(x, y + 1.0); }));
    check("quotients", of([](const auto& x, const auto& y) { return x / (1.0 + y) + 2.0 / x - y / 3.0; }));
    check("signs", of([](const auto& x, const auto& y) { return -x - -y + (3.0 - x) - (y - 3.0); }));
    check("assignments", of([](const auto& x, const auto& y) {
              auto sum = x;
              sum += y, sum -= 0.3 * x, sum *= y + 1.0, sum /= x;
              return sum;
          }));
    check("what never changes",
          of([](const auto& x, const auto& y) { return max(x, y - 9.0) + min(x, y + 9.0) + abs(x - 9.0); }));
}

TEST_CASE("function programs: on velocities") {
    const auto slip = [](const auto& X, const auto& V, const auto& t) {
        auto sum = 0.3 * t - 0.2;
        for (int k = 0; k < bodies; ++k)
            sum += dot(X[k].R.z, V[k].ang) + dot(cross(X[k].R.x, X[k].p), V[k].lin) * cos(t);
        return sum;
    };
    Random random(11);
    const FunctionProgram program = program_of(slip, Motions(random));
    for (int trial = 0; trial < 20; ++trial) {
        const Motions at(random);
        GroupRow found;
        REQUIRE(program.evaluate_nonholonomic(at.state(), &found));
        double product = 0.3;
        for (int k = 0; k < bodies; ++k) {
            const auto& [X, V] = std::pair(at.X[k], at.V[k]);
            const Vec3d ang = X.R.z, on = cross(X.R.x, X.p), lin = std::cos(at.time) * on;
            for (int c = 0; c < 3; ++c) {
                check_same(found.on[k].ang[c], ang[c], 1);
                check_same(found.on[k].lin[c], lin[c], 10);
            }
            const Vec3d change = cross(cross(V.ang, X.R.x), X.p) + cross(X.R.x, V.lin);
            product += dot(cross(V.ang, X.R.z), V.ang) + std::cos(at.time) * dot(change, V.lin) -
                       std::sin(at.time) * dot(on, V.lin);
        }
        check_same(found.rate, 0.3 * at.time - 0.2, 10);
        check_same(found.product, product, 10);
    }
}

TEST_CASE("function programs: another branch is another formula, and groups know it") {
    // Of a height that bounces: |z|, and further down steeper.
    const auto height = [](const auto& z) {
        if (z < -1.0) return -2.0 * z - 1.0;
        return abs(z);
    };
    const auto f = [=](const auto& X, const auto&, const auto&) { return height(X[0].p.z); };
    const auto group = holonomic_group<1>([=](const auto& X, const auto&) { return height(X[0].p.z); });
    Random random(5);
    Motions at(random);
    at.X[0].p.z = 0.5;
    const FunctionProgram program = program_of(f, at);
    for (const double z : {0.7, -0.4, -3.0, 0.01, -1.0}) {
        CAPTURE(z);
        at.X[0].p.z = z;
        GroupRow row, by_group;
        CHECK(program.evaluate_holonomic(at.state(), &row) == (z > 0));
        group->evaluate({std::span(at.X).first(1), std::span(at.V).first(1), at.time}, &by_group);
        CHECK(by_group.error == doctest::Approx(z > 0 ? z : z < -1 ? -2 * z - 1
                                                                   : -z));
        CHECK(by_group.on[0].lin.z == (z > 0 ? 1 : z < -1 ? -2
                                                          : -1));
    }
}

TEST_CASE("function programs: what they cannot know is left to others") {
    Random random(6);
    Motions at(random);
    GroupRow row;
    // A value that is looked at: no record tells what becomes of it.
    const auto looks = [](const auto& X, const auto&, const auto&) {
        const auto seen = X[0].p.z.value;
        return seen > 0 ? 1.0 * X[0].p.z : 3.0 * X[0].p.z;
    };
    CHECK_FALSE(program_of(looks, at).evaluate_holonomic(at.state(), &row));
    const auto group =
        holonomic_group<1>([=](const auto& X, const auto& t) { return looks(X, 0, t); });
    for (const double z : {-1.0, 2.0}) {
        at.X[0].p.z = z;
        group->evaluate({std::span(at.X).first(1), std::span(at.V).first(1), 0}, &row);
        CHECK(row.on[0].lin.z == (z > 0 ? 1 : 3));
    }
    // One that never ends where it is recorded, and one that throws there.
    const auto endless = holonomic_group<1>([](const auto& X, const auto&) {
        auto x = X[0].p.x;
        while (x > 0.0) x = x * 1.0 + 0.1 * x * x;
        return x;
    });
    at.X[0].p.x = -2;
    endless->evaluate({std::span(at.X).first(1), std::span(at.V).first(1), 0}, &row);
    CHECK(row.error == -2);
    CHECK(row.on[0].lin.x == 1);
    const auto throws = holonomic_group<1>([](const auto& X, const auto&) {
        if (X[0].p.x > 0.0) throw std::domain_error("out of reach");
        return 2.0 * X[0].p.x;
    });
    throws->evaluate({std::span(at.X).first(1), std::span(at.V).first(1), 0}, &row);
    CHECK(row.on[0].lin.x == 2);
    // What is not a number says so, though it is multiplied by zero.
    const auto undefined = holonomic_group<1>(
        [](const auto& X, const auto&) { return X[0].p.x + 0.0 * sqrt(X[0].p.x * 1.0); });
    undefined->evaluate({std::span(at.X).first(1), std::span(at.V).first(1), 0}, &row);
    CHECK(std::isnan(row.error));
}

TEST_CASE("function programs: rows together are the rows one by one") {
    const auto both = holonomic_group<2>([](const auto& X, const auto& t) {
        const auto d = X[1].p - X[0].p;
        return std::array{sqrt(dot(d, d)) - t, dot(d, X[0].R.x), 0.0 * t};
    });
    const auto length = holonomic_group<2>([](const auto& X, const auto& t) {
        const auto d = X[1].p - X[0].p;
        return sqrt(dot(d, d)) - t;
    });
    const auto along = holonomic_group<2>(
        [](const auto& X, const auto&) { return dot(X[1].p - X[0].p, X[0].R.x); });
    Random random(8);
    const Motions at(random);
    const GroupState state{std::span(at.X).first(2), std::span(at.V).first(2), 0.4};
    GroupRow rows[3], one, other;
    both->evaluate(state, rows);
    length->evaluate(state, &one);
    along->evaluate(state, &other);
    for (const auto& [a, b] : {std::pair(&rows[0], &one), std::pair(&rows[1], &other)}) {
        check_same(a->error, b->error, 1);
        check_same(a->rate, b->rate, 1);
        check_same(a->product, b->product, 1);
        for (int k = 0; k < 2; ++k)
            for (int c = 0; c < 3; ++c) {
                check_same(a->on[k].ang[c], b->on[k].ang[c], 1);
                check_same(a->on[k].lin[c], b->on[k].lin[c], 1);
            }
    }
    CHECK(rows[2].error == 0);
    CHECK(rows[2].on[1].lin.x == 0);
}
