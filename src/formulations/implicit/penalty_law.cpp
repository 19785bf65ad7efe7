#include "formulations/implicit/penalty_law.h"

#include <algorithm>
#include <cmath>

namespace lig::implicit {

PenaltyLaw::Push PenaltyLaw::push_of(double stiffness, double dissipation, double gap, double rate) {
    if (!(gap < 0)) return {};
    const double factor = 1 - dissipation * rate;
    if (!(factor > 0)) return {};
    return {-stiffness * gap * factor, stiffness * factor, -stiffness * gap * dissipation};
}

void PenaltyLaw::evaluate(const double* w, double* p, double* C, double cone) const {
    switch (kind) {
        case Kind::linear:
            p[0] = -weight * w[0];
            if (C) C[0] = weight;
            return;
        case Kind::dry: {
            const double wanted = -damping * (rate + w[0]);
            p[0] = eta * std::clamp(wanted, -bound, bound);
            if (C) C[0] = std::abs(wanted) <= bound ? eta * damping : 0.0;
            return;
        }
        case Kind::push:
        case Kind::contact: {
            const Push push = push_of(stiffness, dissipation, gap + eta * w[0], rate + w[0]);
            std::fill_n(p, count, 0.0);
            if (C)
                for (int r = 0; r < count; ++r) std::fill_n(C + r * most_rows, count, 0.0);
            const double slope = eta * (eta * push.slope + push.rate_slope);
            p[0] = eta * push.force;
            if (C) C[0] = slope;
            if (count == 1) return;
            if (cone > 0)
                evaluate_friction(w, cone, 0, p, C);
            else if (cone < 0 && push.force > 0)
                evaluate_friction(w, push.force, slope, p, C);
            return;
        }
    }
}

// With S² = Σ (t_k / μ_k)² of what would stick, t, the force is t where S ≤ N and (N / S) t elsewhere.
void PenaltyLaw::evaluate_friction(const double* w, double push, double slope, double* p, double* C) const {
    double trial[most_friction], yielding[most_friction];  // −∂t/∂w
    for (int k = 0; k < count - 1; ++k) {
        const double by = arm[k] * arm[k];
        trial[k] = stuck[k] - by * (stiffness * (moved[k] + eta * w[k + 1]) + damping * (rates[k] + w[k + 1]));
        yielding[k] = by * (eta * stiffness + damping);
    }
    for (int cone = 0; cone < cone_count; ++cone) {
        const int first = cones[cone], last = std::min(cones[cone + 1], count - 1);
        double square = 0;
        for (int k = first; k < last; ++k) square += (trial[k] / friction[k]) * (trial[k] / friction[k]);
        const bool slides = square > push * push;
        const double used = std::sqrt(square), keep = slides ? push / used : 1.0;
        for (int k = first; k < last; ++k) {
            p[k + 1] = eta * keep * trial[k];
            if (!C) continue;
            C[(k + 1) * most_rows + k + 1] = eta * keep * yielding[k];
            if (!slides) continue;
            C[(k + 1) * most_rows] = trial[k] / used * slope;
            for (int j = first; j < last; ++j)
                C[(k + 1) * most_rows + j + 1] -= eta * keep * trial[k] * trial[j] * yielding[j] /
                                                  (friction[j] * friction[j] * square);
        }
    }
}

}  // namespace lig::implicit
