#pragma once

// One contact with friction in a cone, solved exactly for given forces everywhere else.
//
// In the coordinates t_i = λ_i/μ_i and u_i = μ_i w_i the ellipse is a circle: with n the normal row and T the
// others,
//   w_n = G λ_n + hᵀt + c_n,   u = D t + h λ_n + g,   |t| ≤ λ_n,
//   λ_n ≥ 0, w_n ≥ 0, λ_n w_n = 0,   u = −σ t with σ ≥ 0, and σ = 0 unless |t| = λ_n.
// The axes of T are turned so that D is diagonal (once per contact, not per solve). Then
//   c_n ≥ 0: λ = 0.   Otherwise w_n = 0, and for any σ
//   t_i = −(g_i + h_i λ_n)/(D_i + σ),   λ_n = (−c_n + Σ h_i g_i/(D_i + σ)) / (G − Σ h_i²/(D_i + σ)).
// If |t| ≤ λ_n at σ = 0 the contact sticks. If not, λ_n − |t| is negative there, and it is positive for σ →
// ∞, where t → 0 and λ_n → −c_n/G > 0; the denominator grows from a Schur complement ≥ 0; so between there is
// a σ with |t| = λ_n: sliding. One number whatever the count of friction rows, with a bracket that cannot
// fail. λ_n/|t| − 1 is almost a straight line in σ (as in trust-region methods), and a few secant steps find
// its root.

namespace lig {

inline constexpr int max_friction_rows = 5;

struct ConeBlock {
    int count;                            // friction rows
    double friction[max_friction_rows];   // μ_i
    // Columns: the axes in which D is diagonal.
    double axes[max_friction_rows][max_friction_rows];
    double d[max_friction_rows];
    bool doubtful[max_friction_rows];  // d may be nothing but rounding
    double h[max_friction_rows];
    double g;            // G
    double schur;        // G − Σ h²/D ≥ 0
    double min_sigma;    // σ of sticking: 0; in a singular block just enough to choose one of many λ
    double sigma;        // where the search for sliding ended last; the next begins there
};

// `a` points to the normal row's diagonal entry; rows `stride` apart. The friction rows follow.
ConeBlock prepare_cone(const double* a, int stride, const double* friction, int count);

// c: w of the block's rows, normal first, at λ = 0 of the block. Writes the λ of these rows. False where the
// normal row cannot be satisfied (c_n < 0, G = 0): λ is 0.
bool solve_cone(ConeBlock& block, const double* c, double* lambda);

}  // namespace lig
