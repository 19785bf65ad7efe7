#pragma once

// Constraints between two bodies that are given by what they state alone: a function, written as a template
// over its scalar. J, ∂C/∂t and the product of velocities come by automatic differentiation (dual.h).
//
//   // A bead on a wire z = sin x, seen from frame A.
//   const auto wire = [](const auto& X, const auto& /*time*/) { return X.p.z - sin(X.p.x); };
//   scene.add_constraint({.name = "wire", .body_b = bead, .constraint = lig::holonomic(wire)});
//
// holonomic     C(X, t) = 0. X is the pose of frame B in frame A, a Transform<T>.
// nonholonomic  f(X, V, t) = 0 with f linear in V, but for a constant. V is the velocity of B in A: V.ang and
//               V.lin in the axes of A, a Motion<T>.
// holonomic_group and nonholonomic_group are the same for any number of bodies (group_constraint.h), with the
// poses and velocities of all frames in the world.
//
// They return a T, or a std::array<T, n> of up to six. Functions such as sin are called without std::, so
// that those of the scalar are found. They must give the same for the same arguments and may be called from
// several threads at once.
//
// A function that is not finite in some state, or has no derivatives there, ends the step as non_finite, with
// the constraint's name; at the reference configuration the compiler warns of it (W162).

#include <ligament/dual.h>
#include <ligament/pair_constraint.h>
#include <ligament/relative_motion.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lig {

struct FunctionOptions {
    std::string kind = "function";  // what the constraint is called in messages
    double scale = 1;               // PairRow::scale
    double size = 0;                // PairRow::size
};

namespace functions {

template <class Result>
struct Count {
    static constexpr int rows = 1;
};
template <class T, std::size_t n>
struct Count<std::array<T, n>> {
    static constexpr int rows = static_cast<int>(n);
};

template <class T>
const T& row_of(const T& only, int) {
    return only;
}
template <class T, std::size_t n>
const T& row_of(const std::array<T, n>& all, int row) {
    return all[static_cast<std::size_t>(row)];
}

template <class T>
Transform<T> constant(const RelativeMotion& motion) {
    Transform<T> out;
    for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) out.R(r, c) = T(motion.R_AB(r, c));
        out.p[c] = T(motion.p[c]);
    }
    return out;
}

// What moves, with its derivatives by the time.
using Path = Dual<double, 1>;       // value, derivative
using Curve = Dual<Path, 1>;        // … and the second derivative: d[0].d[0]
inline Path on_path(double value, double rate) {
    Path out = value;
    out.d[0] = rate;
    return out;
}
inline Curve on_curve(double value, double rate, double second) {
    Curve out;
    out.value = on_path(value, rate);
    out.d[0] = on_path(rate, second);
    return out;
}

inline bool is_finite(const PairRow& row) {
    const auto finite = [](const Vec3d& v) { return std::isfinite(v.x + v.y + v.z); };
    return std::isfinite(row.error + row.rate + row.product) && finite(row.on_b.ang) && finite(row.on_b.lin);
}

// X with derivatives by turns about the axes and by shifts, from the n-th partial on.
template <class Partial>
Transform<Partial> seeded(const Transform<double>& X, int n) {
    Transform<Partial> out;
    for (int c = 0; c < 3; ++c) {
        const Vec3d r{X.R(0, c), X.R(1, c), X.R(2, c)};
        for (int row = 0; row < 3; ++row) out.R(row, c) = Partial(r[row]);
        // The column r turned about axis k changes by e_k × r.
        out.R(1, c).d[n] = -r.z, out.R(2, c).d[n] = r.y;
        out.R(0, c).d[n + 1] = r.z, out.R(2, c).d[n + 1] = -r.x;
        out.R(0, c).d[n + 2] = -r.y, out.R(1, c).d[n + 2] = r.x;
        out.p[c] = Partial(X.p[c]);
        out.p[c].d[n + 3 + c] = 1;
    }
    return out;
}

// X on its way at the velocity V, which changes by A.
inline Transform<Curve> on_its_way(const Transform<double>& X, const Motion<double>& V,
                                   const Motion<double>& A) {
    const Mat3d turning = cross_matrix(V.ang), rate = turning * X.R,
                second = cross_matrix(A.ang) * X.R + turning * rate;
    Transform<Curve> out;
    for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) out.R(r, c) = on_curve(X.R(r, c), rate(r, c), second(r, c));
        out.p[c] = on_curve(X.p[c], V.lin[c], A.lin[c]);
    }
    return out;
}
inline Transform<Path> on_path(const Transform<double>& X, const Motion<double>& V) {
    const Mat3d rate = cross_matrix(V.ang) * X.R;
    Transform<Path> out;
    for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) out.R(r, c) = on_path(X.R(r, c), rate(r, c));
        out.p[c] = on_path(X.p[c], V.lin[c]);
    }
    return out;
}

// Whether f(2V) − 2 f(V) + f(0) = 0, of the rows of f(times V); what is not finite proves nothing.
template <int rows, class Function>
bool is_linear(const Function& f) {
    std::array<double, rows> bend{}, size{};
    for (const double times : {0.0, 1.0, 2.0}) {
        const auto values = f(times);
        for (int k = 0; k < rows; ++k) {
            const double value = row_of(values, k).value;
            bend[k] += times == 1 ? -2 * value : value;
            size[k] += std::abs(value);
        }
    }
    for (int k = 0; k < rows; ++k)
        if (std::abs(bend[k]) > 1e-9 * size[k]) return false;
    return true;
}
inline constexpr const char* not_linear = "its function is not linear in the velocity";

