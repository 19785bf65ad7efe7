#include <ligament/body_push.h>
#include <ligament/contracts.h>

#include "core/rotation.h"
#include "linalg/semidefinite_part.h"
#include "scenes/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace lig {

namespace {

// Differences over twice this: rounding 1e-11 of what is differed, their own error 1e-10 of third
// derivatives.
constexpr double step = 1e-5;

class Random {
public:
    explicit Random(std::uint64_t seed) : numbers_(seed) {}
    double number(double size) { return size * (2 * numbers_.u() - 1); }
    Vec3d vec(double size) {
        const double x = number(size), y = number(size);
        return {x, y, number(size)};
    }
    Mat3d rotation() { return rotation_matrix(rotation_exp(vec(2))); }

private:
    scenes::XorShift numbers_;
};

Transformd moved(const Transformd& X, const Motion<double>& V, double t) {
    return {rotation_matrix(rotation_exp(t * V.ang)) * X.R, X.p + t * V.lin};
}

// What a row says along a motion.
struct Said {
    double error, rate, product;
    bool holonomic;
    bool finite() const { return std::isfinite(error + rate + product); }
};

bool same(double a, double b, double tolerance, double size) {
    return std::abs(a - b) <= tolerance * std::max(1.0, size);
}

// Whether what is said a little before and after fits what is said now; empty if it does.
std::string misfit(const Said& before, const Said& now, const Said& after, double tolerance) {
    const double size = std::max({std::abs(now.error), std::abs(now.rate), std::abs(now.product)});
    if (!now.holonomic && now.error != 0)
        return fmt::format("it is nonholonomic, and its error {:.3g}", now.error);
    const double rate = (after.error - before.error) / (2 * step);
    if (now.holonomic && !same(now.rate, rate, tolerance, size))
        return fmt::format("dC/dt is {:.6g}, and J v + rate {:.6g}", rate, now.rate);
    const double product = (after.rate - before.rate) / (2 * step);
    // Where it changes fast, its own changes do so even faster.
    if (!same(now.product, product, tolerance, size * size))
        return fmt::format("d/dt (J v + rate) is {:.6g}, and the product {:.6g}", product, now.product);
    return {};
}

// rows(t): what the rows say a time t from now, all of one length.
template <class Rows>
std::string fault_along(Rows&& rows, double tolerance, bool& seen) {
    const std::vector<Said> before = rows(-step), now = rows(0.0), after = rows(step), again = rows(0.0);
    for (std::size_t r = 0; r < now.size(); ++r) {
        if (!before[r].finite() || !now[r].finite() || !after[r].finite()) return {};
        if (again[r].error != now[r].error || again[r].rate != now[r].rate ||
            again[r].product != now[r].product)
            return fmt::format("row {}: it says something else the second time", r + 1);
    }
    seen = true;
    for (std::size_t r = 0; r < now.size(); ++r)
        if (const std::string why = misfit(before[r], now[r], after[r], tolerance); !why.empty())
            return fmt::format("row {}: {}", r + 1, why);
    return {};
}

// fault_of(random, seen): what is wrong in a random state.
template <class FaultOf>
std::string fault_in_states(const ContractOptions& options, FaultOf&& fault_of) {
    Random random(options.seed);
    bool seen = false;
    for (int k = 0; k < options.states; ++k)
        if (const std::string why = fault_of(random, seen); !why.empty()) return why;
    return seen ? "" : "it is not finite in any of the states";
}

template <class Constraint>
std::string fault_of_shape(const Constraint& constraint) {
    if (std::string why = constraint.fault(); !why.empty()) return why;
    if (constraint.rows() < 1 || constraint.rows() > Constraint::max_rows)
        return fmt::format("it has {} rows", constraint.rows());
    return {};
}

}  // namespace

