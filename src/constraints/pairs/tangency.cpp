// Two smooth surfaces f_A = 0 and f_B = 0, each in its frame, stay tangent [Baraff 1996, sec. 2.2].
//
// In the axes of A let a be a point of the one, b = p + R β of the other (β in the axes of B), n and m their
// outward normals, C the gap:
//     f_A(a) = 0,   f_B(β) = 0,   b − a = C n,   m = −n.
// Seven equations for a, β and C; they are solved by Newton's method from points that are found anew each
// time, so that the answer depends on the state alone. The derivatives of normals are
//     dn = N da,   N = (1 − n nᵀ) H_A/|∇f_A|,
// and those of m likewise. With the matrix of the last iteration, and what the equations change by while a, β
// and C stay as they are, ȧ, β̇ and Ċ follow, too.
//
// C is the distance along the common normal, so Ċ = n · u, u = ṗ + Ω × (b − p) being the velocity of B where
// it touches, seen from A. (Where the points of contact go does not matter: they move across n.) A row along
// any direction e is g = ((b − p) × e, e) towards (Ω, ṗ), and
//     ġ · (Ω, ṗ) = ė · ṗ + ((ḃ − ṗ) × e + (b − p) × ė) · Ω.
// The first row has e = n; with rolling, two nonholonomic rows have tangents: no slip.
//
// Where surfaces touch along a line (a cylinder on a plane) a and b are not determined along it: Newton's
// steps leave them where they are.

#include "constraints/pairs/faults.h"
#include "core/length.h"
#include "linalg/full_pivot.h"

#include <ligament/pair_kinds.h>
#include <ligament/relative_motion.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace lig {

namespace {

constexpr int unknowns = 7;  // a, β, C
using Matrix = std::array<std::array<double, unknowns>, unknowns>;
using Vector = std::array<double, unknowns>;

// Pivots below this share count as 0: what surfaces that touch along a line leave of theirs.
constexpr double rank_tolerance = 1e-10;
constexpr int max_iterations = 60;
// Of the equations, by the size of the surfaces. Newton's last step squares what is left.
constexpr double tolerance = 1e-13;

struct Normal {
    double distance;  // f/|∇f|
    Vec3d n;
    Mat3d change;  // of n with the point
    bool sound;
};

Normal normal_of(const SmoothSurface& surface, const Vec3d& p) {
    const SurfacePoint at = surface.at(p);
    const double steepness = length(at.gradient);
    Normal out{at.f / steepness, (1 / steepness) * at.gradient, Mat3d::zero(), true};
    const Mat3d H = (1 / steepness) * at.hessian.full();
    for (int c = 0; c < 3; ++c) {
        const Vec3d column{H(0, c), H(1, c), H(2, c)}, across = column - dot(out.n, column) * out.n;
        for (int r = 0; r < 3; ++r) out.change(r, c) = across[r];
    }
    const double all = out.distance + out.n.x + out.n.y + out.n.z + H(0, 0) + H(1, 1) + H(2, 2);
    out.sound = steepness > 0 && std::isfinite(all);
    return out;
}

// The axis to which n is most nearly square.
Vec3d axis_across(const Vec3d& n) {
    const Vec3d size{std::abs(n.x), std::abs(n.y), std::abs(n.z)};
    if (size.x <= size.y && size.x <= size.z) return {1, 0, 0};
    return size.y <= size.z ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
}

// Two directions across n.
std::array<Vec3d, 2> tangents(const Vec3d& n) {
    const Vec3d e = axis_across(n), across = e - dot(e, n) * n, first = (1 / length(across)) * across;
    return {first, cross(n, first)};
}
// … and how they turn with it.
std::array<Vec3d, 2> tangent_rates(const Vec3d& n, const Vec3d& n_rate) {
    const Vec3d e = axis_across(n), across = e - dot(e, n) * n, first = tangents(n)[0];
    const Vec3d rate = -dot(e, n_rate) * n - dot(e, n) * n_rate;
    const Vec3d first_rate = (1 / length(across)) * (rate - dot(first, rate) * first);
    return {first_rate, cross(n_rate, first) + cross(n, first_rate)};
}

// The nearest point of a surface, more or less: steps along the gradient.
Vec3d drop_onto(const SmoothSurface& surface, Vec3d p) {
    for (int k = 0; k < 20; ++k) {
        const Normal at = normal_of(surface, p);
        if (!at.sound) {
            // A centre, an axis: anywhere beside it is as good.
            p += Vec3d{0.6, 0.5, 0.4} * (surface.size() > 0 ? 0.1 * surface.size() : 0.1);
            continue;
        }
        if (std::abs(at.distance) <= 1e-3 * surface.size()) break;
        p -= at.distance * at.n;
    }
    return p;
}

class Touching {
public:
    Touching(const TangencyConstraint& pair, const Mat3d& R, const Vec3d& p)
        : pair_(pair), R_(R), p_(p), size_(pair.size()) {}

