#pragma once

// The laws of MuJoCo's muscles. With the normalized length L and velocity V of the transmission
//
//   gain = −F · FL(L) · FV(V),   bias = −F · FP(L),   ȧ = (u − a) / τ(u − a, a).
//
// FL is 1 at L = 1 and falls to 0 at the least and greatest length, by parabolas that meet half way. FV is 0
// where the muscle gets shorter at its largest velocity, 1 at rest, and rises to a bound. FP begins at L = 1
// as a parabola and goes on as a straight line. docs/drives.md has them with their sources.

#include "core/lift.h"
#include "core/scalar_math.h"

#include <ligament/drive_specs.h>

#include <algorithm>
#include <array>

namespace lig {

// Shorter times and lengths than this count as this one.
inline constexpr double smallest_of_muscles = 1e-15;

template <class T>
struct ValueAndSlope {
    T value, slope;
};

// The length at which the muscle pulls best, in that of the transmission.
inline double optimal_length(const MuscleSpec& muscle, const std::array<double, 2>& length_range) {
    const double width = std::max(smallest_of_muscles, muscle.range[1] - muscle.range[0]);
    return std::max(smallest_of_muscles, (length_range[1] - length_range[0]) / width);
}

template <class T>
T normalized_length(const MuscleSpec& muscle, const std::array<double, 2>& length_range, const T& length) {
    return lift<T>(muscle.range[0]) +
           (length - lift<T>(length_range[0])) / lift<T>(optimal_length(muscle, length_range));
}

// FL.
template <class T>
ValueAndSlope<T> active_length_curve(const MuscleSpec& muscle, const T& L) {
    const double a = (muscle.min_length + 1) / 2, b = (1 + muscle.max_length) / 2;
    const auto parabola = [&](double foot, double top) {  // 0 at `foot`, with the slope of 1/2 at `top`
        const double width = 1 / (top - foot);
        const T x = (L - lift<T>(foot)) * lift<T>(width);
        return ValueAndSlope<T>{x * x / T(2), x * lift<T>(width)};
    };
    const ValueAndSlope<T> rise = parabola(muscle.min_length, a), to_top = parabola(1, a),
                           from_top = parabola(1, b), fall = parabola(muscle.max_length, b);
    const auto below = L <= lift<T>(a), before_top = L <= T(1), after_top = L <= lift<T>(b);
    const auto too_short = L<lift<T>(muscle.min_length), too_long = L> lift<T>(muscle.max_length);
    const auto choose = [&](const T& first, const T& second, const T& third, const T& fourth) {
        const T inside = select(below, first, select(before_top, second, select(after_top, third, fourth)));
        return select(too_short, T(0), select(too_long, T(0), inside));
    };
    return {choose(rise.value, T(1) - to_top.value, T(1) - from_top.value, fall.value),
            choose(rise.slope, -to_top.slope, -from_top.slope, fall.slope)};
}

// FV; V is negative where the muscle gets shorter.
template <class T>
ValueAndSlope<T> velocity_curve(const MuscleSpec& muscle, const T& V) {
    const double above = muscle.lengthening_force - 1;
    const T left = V + T(1), right = lift<T>(above) - V;
    const T steepness = lift<T>(1 / std::max(smallest_of_muscles, above));
    const auto choose = [&](const T& shortening, const T& lengthening, const T& bound) {
        return select(V <= T(-1), T(0),
                      select(V <= T(0), shortening, select(V <= lift<T>(above), lengthening, bound)));
    };
    const T most = lift<T>(muscle.lengthening_force);
    return {choose(left * left, most - right * right * steepness, most),
            choose(T(2) * left, T(2) * right * steepness, T(0))};
}

// FP.
template <class T>
ValueAndSlope<T> passive_length_curve(const MuscleSpec& muscle, const T& L) {
    const double b = (1 + muscle.max_length) / 2, width = 1 / (b - 1);
    const T x = (L - T(1)) * lift<T>(width), y = (L - lift<T>(b)) * lift<T>(width);
    const T scale = lift<T>(muscle.passive_force), slope = lift<T>(muscle.passive_force * width);
    const auto slack = L <= T(1), curved = L <= lift<T>(b);
    return {select(slack, T(0), scale * select(curved, x * x / T(2), y + lift<T>(0.5))),
            select(slack, T(0), slope * select(curved, x, T(1)))};
}

// Of a gain or a bias, along the transmission, with what it changes by per length and velocity.
template <class T>
struct MuscleForce {
    T value, by_length, by_velocity;
};

template <class T>
MuscleForce<T> muscle_gain(const MuscleSpec& muscle, const std::array<double, 2>& length_range,
                           const T& length, const T& velocity) {
    const double L0 = optimal_length(muscle, length_range);
    const double fastest = std::max(smallest_of_muscles, L0 * muscle.max_velocity);
    const auto [fl, dfl] = active_length_curve(muscle, normalized_length(muscle, length_range, length));
    const auto [fv, dfv] = velocity_curve(muscle, velocity / lift<T>(fastest));
    return {lift<T>(-muscle.force) * fl * fv, lift<T>(-muscle.force / L0) * dfl * fv,
            lift<T>(-muscle.force / fastest) * fl * dfv};
}

template <class T>
MuscleForce<T> muscle_bias(const MuscleSpec& muscle, const std::array<double, 2>& length_range,
                           const T& length) {
    const auto [fp, dfp] = passive_length_curve(muscle, normalized_length(muscle, length_range, length));
    return {lift<T>(-muscle.force) * fp,
            lift<T>(-muscle.force / optimal_length(muscle, length_range)) * dfp, T(0)};
}

// ȧ. The time constants are those of Millard et al. (2013), with a smooth passage of the given width where
// the control crosses the activation.
template <class T>
T muscle_activation_rate(double activation_time, double deactivation_time, double smoothing, const T& control,
                         const T& activation) {
    const auto unit = [](const T& x) { return max(min(x, T(1)), T(0)); };
    const T share = lift<T>(0.5) + lift<T>(1.5) * unit(activation);
    const T rise = lift<T>(activation_time) * share, fall = lift<T>(deactivation_time) / share;
    const T excess = unit(control) - activation;
    T time = select(excess > T(0), rise, fall);
    if (smoothing >= smallest_of_muscles) {
        const T x = unit(excess / lift<T>(smoothing) + lift<T>(0.5));
        time = fall + (rise - fall) * (x * x * x * (T(3) * x * (T(2) * x - T(5)) + T(10)));
    }
    return excess / max(time, lift<T>(smallest_of_muscles));
}

}  // namespace lig
