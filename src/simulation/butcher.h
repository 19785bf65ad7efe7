#pragma once

// The coefficients of Runge–Kutta methods. Row s of `a` has s entries that count.

namespace lig::butcher {

inline constexpr int max_stages = 7;

struct Rk4 {
    static constexpr int stages = 4;
    static constexpr double c[stages] = {0, 0.5, 0.5, 1};
    static constexpr double a[stages][stages] = {{}, {0.5}, {0, 0.5}, {0, 0, 1}};
    static constexpr double b[stages] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
};

// Dormand and Prince 1980, RK5(4)7M. The last row of `a` is the result of fifth order, so the last stage is
// the first of the next step; `error` is its difference from the result of fourth order.
struct DormandPrince {
    static constexpr int stages = 7;
    static constexpr double c[stages] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
    static constexpr double a[stages][stages] = {
        {},
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static constexpr double error[stages] = {35.0 / 384 - 5179.0 / 57600,
                                             0,
                                             500.0 / 1113 - 7571.0 / 16695,
                                             125.0 / 192 - 393.0 / 640,
                                             -2187.0 / 6784 + 92097.0 / 339200,
                                             11.0 / 84 - 187.0 / 2100,
                                             -1.0 / 40};
};

}  // namespace lig::butcher
