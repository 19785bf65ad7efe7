#pragma once

// LeastForces: of all forces within their bounds that balance what is wanted, those with the least weighted
// sum of squares.
//
//     A x = wanted,   ½ Σ c x² least,   every x in its interval, every contact's in its cone.
//
// The dual is concave and has no bounds: with x(y) the nearest within bounds to c⁻¹ Aᵀ y,
//     maximize   wanted · y − Σ (y · A x(y) − ½ c x(y)²),   whose gradient is wanted − A x(y).
// Newton's method with a line search finds it; where pieces of x(y) meet, any of their slopes serves. Where
// columns do not span all equations, or where no y is finite because the forces only just suffice, the matrix
// is singular: y is kept near its last value by a little δ |y − y₀|², turn after turn (the proximal point
// method), until the balance is as good as rounding.
//
// A cone is round: its first force is the normal one, the others, together, may be as large as that. Columns
// of friction are multiplied by their coefficients for that.

#include <ligament/specs.h>

#include <span>
#include <vector>

namespace lig {

class LeastForces {
public:
    explicit LeastForces(int equations) : equations_(equations) {}

    // One force; its column has an entry for each equation. Returns where its size will be in forces().
    int add(std::span<const double> column, double weight, const Range& range);
    // count forces in a cone, column after column.
    int add_cone(std::span<const double> columns, int count, double weight);

    // Whether what is wanted can be balanced, to rounding; if not, forces() come as near as may be. wanted:
    // an entry for each equation.
    bool solve(std::span<const double> wanted);
    std::span<const double> forces() const { return x_; }
    // Of each equation what is missing, and the largest of the terms that make it up.
    std::span<const double> missing() const { return missing_; }
    std::span<const double> sizes() const { return sizes_; }

private:
    struct Block {
        int begin, count;
        double weight;
        Range range;
        bool cone;
    };

    void scale_rows();
    void find_forces(std::span<const double> y);
    double value(std::span<const double> y) const;
    double find_gradient(std::span<const double> y);
    void add_change(const Block& block, const double* v, double* out) const;
    void find_matrix();
    void clean(std::span<const double> wanted);
    double worst() const;
    std::span<const int> entries(int force) const {
        return std::span(entries_).subspan(entry_begin_[force],
                                           entry_begin_[force + 1] - entry_begin_[force]);
    }
    bool climb();
    void find_missing(std::span<const double> wanted);

    int equations_;
    std::vector<Block> blocks_;
    std::vector<double> columns_;        // (forces × equations)
    std::vector<double> scale_;          // (equations) by which they are multiplied
    std::vector<double> scaled_;         // as columns_
    std::vector<int> entries_, entry_begin_;  // of each force: which equations it is in
    std::vector<double> wanted_;         // (equations) scaled
    std::vector<double> pull_, x_;       // (forces) Aᵀ y, and what is in bounds
    std::vector<double> y_, center_, tried_, gradient_, step_;  // (equations)
    std::vector<double> H_;              // (equations²)
    std::vector<int> swapped_;
    std::vector<double> missing_, sizes_;
    double damping_ = 0;
};

}  // namespace lig
