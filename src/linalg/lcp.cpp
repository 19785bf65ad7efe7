#include "linalg/lcp.h"

#include "linalg/lcp_list.h"
#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace lig {

std::string_view name_of(LcpStatus status) {
    switch (status) {
        case LcpStatus::solved: return "solved";
        case LcpStatus::iteration_limit: return "iteration_limit";
        case LcpStatus::interrupted: return "interrupted";
        case LcpStatus::infeasible: return "infeasible";
        case LcpStatus::not_finite: return "not_finite";
        case LcpStatus::invalid: return "invalid";
    }
    return "";
}

std::string_view name_of(LcpFriction law) {
    switch (law) {
        case LcpFriction::pyramid: return "pyramid";
        case LcpFriction::cone: return "cone";
        case LcpFriction::diamond: return "diamond";
    }
    return "";
}

void move_into_diamond(double radius, double& x, double& y) {
    const double excess = std::fabs(x) + std::fabs(y) - radius;
    if (!(excess > 0)) return;
    // Both give way alike, until the smaller one is used up.
    double* larger = std::fabs(x) >= std::fabs(y) ? &x : &y;
    double* smaller = larger == &x ? &y : &x;
    if (std::fabs(*smaller) <= 0.5 * excess) {
        *smaller = 0;
        *larger = std::copysign(radius, *larger);
    } else {
        *smaller -= std::copysign(0.5 * excess, *smaller);
        *larger = std::copysign(std::max(radius - std::fabs(*smaller), 0.0), *larger);
    }
}

LcpWorkspace::LcpWorkspace(int capacity) : parts_(std::make_unique<Parts>()) { resize(capacity); }
LcpWorkspace::LcpWorkspace(LcpWorkspace&&) noexcept = default;
LcpWorkspace& LcpWorkspace::operator=(LcpWorkspace&&) noexcept = default;
LcpWorkspace::~LcpWorkspace() = default;

int LcpWorkspace::capacity() const { return parts_->capacity; }
std::span<const double> LcpWorkspace::w() const { return parts_->w; }
std::span<const double> LcpWorkspace::scale() const { return parts_->scale; }

void LcpWorkspace::resize(int capacity) {
    Parts& p = *parts_;
    p.capacity = capacity;
    const std::size_t n = std::size_t(capacity);
    for (std::vector<double>* v :
         {&p.w, &p.scale, &p.lo, &p.hi, &p.direction, &p.dw, &p.root_diagonal, &p.reciprocal})
        v->resize(n);
    p.rotations.resize(2 * n);
    p.factor.resize(n * n);
    p.order.resize(n);
    p.place.resize(n);
    p.state.resize(n);
    p.cones.resize(n);
    p.expansion.resize(capacity);
}

std::span<const LcpSolverInfo> lcp_solvers() { return lcp_solver_list; }

const LcpSolverInfo* find_lcp_solver(std::string_view name) {
    for (const LcpSolverInfo& solver : lcp_solver_list)
        if (solver.name == name) return &solver;
    return nullptr;
}

