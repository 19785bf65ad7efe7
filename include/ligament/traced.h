#pragma once

// Traced: a number that knows how it was computed, for automatic differentiation in reverse mode. A function
// that is written as a template over its scalar gives its derivatives by all of its arguments, however many,
// at the cost of a few evaluations:
//
//   Trace trace(2);
//   const Traced x = trace.input(0, 3), y = trace.input(1, 4);
//   const Traced r = sqrt(x * x + y * y);   // r.value = 5
//   const double* d = trace.gradient(r);    // {0.6, 0.8}
//
// And its second derivative along a motion of the arguments: follow. For few arguments Dual is the faster one
// (dual.h), with the same functions (derivative_functions.h). A trace has room for Trace::capacity
// operations; beyond, overflowed() is true and derivatives mean nothing.

#include <ligament/derivative_functions.h>

#include <algorithm>
#include <compare>

namespace lig {

class Traced;

class Trace {
public:
    static constexpr int capacity = 1500, max_inputs = 320;

    explicit Trace(int inputs) : inputs_(inputs) {}
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    Traced input(int index, double value);
    bool overflowed() const { return overflowed_; }
    // The derivatives of a number by the inputs; (inputs). Good until the next gradient.
    const double* gradient(const Traced& of);
    // How fast the inputs move, to be written; (inputs). After follow: what the curvature of the operations
    // adds to the second derivative of the number whose gradient was taken last. The inputs' own second
    // derivatives come on top, along the gradient.
    double* rates() { return rate_ + 1; }
    void follow();
    double curvature(const Traced& of) const;

private:
    friend class Traced;
    // Of a number that comes of two others, in places from 1 on (0: of none): its derivatives by these.
    struct Step {
        double by[2];
        int from[2];
    };
    // Second derivatives of one that has some.
    struct Second {
        double aa, ab, bb;
    };
    struct Bend {
        Second second;
        int step;
    };

    int record(int a, double by_a, int b, double by_b) {
        if (count_ == capacity) {
            overflowed_ = true;
            return 0;
        }
        steps_[count_] = {{by_a, by_b}, {a, b}};
        return 1 + inputs_ + count_++;
    }
    int record(int a, double by_a, int b, double by_b, const Second& second) {
        if (count_ < capacity) bends_[bent_++] = {second, count_};
        return record(a, by_a, b, by_b);
    }

    int inputs_, count_ = 0, bent_ = 0;
    bool overflowed_ = false;
    Step steps_[capacity];
    Bend bends_[capacity];
    // By places; [0] is of what depends on nothing.
    double bar_[1 + max_inputs + capacity], rate_[1 + max_inputs + capacity];
};

class Traced : public DerivativeFunctions<Traced> {
public:
    double value;

    Traced() = default;
    Traced(double constant) : value(constant), factor_(0), trace_(nullptr), place_(0) {}

    template <class Function>
    static Traced of(const Function& f, const Traced& x) {
        return f.at(x.value, [&](double value, double slope, const auto& bend) {
            return chain(x, value, slope, bend());
        });
    }
    template <class Function>
    static Traced of(const Function& f, const Traced& y, const Traced& x) {
        return f.at(y.value, x.value, [&](double value, double by_y, double by_x, const auto& bend) {
            const SecondDerivatives<double> second = bend();
            return chain(y, x, value, by_y, by_x, {second.yy, second.yx, second.xx});
        });
    }

