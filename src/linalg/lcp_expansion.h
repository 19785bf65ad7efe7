#pragma once

// An LcpProblem as one linear complementarity problem w = M z + q, z ≥ 0, w ≥ 0, zᵀw = 0 (lemke.h), with
// friction by the rows of Kokkevis 2004, equations (19)–(21).
//
// Row by row of the problem, s a scale:
//   bilateral        λ = guess + s z, free
//   one-sided        λ = lo + s z, or hi − s z
//   with two bounds  λ = lo + s z, and a multiplier y of the upper bound:   s w + y ≥ 0 ⊥ z ≥ 0,
//                    (hi − lo)/s − z ≥ 0 ⊥ y ≥ 0
//   fixed            λ = lo, no unknown
// Friction, with t_i = λ_i/μ_i and u_i = μ_i w_i:
//   normal           w_n ≥ 0 ⊥ λ_n ≥ 0                                                              (19)
//   each direction d of the contact, forces t = Σ f_d d:   d·u + γ ≥ 0 ⊥ f_d ≥ 0                     (20)
//   the slip γ       λ_n − Σ f_d ≥ 0 ⊥ γ ≥ 0                                                         (21)
// The directions of the two tangential rows are ±t₁ and ±t₂: six rows in all, and |t₁| + |t₂| ≤ λ_n, the
// diamond of lcp.h. Or there is one direction per contact, given by the caller: three rows, and friction acts
// along it or not at all. Torsional and rolling rows are pairs ± with a slip of their own, each.
//
// Scales are powers of two that bring the diagonal of A to about 1: they cost no rounding. Where the matrix
// of the friction rows alone is 0, or a coefficient, they have the scale of the normal row or no unknown.

#include "linalg/lemke.h"

#include <memory>
#include <span>
#include <vector>

namespace lig {

struct LcpProblem;

// Along which friction acts in the tangent plane of a contact, in the axes of its two tangential rows.
struct TangentDirection {
    double along_first = 0, along_second = 0;
};

class LcpExpansion {
public:
    // Room for problems of up to so many rows.
    void resize(int rows);

    // Writes M, q, which rows are free, and the basis that λ suggests: none where λ is 0. directions: by the
    // row of the normal; null for the four directions of six rows. λ: within the bounds.
    void write(const LcpProblem& problem, const TangentDirection* directions, std::span<const double> lambda);
    LemkeResult solve(const LemkeOptions& options);
    // λ of the solution, within its bounds, and its directions, exactly.
    void read(const LcpProblem& problem, std::span<double> lambda) const;
    // Of a ray, the direction in λ.
    void read_ray(const LcpProblem& problem, std::span<double> direction) const;
    // Whether a row is bilateral and depends on others: its λ is the guess.
    bool dependent(int row) const;

    int size() const { return n_; }

private:
    // A force f ≥ 0 that adds f · first to λ of `row` and f · second to the next; or, with row −1, a
    // multiplier.
    struct Unknown {
        int row;
        double first, second;
    };
    struct Multiplier {
        int at;  // its index among the unknowns
        int begin, end;  // the forces whose sum it limits
        int normal;  // the force that limits them, `limit` times; −1: `limit` does
        double limit;
    };
    int add_force(int row, double first, double second = 0);
    void add_multiplier(int begin, int normal, double limit);
    void add_row(const LcpProblem& problem, int row, double guess);
    void add_friction(const LcpProblem& problem, int normal, const TangentDirection* directions);
    double force(const Unknown& unknown, std::span<const double> lambda) const;
    void suggest_basis(const LcpProblem& problem, std::span<const double> lambda);

    int n_ = 0;
    std::unique_ptr<double[]> m_;  // not initialized: pages that are not used cost nothing
    std::vector<double> q_, z_;
    std::vector<unsigned char> free_, basis_;
    std::vector<Unknown> unknowns_;
    std::vector<Multiplier> multipliers_;
    int multiplier_count_ = 0;
    std::vector<int> unknown_of_;  // (rows) the first unknown of a row; −1: it has none
    std::vector<double> start_;  // (rows) λ where all unknowns are 0
    std::vector<double> w_;  // (rows)
    LemkeWorkspace lemke_;
};

}  // namespace lig
