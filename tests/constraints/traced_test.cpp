// Derivatives in reverse mode (traced.h), against those in forward mode (dual.h), function by function; and
// rows of groups, whose functions are differentiated in either.

#include "support/random_values.h"

#include <ligament/function_constraint.h>

#include <doctest/doctest.h>

#include <array>
#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

// All operations of two numbers, each between 0.2 and 0.8.
constexpr int operations = 31;
template <class T>
T operation(int which, const T& x, const T& y) {
    switch (which) {
        case 0: return -x;
        case 1: return x + y;
        case 2: return x - y;
        case 3: return x * y;
        case 4: return x / y;
        case 5: return x + 2.0;
        case 6: return 2.0 - x;
        case 7: return 3.0 * x;
        case 8: return x / 3.0;
        case 9: return 3.0 / x;
        case 10: return sqrt(x);
        case 11: return sin(x);
        case 12: return cos(x);
        case 13: return tan(x);
        case 14: return asin(x);
        case 15: return acos(x);
        case 16: return atan(x);
        case 17: return atan2(x, y);
        case 18: return sinh(x);
        case 19: return cosh(x);
        case 20: return tanh(x);
        case 21: return exp(x);
        case 22: return log(x);
        case 23: return pow(x, 2.5);
        case 24: return pow(x, y);
        case 25: return hypot(x, y);
        case 26: return abs(x - y);
        case 27: return min(x, y);
        case 28: return max(x, y);
        case 29: {
            T sum = x;
            sum += y, sum -= 0.3 * x, sum *= y, sum /= x;
            return sum;
        }
        default: return pow(x, 1.0) + pow(y, 0.0);
    }
}

}  // namespace

TEST_CASE("traced: gradients and second derivatives are those of forward mode") {
    using Path = Dual<double, 1>;
    using Curve = Dual<Path, 1>;
    Random random(2);
    for (int trial = 0; trial < 20; ++trial)
        for (int first = 0; first < operations; ++first)
            for (int second = 0; second < operations; ++second) {
                CAPTURE(first);
                CAPTURE(second);
                const double at[] = {random.uniform(0.2, 0.8), random.uniform(0.2, 0.8)};
                const double rate[] = {random.uniform(-1, 1), random.uniform(-1, 1)};
                // One operation after another: what goes in is no bare input, nor the second time a plain
                // one.
                const auto f = [&](const auto& x, const auto& y) {
                    const auto inner = 0.3 + 0.1 * sin(operation(first, x, y));
                    return operation(second, 0.4 * inner * inner + 0.2, 0.5 * y + 0.1);
                };
                Curve moving[2];
                for (int k = 0; k < 2; ++k) {
                    moving[k] = at[k];
                    moving[k].value.d[0] = rate[k];
                    moving[k].d[0] = Path(rate[k]);
                }
                Dual<double, 2> partial[] = {at[0], at[1]};
                partial[0].d[0] = partial[1].d[1] = 1;
                const Dual<double, 2> forward = f(partial[0], partial[1]);
                const double bend = f(moving[0], moving[1]).d[0].d[0];
                Trace trace(2);
                const Traced traced = f(trace.input(0, at[0]), trace.input(1, at[1]));
                std::copy_n(rate, 2, trace.rates());
                trace.follow();
                const double* const gradient = trace.gradient(traced);
                CHECK_FALSE(trace.overflowed());
                CHECK(traced.value == doctest::Approx(forward.value).epsilon(1e-14));
                for (int k = 0; k < 2; ++k)
                    CHECK(std::abs(gradient[k] - forward.d[k]) <= 1e-12 * (1 + std::abs(forward.d[k])));
                CHECK(std::abs(trace.curvature(traced) - bend) <= 1e-11 * (1 + std::abs(bend)));
            }
}

// A rope of 16 bodies, and the same so often that a trace has no room: in forward mode.
TEST_CASE("traced: groups say the same in either mode") {
    const auto length = [](const auto& X, const auto& t) {
        auto sum = 0.2 * sin(t);
        for (int k = 1; k < 16; ++k) {
            const auto d = X[k].p + 0.1 * X[k].R.x - X[k - 1].p - 0.1 * X[k - 1].R.y;
            sum += sqrt(dot(d, d));
        }
        return sum;
    };
    const auto repeated = [=](const auto& X, const auto& t) {
        auto sum = length(X, t);
        for (int k = 1; k < 16; ++k) sum += length(X, t);
        return std::array{sum / 16.0};
    };
    const auto slip = [](const auto& X, const auto& V, const auto& t) {
        auto sum = 0.3 * t;
        for (int k = 0; k < 16; ++k) sum += dot(X[k].R.z, V[k].ang) + dot(X[k].p, V[k].lin);
        return sum;
    };
    const auto slips = [=](const auto& X, const auto& V, const auto& t) {
        auto sum = slip(X, V, t);
        for (int k = 1; k < 16; ++k) sum += slip(X, V, t);
        return sum / 16.0;
    };
    const std::array pairs{std::array{holonomic_group<16>(length), holonomic_group<16>(repeated)},
                           std::array{nonholonomic_group<16>(slip), nonholonomic_group<16>(slips)}};
    Random random(5);
    std::array<Transformd, 16> X;
    std::array<Motion<double>, 16> V;
    for (int k = 0; k < 16; ++k) {
        X[k] = {rotation_matrix(random_rotation(random)), random_vec(random, 2)};
        V[k] = {random_vec(random, 1), random_vec(random, 1)};
    }
    for (const auto& [traced, forward] : pairs) {
        GroupRow a[GroupConstraint::max_rows], b[GroupConstraint::max_rows];
        traced->evaluate({X, V, 0.7}, a);
        forward->evaluate({X, V, 0.7}, b);
        CHECK(a[0].error == doctest::Approx(b[0].error).epsilon(1e-12));
        CHECK(a[0].rate == doctest::Approx(b[0].rate).epsilon(1e-12));
        CHECK(a[0].product == doctest::Approx(b[0].product).epsilon(1e-12));
        CHECK(a[0].holonomic == b[0].holonomic);
        for (int k = 0; k < 16; ++k)
            for (int c = 0; c < 3; ++c) {
                CHECK(std::abs(a[0].on[k].ang[c] - b[0].on[k].ang[c]) < 1e-12);
                CHECK(std::abs(a[0].on[k].lin[c] - b[0].on[k].lin[c]) < 1e-12);
            }
    }
}
