#include "constraints/functions/symbol_tape.h"

#include <algorithm>

namespace lig {

namespace symbols {

namespace {

constexpr std::size_t max_steps = 3000, max_work = 200000;
// A sum of more terms than these that is a step already is not summed up again.
constexpr std::size_t short_sum = 4;

thread_local Tape* newest = nullptr;

}  // namespace

Tape& Tape::current() { return *newest; }

Symbol Tape::input(int step, double value) const {
    return {value, std::make_shared<Sum>(Sum{{{step, 1}}, 0, step})};
}

Symbol Tape::add(Step step, double value) {
    work += 1 + step.sum.terms.size();
    if (steps.size() >= max_steps || work > max_work) throw SymbolTape::TooLong{};
    steps.push_back(std::move(step));
    return input(static_cast<int>(steps.size()) - 1, value);
}

Symbol Tape::combine(const Symbol& x, double by_x, const Symbol& y, double by_y) {
    const double value = by_x * x.value.number + by_y * y.value.number;
    if (!x.sum_ && !y.sum_) return value;
    auto out = std::make_shared<Sum>();
    const auto append = [&](const Symbol& number, double by) {
        if (!number.sum_) {
            out->constant += by * number.value.number;
            return;
        }
        const Sum& own = *number.sum_;
        if (own.step >= 0 && own.terms.size() > short_sum) {
            out->terms.push_back({own.step, by});
            return;
        }
        out->constant += by * own.constant;
        for (const Term& term : own.terms) out->terms.push_back({term.step, by * term.factor});
    };
    append(x, by_x);
    append(y, by_y);
    std::sort(out->terms.begin(), out->terms.end(),
              [](const Term& a, const Term& b) { return a.step < b.step; });
    // A factor that comes to zero stays: what it multiplies may not be finite.
    std::size_t kept = 0;
    for (const Term& term : out->terms) {
        if (kept > 0 && out->terms[kept - 1].step == term.step)
            out->terms[kept - 1].factor += term.factor;
        else
            out->terms[kept++] = term;
    }
    out->terms.resize(kept);
    work += kept;
    if (work > max_work) throw SymbolTape::TooLong{};
    return {value, std::move(out)};
}

int Tape::step_of(const Symbol& number) {
    if (!number.sum_) return add({.kind = Kind::sum, .sum = {{}, number.value.number}}, 0).sum_->step;
    Sum& own = *number.sum_;
    if (own.step < 0) {
        const bool alone = own.terms.size() == 1 && own.terms[0].factor == 1 && own.constant == 0;
        own.step = alone ? own.terms[0].step : add({.kind = Kind::sum, .sum = own}, 0).sum_->step;
    }
    return own.step;
}

std::partial_ordering Tape::compare(const Symbol& a, const Symbol& b) {
    const std::partial_ordering outcome = a.value.number <=> b.value.number;
    if (a.sum_ || b.sum_) {
        const int first = step_of(a);
        comparisons.push_back({first, step_of(b), outcome});
        if (++work > max_work) throw SymbolTape::TooLong{};
    }
    return outcome;
}

}  // namespace symbols

using symbols::Kind;
using symbols::Tape;

SymbolTape::SymbolTape(int bodies) : tape_(std::make_unique<Tape>()), before_(symbols::newest) {
    symbols::newest = tape_.get();
    tape_->bodies = bodies;
    tape_->steps.resize(tape_->inputs());
}
SymbolTape::~SymbolTape() { symbols::newest = before_; }

Symbol SymbolTape::pose(int body, int which, double value) {
    return tape_->input(symbols::pose_inputs * body + which, value);
}
Symbol SymbolTape::velocity(int body, int which, double value) {
    return tape_->input(tape_->velocities() + symbols::velocity_inputs * body + which, value);
}
Symbol SymbolTape::time(double value) { return tape_->input(tape_->time(), value); }

Symbol::Seen::operator double() const {
    if (symbols::newest) symbols::newest->seen = true;
    return number;
}

Symbol Symbol::of_one(FunctionOfOne f, const Symbol& x, double parameter) {
    double out[3];
    f(x.value.number, parameter, out);
    if (!x.sum_) return out[0];
    Tape& tape = Tape::current();
    return tape.add({.kind = Kind::of_one, .a = tape.step_of(x), .one = f, .parameter = parameter}, out[0]);
}
Symbol Symbol::of_two(FunctionOfTwo f, const Symbol& y, const Symbol& x) {
    double out[6];
    f(y.value.number, x.value.number, out);
    if (!y.sum_ && !x.sum_) return out[0];
    Tape& tape = Tape::current();
    const int a = tape.step_of(y);
    return tape.add({.kind = Kind::of_two, .a = a, .b = tape.step_of(x), .two = f}, out[0]);
}

Symbol operator-(const Symbol& a) { return -1.0 * a; }
Symbol operator+(const Symbol& a, const Symbol& b) {
    return a.sum_ || b.sum_ ? Tape::current().combine(a, 1, b, 1)
                            : Symbol(a.value.number + b.value.number);
}
Symbol operator-(const Symbol& a, const Symbol& b) {
    return a.sum_ || b.sum_ ? Tape::current().combine(a, 1, b, -1)
                            : Symbol(a.value.number - b.value.number);
}
Symbol operator+(const Symbol& a, double b) { return a + Symbol(b); }
Symbol operator*(double a, const Symbol& b) {
    return b.sum_ ? Tape::current().combine(b, a, 0.0, 0) : Symbol(a * b.value.number);
}
Symbol operator*(const Symbol& a, const Symbol& b) {
    if (!a.sum_) return a.value.number * b;
    if (!b.sum_) return b.value.number * a;
    Tape& tape = Tape::current();
    const int first = tape.step_of(a);
    return tape.add({.kind = Kind::product, .a = first, .b = tape.step_of(b)},
                    a.value.number * b.value.number);
}
Symbol operator/(const Symbol& a, const Symbol& b) {
    if (!b.sum_) return (1 / b.value.number) * a;
    Tape& tape = Tape::current();
    const int first = tape.step_of(a);
    return tape.add({.kind = Kind::quotient, .a = first, .b = tape.step_of(b)},
                    a.value.number / b.value.number);
}
Symbol operator/(double a, const Symbol& b) { return Symbol(a) / b; }
bool operator==(const Symbol& a, const Symbol& b) { return (a <=> b) == 0; }
std::partial_ordering operator<=>(const Symbol& a, const Symbol& b) {
    if (!a.sum_ && !b.sum_) return a.value.number <=> b.value.number;
    return Tape::current().compare(a, b);
}

}  // namespace lig