inline std::string fault_of(const FunctionOptions& options) {
    const auto& [kind, scale, size] = options;
    if (!(scale > 0 && std::isfinite(scale))) return "its scale is not a positive number";
    if (!(size >= 0 && std::isfinite(size))) return "its size is not a positive number or 0";
    return {};
}

class Base : public PairConstraint {
public:
    std::string_view kind() const override { return options_.kind; }
    std::string fault() const override { return fault_of(options_); }
    std::string_view undefined_because(const PairState& state) const override {
        PairRow rows[max_rows];
        evaluate(state, rows);
        for (int k = 0; k < this->rows(); ++k)
            if (!is_finite(rows[k])) return "its function is not finite, or has no derivatives";
        return {};
    }

protected:
    explicit Base(FunctionOptions options) : options_(std::move(options)) {}
    PairRow blank(bool holonomic) const {
        PairRow row;
        row.holonomic = holonomic;
        row.scale = options_.scale;
        row.size = options_.size;
        return row;
    }

    FunctionOptions options_;
};

}  // namespace functions

template <class Function>
class HolonomicConstraint final : public functions::Base {
    using Partial = Dual<double, 7>;  // turns and shifts of B about the axes of A, and the time

public:
    using Result = std::invoke_result_t<const Function&, const Transform<Partial>&, const Partial&>;
    static constexpr int row_count = functions::Count<Result>::rows;
    static_assert(row_count >= 1 && row_count <= PairConstraint::max_rows);

    explicit HolonomicConstraint(Function function, FunctionOptions options = {})
        : Base(std::move(options)), function_(std::move(function)) {}

    int rows() const override { return row_count; }

    void evaluate(const PairState& state, PairRow* out) const override {
        const RelativeMotion motion(state);
        const Transformd X{motion.R_AB, motion.p};
        Partial time = state.time;
        time.d[6] = 1;
        const auto partial = function_(functions::seeded<Partial>(X, 0), time);
        const auto curve = function_(functions::on_its_way(X, motion.velocity, motion.acceleration),
                                     functions::on_curve(state.time, 1, 0));
        for (int k = 0; k < row_count; ++k) {
            const Partial& C = functions::row_of(partial, k);
            PairRow row = blank(true);
            row.error = C.value;
            motion.set(row, {C.d[0], C.d[1], C.d[2]}, {C.d[3], C.d[4], C.d[5]});
            row.rate = C.d[6];
            row.product = functions::row_of(curve, k).d[0].d[0];
            out[k] = row;
        }
    }

private:
    Function function_;
};

template <class Function>
class NonholonomicConstraint final : public functions::Base {
    using Partial = Dual<double, 6>;  // by V
    using Path = functions::Path;

public:
    using Result = std::invoke_result_t<const Function&, const Transform<Partial>&, const Motion<Partial>&,
                                        const Partial&>;
    static constexpr int row_count = functions::Count<Result>::rows;
    static_assert(row_count >= 1 && row_count <= PairConstraint::max_rows);

    explicit NonholonomicConstraint(Function function, FunctionOptions options = {})
        : Base(std::move(options)), function_(std::move(function)) {}

    int rows() const override { return row_count; }

    std::string fault() const override {
        if (std::string why = Base::fault(); !why.empty()) return why;
        return is_linear() ? "" : functions::not_linear;
    }

    void evaluate(const PairState& state, PairRow* out) const override {
        const RelativeMotion motion(state);
        Motion<Partial> at_rest;
        for (int c = 0; c < 3; ++c) {
            at_rest.ang[c] = at_rest.lin[c] = 0;
            at_rest.ang[c].d[c] = at_rest.lin[c].d[3 + c] = 1;
        }
        const auto partial =
            function_(functions::constant<Partial>(motion), at_rest, Partial(state.time));
        const auto path = function_(functions::on_path({motion.R_AB, motion.p}, motion.velocity),
                                    velocity(motion), functions::on_path(state.time, 1));
        for (int k = 0; k < row_count; ++k) {
            const Partial& f = functions::row_of(partial, k);
            PairRow row = blank(false);
            motion.set(row, {f.d[0], f.d[1], f.d[2]}, {f.d[3], f.d[4], f.d[5]});
            row.rate = f.value;
            row.product = functions::row_of(path, k).d[0];
            out[k] = row;
        }
    }

private:
    // At a pose and velocity of no meaning.
    bool is_linear() const {
        const Mat3d turned{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}};
        const PairState state{.X_WB = {turned, {0.7, -0.4, 1.1}},
                              .V_WB = {{0.3, -0.8, 0.5}, {-0.6, 0.2, 0.9}}};
        RelativeMotion motion(state);
        const Transform<Path> X = functions::constant<Path>(motion);
        const Motion<double> once = motion.velocity;
        return functions::is_linear<row_count>([&](double times) {
            motion.velocity = times * once;
            return function_(X, velocity(motion), Path(0.2));
        });
    }
    static Motion<Path> velocity(const RelativeMotion& motion) {
        Motion<Path> out;
        for (int c = 0; c < 3; ++c) {
            out.ang[c] = functions::on_path(motion.velocity.ang[c], motion.acceleration.ang[c]);
            out.lin[c] = functions::on_path(motion.velocity.lin[c], motion.acceleration.lin[c]);
        }
        return out;
    }

    Function function_;
};

template <class Function>
std::shared_ptr<const PairConstraint> holonomic(Function function, FunctionOptions options = {}) {
    return std::make_shared<HolonomicConstraint<Function>>(std::move(function), std::move(options));
}
template <class Function>
std::shared_ptr<const PairConstraint> nonholonomic(Function function, FunctionOptions options = {}) {
    return std::make_shared<NonholonomicConstraint<Function>>(std::move(function), std::move(options));
}

}  // namespace lig

#include <ligament/function_group.h>  // holonomic_group, nonholonomic_group
