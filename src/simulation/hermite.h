#pragma once

// Curves through samples: cubic Hermite splines of numbers and of rotations, with continuous velocities.
//
// Between two samples a number is the cubic with the values and rates of both. A rotation is
// q(t) = q₀ exp φ(t), φ the Hermite spline from 0 to the logarithm of q₀⁻¹ q₁ whose rates at the ends are
// those of the angular velocities there (rotation_vector.h).

#include "core/rotation.h"
#include "core/rotation_vector.h"
#include "core/unit_quaternion.h"

#include <algorithm>
#include <span>

namespace lig {

// Value, rate and second rate of a cubic from its ends and the rates there; u runs from 0 to 1 over h.
struct Hermite {
    double p1, d0, d1;      // of the end's distance from the beginning, and of the rates times h
    double v1, w0, w1;      // the same for the rate,
    double a1, b0, b1;      // … and for the second rate

    Hermite(double u, double h)
        : p1(u * u * (3 - 2 * u)),
          d0(u * (1 - u) * (1 - u) * h),
          d1(-u * u * (1 - u) * h),
          v1(6 * u * (1 - u) / h),
          w0((1 - u) * (1 - 3 * u)),
          w1(u * (3 * u - 2)),
          a1((6 - 12 * u) / (h * h)),
          b0((6 * u - 4) / h),
          b1((6 * u - 2) / h) {}
};

// Where a time is among the rising times of samples.
struct HermitePlace {
    int from, to;  // the samples before and behind; the same where there is only one
    bool rests;    // outside of all: as at the nearest sample, without velocity
    Hermite s;

    static HermitePlace find(std::span<const double> times, double time) {
        const int count = static_cast<int>(times.size());
        const bool rests = time < times.front() || time > times.back() || count < 2;
        time = std::clamp(time, times.front(), times.back());
        const int after =
            static_cast<int>(std::upper_bound(times.begin(), times.end(), time) - times.begin());
        const int from = std::clamp(after - 1, 0, std::max(count - 2, 0)), to = std::min(from + 1, count - 1);
        const double h = count < 2 ? 1 : times[to] - times[from];
        const double u = count < 2 ? 0 : std::clamp((time - times[from]) / h, 0.0, 1.0);
        return {from, to, rests, Hermite(u, h)};
    }
};

// A rotation between two samples; velocities and accelerations are in its own axes.
class RotationCurve {
public:
    RotationCurve(const Hermite& s, const Quatd& q0, const Quatd& q1, const Vec3d& w0, const Vec3d& w1)
        : q0_(q0) {
        const Vec3d d = rotation_log(conjugate(q0) * q1);
        const Vec3d d1 = rotation_vector_rate(d, w1);
        phi_ = s.p1 * d + s.d0 * w0 + s.d1 * d1;
        rate_ = s.v1 * d + s.w0 * w0 + s.w1 * d1;
        second_ = s.a1 * d + s.b0 * w0 + s.b1 * d1;
    }

    Quatd rotation() const { return unit_quaternion(q0_ * rotation_exp(phi_)); }
    Vec3d velocity() const { return angular_velocity(phi_, rate_); }
    Vec3d acceleration() const { return angular_acceleration(phi_, rate_, second_); }

private:
    Quatd q0_;
    Vec3d phi_, rate_, second_;
};

// The rate at a sample between two intervals of the lengths h0 and h1 over which the mean rates are those
// given: that of the parabola through the three.
template <class Rate>
Rate parabola_rate(double h0, const Rate& rate0, double h1, const Rate& rate1) {
    return (1 / (h0 + h1)) * (h1 * rate0 + h0 * rate1);
}

}  // namespace lig
