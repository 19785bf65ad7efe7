#include "formulations/implicit/penalty_law.h"

#include "formulations/implicit/tuning.h"

#include <algorithm>
#include <cmath>

namespace lig::implicit {

PenaltyLaw::Push PenaltyLaw::push_of(double stiffness, double dissipation, double gap, double rate) {
    if (!(gap < 0)) return {};
    const double factor = 1 - dissipation * rate;
    if (!(factor > 0)) return {};
    return {-stiffness * gap * factor, stiffness * factor, -stiffness * gap * dissipation};
}

void PenaltyLaw::evaluate(const double* w, double* p, double* C) const {
    constexpr double none[max_rows] = {};
    answer(w, none, -1, p, C);
}

// p = η N(w + D p). What is missed, p − η N, rises with p and is concave: Newton's method from 0 comes from
// below.
double PenaltyLaw::find_push(double w, double D) const {
    double p = 0;
    for (int k = 0; k < law_tuning.max_scalar; ++k) {
        const double at = w + D * p;
        const Push push = push_of(stiffness, dissipation, gap + eta * at, rate + at);
        const double slope = eta * (eta * push.slope + push.rate_slope);
        const double next = p + (eta * push.force - p) / (1 + slope * D);
        if (!(next > p)) break;
        p = next;
    }
    return p;
}

void PenaltyLaw::answer(const double* w, const double* D, double cone, double* p, double* C) const {
    if (C)
        for (int r = 0; r < count; ++r) std::fill_n(C + r * max_rows, count, 0.0);
    if (kind == Kind::linear) {
        p[0] = -weight * w[0] / (1 + weight * D[0]);
        if (C) C[0] = weight / (1 + weight * D[0]);
        return;
    }
    if (kind == Kind::dry) {
        const double slope = eta * damping / (1 + eta * damping * D[0]), wanted = -slope * (rate + w[0]);
        p[0] = std::clamp(wanted, -eta * bound, eta * bound);
        if (C) C[0] = std::abs(wanted) <= eta * bound ? slope : 0.0;
        return;
    }
    p[0] = find_push(w[0], D[0]);
    double push_slope = 0;
    if (p[0] > 0) {
        const double at = w[0] + D[0] * p[0];
        const Push push = push_of(stiffness, dissipation, gap + eta * at, rate + at);
        const double slope = eta * (eta * push.slope + push.rate_slope);
        push_slope = slope / (1 + slope * D[0]);
    }
    if (C) C[0] = push_slope;
    // With S² = Σ (t_k / μ_k)² of what would stick, t, the impulse is t where S ≤ that of the push, N, and (N
    // / S) t elsewhere.
    const double push = cone < 0 ? p[0] : cone;
    double t[max_friction], slope[max_friction];  // −∂t/∂w
    for (int k = 0; k < count - 1; ++k) {
        const double by = eta * arm[k] * arm[k], full = by * (eta * stiffness + damping);
        const double still = eta * stuck[k] - by * (stiffness * moved[k] + damping * rates[k]);
        slope[k] = full / (1 + full * D[k + 1]);
        t[k] = (still - full * w[k + 1]) / (1 + full * D[k + 1]);
    }
    for (int c = 0; c < cone_count; ++c) {
        const int first = cones[c], last = std::min(cones[c + 1], count - 1);
        double square = 0;
        for (int k = first; k < last; ++k) square += (t[k] / friction[k]) * (t[k] / friction[k]);
        const bool slides = square > push * push;
        const double used = std::sqrt(square), keep = slides ? push / used : 1.0;
        for (int k = first; k < last; ++k) {
            p[k + 1] = keep * t[k];
            if (!C) continue;
            C[(k + 1) * max_rows + k + 1] = keep * slope[k];
            if (!slides) continue;
            if (cone < 0) C[(k + 1) * max_rows] = t[k] / used * push_slope;
            for (int j = first; j < last; ++j)
                C[(k + 1) * max_rows + j + 1] -=
                    keep * t[k] * t[j] * slope[j] / (friction[j] * friction[j] * square);
        }
    }
}

}  // namespace lig::implicit