    Vec3d a, beta;
    double gap = 0;
    Normal on_a, on_b;

    // From a point beside both. False where there is no answer.
    bool find(const Vec3d& beside) {
        a = drop_onto(*pair_.surface_a, beside);
        beta = drop_onto(*pair_.surface_b, transpose_mul(R_, a - p_));
        gap = 0;
        double error = evaluate();
        if (dot(on_a.n, R_ * on_b.n) > 0) {
            // The other side of B is the one that faces A.
            beta = drop_onto(*pair_.surface_b, transpose_mul(R_, -2.0 * size_ * on_a.n));
            error = evaluate();
        }
        int settled = 0;
        for (int k = 0; k < max_iterations; ++k) {
            if (!std::isfinite(error)) return false;
            // Once more when it is met: the last step is for free, and takes rounding off.
            if (error <= tolerance * size_ && ++settled == 2) return dot(on_a.n, R_ * on_b.n) < 0;
            Matrix A = matrix_;
            Vector step = left_;
            solve_full_pivot<unknowns>(A, step, rank_tolerance);
            const double next = shorten_until_better(step, error);
            if (!(next < error) && settled == 0) return false;
            error = next;
        }
        return false;
    }

    // ȧ and β̇ for the velocity of B seen from A.
    std::array<Vec3d, 2> rates(const Motion<double>& V) const {
        const Vec3d arm = R_ * beta, opposite = R_ * on_b.n;
        const Vec3d shift = V.lin + cross(V.ang, arm), turn = cross(V.ang, opposite);
        const std::array<Vec3d, 2> t = tangents(on_a.n);
        Vector x{0, 0, -shift.x, -shift.y, -shift.z, -size_ * dot(t[0], turn), -size_ * dot(t[1], turn)};
        Matrix A = matrix_;
        solve_full_pivot<unknowns>(A, x, rank_tolerance);
        return {Vec3d{x[0], x[1], x[2]}, Vec3d{x[3], x[4], x[5]}};
    }

private:
    // The equations and their matrix; how far they are from being met.
    double evaluate() {
        on_a = normal_of(*pair_.surface_a, a);
        on_b = normal_of(*pair_.surface_b, beta);
        if (!on_a.sound || !on_b.sound) return std::numeric_limits<double>::infinity();
        const Vec3d& n = on_a.n;
        const Vec3d m = R_ * on_b.n, apart = p_ + R_ * beta - a - gap * n;
        const std::array<Vec3d, 2> t = tangents(n);
        left_ = {-on_a.distance, -on_b.distance, -apart.x, -apart.y, -apart.z,
                 -size_ * dot(t[0], m), -size_ * dot(t[1], m)};
        const Mat3d turned = R_ * on_b.change;
        matrix_ = {};
        for (int k = 0; k < 3; ++k) {
            matrix_[0][k] = n[k];
            matrix_[1][3 + k] = on_b.n[k];
            for (int r = 0; r < 3; ++r) {
                matrix_[2 + r][k] = -gap * on_a.change(r, k) - (r == k ? 1 : 0);
                matrix_[2 + r][3 + k] = R_(r, k);
            }
            matrix_[2 + k][6] = -n[k];
            for (int i = 0; i < 2; ++i) {
                const Vec3d bend{on_a.change(0, k), on_a.change(1, k), on_a.change(2, k)},
                    other{turned(0, k), turned(1, k), turned(2, k)};
                matrix_[5 + i][k] = size_ * dot(t[i], bend);
                matrix_[5 + i][3 + k] = size_ * dot(t[i], other);
            }
        }
        // Normals that point the same way meet the equations, too: then everything is still to do.
        double sum = dot(n, m) > 0 ? size_ * size_ : 0;
        for (const double x : left_) sum += x * x;
        return std::sqrt(sum);
    }

