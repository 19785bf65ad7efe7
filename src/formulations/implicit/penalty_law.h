#pragma once

// PenaltyLaw: the impulse p of a few rows in a step as a function of what the step changes of their
// velocities, w. With gaps, slips and rates as they are at an iterate of Newton's method, and η the length of
// the step,
//     linear    p = −g w
//     push      p = η N(gap + η w, rate + w),  N = k d (1 − a ḋ) where d = −gap > 0, never inward
//     dry       p = η clamp(−c (rate + w), ±bound)
//     contact   a push and, along its friction rows, what sticks: forces of the step before, less k times how
//               far they have moved and c times how fast, cut down to the cone of the push (return mapping).
//               Sliding, twisting and rolling have a cone each.

namespace lig::implicit {

struct PenaltyLaw {
    enum class Kind : unsigned char {
        linear,
        push,
        dry,
        contact
    };
    static constexpr int max_friction = 5, max_rows = 1 + max_friction;

    Kind kind = Kind::linear;
    int row = 0, count = 1;  // where its rows are
    double eta = 0;
    double weight = 0;                          // linear: g
    double stiffness = 0, dissipation = 0;      // k, a
    double gap = 0, rate = 0;                   // rate: of dry friction as well
    double damping = 0, bound = 0;              // c
    // Contacts, along their friction rows. arms: of the stiffness, 1 of what slides.
    double friction[max_friction] = {}, arm[max_friction] = {};
    double stuck[max_friction] = {}, moved[max_friction] = {}, rates[max_friction] = {};

    struct Push {
        double force = 0, slope = 0, rate_slope = 0;  // N, −∂N/∂gap, −∂N/∂rate
    };
    static Push push_of(double stiffness, double dissipation, double gap, double rate);

    // w, p: `count` numbers; C = −∂p/∂w, rows max_rows apart, or null.
    void evaluate(const double* w, double* p, double* C) const;
    // The same where rows answer to their own impulses: p = L(w + D p), D a diagonal that is the same within
    // each cone, and C = −∂p/∂w of that. It is bounded by 1/D, however stiff the law is. cone: the impulse of
    // a push that cuts off friction; negative: the one that is found, on which friction then depends.
    void answer(const double* w, const double* D, double cone, double* p, double* C) const;
    // The cones of contacts: friction rows from cones[c] to cones[c + 1].
    static constexpr int cones[] = {0, 2, 3, 5}, cone_count = 3;

private:
    double find_push(double w, double D) const;
};

}  // namespace lig::implicit
