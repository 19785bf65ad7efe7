#pragma once

// ImpulseSolver: impulses (or forces) for the rows of rows.h, whatever the algebra behind them.
//
// Velocities change by a vector s, in coordinates of the solver's own, and with s_free what they would do
// without rows,
//     s = s_free + Zᵀ λ,   w = Z s + b + compliance · λ   with the bounds and cones of the rows.
// What w is, velocity or acceleration, is the caller's affair. Blocks of rows that depend on each other make
// an island; islands are solved one by one.

#include "constraints/rows.h"

#include <ligament/simulation.h>

#include <cstddef>
#include <span>

namespace lig {

class ImpulseSolver {
public:
    virtual ~ImpulseSolver() = default;

    // How hard to try: how many sweeps an island gets that no direct method can take.
    enum class Effort {
        sweeps,      // first_sweeps of them over every island, and more until `iterations` blocks are done
        correction,  // least: of errors that are removed in the next steps as well
        step,
        most
    };
    struct Request {
        std::span<const double> b, s_free;
        double accuracy;
        Effort effort;
        int first_sweeps = 20;  // before Newton's method takes over,
        int iterations = 200;   // and its own, at most
        // (rows) Where the guess is known to fit: which rows ask for something else now. Islands without any
        // keep it.
        std::span<const char> changed = {};
    };
    // λ and s from a guess λ and the s that belongs to it. Returns by how much w misses the rows.
    virtual double solve(const Request& request, std::span<double> lambda, std::span<double> s,
                         StepReport& report) = 0;
    // The same for some of the blocks of one island (indices, rising), as if the others were not there. λ of
    // these blocks and s come in together as above.
    virtual double solve_some(int island, std::span<const int> blocks, const Request& request,
                              std::span<double> lambda, std::span<double> s, StepReport& report) = 0;

    // s += Zᵀ λ, for all rows.
    virtual void apply(std::span<const double> lambda, std::span<double> s) const = 0;
    // z · s of the first row of a block.
    virtual double change_of(std::size_t block, std::span<const double> s) const = 0;

    virtual int island_count() const = 0;
    virtual std::span<const int> island_blocks(int island) const = 0;  // indices, rising
    // Whether some island is too large for anything but sweeps.
    virtual bool has_large_island() const = 0;
};

}  // namespace lig
