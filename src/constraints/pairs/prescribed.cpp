// B moves in A's frame as functions of time say.
//
// A component of the position with the target x(t):
//     C = p_k − x,   rate = −ẋ,   product = p̈_k − ẍ.
//
// Orientation: F is turned out of A by R = R_x(α) R_y(β) R_z(γ), whose angular velocity in the axes of A is
//     Ω_F = α̇ e_x + β̇ y + γ̇ z with y = R_x e_y, z = R_x R_y e_z;   and, as ẏ = α̇ e_x × y,
//     Ω̇_F = α̈ e_x + β̈ y + γ̈ z + α̇ β̇ e_x × y + (α̇ e_x + β̇ y) × γ̇ z.
// C = 2 q_v of the rotation Rᵀ R_AB, component by component (joint_parts.h: RotationLock, with its G and the
// rate at constant ω). Seen from F the angular velocity of B is ω = Rᵀ (Ω − Ω_F), so that with g a row of G
//     Ċ = (R g) · Ω + rate,   rate = −(R g) · Ω_F,
//     C̈ = (R g) · (Ω̇ − Ω̇_F − Ω_F × (Ω − Ω_F)) + (dG/dt) ω.

#include "constraints/pairs/faults.h"
#include "joints/joint_parts.h"

#include "constraints/pairs/unit_axis.h"

#include <ligament/pair_kinds.h>
#include <ligament/relative_motion.h>

#include <numbers>

namespace lig {

namespace {

// A polynomial by rising powers and its first two derivatives.
struct Polynomial {
    Polynomial(const std::array<double, 6>& c, double t) {
        for (std::size_t k = c.size(); k-- > 0;) {
            second = second * t + 2 * first;
            first = first * t + value;
            value = value * t + c[k];
        }
    }
    double value = 0, first = 0, second = 0;
};

Mat3d turn_x(double a) {
    const double s = std::sin(a), c = std::cos(a);
    return {{1, 0, 0}, {0, c, s}, {0, -s, c}};
}
Mat3d turn_y(double a) {
    const double s = std::sin(a), c = std::cos(a);
    return {{c, 0, -s}, {0, 1, 0}, {s, 0, c}};
}
Mat3d turn_z(double a) {
    const double s = std::sin(a), c = std::cos(a);
    return {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
}

// The frame F.
struct Turning {
    Turning(const PrescribedConstraint::Axes& axes, double t) {
        double angle[3] = {}, rate[3] = {}, acceleration[3] = {};
        for (int k = 0; k < 3; ++k) {
            if (!axes[k]) continue;
            angle[k] = axes[k]->value(t);
            rate[k] = axes[k]->rate(t);
            acceleration[k] = axes[k]->acceleration(t);
        }
        const Mat3d Rx = turn_x(angle[0]), Rxy = Rx * turn_y(angle[1]);
        const Vec3d x{1, 0, 0}, y = Rx.y, z = Rxy.z;
        const Vec3d first = rate[0] * x + rate[1] * y;
        R = Rxy * turn_z(angle[2]);
        velocity = first + rate[2] * z;
        change = acceleration[0] * x + acceleration[1] * y + acceleration[2] * z +
                 rate[0] * rate[1] * cross(x, y) + cross(first, rate[2] * z);
    }
    Mat3d R;
    Vec3d velocity, change;  // Ω_F and its derivative, in the axes of A
};

}  // namespace

double MotionProfile::value(double t) const {
    const double w = 2 * std::numbers::pi * frequency;
    return Polynomial(polynomial, t).value + amplitude * std::sin(w * t + phase);
}
double MotionProfile::rate(double t) const {
    const double w = 2 * std::numbers::pi * frequency;
    return Polynomial(polynomial, t).first + w * amplitude * std::cos(w * t + phase);
}
double MotionProfile::acceleration(double t) const {
    const double w = 2 * std::numbers::pi * frequency;
    return Polynomial(polynomial, t).second - w * w * amplitude * std::sin(w * t + phase);
}

int PrescribedConstraint::rows() const {
    int count = 0;
    for (const Axes* axes : {&position, &rotation})
        for (int k = 0; k < 3; ++k) count += (*axes)[k].has_value();
    return count;
}

void PrescribedConstraint::evaluate(const PairState& state, PairRow* out) const {
    const RelativeMotion motion(state);
    for (int k = 0; k < 3; ++k) {
        if (!position[k]) continue;
        *out = {};
        out->error = motion.p[k] - position[k]->value(state.time);
        out->rate = -position[k]->rate(state.time);
        motion.set(*out, Vec3d::zero(), pairs::unit_axis(k));
        out->product -= position[k]->acceleration(state.time);
        ++out;
    }
    if (!rotation.x && !rotation.y && !rotation.z) return;

    const Turning F(rotation, state.time);
    const Transformd X_FB{transpose_mul(F.R, motion.R_AB), Vec3d::zero()};
    const Vec3d relative = motion.velocity.ang - F.velocity;  // of B seen from F, in the axes of A
    double C[3], turning[3];
    Force<double> G[3];
    joints::RotationLock::residual(X_FB, C);
    joints::RotationLock::jacobian(X_FB, G);
    joints::RotationLock::rate(X_FB, Motion<double>{transpose_mul(F.R, relative), Vec3d::zero()}, turning);
    for (int k = 0; k < 3; ++k) {
        if (!rotation[k]) continue;
        const Vec3d g = F.R * G[k].ang;
        *out = {};
        out->error = C[k];
        out->rate = -dot(g, F.velocity);
        motion.set(*out, g, Vec3d::zero());
        out->product += turning[k] - dot(g, F.change + cross(F.velocity, relative));
        out->size = 1;
        ++out;
    }
}

std::string PrescribedConstraint::fault() const {
    if (rows() == 0) return "no axis has a motion";
    for (const Axes* axes : {&position, &rotation})
        for (int k = 0; k < 3; ++k) {
            const std::optional<MotionProfile>& axis = (*axes)[k];
            if (!axis) continue;
            for (const double c : axis->polynomial)
                if (!std::isfinite(c)) return "a coefficient of a motion is not finite";
            for (const double x : {axis->amplitude, axis->frequency, axis->phase})
                if (!std::isfinite(x)) return "a number of an oscillation is not finite";
        }
    return {};
}

}  // namespace lig
