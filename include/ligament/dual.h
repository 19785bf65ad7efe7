#pragma once

// Dual: a number with its derivatives in N directions, for automatic differentiation in forward mode. A
// function that is written as a template over its scalar gives its derivatives when it is called with Duals:
//
//   Dual<double, 2> x = 3, y = 4;
//   x.d[0] = 1, y.d[1] = 1;           // the directions are those of x and y
//   const auto r = sqrt(x * x + y * y);   // r.value = 5, r.d = {0.6, 0.8}
//
// The parts may be Duals themselves: Dual<Dual<double, 1>, 1> has second derivatives. Comparisons are those
// of the values, so branches and iterations run as they do with plain numbers. Derivatives are exact to
// rounding. Where a function has none (sqrt at 0, atan2 at the origin) they are not finite.

#include <ligament/config.h>

#include <cmath>
#include <compare>
#include <concepts>

namespace lig {

template <class S, int N>
struct Dual {
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
    friend Dual operator+(double a, const Dual& b) { return b + a; }
    friend Dual operator-(const Dual& a, double b) { return a + -b; }
    friend Dual operator-(double a, const Dual& b) { return -b + a; }
    friend Dual operator*(double a, const Dual& b) { return chain(b, a * b.value, S(a)); }
    friend Dual operator*(const Dual& a, double b) { return b * a; }
    friend Dual operator/(const Dual& a, double b) { return (1 / b) * a; }
    friend Dual operator/(double a, const Dual& b) {
        const S quotient = a / b.value;
        return chain(b, quotient, -quotient / b.value);
    }

    Dual& operator+=(const Dual& b) { return *this = *this + b; }
    Dual& operator-=(const Dual& b) { return *this = *this - b; }
    Dual& operator*=(const Dual& b) { return *this = *this * b; }
    Dual& operator/=(const Dual& b) { return *this = *this / b; }

    friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
    friend std::partial_ordering operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }
    friend bool operator==(const Dual& a, double b) { return a.value == b; }
    friend std::partial_ordering operator<=>(const Dual& a, double b) { return a.value <=> b; }

    friend Dual sqrt(const Dual& x) {
        using std::sqrt;
        const S root = sqrt(x.value);
        return chain(x, root, 0.5 / root);
    }
    friend Dual sin(const Dual& x) {
        using std::cos, std::sin;
        return chain(x, sin(x.value), cos(x.value));
    }
    friend Dual cos(const Dual& x) {
        using std::cos, std::sin;
        return chain(x, cos(x.value), -sin(x.value));
    }
    friend Dual tan(const Dual& x) {
        using std::tan;
        const S tangent = tan(x.value);
        return chain(x, tangent, 1 + tangent * tangent);
    }
    friend Dual asin(const Dual& x) {
        using std::asin, std::sqrt;
        return chain(x, asin(x.value), 1 / sqrt(1 - x.value * x.value));
    }
    friend Dual acos(const Dual& x) {
        using std::acos, std::sqrt;
        return chain(x, acos(x.value), -1 / sqrt(1 - x.value * x.value));
    }
    friend Dual atan(const Dual& x) {
        using std::atan;
        return chain(x, atan(x.value), 1 / (1 + x.value * x.value));
    }
    friend Dual atan2(const Dual& y, const Dual& x) {
        using std::atan2;
        const S square = x.value * x.value + y.value * y.value;
        return chain(y, x, atan2(y.value, x.value), x.value / square, -y.value / square);
    }
    friend Dual sinh(const Dual& x) {
        using std::cosh, std::sinh;
        return chain(x, sinh(x.value), cosh(x.value));
    }
    friend Dual cosh(const Dual& x) {
        using std::cosh, std::sinh;
        return chain(x, cosh(x.value), sinh(x.value));
    }
    friend Dual tanh(const Dual& x) {
        using std::tanh;
        const S tangent = tanh(x.value);
        return chain(x, tangent, 1 - tangent * tangent);
    }
    friend Dual exp(const Dual& x) {
        using std::exp;
        const S power = exp(x.value);
        return chain(x, power, power);
    }
    friend Dual log(const Dual& x) {
        using std::log;
        return chain(x, log(x.value), 1 / x.value);
    }
    friend Dual pow(const Dual& x, double exponent) {
        using std::pow;
        if (exponent == 0) return Dual(1.0);
        return chain(x, pow(x.value, exponent), exponent * pow(x.value, exponent - 1));
    }
    friend Dual pow(const Dual& x, const Dual& exponent) { return exp(exponent * log(x)); }
    friend Dual hypot(const Dual& x, const Dual& y) { return sqrt(x * x + y * y); }
    friend Dual abs(const Dual& x) { return x.value < 0 ? -x : x; }
    friend Dual fabs(const Dual& x) { return abs(x); }
    friend Dual min(const Dual& a, const Dual& b) { return b < a ? b : a; }
    friend Dual max(const Dual& a, const Dual& b) { return a < b ? b : a; }
};

}  // namespace lig