    friend Traced operator-(const Traced& a) { return -1 * a; }
    friend Traced operator+(const Traced& a, const Traced& b) {
        return sum(a, b, a.value + b.value, b.factor_);
    }
    friend Traced operator-(const Traced& a, const Traced& b) {
        return sum(a, b, a.value - b.value, -b.factor_);
    }
    friend Traced operator*(const Traced& a, const Traced& b) {
        if (!a.trace_) return a.value * b;
        if (!b.trace_) return b.value * a;
        return chain(a, b, a.value * b.value, b.value, a.value, {0, 1, 0});
    }
    friend Traced operator/(const Traced& a, const Traced& b) {
        if (!b.trace_) return a / b.value;
        const double inverse = 1 / b.value, quotient = a.value * inverse;
        return chain(a, b, quotient, inverse, -quotient * inverse,
                     {0, -inverse * inverse, 2 * quotient * inverse * inverse});
    }
    // What is added changes nothing of how it depends on others.
    friend Traced operator+(Traced a, double b) {
        a.value += b;
        return a;
    }
    // Nor does a factor, but for itself.
    friend Traced operator*(double a, Traced b) {
        b.value *= a;
        b.factor_ *= a;
        return b;
    }
    friend Traced operator/(double a, const Traced& b) {
        const double quotient = a / b.value, slope = -quotient / b.value;
        return chain(b, quotient, slope, -2 * slope / b.value);
    }

    friend bool operator==(const Traced& a, const Traced& b) { return a.value == b.value; }
    friend std::partial_ordering operator<=>(const Traced& a, const Traced& b) { return a.value <=> b.value; }
    friend bool operator==(const Traced& a, double b) { return a.value == b; }
    friend std::partial_ordering operator<=>(const Traced& a, double b) { return a.value <=> b; }

private:
    friend class Trace;
    // A function of x with this value, this derivative and this second one.
    static Traced chain(const Traced& x, double value, double slope, double bend) {
        if (!x.trace_) return value;
        const double by = x.factor_;
        return {value, x.trace_, x.trace_->record(x.place_, slope * by, 0, 0, {bend * by * by, 0, 0}), 1};
    }
    // … of x and y.
    static Traced chain(const Traced& x, const Traced& y, double value, double by_x, double by_y,
                        const Trace::Second& second) {
        Trace* const trace = x.trace_ ? x.trace_ : y.trace_;
        if (!trace) return value;
        const double a = x.factor_, b = y.factor_;
        return {value, trace,
                trace->record(x.place_, by_x * a, y.place_, by_y * b,
                              {second.aa * a * a, second.ab * a * b, second.bb * b * b}),
                1};
    }
    Traced(double value, Trace* trace, int place, double factor)
        : value(value), factor_(factor), trace_(trace), place_(place) {}
    static Traced sum(const Traced& x, const Traced& y, double value, double by_y) {
        Trace* const trace = x.trace_ ? x.trace_ : y.trace_;
        if (!trace) return value;
        return {value, trace, trace->record(x.place_, x.factor_, y.place_, by_y), 1};
    }

    // It is this times what is in its place, and a constant.
    double factor_;
    Trace* trace_;  // null: it depends on nothing
    int place_;
};

inline Traced Trace::input(int index, double value) {
    return {value, this, 1 + index, 1};
}

inline const double* Trace::gradient(const Traced& of) {
    const int last = of.place_;
    std::fill_n(bar_, 1 + std::max(inputs_, last), 0.0);
    bar_[last] = of.factor_;
    for (int k = last - inputs_ - 1; k >= 0; --k) {
        const double bar = bar_[1 + inputs_ + k];
        if (bar == 0) continue;  // nothing comes of it, whatever its derivatives are
        const Step& step = steps_[k];
        bar_[step.from[0]] += bar * step.by[0];
        bar_[step.from[1]] += bar * step.by[1];
    }
    return bar_ + 1;
}

inline void Trace::follow() {
    rate_[0] = 0;
    for (int k = 0; k < count_; ++k) {
        const Step& step = steps_[k];
        rate_[1 + inputs_ + k] = step.by[0] * rate_[step.from[0]] + step.by[1] * rate_[step.from[1]];
    }
}

inline double Trace::curvature(const Traced& of) const {
    double sum = 0;
    for (int k = 0; k < bent_ && bends_[k].step < of.place_ - inputs_; ++k) {
        const Bend& bend = bends_[k];
        const Step& step = steps_[bend.step];
        const double bar = bar_[1 + inputs_ + bend.step];
        if (bar == 0) continue;
        const double a = rate_[step.from[0]], b = rate_[step.from[1]];
        sum += bar * (bend.second.aa * a * a + 2 * bend.second.ab * a * b + bend.second.bb * b * b);
    }
    return sum;
}

}  // namespace lig
