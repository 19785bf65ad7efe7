#pragma once

// What a SymbolTape holds (symbol.h): the steps of a function. Sums, differences and multiples are no steps
// of their own but terms of what is summed up.

#include <ligament/symbol.h>

#include <vector>

namespace lig::symbols {

struct Term {
    int step;
    double factor;
};

// Terms by rising steps, and a constant.
struct Sum {
    std::vector<Term> terms;
    double constant = 0;
    int step = -1;  // once it is one
};

enum class Kind {
    input,
    sum,
    product,
    quotient,
    of_one,
    of_two
};

struct Step {
    Kind kind = Kind::input;
    int a = -1, b = -1;  // all but inputs and sums; of_one: a
    Sum sum = {};
    FunctionOfOne one = nullptr;
    double parameter = 0;
    FunctionOfTwo two = nullptr;
};

// How two steps compared.
struct Comparison {
    int a, b;
    std::partial_ordering outcome;
};

// The first steps are the inputs: of each body R by its columns and p, then of each body ω and v, then the
// time.
inline constexpr int pose_inputs = 12, place_inputs = 9, velocity_inputs = 6;

struct Tape {
    int bodies;
    std::vector<Step> steps;
    std::vector<Comparison> comparisons;
    bool seen = false;  // by a function that looked at a value itself
    std::size_t work = 0;

    int velocities() const { return pose_inputs * bodies; }
    int time() const { return velocities() + velocity_inputs * bodies; }
    int inputs() const { return time() + 1; }

    Symbol input(int step, double value) const;
    Symbol add(Step step, double value);
    Symbol combine(const Symbol& x, double by_x, const Symbol& y, double by_y);
    int step_of(const Symbol& number);  // which it becomes
    std::partial_ordering compare(const Symbol& a, const Symbol& b);

    static Tape& current();
};

}  // namespace lig::symbols
