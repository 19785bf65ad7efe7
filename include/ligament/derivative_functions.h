#pragma once

// The functions of numbers that carry derivatives or remember how they were computed: one list for Dual
// (dual.h), Traced (traced.h) and Symbol (symbol.h). Such a number D derives from DerivativeFunctions<D>,
// has a `value`, sums, products, quotients, products with plain numbers, and
//   D::of(f, x), D::of(f, y, x)
// of the functions f below. f.at(x, result) says what f is at x: it calls result(value, slope, bend), where
// bend() is the second derivative; of two arguments, result(value, by_y, by_x, bend) with SecondDerivatives.
// Comparisons are those of the values, so branches and iterations run as they do with plain numbers.

#include <cmath>
#include <compare>

namespace lig {

template <class S>
struct SecondDerivatives {
    S yy, yx, xx;
};

namespace functions {

struct Sqrt {
    template <class S, class Result>
    auto at(const S& x, const Result& result) const {
        using std::sqrt;
        const S root = sqrt(x), slope = 0.5 / root;
        return result(root, slope, [&] { return -0.5 * slope / x; });
    }
};
struct Sin {
    template <class S, class Result>
    auto at(const S& x, const Result& result) const {
        using std::cos, std::sin;
        const S s = sin(x);
        return result(s, cos(x), [&] { return -s; });
    }
};
struct Cos {
    template <class S, class Result>
    auto at(const S& x, const Result& result) const {
        using std::cos, std::sin;
        const S c = cos(x);
        return result(c, -sin(x), [&] { return -c; });
    }
};
struct Tan {
    template <class S, class Result>
    auto at(const S& x, const Result& result) const {
        using std::tan;
        const S tangent = tan(x), slope = 1 + tangent * tangent;
        return result(tangent, slope, [&] { return 2.0 * tangent * slope; });
    }
};
struct Asin {
    template <class S, class Result>
    auto at(const S& x, const Result& result) const {
        using std::asin, std::sqrt;
        const S square = 1 - x * x, slope = 1 / sqrt(square);
        return result(asin(x), slope, [&] { return x * slope / square; });
    }
};
struct Acos {
    template <class S, class Result>
    auto at(const S& x, const Result& result) const {
        using std::acos, std::sqrt;
        const S square = 1 - x * x, slope = -1 / sqrt(square);
        return result(acos(x), slope, [&] { return x * slope / square; });
    }
};
struct Atan {
    template <class S, class Result>
    auto at(const S& x, const Result& result) const {
        using std::atan;
        const S slope = 1 / (1 + x * x);
        return result(atan(x), slope, [&] { return -2.0 * x * slope * slope; });
    }
};
struct Sinh {
    template <class S, class Result>
    auto at(const S& x, const Result& result) const {
        using std::cosh, std::sinh;
        const S s = sinh(x);
        return result(s, cosh(x), [&] { return s; });
    }
};
struct Cosh {
    template <class S, class Result>
    auto at(const S& x, const Result& result) const {
        using std::cosh, std::sinh;
        const S c = cosh(x);
        return result(c, sinh(x), [&] { return c; });
    }
};
struct Tanh {
    template <class S, class Result>
    auto at(const S& x, const Result& result) const {
        using std::tanh;
        const S tangent = tanh(x), slope = 1 - tangent * tangent;
        return result(tangent, slope, [&] { return -2.0 * tangent * slope; });
    }
};
struct Exp {
    template <class S, class Result>
    auto at(const S& x, const Result& result) const {
        using std::exp;
        const S power = exp(x);
        return result(power, power, [&] { return power; });
    }
};
struct Log {
    template <class S, class Result>
    auto at(const S& x, const Result& result) const {
        using std::log;
        const S slope = 1 / x;
        return result(log(x), slope, [&] { return -slope * slope; });
    }
};
struct Power {
    double exponent;
    template <class S, class Result>
    auto at(const S& x, const Result& result) const {
        using std::pow;
        return result(pow(x, exponent), exponent * pow(x, exponent - 1), [&] {
            return exponent == 1 ? S(0.0) : exponent * (exponent - 1) * pow(x, exponent - 2);
        });
    }
};
struct Atan2 {
    template <class S, class Result>
    auto at(const S& y, const S& x, const Result& result) const {
        using std::atan2;
        const S square = x * x + y * y, by_y = x / square, by_x = -y / square;
        return result(atan2(y, x), by_y, by_x, [&] {
            return SecondDerivatives<S>{2.0 * by_y * by_x, by_x * by_x - by_y * by_y, -2.0 * by_y * by_x};
        });
    }
};

}  // namespace functions

template <class D>
struct DerivativeFunctions {
    friend D operator+(double a, const D& b) { return b + a; }
    friend D operator-(const D& a, double b) { return a + -b; }
    friend D operator-(double a, const D& b) { return -b + a; }
    friend D operator*(const D& a, double b) { return b * a; }
    friend D operator/(const D& a, double b) { return (1 / b) * a; }

    friend D& operator+=(D& a, const D& b) { return a = a + b; }
    friend D& operator-=(D& a, const D& b) { return a = a - b; }
    friend D& operator*=(D& a, const D& b) { return a = a * b; }
    friend D& operator/=(D& a, const D& b) { return a = a / b; }

    friend D sqrt(const D& x) { return D::of(functions::Sqrt{}, x); }
    friend D sin(const D& x) { return D::of(functions::Sin{}, x); }
    friend D cos(const D& x) { return D::of(functions::Cos{}, x); }
    friend D tan(const D& x) { return D::of(functions::Tan{}, x); }
    friend D asin(const D& x) { return D::of(functions::Asin{}, x); }
    friend D acos(const D& x) { return D::of(functions::Acos{}, x); }
    friend D atan(const D& x) { return D::of(functions::Atan{}, x); }
    friend D atan2(const D& y, const D& x) { return D::of(functions::Atan2{}, y, x); }
    friend D sinh(const D& x) { return D::of(functions::Sinh{}, x); }
    friend D cosh(const D& x) { return D::of(functions::Cosh{}, x); }
    friend D tanh(const D& x) { return D::of(functions::Tanh{}, x); }
    friend D exp(const D& x) { return D::of(functions::Exp{}, x); }
    friend D log(const D& x) { return D::of(functions::Log{}, x); }
    friend D pow(const D& x, double exponent) {
        return exponent == 0 ? D(1.0) : D::of(functions::Power{exponent}, x);
    }
    friend D pow(const D& x, const D& exponent) { return exp(exponent * log(x)); }
    friend D hypot(const D& x, const D& y) { return sqrt(x * x + y * y); }
    friend D abs(const D& x) { return x < 0.0 ? -x : x; }
    friend D fabs(const D& x) { return abs(x); }
    friend D min(const D& a, const D& b) { return b < a ? b : a; }
    friend D max(const D& a, const D& b) { return a < b ? b : a; }
};

}  // namespace lig