std::string contract_fault(const PairConstraint& constraint, const ContractOptions& options) {
    if (std::string why = fault_of_shape(constraint); !why.empty()) return why;
    return fault_in_states(options, [&](Random& random, bool& seen) {
        PairState start;
        start.X_WA = {random.rotation(), random.vec(options.size)};
        // Far from half a turn between the frames, where angles jump.
        start.X_WB = {start.X_WA.R * rotation_matrix(rotation_exp(random.vec(0.7))),
                      start.X_WA.p + random.vec(options.size)};
        start.V_WA = {random.vec(1), random.vec(options.size)};
        start.V_WB = {random.vec(1), random.vec(options.size)};
        start.time = random.number(1);
        const auto rows = [&](double t) {
            PairState state = start;
            state.X_WA = moved(start.X_WA, start.V_WA, t);
            state.X_WB = moved(start.X_WB, start.V_WB, t);
            state.time += t;
            std::array<PairRow, PairConstraint::max_rows> out;
            constraint.evaluate(state, out.data());
            std::vector<Said> said;
            for (int r = 0; r < constraint.rows(); ++r)
                said.push_back({out[r].error,
                                dot(out[r].on_a, state.V_WA) + dot(out[r].on_b, state.V_WB) + out[r].rate,
                                out[r].product, out[r].holonomic});
            return said;
        };
        return constraint.undefined_because(start).empty() ? fault_along(rows, options.tolerance, seen) : "";
    });
}

std::string contract_fault(const GroupConstraint& constraint, const ContractOptions& options) {
    if (std::string why = fault_of_shape(constraint); !why.empty()) return why;
    const int n = constraint.bodies();
    if (n < 1 || n > max_group_bodies) return fmt::format("it is between {} bodies", n);
    return fault_in_states(options, [&](Random& random, bool& seen) {
        std::vector<Transformd> start(n), X(n);
        std::vector<Motion<double>> V(n);
        for (int k = 0; k < n; ++k) {
            start[k] = {random.rotation(), random.vec(options.size)};
            V[k] = {random.vec(1), random.vec(options.size)};
        }
        const double time = random.number(1);
        const auto rows = [&](double t) {
            for (int k = 0; k < n; ++k) X[k] = moved(start[k], V[k], t);
            std::array<GroupRow, GroupConstraint::max_rows> out;
            constraint.evaluate({X, V, time + t}, out.data());
            std::vector<Said> said;
            for (int r = 0; r < constraint.rows(); ++r) {
                double rate = out[r].rate;
                for (int k = 0; k < n; ++k) rate += dot(out[r].on[k], V[k]);
                said.push_back({out[r].error, rate, out[r].product, out[r].holonomic});
            }
            return said;
        };
        return fault_along(rows, options.tolerance, seen);
    });
}

namespace {

constexpr int most = max_shape_coordinates;

// Whether a matrix of a program is symmetric and not negative.
std::string fault_of_matrix(const char* what, const ShapeMatrix& a, int n) {
    double own[most * most], positive[most * most], size = 0;
    for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l) {
            if (!std::isfinite(a[k][l])) return fmt::format("its {} is not finite", what);
            if (a[k][l] != a[l][k])
                return fmt::format("its {} is not symmetric: {:.6g} at ({}, {}), {:.6g} across", what,
                                   a[k][l], k + 1, l + 1, a[l][k]);
            own[k * n + l] = positive[k * n + l] = a[k][l];
            size = std::max(size, std::abs(a[k][l]));
        }
    make_semidefinite(n, positive);
    for (int k = 0; k < n * n; ++k)
        if (!(std::abs(own[k] - positive[k]) <= 1e-9 * size))
            return fmt::format("its {} is negative along some direction", what);
    return {};
}

std::string fault_of_gradients(const ProgramBody& kind, const Vec3d& r, double tolerance) {
    const int n = kind.coordinates();
    Mat3d gradient[most];
    kind.gradients(r, gradient);
    for (int c = 0; c < 3; ++c) {
        Vec3d shift = Vec3d::zero(), before[most], after[most];
        shift[c] = step;
        kind.modes(r - shift, before);
        kind.modes(r + shift, after);
        for (int k = 0; k < n; ++k)
            for (int row = 0; row < 3; ++row) {
                const double by = (after[k][row] - before[k][row]) / (2 * step);
                if (!same(gradient[k](row, c), by, tolerance, std::abs(by)))
                    return fmt::format(
                        "mode {}: its derivative by {} is {:.6g} along {}, and its gradient {:.6g}", k + 1,
                        "xyz"[c], by, "xyz"[row], gradient[k](row, c));
            }
    }
    return {};
}

