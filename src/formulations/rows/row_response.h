#pragma once

// Rows in the coordinates of JointFactor: z = Inward(Jᵀ) of every row, which is not zero only on the way from
// the row's links to the root. Then J M̂⁻¹ Jᵀ = Z Zᵀ, and no matrix of that size is ever formed: w = Z s + b
// for the sum s = Σ z λ of all impulses, and changing one λ changes s on its support alone. A sweep over the
// rows of a character costs the depth of its limbs per row, whatever else is in contact elsewhere.

#include "constraints/rows.h"
#include "dynamics/joint_factor.h"

#include <span>
#include <vector>

namespace lig {

// z of the rows of one block, side by side: z[width · j + row] belongs to freedom support[j].
struct ResponseBlock {
    int rows;
    int width;  // rows, rounded up so that neighbours fill registers; what is over is 0
    int support_begin, support_count;
    std::size_t z_begin;
};

class RowResponse {
public:
    std::vector<ResponseBlock> blocks;
    std::vector<int> support;  // freedoms, falling within a block
    std::vector<double> z;

    void clear();
    void add(const Rows& rows, const RowBlock& block, const JointFactor& factor);
    // A block whose z is given, in parts, from the last coordinates to the first.
    void begin(const RowBlock& block);
    // Of each row of the last block `count` entries, `stride` apart from row to row, at the coordinates from
    // `first` on.
    void add_part(const double* given, int stride, int first, int count);

    // A block of which z at the freedoms `at`, falling, is given: of each row nv entries, one row after the
    // other.
    void add(const RowBlock& block, std::span<const double> given, std::span<const int> at);

    // z · s of a row of a block.
    double product(const ResponseBlock& block, int row, std::span<const double> s) const;
    // s += Zᵀ λ, of all rows,
    void apply(const Rows& rows, std::span<const double> lambda, std::span<double> s) const;
    // and z · impulse of a row of a block.
    void apply_row(const ResponseBlock& block, int row, double impulse, std::span<double> s) const;
    // The rows × rows products Z Zᵀ of a block, row-major, `stride` apart.
    void products(const ResponseBlock& block, double* a, int stride) const;

private:
    // A link on the way to the root, with the forces of the block's rows that have arrived there, component
    // by component.
    struct Front {
        int link;
        double force[6][6];
    };
    Front& front_at(int link);
    double* widen(int count);
    void propagate_four(const Rows& rows, const RowBlock& block, const JointFactor& factor,
                        ResponseBlock& out);
    template <int Width>
    void propagate(const Rows& rows, const RowBlock& block, const JointFactor& factor, ResponseBlock& out);

    std::vector<Front> fronts_;
};

}  // namespace lig