namespace {

struct RowFigures {
    double residual, complementarity, outside;
};

RowFigures measure_row(double lambda, double w, double diagonal, double lo, double hi, double scale) {
    RowFigures row{0, 0, 0};
    const double bound = std::clamp(lambda, lo, hi);
    if (lambda != bound) row.outside = std::fabs(lambda - bound) / (std::fabs(lambda) + std::fabs(bound));
    // How far λ may move against the sign of w.
    const double gap = w > 0 ? std::max(lambda - lo, 0.0) : std::max(hi - lambda, 0.0);
    const double size = std::fabs(w);
    if (size == 0 || gap == 0) return row;
    row.residual = (diagonal > 0 ? std::min(size, diagonal * gap) : size) / scale;
    row.complementarity = size / scale * (std::isinf(gap) ? 1 : gap / (std::fabs(lambda) + gap));
    return row;
}

// The friction rows behind a normal one, in units of their coefficients: λ / μ and μ w. Returns the largest
// diagonal.
double read_friction(const LcpProblem& problem, int normal, std::span<double> t, std::span<double> u,
                     const double* lambda, const double* w, RowFigures& row) {
    double stiffness = 0;
    for (int i = 0; i < static_cast<int>(t.size()); ++i) {
        const int r = normal + 1 + i;
        const double mu = problem.friction[r];
        t[i] = mu > 0 ? lambda[r] / mu : 0;
        if (mu == 0 && lambda[r] != 0) row.outside = 1;
        u[i] = mu * w[r];
        stiffness = std::max(stiffness, mu * mu * problem.a[r * problem.stride + r]);
    }
    return stiffness;
}

RowFigures measure_cone(const LcpProblem& problem, int normal, int count, const double* lambda,
                        const double* w, const double* scale) {
    const double radius = std::max(lambda[normal], 0.0);
    double t[max_friction_rows], u[max_friction_rows];
    double scale_squares = 0, t_squares = 0, u_squares = 0, power = 0;
    RowFigures row{0, 0, 0};
    const std::size_t rows = static_cast<std::size_t>(count);
    const double stiffness = read_friction(problem, normal, {t, rows}, {u, rows}, lambda, w, row);
    for (int i = 0; i < count; ++i) {
        const double share = problem.friction[normal + 1 + i] * scale[normal + 1 + i];
        scale_squares += share * share;
        t_squares += t[i] * t[i];
        u_squares += u[i] * u[i];
        power += t[i] * u[i];
    }
    const double length = std::sqrt(t_squares), slip = std::sqrt(u_squares), size = std::sqrt(scale_squares);
    if (length > radius) row.outside = std::max(row.outside, (length - radius) / (length + radius));
    if (slip == 0 || radius == 0) return row;
    row.complementarity = (radius * slip + power) / (2 * radius * size);
    // What a step against u and back into the circle would change.
    double moved = 0, away = 0;
    if (stiffness > 0) {
        double squares = 0;
        for (int i = 0; i < count; ++i) {
            const double x = t[i] - u[i] / stiffness;
            squares += x * x;
        }
        const double shrink = squares > radius * radius ? radius / std::sqrt(squares) : 1;
        for (int i = 0; i < count; ++i) {
            const double change = shrink == 1 ? u[i] / stiffness : t[i] - shrink * (t[i] - u[i] / stiffness);
            moved += change * change;
        }
        row.residual = stiffness * std::sqrt(moved) / size;
    } else {
        for (int i = 0; i < count; ++i) {
            const double x = t[i] / radius + u[i] / slip;
            away += x * x;
        }
        row.residual = slip * std::sqrt(away) / (2 * size);
    }
    return row;
}

// The first two friction rows of a normal one.
RowFigures measure_diamond(const LcpProblem& problem, int normal, const double* lambda, const double* w,
                           const double* scale) {
    const double radius = std::max(lambda[normal], 0.0);
    double t[2], u[2], size = 0;
    RowFigures row{0, 0, 0};
    const double stiffness = read_friction(problem, normal, t, u, lambda, w, row);
    for (int r = normal + 1; r <= normal + 2; ++r) size = std::max(size, problem.friction[r] * scale[r]);
    const double length = std::fabs(t[0]) + std::fabs(t[1]);
    const double slip = std::max(std::fabs(u[0]), std::fabs(u[1]));
    if (length > radius) row.outside = std::max(row.outside, (length - radius) / (length + radius));
    if (slip == 0 || radius == 0) return row;
    row.complementarity = (radius * slip + t[0] * u[0] + t[1] * u[1]) / (2 * radius * size);
    if (stiffness > 0) {
        // What a step against u and back into the diamond would change.
        double x = t[0] - u[0] / stiffness, y = t[1] - u[1] / stiffness;
        move_into_diamond(radius, x, y);
        row.residual = stiffness * std::max(std::fabs(x - t[0]), std::fabs(y - t[1])) / size;
    } else {
        row.residual = row.complementarity;
    }
    return row;
}

}  // namespace

LcpFigures measure_lcp(const LcpProblem& problem, LcpFriction law, const double* lambda, double* w,
                       double* scale) {
    for (int i = 0; i < problem.n; ++i) {
        const double* row = problem.a + i * problem.stride;
        double size = std::fabs(problem.b[i]);
        for (int j = 0; j < problem.n; ++j) size += std::fabs(row[j] * lambda[j]);
        w[i] = dot(row, lambda, problem.n) + problem.b[i];
        scale[i] = size;
    }
    LcpFigures figures;
    const auto add = [&](const RowFigures& row) {
        // A comparison with NaN must not hide it.
        const auto worse = [](double& worst, double value) {
            if (!(value <= worst)) worst = value;
        };
        worse(figures.residual, row.residual);
        worse(figures.complementarity, row.complementarity);
        worse(figures.outside, row.outside);
    };
    for (int i = 0; i < problem.n; ++i) {
        const int normal = friction_partner(problem, i);
        const double diagonal = problem.a[i * problem.stride + i];
        if (normal < 0) {
            add(measure_row(lambda[i], w[i], diagonal, problem.lo[i], problem.hi[i], scale[i]));
        } else if (law == LcpFriction::diamond && i <= normal + 2 && friction_rows(problem, normal) >= 2) {
            if (i == normal + 1) add(measure_diamond(problem, normal, lambda, w, scale));
        } else if (law != LcpFriction::cone) {
            const double limit = problem.friction[i] * std::max(lambda[normal], 0.0);
            add(measure_row(lambda[i], w[i], diagonal, -limit, limit, scale[i]));
        } else if (i == normal + 1) {
            add(measure_cone(problem, normal, friction_rows(problem, normal), lambda, w, scale));
        }
    }
    return figures;
}

