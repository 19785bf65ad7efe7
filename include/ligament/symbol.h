#pragma once

// Symbol: a number that stands for a formula. A function that is written as a template over its scalar is
// called once with such numbers and leaves the formula of what it returns; a FunctionProgram evaluates it
// with its derivatives, faster than the function can be differentiated step by step (traced.h, dual.h).
//
// What the function compared on the way is part of the record: another outcome of a comparison means another
// formula, and a program says so instead of an answer. A function that reads the value of a number itself, or
// that is too long, has no program.

#include <ligament/derivative_functions.h>
#include <ligament/group_constraint.h>

#include <cmath>
#include <compare>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace lig {

// value, slope and second derivative of a function at a number, or at two: by_y, by_x and SecondDerivatives.
using FunctionOfOne = void (*)(double x, double parameter, double* out);
using FunctionOfTwo = void (*)(double y, double x, double* out);

namespace symbols {
struct Sum;
struct Tape;
}  // namespace symbols

class Symbol : public DerivativeFunctions<Symbol> {
    // Who looks at it may do what no record knows of.
    struct Seen {
        double number = 0;
        operator double() const;
    };

public:
    Seen value;

    Symbol() = default;
    Symbol(double constant) : value{constant} {}

    template <class Function>
    static Symbol of(const Function& f, const Symbol& x) {
        if constexpr (std::is_empty_v<Function>)
            return of_one(pointer<Function>(), x, 0);
        else
            return of_one(pointer<Function>(), x, f.exponent);
    }
    template <class Function>
    static Symbol of(const Function&, const Symbol& y, const Symbol& x) {
        return of_two(
            [](double at_y, double at_x, double* out) {
                Function{}.at(at_y, at_x, [&](double f, double by_y, double by_x, const auto& bend) {
                    const SecondDerivatives<double> b = bend();
                    out[0] = f, out[1] = by_y, out[2] = by_x, out[3] = b.yy, out[4] = b.yx, out[5] = b.xx;
                });
            },
            y, x);
    }

    template <class Function>
    static constexpr FunctionOfOne pointer() {
        return [](double x, [[maybe_unused]] double parameter, double* out) {
            const auto write = [&](double value, double slope, const auto& bend) {
                out[0] = value, out[1] = slope, out[2] = bend();
            };
            if constexpr (std::is_empty_v<Function>)
                Function{}.at(x, write);
            else
                Function{parameter}.at(x, write);
        };
    }

    friend Symbol operator-(const Symbol& a);
    friend Symbol operator+(const Symbol& a, const Symbol& b);
    friend Symbol operator-(const Symbol& a, const Symbol& b);
    friend Symbol operator*(const Symbol& a, const Symbol& b);
    friend Symbol operator/(const Symbol& a, const Symbol& b);
    friend Symbol operator+(const Symbol& a, double b);
    friend Symbol operator*(double a, const Symbol& b);
    friend Symbol operator/(double a, const Symbol& b);

    friend bool operator==(const Symbol& a, const Symbol& b);
    friend std::partial_ordering operator<=>(const Symbol& a, const Symbol& b);
    friend bool operator==(const Symbol& a, double b) { return a == Symbol(b); }
    friend std::partial_ordering operator<=>(const Symbol& a, double b) { return a <=> Symbol(b); }

private:
    friend struct symbols::Tape;

    static Symbol of_one(FunctionOfOne f, const Symbol& x, double parameter);
    static Symbol of_two(FunctionOfTwo f, const Symbol& y, const Symbol& x);

    Symbol(double number, std::shared_ptr<symbols::Sum> sum) : value{number}, sum_(std::move(sum)) {}

    std::shared_ptr<symbols::Sum> sum_;  // what it is made of; null: it is a constant
};

// The record of one call. Numbers belong to the tape that was made last and still lives, in the thread.
class SymbolTape {
public:
    // Of the poses of so many bodies, of their velocities, and of the time.
    explicit SymbolTape(int bodies);
    ~SymbolTape();
    SymbolTape(const SymbolTape&) = delete;
    SymbolTape& operator=(const SymbolTape&) = delete;

    // R by its columns, then p; ω and v.
    Symbol pose(int body, int which, double value);
    Symbol velocity(int body, int which, double value);
    Symbol time(double value);

    // Thrown by operations: there are too many of them.
    struct TooLong {};

private:
    friend class FunctionProgram;

    std::unique_ptr<symbols::Tape> tape_;
    symbols::Tape* before_;
};

// Immutable.
class FunctionProgram {
public:
    FunctionProgram() = default;
    FunctionProgram(SymbolTape& tape, std::span<const Symbol> results);

    // Rows that are zero come in. False, and the rows are of no meaning: it does not know this state.
    //   holonomic     the result C: error, on, rate = ∂C/∂t, product
    //   nonholonomic  the result f: on, the derivatives by the velocities; rate = f at rest; product
    bool evaluate_holonomic(const GroupState& state, GroupRow* rows) const;
    bool evaluate_nonholonomic(const GroupState& state, GroupRow* rows) const;

    struct Code;

private:
    std::shared_ptr<const Code> code_;  // null: there is none
};

}  // namespace lig
