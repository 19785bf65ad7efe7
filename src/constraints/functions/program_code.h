#pragma once

// What a FunctionProgram runs (symbol.h): operations on numbers in places. Vectors are three places in a
// row; place 0 is the number 1.

#include "constraints/functions/symbol_tape.h"

#include <ligament/vec.h>

namespace lig {

struct FunctionProgram::Code {
    static constexpr int max_places = 1200, max_points = 120;

    enum class What {
        sum,         // constant + Σ factor · place
        vector_sum,  // the same of vectors
        difference,  // place − other, of vectors
        products,    // constant + Σ factor · place · other, of numbers and of vectors, + Σ factor · place
        square,      // constant + factor · (place · place), of a vector
        cross,       // factor · (place × other), of vectors
        quotient,    // place / other
        root,        // of place
        length,      // the root of a square
        of_one,
        of_two
    };
    struct Argument {
        int place, other;
        double factor;
    };
    struct Operation {
        What what;
        int out, first, count;
        // Of sums: so many first have the factor 1, so many then −1. Of products: so many first are of
        // vectors, so many then of numbers.
        int plus = 0, minus = 0;
        double constant[3] = {};  // of_one: [0], its parameter
        FunctionOfOne one = nullptr;
        FunctionOfTwo two = nullptr;
    };
    struct OfBody {
        int body, place;
    };
    // R r, or p + R r.
    struct Point {
        int body;
        Vec3d r;
        bool from_world;
        int place;
    };

    int bodies = 0, places = 0, time = -1;
    std::vector<OfBody> positions, velocities;  // ω, then v
    std::vector<Point> points;
    std::vector<Operation> operations;
    std::vector<Argument> arguments;
    std::vector<int> results;
    std::vector<symbols::Comparison> comparisons;  // of places
};

}  // namespace lig
