// Programs of recorded functions, evaluated: values, rates and second derivatives along the motion forwards,
// then the derivatives by all inputs backwards.

#include "constraints/functions/program_code.h"

#include <cmath>

namespace lig {

namespace {

using Code = FunctionProgram::Code;

// Two doubles in one register: what is written whole can be read whole without waiting.
typedef double Pair __attribute__((vector_size(16)));

// A number and how fast it changes along the motion; how fast that does, and the derivative of a result by
// the number.
struct Number {
    Pair first, last;

    Number() = default;
    Number(Pair first, Pair last) : first(first), last(last) {}
    Number(double value, double rate, double second) : first{value, rate}, last{second, 0} {}

    double value() const { return first[0]; }
    double rate() const { return first[1]; }
    double second() const { return last[0]; }
    double bar() const { return last[1]; }
    void add_to_bar(double x) { last[1] += x; }

    void operator+=(const Number& x) {
        first += x.first;
        last += x.last;
    }
    friend Number operator-(const Number& a, const Number& b) { return {a.first - b.first, a.last - b.last}; }
    friend Number operator-(const Number& x) { return {-x.first, -x.last}; }
    friend Number operator*(double factor, const Number& x) { return {factor * x.first, factor * x.last}; }
};

// Without second derivatives where nobody asks for them.
template <bool bends>
Number product(const Number& a, const Number& b) {
    return {a.value() * b.value(), a.rate() * b.value() + a.value() * b.rate(),
            bends ? a.second() * b.value() + 2 * (a.rate() * b.rate()) + a.value() * b.second() : 0};
}
template <bool bends>
Number product_of_vectors(const Number* a, const Number* b) {
    double value = 0, rate = 0, second = 0;
    for (int c = 0; c < 3; ++c) {
        value += a[c].value() * b[c].value();
        rate += a[c].rate() * b[c].value() + a[c].value() * b[c].rate();
        if (bends)
            second += a[c].second() * b[c].value() + 2 * (a[c].rate() * b[c].rate()) +
                      a[c].value() * b[c].second();
    }
    return {value, rate, second};
}

void set(Number* at, const Vec3d& value, const Vec3d& rate, const Vec3d& second) {
    for (int c = 0; c < 3; ++c) at[c] = {value[c], rate[c], second[c]};
}
Vec3d values(const Number* at) { return {at[0].value(), at[1].value(), at[2].value()}; }
bool is_zero(const Vec3d& v) { return v.x == 0 && v.y == 0 && v.z == 0; }
Vec3d bars(const Number* at) { return {at[0].bar(), at[1].bar(), at[2].bar()}; }

// c + factor · a · a.
Number square(const Code::Operation& op, double factor, const Number* a) {
    Pair sum = a[0].value() * a[0].first + a[1].value() * a[1].first + a[2].value() * a[2].first;
    double second = 0;
    for (int c = 0; c < 3; ++c) second += a[c].rate() * a[c].rate() + a[c].value() * a[c].second();
    return {op.constant[0] + factor * sum[0], 2 * factor * sum[1], 2 * factor * second};
}
Number root(const Number& a) {
    const double root = std::sqrt(a.value()), half = 0.5 / root, rate = half * a.rate();
    return {root, rate, half * (a.second() - 2 * (rate * rate))};
}

// Calls f(place, by) for the terms of a sum: by(x) is what x adds.
template <class F>
inline void for_each_term(const Code::Operation& op, const Code::Argument* own, F&& f) {
    int k = 0;
    for (; k < op.plus; ++k) f(own[k].place, [](const auto& x) { return x; });
    for (; k < op.plus + op.minus; ++k) f(own[k].place, [](const auto& x) { return -x; });
    for (; k < op.count; ++k) {
        const double factor = own[k].factor;
        f(own[k].place, [factor](const auto& x) { return factor * x; });
    }
}

template <bool bends>
void forwards(const Code& code, Number* at) {
    for (const Code::Operation& op : code.operations) {
        Number* const out = at + op.out;
        const Code::Argument* const own = code.arguments.data() + op.first;
        const Number *const a = at + own->place, *const b = at + own->other;
        switch (op.what) {
            case Code::What::sum: {
                Number sum{op.constant[0], 0, 0};
                for_each_term(op, own, [&](int place, auto by) { sum += by(at[place]); });
                *out = sum;
                break;
            }
            case Code::What::vector_sum: {
                Number x{op.constant[0], 0, 0}, y{op.constant[1], 0, 0}, z{op.constant[2], 0, 0};
                for_each_term(op, own, [&](int place, auto by) {
                    x += by(at[place]);
                    y += by(at[place + 1]);
                    z += by(at[place + 2]);
                });
                out[0] = x, out[1] = y, out[2] = z;
                break;
            }
            case Code::What::difference:
                for (int c = 0; c < 3; ++c) out[c] = a[c] - b[c];
                break;
            case Code::What::products: {
                Number sum{op.constant[0], 0, 0};
                int k = 0;
                for (; k < op.plus; ++k)
                    sum += own[k].factor * product_of_vectors<bends>(at + own[k].place, at + own[k].other);
                for (; k < op.plus + op.minus; ++k)
                    sum += own[k].factor * product<bends>(at[own[k].place], at[own[k].other]);
                for (; k < op.count; ++k) sum += own[k].factor * at[own[k].place];
                *out = sum;
                break;
            }
            case Code::What::square: *out = square(op, own->factor, a); break;
            case Code::What::length: *out = root(square(op, own->factor, a)); break;
            case Code::What::cross:
                for (int c = 0; c < 3; ++c) {
                    const int d = (c + 1) % 3, e = (c + 2) % 3;
                    out[c] = own->factor * (product<bends>(a[d], b[e]) - product<bends>(a[e], b[d]));
                }
                break;
            case Code::What::quotient: {
                const double inverse = 1 / b->value(), value = a->value() * inverse,
                             rate = (a->rate() - value * b->rate()) * inverse;
                *out = {value, rate,
                        (a->second() - 2 * rate * b->rate() - value * b->second()) * inverse};
                break;
            }
            case Code::What::root: *out = root(*a); break;
            case Code::What::of_one: {
                double f[3];
                op.one(a->value(), op.constant[0], f);
                *out = {f[0], f[1] * a->rate(), f[1] * a->second() + f[2] * a->rate() * a->rate()};
                break;
            }
            case Code::What::of_two: {
                double f[6];
                op.two(a->value(), b->value(), f);
                *out = {f[0], f[1] * a->rate() + f[2] * b->rate(),
                        f[1] * a->second() + f[2] * b->second() + f[3] * a->rate() * a->rate() +
                            2 * f[4] * a->rate() * b->rate() + f[5] * b->rate() * b->rate()};
                break;
            }
        }
    }
}

// What one number gives on.
inline void backwards_on_numbers(const Code::Operation& op, const Code::Argument* own, double bar,
                                 Number* at) {
    const Number* const out = at + op.out;
    Number *const a = at + own->place, *const b = at + own->other;
    switch (op.what) {
        case Code::What::sum:
            for_each_term(op, own, [&](int place, auto by) { at[place].add_to_bar(by(bar)); });
            break;
        case Code::What::products: {
            int k = 0;
            const auto pull = [&](Number& x, Number& y) {
                const double factor = own[k].factor * bar, on_x = factor * y.value();
                y.add_to_bar(factor * x.value());
                x.add_to_bar(on_x);
            };
            for (; k < op.plus; ++k)
                for (int c = 0; c < 3; ++c) pull(at[own[k].place + c], at[own[k].other + c]);
            for (; k < op.plus + op.minus; ++k) pull(at[own[k].place], at[own[k].other]);
            for (; k < op.count; ++k) at[own[k].place].add_to_bar(own[k].factor * bar);
            break;
        }
        case Code::What::square:
        case Code::What::length: {
            const double factor =
                own->factor * (op.what == Code::What::length ? bar / out->value() : 2 * bar);
            for (int c = 0; c < 3; ++c) a[c].add_to_bar(factor * a[c].value());
            break;
        }
        case Code::What::quotient: {
            const double by = bar / b->value();
            a->add_to_bar(by);
            b->add_to_bar(-by * out->value());
            break;
        }
        case Code::What::root: a->add_to_bar(bar * 0.5 / out->value()); break;
        case Code::What::of_one: {
            double f[3];
            op.one(a->value(), op.constant[0], f);
            a->add_to_bar(bar * f[1]);
            break;
        }
        default: {  // of_two
            double f[6];
            op.two(a->value(), b->value(), f);
            a->add_to_bar(bar * f[1]);
            b->add_to_bar(bar * f[2]);
            break;
        }
    }
}

void backwards(const Code& code, Number* at) {
    for (std::size_t n = code.operations.size(); n-- > 0;) {
        const Code::Operation& op = code.operations[n];
        const Number* const out = at + op.out;
        const Code::Argument* const own = code.arguments.data() + op.first;
        Number *const a = at + own->place, *const b = at + own->other;
        // Where nothing comes of it, its derivatives do not matter, whatever they are.
        const double bar = out->bar();
        switch (op.what) {
            case Code::What::vector_sum: {
                const Vec3d g = bars(out);
                if (is_zero(g)) break;
                for_each_term(op, own, [&](int place, auto by) {
                    for (int c = 0; c < 3; ++c) at[place + c].add_to_bar(by(g[c]));
                });
                break;
            }
            case Code::What::difference: {
                const Vec3d g = bars(out);
                if (is_zero(g)) break;
                for (int c = 0; c < 3; ++c) {
                    a[c].add_to_bar(g[c]);
                    b[c].add_to_bar(-g[c]);
                }
                break;
            }
            case Code::What::cross: {
                const Vec3d g = own->factor * bars(out);
                if (is_zero(g)) break;
                const Vec3d on_a = cross(values(b), g), on_b = cross(g, values(a));
                for (int c = 0; c < 3; ++c) {
                    a[c].add_to_bar(on_a[c]);
                    b[c].add_to_bar(on_b[c]);
                }
                break;
            }
            default:
                if (bar != 0) backwards_on_numbers(op, own, bar, at);
        }
    }
}

// False: something compares otherwise.
template <bool bends>
bool run(const Code& code, const GroupState& state, Number* at, Vec3d* arms) {
    at[0] = {1, 0, 0};
    for (const auto& [body, place] : code.positions)
        set(at + place, state.X[body].p, state.V[body].lin, Vec3d::zero());
    for (const Code::Point& point : code.points) {
        const auto& [w, v] = state.V[point.body];
        const Vec3d arm = state.X[point.body].R * point.r, rate = cross(w, arm), second = cross(w, rate);
        *arms++ = arm;
        if (point.from_world)
            set(at + point.place, state.X[point.body].p + arm, v + rate, second);
        else
            set(at + point.place, arm, rate, second);
    }
    for (const auto& [body, place] : code.velocities) {
        set(at + place, state.V[body].ang, Vec3d::zero(), Vec3d::zero());
        set(at + place + 3, state.V[body].lin, Vec3d::zero(), Vec3d::zero());
    }
    if (code.time >= 0) at[code.time] = {state.time, 1, 0};
    forwards<bends>(code, at);
    for (const symbols::Comparison& comparison : code.comparisons)
        if ((at[comparison.a].value() <=> at[comparison.b].value()) != comparison.outcome) return false;
    return true;
}

void differentiate(const Code& code, int row, Number* at) {
    if (row > 0)
        for (int k = 0; k < code.places; ++k) at[k].last[1] = 0;
    at[code.results[row]].last[1] = 1;
    backwards(code, at);
}

}  // namespace

bool FunctionProgram::evaluate_holonomic(const GroupState& state, GroupRow* rows) const {
    if (!code_) return false;
    const Code& code = *code_;
    Number at[Code::max_places];
    Vec3d arms[Code::max_points];
    if (!run<true>(code, state, at, arms)) return false;
    for (std::size_t r = 0; r < code.results.size(); ++r) {
        differentiate(code, static_cast<int>(r), at);
        GroupRow& row = rows[r];
        row.error = at[code.results[r]].value();
        row.product = at[code.results[r]].second();
        if (code.time >= 0) row.rate = at[code.time].bar();
        for (const auto& [body, place] : code.positions) row.on[body].lin = bars(at + place);
        // R r changes by e × R r in a turn about e.
        const Vec3d* arm = arms;
        for (const Code::Point& point : code.points) {
            const Vec3d pull = bars(at + point.place);
            row.on[point.body].ang += cross(*arm++, pull);
            if (point.from_world) row.on[point.body].lin += pull;
        }
    }
    return true;
}

bool FunctionProgram::evaluate_nonholonomic(const GroupState& state, GroupRow* rows) const {
    if (!code_) return false;
    const Code& code = *code_;
    Number at[Code::max_places];
    Vec3d arms[Code::max_points];
    if (!run<false>(code, state, at, arms)) return false;
    for (std::size_t r = 0; r < code.results.size(); ++r) {
        differentiate(code, static_cast<int>(r), at);
        GroupRow& row = rows[r];
        // What is left of f where nothing moves, and what changes it while the velocities stay.
        row.rate = at[code.results[r]].value();
        row.product = at[code.results[r]].rate();
        for (const auto& [body, place] : code.velocities) {
            row.on[body] = {bars(at + place), bars(at + place + 3)};
            row.rate -= dot(row.on[body], state.V[body]);
        }
    }
    return true;
}

}  // namespace lig