    // Takes the step, or as much of it as makes the equations better. Returns how far they are from being
    // met.
    double shorten_until_better(const Vector& step, double error) {
        const Vec3d a0 = a, beta0 = beta;
        const double gap0 = gap;
        // No farther than the surfaces are large: beyond, their curvature says nothing.
        const Vec3d da{step[0], step[1], step[2]}, db{step[3], step[4], step[5]};
        double share = std::min(1.0, size_ / std::max({length(da), length(db), 1e-300}));
        double next = error;
        for (int k = 0; k < 12; ++k, share *= 0.5) {
            a = a0 + share * da;
            beta = beta0 + share * db;
            gap = gap0 + share * step[6];
            next = evaluate();
            if (next < error || error <= tolerance * size_) break;
        }
        return next;
    }

    const TangencyConstraint& pair_;
    const Mat3d& R_;
    const Vec3d& p_;
    double size_;
    Matrix matrix_;
    Vector left_;
};

// Where they touch: from the origin of B, then from beside it. Of several answers the one with the least gap.
std::optional<Touching> find_touching(const TangencyConstraint& pair, const RelativeMotion& motion) {
    std::optional<Touching> best;
    const double size = pair.size();
    static constexpr Vec3d directions[] = {
        {0, 0, 0},
        {0, 0, 1},
        {0, 0, -1},
        {1, 0, 0},
        {-1, 0, 0},
        {0, 1, 0},
        {0, -1, 0},
    };
    for (const Vec3d& direction : directions) {
        Touching found(pair, motion.R_AB, motion.p);
        if (!found.find(motion.p + motion.R_AB * (1.5 * size * direction))) continue;
        if (!best || std::abs(found.gap) < std::abs(best->gap)) best.emplace(found);
        if (std::abs(best->gap) < 0.2 * size) break;
    }
    return best;
}

}  // namespace

double TangencyConstraint::size() const {
    const double a = surface_a->size(), b = surface_b->size();
    return a > 0 && b > 0 ? std::min(a, b) : std::max({a, b, a + b > 0 ? 0.0 : 1.0});
}

void TangencyConstraint::evaluate(const PairState& state, PairRow* out) const {
    const RelativeMotion motion(state);
    const std::optional<Touching> touching = find_touching(*this, motion);
    std::fill_n(out, rows(), PairRow{});
    for (int k = 0; k < rows(); ++k) {
        out[k].size = size();
        out[k].holonomic = k == 0;
    }
    if (!touching) {
        // Open, in no direction.
        out[0].error = size();
        return;
    }
    out[0].error = touching->gap;
    const Vec3d &n = touching->on_a.n, &spin = motion.velocity.ang, &moving = motion.velocity.lin;
    const auto [a_rate, beta_rate] = touching->rates(motion.velocity);
    const Vec3d arm = motion.R_AB * touching->beta;
    const Vec3d arm_rate = cross(spin, arm) + motion.R_AB * beta_rate;
    const Vec3d n_rate = touching->on_a.change * a_rate;
    const auto set = [&](PairRow& row, const Vec3d& e, const Vec3d& rate) {
        motion.set(row, cross(arm, e), e);
        row.product += dot(rate, moving) + dot(cross(arm_rate, e) + cross(arm, rate), spin);
    };
    set(out[0], n, n_rate);
    if (!rolling) return;
    const std::array<Vec3d, 2> t = tangents(n), t_rate = tangent_rates(n, n_rate);
    for (int k = 0; k < 2; ++k) set(out[1 + k], t[k], t_rate[k]);
}

std::string TangencyConstraint::fault() const {
    for (const auto& surface : {surface_a, surface_b}) {
        if (!surface) return "a surface is missing";
        if (std::string why = surface->fault(); !why.empty()) return why;
    }
    const auto flat = [](const SmoothSurface& surface) { return surface.kind() == "plane"; };
    return flat(*surface_a) && flat(*surface_b) ? "two planes have no point in which they touch" : "";
}

std::string_view TangencyConstraint::undefined_because(const PairState& state) const {
    const bool found = find_touching(*this, RelativeMotion(state)).has_value();
    return found ? "" : "no point was found in which the surfaces touch";
}

}  // namespace lig
