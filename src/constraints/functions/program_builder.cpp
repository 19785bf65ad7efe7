// Programs of functions: the steps of a tape in an order and a form that are fast to evaluate.

#include "constraints/functions/program_code.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace lig {

namespace {

using symbols::Comparison;
using symbols::Kind;
using symbols::Step;
using symbols::Tape;
using symbols::Term;
using Code = FunctionProgram::Code;

constexpr int no_place = -1;
// The components of a vector are sums that come soon after each other.
constexpr int look_ahead = 40;

constexpr FunctionOfOne root = Symbol::pointer<functions::Sqrt>();

class Builder {
public:
    Builder(const Tape& tape, std::span<const int> results) : tape_(tape) {
        code_.bodies = tape.bodies;
        code_.places = 1;  // that of the number 1
        place_.assign(tape.steps.size(), no_place);
        body_place_.assign(tape.bodies, no_place);
        velocity_place_.assign(tape.bodies, no_place);
        count_uses(results);
        for (std::size_t s = tape.inputs(); s < tape.steps.size(); ++s)
            if (uses_[s] > 0 && place_[s] == no_place && !is_part(static_cast<int>(s)))
                write(static_cast<int>(s));
        for (const int result : results) code_.results.push_back(place_of(result));
        for (const Comparison& comparison : tape.comparisons)
            code_.comparisons.push_back(
                {place_of(comparison.a), place_of(comparison.b), comparison.outcome});
        // The last operation has an argument to look at, even if it has none.
        code_.arguments.push_back({0, 0, 0});
    }

    Code take() { return std::move(code_); }

private:
    using Operation = Code::Operation;
    using Argument = Code::Argument;

    void use(int step, bool in_sum = false) {
        ++uses_[step];
        if (!in_sum) needed_[step] = true;
    }
    void count_uses(std::span<const int> results) {
        uses_.assign(tape_.steps.size(), 0);
        needed_.assign(tape_.steps.size(), false);
        for (const int result : results) use(result);
        for (const Comparison& comparison : tape_.comparisons) {
            use(comparison.a);
            use(comparison.b);
        }
        for (int s = static_cast<int>(tape_.steps.size()) - 1; s >= 0; --s) {
            if (uses_[s] == 0) continue;
            const Step& step = tape_.steps[s];
            for (const Term& term : step.sum.terms) use(term.step, true);
            if (step.a >= 0) use(step.a);
            if (step.b >= 0) use(step.b);
        }
        under_root_.assign(tape_.steps.size(), false);
        for (std::size_t s = 0; s < tape_.steps.size(); ++s)
            if (const Step& step = tape_.steps[s];
                uses_[s] > 0 && step.kind == Kind::of_one && step.one == root && uses_[step.a] == 1)
                under_root_[step.a] = true;
    }
    // Of the one sum that it is used in.
    bool is_part(int step) const {
        return tape_.steps[step].kind == Kind::product && uses_[step] == 1 && !needed_[step];
    }

    int places(int count) { return std::exchange(code_.places, code_.places + count); }

    int point(int body, const Vec3d& r, bool from_world) {
        for (const Code::Point& other : code_.points)
            if (other.body == body && other.from_world == from_world && other.r.x == r.x &&
                other.r.y == r.y && other.r.z == r.z)
                return other.place;
        return code_.points.emplace_back(Code::Point{body, r, from_world, places(3)}).place;
    }
    int place_of(int step) {
        if (place_[step] != no_place) return place_[step];
        if (step >= tape_.inputs()) return no_place;
        if (step == tape_.time()) return place_[step] = code_.time = places(1);
        if (step >= tape_.velocities()) {
            const int which = step - tape_.velocities(), body = which / symbols::velocity_inputs;
            int& first = velocity_place_[body];
            if (first == no_place) code_.velocities.push_back({body, first = places(6)});
            return place_[step] = first + which % symbols::velocity_inputs;
        }
        const int body = step / symbols::pose_inputs, which = step % symbols::pose_inputs;
        if (which < symbols::place_inputs) {
            Vec3d unit = Vec3d::zero();
            unit[which / 3] = 1;
            return place_[step] = point(body, unit, false) + which % 3;
        }
        int& first = body_place_[body];
        if (first == no_place) code_.positions.push_back({body, first = places(3)});
        return place_[step] = first + which - symbols::place_inputs;
    }