namespace {

LcpStatus check_lcp(const LcpProblem& p, const LcpWorkspace& workspace, std::span<const double> lambda) {
    if (p.n < 0 || p.n > workspace.capacity() || std::size_t(p.n) > lambda.size()) return LcpStatus::invalid;
    if (p.n > 0 && (p.stride < p.n || !p.a || !p.b || !p.lo || !p.hi)) return LcpStatus::invalid;
    if (p.partner && !p.friction) return LcpStatus::invalid;
    bool finite = true;
    for (int i = 0; i < p.n; ++i) {
        const double* row = p.a + i * p.stride;
        for (int j = 0; j < p.n; ++j) finite = finite && std::isfinite(row[j]);
        finite = finite && std::isfinite(p.b[i]) && std::isfinite(lambda[std::size_t(i)]);
        if (row[i] < 0) return LcpStatus::invalid;
        const int normal = friction_partner(p, i);
        if (normal >= 0) {
            finite = finite && std::isfinite(p.friction[i]);
            if (normal >= i || i - normal > max_friction_rows || p.friction[i] < 0)
                return LcpStatus::invalid;
            if (friction_partner(p, normal) >= 0 || (i > normal + 1 && p.partner[i - 1] != normal))
                return LcpStatus::invalid;
            if (p.lo[normal] != 0 || p.hi[normal] != HUGE_VAL) return LcpStatus::invalid;
        } else {
            finite = finite && !std::isnan(p.lo[i]) && !std::isnan(p.hi[i]);
            if (p.lo[i] > p.hi[i] || p.lo[i] == HUGE_VAL || p.hi[i] == -HUGE_VAL) return LcpStatus::invalid;
        }
    }
    return finite ? LcpStatus::solved : LcpStatus::not_finite;
}

// 0 as far as the bounds allow it.
void reset(const LcpProblem& problem, std::span<double> lambda) {
    for (int i = 0; i < problem.n; ++i) {
        // Not std::clamp: the bounds may be NaN.
        double x = 0;
        if (friction_partner(problem, i) < 0) {
            if (problem.lo[i] > x) x = problem.lo[i];
            if (problem.hi[i] < x) x = problem.hi[i];
        }
        lambda[std::size_t(i)] = x;
    }
}

}  // namespace

LcpStatus begin_lcp(const LcpProblem& problem, const LcpWorkspace& workspace, std::span<double> lambda) {
    const LcpStatus status = check_lcp(problem, workspace, lambda);
    if (status == LcpStatus::not_finite) reset(problem, lambda);
    if (status != LcpStatus::solved) return status;
    for (int i = 0; i < problem.n; ++i) {
        double& x = lambda[std::size_t(i)];
        const int normal = friction_partner(problem, i);
        if (normal < 0) {
            x = std::clamp(x, problem.lo[i], problem.hi[i]);
        } else {
            const double limit = problem.friction[i] * lambda[std::size_t(normal)];
            x = std::clamp(x, -limit, limit);
        }
    }
    return status;
}

void finish_lcp(const LcpProblem& problem, LcpFriction law, const LcpOptions& options,
                LcpWorkspace& workspace, std::span<double> lambda, LcpResult& result) {
    result.figures =
        measure_lcp(problem, law, lambda.data(), workspace.parts().w.data(), workspace.parts().scale.data());
    if (!std::isfinite(result.figures.residual) || !std::isfinite(result.figures.complementarity)) {
        reset(problem, lambda);
        result.status = LcpStatus::not_finite;
    } else if (result.impossible > 0) {
        result.status = LcpStatus::infeasible;
    } else if (result.figures.residual <= options.tolerance) {
        result.status = LcpStatus::solved;
    } else if (stop_requested(options)) {
        result.status = LcpStatus::interrupted;
    } else {
        result.status = LcpStatus::iteration_limit;
    }
}

}  // namespace lig
