#pragma once

// EqualitySystem: rows that hold exactly, solved directly in the coordinates of JointFactor.
//
// There the inertia is the unit matrix, a row J is z = Inward(Jᵀ), and J v changes by z · s when Outward(s)
// is added to v. With Z the rows z and K the diagonal of compliances, impulses or forces λ act by s = Zᵀ λ:
//     Z s + K λ = target,   (Z Zᵀ + K) λ = target,   G = Z Zᵀ + K = L Lᵀ.
// Of all s that satisfy the rows Zᵀ λ is the shortest: the least change in the measure of the kinetic energy.
//
// Rows that follow from others make G singular. They are found, and left out: the rest decides s. Rows are
// first brought to a common scale, each by the size that its z would have if nothing of it cancelled, so that
// a row across all freedoms (the out-of-plane rows of a planar loop) is seen to be rounding. Then rows are
// eliminated in their order, which keeps G's envelope; one of which little is left (postponed_share) waits.
// Those that waited are eliminated last, the largest remainder first, until none is above the tolerance. What
// is left of them is not taken from G, where a sine below 10⁻⁸ drowns in rounding, but computed as a vector:
// z less its part along the rows before, twice. So mechanisms can be followed to within 10⁻¹⁰ of positions in
// which their rows become dependent, and through them.
//
// The multipliers of rows left out are 0: where rows are redundant, how they share a load is not determined.
//
// Cost: a z has entries on the ways from its bodies to the root only, G entries where such ways meet.

#include "constraints/rows.h"
#include "dynamics/joint_factor.h"
#include "linalg/pseudo_inverse.h"

#include <span>
#include <vector>

namespace lig {

class EqualitySystem {
public:
    // Squared sine of the angle between a row and the others below which it follows from them. Where
    // positions are off by a share e of the sizes of the parts, sines below about e mean nothing.
    static constexpr double rank_tolerance = 1e-10;
    static constexpr double smallest_tolerance = 1e-20;  // what rounding allows

    EqualitySystem(const Model& model, int max_rows);

    // Takes over the rows of all blocks (two-sided ones with their compliance; bounds are not looked at)
    // after factor.factor(). Allocates only beyond the number of rows that it has been made for.
    void set_rows(const JointFactor& factor, const Rows& rows);
    void set_rows(const JointFactor& factor, const Rows& rows, int block_begin, int block_end);

    // Adds a compliance share · κ · size² to every row, κ such that the share of no row is above this one:
    // the step of Levenberg and Marquardt for the sum of squares of errors, each relative to its size. Rows
    // of size 0 stay hard. Between set_rows and choose.
    void soften(double share, std::span<const double> sizes);

    // Factors G, with a choice of the rows to keep, …
    void choose(double tolerance = rank_tolerance);
    // … or with the choice that was made last for the same list of rows. Where one of them has come to follow
    // from the others, it is left out this time.
    void choose_as_before(double tolerance = smallest_tolerance);

    int rows() const { return count_; }
    int rank() const { return static_cast<int>(kept_.size()); }
    int redundant_rows() const { return count_ - rank(); }
    bool is_redundant(int row) const { return !is_kept_[row]; }
    // Of the smallest angle between a row that is kept and those before it: 1 where rows are far from
    // dependent; what is solved for is known to rounding over this.
    double smallest_sine() const;

    // s and λ are changed so that Z s + K λ = target, starting from what they are: call it with s = λ = 0, or
    // with an s to which other impulses have been added. Each pass after the first removes rounding of the
    // one before.
    void solve(std::span<const double> target, std::span<double> s, std::span<double> lambda, int passes = 2);

    // The same where rows contradict each other, whatever was chosen: of all s that meet them in the least
    // squares the shortest, each row relative to the size of its z, and singular values of such rows up to
    // the tolerance counted as 0. Starting from s = λ = 0. Returns the rank. O(rows³).
    int solve_least_squares(double tolerance, std::span<const double> target, std::span<double> s,
                            std::span<double> lambda);

    // y (rank entries) = L⁻¹ Z z for another row's z. With y' of z', what is left of the response z · z'
    // while the rows of this system hold is z · z' − y · y'.
    void project(std::span<const double> z, std::span<double> y);
    // The same for a z given by its entries.
    void project(std::span<const int> dofs, std::span<const double> values, std::span<double> y);

    // Z s, row by row.
    void multiply(std::span<const double> s, std::span<double> out) const;
    // s += Zᵀ λ.
    void add_transposed(std::span<const double> lambda, std::span<double> s) const;

private:
    struct Block {
        int begin, count;                  // rows
        int support_begin, support_count;  // in support_
        int first_dof, last_dof;           // of the support
    };
    // A row of the envelope of a lower triangle: entries from column `first` to the diagonal.
    struct EnvelopeRow {
        int first;
        std::size_t begin;  // of the column `first`
    };

    void find_support(const JointFactor& factor, const Rows& rows, const RowBlock& block);
    void load(const Rows& rows, const RowBlock& source, const Block& block);
    void find_z(const JointFactor& factor, const RowBlock& source, const Block& block);
    void bring_to_scale(std::span<const Row> rows, const Block& block);
    void find_gram();
    double gram(int i, int j) const;
    void factor(double tolerance);
    double reduce(int row);
    double find_rest(int row);
    void keep(int row, double pivot);
    void keep_postponed(double tolerance);
    void solve_down(double* x, int begin, int end) const;
    void solve_up(double* x, int end) const;
    void project_within(std::span<const double> z, int first_dof, int last_dof, std::span<double> y);

    int count_ = 0;
    // The rows, scaled: z / √norm, compliance / norm.
    std::vector<Block> blocks_;
    std::vector<int> block_of_;             // (rows)
    std::vector<int> support_;              // (blocks …) velocities, rising
    std::vector<double> z_;                 // (rows …) entries at the support
    std::vector<std::size_t> z_begin_;      // (rows)
    std::vector<double> scale_;             // (rows) 1/√norm
    std::vector<double> compliance_;        // (rows) scaled
    std::vector<EnvelopeRow> gram_rows_;    // (rows)
    std::vector<double> gram_;

    std::vector<char> allowed_;             // (rows) which of them may be kept
    std::vector<int> kept_;                 // the rows of the factor, in the order of elimination
    int in_order_ = 0;                      // of these, how many did not wait
    std::vector<char> is_kept_;             // (rows)
    std::vector<EnvelopeRow> root_rows_;    // (rank)
    std::vector<double> root_;              // L; on the diagonal its reciprocals

    // What was left of the rows that waited, at unit length: nv entries, then those of a coordinate per row
    // that stands for its compliance, √K. (rank − in_order_)
    std::vector<double> rests_;

    // Scratch.
    int reduced_first_ = 0;                 // of the row that `reduce` has left in reduced_
    std::vector<double> reduced_;           // (rows)
    std::vector<int> postponed_;
    std::vector<double> remainders_;        // of the rows that wait
    std::vector<double> rest_;              // (nv + rows)
    std::vector<int> path_;                 // links, falling
    std::vector<char> on_path_;             // (links)
    struct Carried {  // what a row does to a link, and the most that its moment could be
        Force<double> force;
        double moment_bound;
    };
    std::vector<Carried> carried_;          // (links × rows of a block)
    std::vector<double> entries_, norms_;   // (support × rows of a block), (rows of a block)
    std::vector<double> dense_;             // (nv) zero between calls
    std::vector<double> residual_;          // (rows)
    PseudoInverse pseudo_inverse_;          // of solve_least_squares
    std::vector<double> gram_dense_;        // (rows × rows)
};

}  // namespace lig
