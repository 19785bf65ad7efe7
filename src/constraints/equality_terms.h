#pragma once

// What a row of an equality C(q, t) = 0 knows besides its Jacobian. Along a motion
//     dC/dt = J v + base_rate,   d²C/dt² = J v̇ + product.

#include <algorithm>

namespace lig {

struct EqualityTerms {
    double error = 0;      // C: m, rad, or the sine of an angle
    double base_rate = 0;  // of C by the prescribed motion of kinematic bodies, and by time
    double product = 0;  // what is left of d²C/dt² when v̇ = 0, the acceleration of kinematic bodies included
    double scale = 1;      // the row is this times what its object states (torque_scale of a loop)
    double size = 1;       // an error this large is a whole one: the length of the parts, or 1 rad
    double rounding = 0;   // the error that rounding of positions alone causes
    int part = 0;          // which row of its object it is
    bool holonomic = true;  // false: it restrains velocities alone, and there is no error
};

// Equalities that are open, relative to their sizes. Rows that follow from each other on the equalities
// contradict each other off them; accelerations then meet all of them in the least squares (docs/loops.md).
namespace open_equalities {

constexpr double least = 1e-8;  // below it rows agree to what digits are left
// Singular values of rows of unit length up to this mean nothing where equalities are open by that much.
inline double tolerance(double opening) { return std::min(100 * opening, 1e-3); }

}  // namespace open_equalities

}  // namespace lig