    // Of a sum. Rows of p and R r come in one. False: a place is not known yet.
    bool arguments(int sum, std::vector<Argument>& out) {
        out.clear();
        const std::vector<Term>& terms = tape_.steps[sum].sum.terms;
        for (std::size_t k = 0; k < terms.size();) {
            if (terms[k].factor == 0 && terms[k].step < tape_.inputs()) {
                ++k;  // inputs are finite
                continue;
            }
            if (terms[k].step < tape_.velocities()) {
                k = rows_of_body(terms, k, out);
                continue;
            }
            const auto [step, factor] = terms[k++];
            const bool part = is_part(step);
            const int a = place_of(part ? tape_.steps[step].a : step),
                      b = part ? place_of(tape_.steps[step].b) : 0;
            if (a == no_place || b == no_place) return false;
            out.push_back({std::max(a, b), std::min(a, b), factor});
        }
        const auto rank = [](const Argument& a) {
            return a.other != 0 ? 0 : a.factor == 1 ? 1
                                  : a.factor == -1  ? 2
                                                    : 3;
        };
        std::sort(out.begin(), out.end(), [&](const Argument& a, const Argument& b) {
            return std::tuple(rank(a), a.place, a.other) < std::tuple(rank(b), b.place, b.other);
        });
        return true;
    }
    // The terms of one body's pose, from the k-th on; where the next are.
    std::size_t rows_of_body(const std::vector<Term>& terms, std::size_t k, std::vector<Argument>& out) {
        const int body = terms[k].step / symbols::pose_inputs;
        Vec3d r[3] = {Vec3d::zero(), Vec3d::zero(), Vec3d::zero()};
        double shift[3] = {};
        bool turns[3] = {}, shifts[3] = {};
        for (; k < terms.size() && terms[k].step / symbols::pose_inputs == body &&
               terms[k].step < tape_.velocities();
             ++k) {
            const int which = terms[k].step % symbols::pose_inputs;
            if (terms[k].factor == 0) continue;
            if (which < symbols::place_inputs) {
                r[which % 3][which / 3] = terms[k].factor;
                turns[which % 3] = true;
            } else {
                shift[which - symbols::place_inputs] = terms[k].factor;
                shifts[which - symbols::place_inputs] = true;
            }
        }
        for (int i = 0; i < 3; ++i) {
            const bool both = turns[i] && std::abs(shift[i]) == 1;
            if (turns[i]) {
                const double lead = r[i].x != 0 ? r[i].x : r[i].y != 0 ? r[i].y
                                                                       : r[i].z;
                const double sign = both ? shift[i] : lead < 0 ? -1
                                                               : 1;
                out.push_back({point(body, sign * r[i], both) + i, 0, sign});
            }
            if (shifts[i] && !both)
                out.push_back(
                    {place_of(symbols::pose_inputs * body + symbols::place_inputs + i), 0, shift[i]});
        }
        return k;
    }

    Operation& operation(Code::What what, int out) {
        Operation& op = code_.operations.emplace_back();
        op.what = what;
        op.out = out;
        op.first = static_cast<int>(code_.arguments.size());
        return op;
    }
    void add_arguments(Operation& op, const std::vector<Argument>& own) {
        op.count = static_cast<int>(own.size());
        for (const Argument& argument : own) {
            op.plus += argument.factor == 1;
            op.minus += argument.factor == -1;
        }
        code_.arguments.insert(code_.arguments.end(), own.begin(), own.end());
    }

