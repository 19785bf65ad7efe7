// Duals: derivatives against differences in long double, second derivatives by Duals of Duals, and branches.

#include <ligament/dual.h>

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;

namespace {

struct Case {
    const char* name;
    Dual<double, 2> (*once)(const Dual<double, 2>&, const Dual<double, 2>&);
    Dual<Dual<double, 1>, 1> (*twice)(const Dual<Dual<double, 1>, 1>&, const Dual<Dual<double, 1>, 1>&);
    long double (*plain)(const long double&, const long double&);
};

#define FUNCTION(expression)                                                            \
    Case {                                                                              \
        #expression,                                                                    \
            [](const Dual<double, 2>& x, const Dual<double, 2>& y) -> Dual<double, 2> { \
                return expression;                                                      \
            },                                                                          \
            [](const Dual<Dual<double, 1>, 1>& x, const Dual<Dual<double, 1>, 1>& y)    \
                -> Dual<Dual<double, 1>, 1> { return expression; },                     \
            [](const long double& x, const long double& y) -> long double {             \
                using namespace std;                                                    \
                return expression;                                                      \
            }                                                                           \
    }

const Case cases[] = {
    FUNCTION(x + y - 2), FUNCTION(3 - x * y), FUNCTION(x / y), FUNCTION(2 / x + y / 4), FUNCTION(-x* y),
    FUNCTION(sqrt(x* y)), FUNCTION(sin(x* y)), FUNCTION(cos(x) * y), FUNCTION(tan(x) + y),
    FUNCTION(asin(x / 2) * y), FUNCTION(acos(x / 3) - y), FUNCTION(atan(x* y)), FUNCTION(atan2(x, y)),
    FUNCTION(sinh(x) * cosh(y)), FUNCTION(tanh(x* y)), FUNCTION(exp(x - y)), FUNCTION(log(x* x* y)),
    FUNCTION(pow(x, 2.5) * y), FUNCTION(pow(x, y)), FUNCTION(hypot(x, y)), FUNCTION(fabs(x - 5) * y),
    FUNCTION(x > y ? x * x : y * x)};

}  // namespace

TEST_CASE("dual: first and second derivatives of every function are those of differences") {
    constexpr double x = 0.7, y = 1.3;
    // Central differences of long doubles: h² times a derivative of order 10, rounding 1e-19/h².
    const long double h = 1e-5L;
    const double once_tolerance = 1e-8, twice_tolerance = 1e-7;
    // The direction of second derivatives.
    constexpr double along_x = 0.6, along_y = -0.8;
    for (const Case& c : cases) {
        CAPTURE(c.name);
        Dual<double, 2> a = x, b = y;
        a.d[0] = 1, b.d[1] = 1;
        const Dual<double, 2> once = c.once(a, b);
        const long double value = c.plain(x, y);
        CHECK(once.value == doctest::Approx(static_cast<double>(value)).epsilon(1e-14));
        const auto slope = [&](long double dx, long double dy) {
            return static_cast<double>((c.plain(x + h * dx, y + h * dy) - c.plain(x - h * dx, y - h * dy)) /
                                       (2 * h));
        };
        CHECK(std::abs(once.d[0] - slope(1, 0)) < once_tolerance);
        CHECK(std::abs(once.d[1] - slope(0, 1)) < once_tolerance);

        Dual<Dual<double, 1>, 1> p = x, q = y;
        p.value.d[0] = along_x, q.value.d[0] = along_y;
        p.d[0] = along_x, q.d[0] = along_y;
        const Dual<Dual<double, 1>, 1> twice = c.twice(p, q);
        CHECK(twice.value.value == once.value);
        CHECK(std::abs(twice.d[0].value - slope(along_x, along_y)) < once_tolerance);
        const long double bend = (c.plain(x + h * along_x, y + h * along_y) - 2 * value +
                                  c.plain(x - h * along_x, y - h * along_y)) /
                                 (h * h);
        CHECK(std::abs(twice.d[0].d[0] - static_cast<double>(bend)) < twice_tolerance * 100);
    }
}

TEST_CASE("dual: comparisons are those of the values") {
    Dual<double, 1> a = 1, b = 2;
    a.d[0] = 5;
    CHECK(a < b);
    CHECK(a < 2);
    CHECK(b >= 2.0);
    CHECK(a == 1);
    CHECK(max(a, b).d[0] == 0);
    CHECK(min(a, b).d[0] == 5);
    CHECK(pow(a, 0).d[0] == 0);
    a *= b;
    CHECK(a.value == 2);
    CHECK(a.d[0] == 10);
}