std::string fault_of_law(const ProgramBody& kind, const double* s, double tolerance) {
    const int n = kind.coordinates();
    ShapeForces now;
    kind.elastic(s, now);
    double size = std::abs(now.energy);
    for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l)
            size = std::max({size, std::abs(now.force[k]), std::abs(now.stiffness[k][l])});
    for (int l = 0; l < n; ++l) {
        double moved[most];
        std::copy_n(s, n, moved);
        ShapeForces before, after;
        moved[l] = s[l] - step;
        kind.elastic(moved, before);
        moved[l] = s[l] + step;
        kind.elastic(moved, after);
        const double force = (before.energy - after.energy) / (2 * step);
        if (!same(now.force[l], force, tolerance, size))
            return fmt::format("−dE/ds{} is {:.6g}, and the force {:.6g}", l + 1, force, now.force[l]);
        for (int k = 0; k < n; ++k) {
            const double stiffness = (before.force[k] - after.force[k]) / (2 * step);
            if (!same(now.stiffness[k][l], stiffness, tolerance, size))
                return fmt::format("−dF{}/ds{} is {:.6g}, and the stiffness {:.6g}", k + 1, l + 1, stiffness,
                                   now.stiffness[k][l]);
        }
    }
    return {};
}

// Forces that are no energy are known by what they do not depend on.
std::string fault_of_push(const ProgramBody& kind, const double* s, Random& random) {
    const auto* const pushed = dynamic_cast<const PushedBody*>(&kind);
    if (!pushed) return {};
    double rate[most], once[most] = {}, again[most] = {};
    for (double& x : rate) x = random.number(1);
    const ShapeMotion now{s, rate, random.number(1)};
    pushed->push(now, once);
    pushed->push(now, again);
    for (int k = 0; k < kind.coordinates(); ++k) {
        if (!std::isfinite(once[k])) return fmt::format("its push on s{} is not finite", k + 1);
        if (once[k] != again[k]) return fmt::format("its push on s{} is another one the second time", k + 1);
    }
    return {};
}

std::string fault_of_integrals(const MassIntegrals& own, int n) {
    if (!(own.mass > 0 && std::isfinite(own.mass))) return "the mass of its integrals is not positive";
    for (int k = 0; k <= n; ++k)
        for (int l = 0; l <= n; ++l)
            for (int c = 0; c < 3; ++c)
                for (int r = 0; r < 3; ++r)
                    if (!same(own.J[k][l](r, c), own.J[l][k](c, r), 1e-12, std::abs(own.J[k][l](r, c))))
                        return fmt::format("J_{}{} is not J_{}{} turned over", k, l, l, k);
    return {};
}

}  // namespace

std::string contract_fault(const ProgramBody& kind, const ContractOptions& options) {
    const int n = kind.coordinates();
    if (n < 1 || n > most) return fmt::format("it has {} coordinates of its own", n);
    if (std::string why = kind.fault(); !why.empty()) return why;
    ShapeMatrix damping{}, added{};
    kind.damping(damping);
    kind.added_mass(added);
    if (std::string why = fault_of_matrix("damping", damping, n); !why.empty()) return why;
    if (std::string why = fault_of_matrix("added mass", added, n); !why.empty()) return why;
    if (const auto own = kind.mass_integrals())
        if (std::string why = fault_of_integrals(*own, n); !why.empty()) return why;
    return fault_in_states(options, [&](Random& random, bool& seen) {
        double s[most];
        for (int k = 0; k < n; ++k) s[k] = random.number(options.size);
        ShapeForces forces;
        kind.elastic(s, forces);
        bool finite = std::isfinite(forces.energy);
        for (int k = 0; k < n; ++k) finite = finite && std::isfinite(forces.force[k]);
        if (!finite) return std::string();
        seen = true;
        if (std::string why = fault_of_push(kind, s, random); !why.empty()) return why;
        if (std::string why = fault_of_gradients(kind, random.vec(options.size), options.tolerance);
            !why.empty())
            return why;
        return fault_of_law(kind, s, options.tolerance);
    });
}

}  // namespace lig