    // Whether `other` is what `own` is, `shift` places on.
    static bool is_shifted(const std::vector<Argument>& own, const std::vector<Argument>& other, int shift) {
        if (own.size() != other.size()) return false;
        for (std::size_t k = 0; k < own.size(); ++k)
            if (own[k].factor != other[k].factor || other[k].other != 0 ||
                own[k].place + shift != other[k].place)
                return false;
        return true;
    }
    // Calls f(s) for the next sums behind one that have not been written and whose arguments are known, in
    // `own`.
    template <class F>
    void for_each_open_sum(int sum, std::vector<Argument>& own, F&& f) {
        const int count = static_cast<int>(tape_.steps.size());
        for (int s = sum + 1, seen = 0; s < count && seen < look_ahead; ++s) {
            if (tape_.steps[s].kind != Kind::sum || uses_[s] == 0 || place_[s] != no_place) continue;
            ++seen;
            if (arguments(s, own)) f(s);
        }
    }
    // Three sums that are the components of one sum of vectors, of which this is the one at `component`.
    bool write_vector(int sum, const std::vector<Argument>& own) {
        std::vector<Argument> other;
        int found[] = {-1, -1, sum, -1, -1};  // by shifts from −2 on
        for_each_open_sum(sum, other, [&](int s) {
            for (int shift = -2; shift <= 2; ++shift)
                if (found[2 + shift] < 0 && is_shifted(own, other, shift)) found[2 + shift] = s;
        });
        for (int component = 0; component < 3; ++component) {
            const int* const three = found + 2 - component;
            if (three[0] < 0 || three[1] < 0 || three[2] < 0) continue;
            Operation& op = operation(Code::What::vector_sum, places(3));
            for (int c = 0; c < 3; ++c) {
                place_[three[c]] = op.out + c;
                op.constant[c] = tape_.steps[three[c]].sum.constant;
            }
            std::vector<Argument> first = own;
            for (Argument& argument : first) argument.place -= component;
            add_arguments(op, first);
            if (op.plus == 1 && op.minus == 1 && op.count == 2 && op.constant[0] == 0 &&
                op.constant[1] == 0 && op.constant[2] == 0) {
                op.what = Code::What::difference;
                code_.arguments.pop_back();
                code_.arguments.back().other = first[1].place;
            }
            return true;
        }
        return false;
    }
    // Whether it is the component c of factor · (place × other).
    static bool is_of_cross(const std::vector<Argument>& own, const Argument& of, int c) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        const auto has = [&](int place, int other, double factor) {
            return std::any_of(own.begin(), own.end(), [&](const Argument& a) {
                return a.place == of.place + place && a.other == of.other + other && a.factor == factor;
            });
        };
        return own.size() == 2 && has(d, e, of.factor) && has(e, d, -of.factor);
    }
    bool write_cross(int sum, const std::vector<Argument>& own) {
        std::vector<Argument> other;
        for (int component = 0; component < 3; ++component)
            for (const Argument& plus : own) {
                const Argument of{plus.place - (component + 1) % 3, plus.other - (component + 2) % 3,
                                  plus.factor};
                if (of.other <= 0 || tape_.steps[sum].sum.constant != 0 || !is_of_cross(own, of, component))
                    continue;
                int found[3] = {-1, -1, -1};
                found[component] = sum;
                for_each_open_sum(sum, other, [&](int s) {
                    for (int c = 0; c < 3; ++c)
                        if (found[c] < 0 && tape_.steps[s].sum.constant == 0 && is_of_cross(other, of, c))
                            found[c] = s;
                });
                if (found[0] < 0 || found[1] < 0 || found[2] < 0) continue;
                Operation& op = operation(Code::What::cross, places(3));
                for (int c = 0; c < 3; ++c) place_[found[c]] = op.out + c;
                add_arguments(op, {of});
                return true;
            }
        return false;
    }
    // Takes three products that are one of vectors together, and leaves the first of them; how many there are
    // then, in front.
    static int gather_dots(std::vector<Argument>& own) {
        std::vector<Argument> dots;
        for (std::size_t k = 0; k < own.size();) {
            const Argument x = own[k];
            const auto next = [&](int c) {
                return std::find_if(own.begin(), own.end(), [&](const Argument& a) {
                    return x.other != 0 && a.place == x.place + c && a.other == x.other + c &&
                           a.factor == x.factor;
                });
            };
            if (next(1) == own.end() || next(2) == own.end()) {
                ++k;
                continue;
            }
            dots.push_back(x);
            for (const int c : {2, 1, 0}) own.erase(next(c));
            k = 0;
        }
        own.insert(own.begin(), dots.begin(), dots.end());
        return static_cast<int>(dots.size());
    }
    void write_sum(int sum) {
        std::vector<Argument> own;
        arguments(sum, own);
        const bool linear =
            std::all_of(own.begin(), own.end(), [](const Argument& a) { return a.other == 0; });
        if (linear ? !own.empty() && write_vector(sum, own) : write_cross(sum, own)) return;
        const int dots = gather_dots(own);
        const bool square = dots == 1 && own.size() == 1 && own[0].place == own[0].other;
        if (square && under_root_[sum]) return;  // comes with the root
        Operation& op = operation(linear   ? Code::What::sum
                                  : square ? Code::What::square
                                           : Code::What::products,
                                  place_[sum] = places(1));
        op.constant[0] = tape_.steps[sum].sum.constant;
        add_arguments(op, own);
        if (linear) return;
        op.plus = dots;
        op.minus = static_cast<int>(
            std::count_if(own.begin() + dots, own.end(), [](const Argument& a) { return a.other != 0; }));
    }

