#pragma once

// Dual: a number with its derivatives in N directions, for automatic differentiation in forward mode. A
// function that is written as a template over its scalar gives its derivatives when it is called with Duals:
//
//   Dual<double, 2> x = 3, y = 4;
//   x.d[0] = 1, y.d[1] = 1;           // the directions are those of x and y
//   const auto r = sqrt(x * x + y * y);   // r.value = 5, r.d = {0.6, 0.8}
//
// The parts may be Duals themselves: Dual<Dual<double, 1>, 1> has second derivatives. Its functions are those
// of derivative_functions.h. Derivatives are exact to rounding. Where a function has none (sqrt at 0, atan2
// at the origin) they are not finite.

#include <ligament/derivative_functions.h>

#include <compare>
#include <concepts>

namespace lig {

template <class S, int N>
struct Dual : DerivativeFunctions<Dual<S, N>> {
    static_assert(N > 0);

    S value;
    S d[N];

    Dual() = default;
    Dual(double constant) : value(constant) {
        for (S& part : d) part = S(0);
    }
    explicit Dual(const S& constant)
        requires(!std::same_as<S, double>)
        : value(constant) {
        for (S& part : d) part = S(0);
    }

    // How the slope changes is in the parts, where they are Duals.
    template <class Function>
    static Dual of(const Function& f, const Dual& x) {
        return f.at(x.value, [&](const S& value, const S& slope, const auto& /*bend*/) {
            return chain(x, value, slope);
        });
    }
    template <class Function>
    static Dual of(const Function& f, const Dual& y, const Dual& x) {
        return f.at(y.value, x.value, [&](const S& value, const S& by_y, const S& by_x, const auto&) {
            return chain(y, x, value, by_y, by_x);
        });
    }

    friend Dual operator-(const Dual& a) {
        Dual out;
        out.value = -a.value;
        for (int k = 0; k < N; ++k) out.d[k] = -a.d[k];
        return out;
    }
    friend Dual operator+(const Dual& a, const Dual& b) {
        Dual out;
        out.value = a.value + b.value;
        for (int k = 0; k < N; ++k) out.d[k] = a.d[k] + b.d[k];
        return out;
    }
    friend Dual operator-(const Dual& a, const Dual& b) {
        Dual out;
        out.value = a.value - b.value;
        for (int k = 0; k < N; ++k) out.d[k] = a.d[k] - b.d[k];
        return out;
    }
    friend Dual operator*(const Dual& a, const Dual& b) {
        return chain(a, b, a.value * b.value, b.value, a.value);
    }
    friend Dual operator/(const Dual& a, const Dual& b) {
        const S inverse = S(1) / b.value, quotient = a.value * inverse;
        return chain(a, b, quotient, inverse, -quotient * inverse);
    }

    // With plain numbers: no derivatives of theirs to carry along.
    friend Dual operator+(Dual a, double b) {
        a.value = a.value + b;
        return a;
    }
    friend Dual operator*(double a, const Dual& b) { return chain(b, a * b.value, S(a)); }
    friend Dual operator/(double a, const Dual& b) {
        const S quotient = a / b.value;
        return chain(b, quotient, -quotient / b.value);
    }

    friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
    friend std::partial_ordering operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }
    friend bool operator==(const Dual& a, double b) { return a.value == b; }
    friend std::partial_ordering operator<=>(const Dual& a, double b) { return a.value <=> b; }

private:
    // A function of x with this value and this derivative.
    static Dual chain(const Dual& x, const S& value, const S& slope) {
        Dual out;
        out.value = value;
        for (int k = 0; k < N; ++k) out.d[k] = slope * x.d[k];
        return out;
    }
    // … of x and y.
    static Dual chain(const Dual& x, const Dual& y, const S& value, const S& slope_x, const S& slope_y) {
        Dual out;
        out.value = value;
        for (int k = 0; k < N; ++k) out.d[k] = slope_x * x.d[k] + slope_y * y.d[k];
        return out;
    }
};

}  // namespace lig
