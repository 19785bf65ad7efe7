#pragma once

// Soft constraints: a row that acts like an implicit spring and damper of a frequency and a damping ratio,
// whatever the masses.
//
// The effective mass m of a row, a spring k = m ω² and a damper c = 2 ζ m ω, taken at the end of a step h:
//     λ = −h (k (C + h w⁺) + c w⁺),   w⁺ = w + λ/m     gives, with a₁ = 2 ζ + h ω and a₂ = h ω a₁,
//     λ = −m (a₂/(1 + a₂)) (w + (ω/a₁) C)
// for the whole impulse of the step. Against one that has been applied already, Δλ is the same with
// −λ/(1 + a₂) beside it. A large frequency makes it rigid: the error goes within h/(1 + 2 ζ/(h ω)).

#include <ligament/simulation.h>

#include <numbers>

namespace lig::impulse {

struct Give {
    double bias_rate;      // 1/s
    double mass_scale;
    double impulse_scale;

    static Give of(const Softening& how, double h) {
        const double omega = 2 * std::numbers::pi * how.frequency;
        const double a1 = 2 * how.damping_ratio + h * omega, a2 = h * omega * a1;
        return {omega / a1, a2 / (1 + a2), 1 / (1 + a2)};
    }
    // No impulse at all: what is missed is looked at.
    static Give nothing() { return {0, 0, 0}; }
    // Without give, and leaving errors alone,
    static Give none() { return {0, 1, 0}; }
    // or removing errors at the rate: Baumgarte stabilization of Catto's slides, β/h.
    static Give rigid(double bias_rate) { return {bias_rate, 1, 0}; }
};

}  // namespace lig::impulse