    void write_length(int s) {
        const int sum = tape_.steps[s].a;
        std::vector<Argument> own;
        arguments(sum, own);
        gather_dots(own);
        Operation& op = operation(Code::What::length, place_[s] = places(1));
        op.constant[0] = tape_.steps[sum].sum.constant;
        add_arguments(op, own);
    }
    void write(int s) {
        const Step& step = tape_.steps[s];
        const auto of = [&](Code::What what) -> Operation& {
            const int a = place_of(step.a), b = step.b < 0 ? 0 : place_of(step.b);
            Operation& op = operation(what, place_[s] = places(1));
            add_arguments(op, {{a, b, 1}});
            return op;
        };
        switch (step.kind) {
            case Kind::input: break;
            case Kind::sum: write_sum(s); break;
            case Kind::product: {
                Operation& op = of(Code::What::products);
                op.plus = 0;
                op.minus = 1;
                break;
            }
            case Kind::quotient: of(Code::What::quotient); break;
            case Kind::of_two: of(Code::What::of_two).two = step.two; break;
            case Kind::of_one: {
                if (place_of(step.a) == no_place) {
                    write_length(s);
                    break;
                }
                Operation& op = of(step.one == root ? Code::What::root : Code::What::of_one);
                op.one = step.one;
                op.constant[0] = step.parameter;
                break;
            }
        }
    }

    const Tape& tape_;
    Code code_;
    std::vector<int> place_, body_place_, velocity_place_, uses_;
    std::vector<bool> needed_,  // otherwise than as a term of a sum
        under_root_;            // and nowhere else
};

}  // namespace

FunctionProgram::FunctionProgram(SymbolTape& called, std::span<const Symbol> results) {
    Tape& tape = *called.tape_;
    std::vector<int> steps;
    for (const Symbol& result : results) steps.push_back(tape.step_of(result));
    if (tape.seen) return;
    Code code = Builder(tape, steps).take();
    if (code.places <= Code::max_places && code.points.size() <= Code::max_points)
        code_ = std::make_shared<const Code>(std::move(code));
}

}  // namespace lig
