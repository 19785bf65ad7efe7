// ConstraintSolver: the accelerations of a state under acceleration constraints [K04 sec. 4], and its
// velocities after impact constraints [sec. 5].
//
//   acceleration   K f = wanted − h(v̇₀),   v̇ = v̇₀ + M⁻¹ Jᵀ f              [eq. 10 with h = wanted]
//   impact         K p = wanted change,     v⁺ = v⁻ + M⁻¹ Jᵀ p              [eq. 14, 15 with δt = 1]
//   apart          the same with K = J M⁻¹ Gᵀ where forces act along rows G of their own  [B96 sec. 8.1]
//   with ranges    w = K f + h(v̇₀) − wanted,  w complementary to f in its range      [eq. 16 to 18];
//                  apart as well, by Lemke's method, which needs no symmetry
//
// With `propagation` K is not formed to solve: EqualitySystem works on its factor Z, K = Z Zᵀ, and sees
// dependent rows down to sines of 10⁻¹⁰. The other methods are the paper's: they make K, which is then
// factored, and of which the squares of sines below 10⁻⁷ are rounding. Forces with ranges need K whatever the
// method.
//
// Departures: M⁻¹ Jᵀ f is computed with JointFactor and not as the difference of two evaluations, in which an
// impulse would lose what forces the state has. And where the paper takes K to be regular, rows that
// follow from others are left out, and said to contradict them where they do.

#include "dynamics/dynamics_parts.h"
#include "formulations/reduced/acceleration/constraint_parts.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace lig {

namespace {

// Forces that act along other rows than those that they are for.
void require_fitting(const ConstraintRows& rows, const ConstraintRows& acting) {
    const auto same = [](const RowBlock& a, const RowBlock& b) { return a.count == b.count; };
    if (!std::equal(rows.rows.blocks.begin(), rows.rows.blocks.end(), acting.rows.blocks.begin(),
                    acting.rows.blocks.end(), same))
        throw std::invalid_argument(
            "lig::ConstraintSolver: what forces act along has to have as many rows as what they are for, "
            "constraint by constraint");
    if (acting.has_ranges())
        throw std::invalid_argument(
            "lig::ConstraintSolver: the ranges of forces that act along something else are those of the "
            "constraints that they are for, the first list");
}

bool all_finite(std::span<const double> x) {
    return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

std::string_view constraint_status_name(ConstraintStatus status) {
    switch (status) {
        case ConstraintStatus::ok: return "ok";
        case ConstraintStatus::contradictory: return "contradictory";
        case ConstraintStatus::uncontrollable: return "uncontrollable";
        case ConstraintStatus::not_converged: return "not_converged";
        case ConstraintStatus::singular_inertia: return "singular_inertia";
        case ConstraintStatus::non_finite: return "non_finite";
    }
    return "";
}

ConstraintSolver::ConstraintSolver(std::shared_ptr<const Model> model) {
    for (const Model::Tendon& tendon : model->tendons)
        if (tendon.armature > 0)
            throw std::invalid_argument("lig::ConstraintSolver: tendon '" + tendon.name +
                                        "' has inertia, which acceleration constraints do not take in");
    parts_ = std::make_unique<Parts>(std::move(model));
    set_state(JointState<double>(*parts_->model), std::vector<double>(parts_->tau));
}
ConstraintSolver::ConstraintSolver(ConstraintSolver&&) noexcept = default;
ConstraintSolver& ConstraintSolver::operator=(ConstraintSolver&&) noexcept = default;
ConstraintSolver::~ConstraintSolver() = default;

void ConstraintSolver::set_state(const JointState<double>& state, std::span<const double> tau,
                                 std::span<const Force<double>> on_bodies) {
    Parts& p = *parts_;
    require_size(state.q.size(), p.model->nq, "q");
    require_size(state.v.size(), p.model->nv, "v");
    require_size(state.kinematic.size(), p.model->nkinematic, "the list of kinematic bodies");
    require_size(tau.size(), p.model->nv, "tau");
    if (!on_bodies.empty()) require_size(on_bodies.size(), p.model->bodies.size(), "the list of body forces");
    p.state = state;
    std::copy(tau.begin(), tau.end(), p.tau.begin());
    forward_kinematics(p.state, p.ws);
    p.singular_link = p.factor.factor(p.ws);
    clear_external(p.ws);
    for (std::size_t b = 0; b < on_bodies.size(); ++b)
        add_body_wrench(p.ws, static_cast<int>(b), on_bodies[b].lin, on_bodies[b].ang);
    forward_dynamics<double>(p.state, p.tau, p.ws, p.free, true);
    p.finite = all_finite(p.state.q) && all_finite(p.state.v) && all_finite(p.tau) &&
               (p.singular_link >= 0 || all_finite(p.free));
    p.single_is_set = p.lanes_are_set = false;
    set_constraints({});
}

void ConstraintSolver::set_constraints(std::span<const AccelerationConstraint> constraints) {
    set_constraints(constraints, {});
}

void ConstraintSolver::set_constraints(std::span<const AccelerationConstraint> constraints,
                                       std::span<const AccelerationConstraint> acting) {
    Parts& p = *parts_;
    // What is refused leaves everything as it was.
    if (acting.empty()) {
        p.rows.assemble(p.ws, constraints);
    } else {
        p.new_rows.assemble(p.ws, constraints);
        p.new_acting.assemble(p.ws, acting);
        require_fitting(p.new_rows, p.new_acting);
        std::swap(p.rows, p.new_rows);
        std::swap(p.acting, p.new_acting);
    }
    p.apart = !acting.empty();
    const int m = p.rows.count();
    p.start.resize(m);
    p.free_values.resize(m);
    row_values<double>(p.rows, p.ws, p.free, p.link_acceleration, p.start);
    for (int r = 0; r < m; ++r) p.free_values[r] = p.start[r] + p.rows.product[r];
    p.forces.assign(m, 0.0);
    p.impulses.assign(m, 0.0);
    p.values = p.free_values;
    p.acceleration = p.free;
    std::fill(p.velocity_change.begin(), p.velocity_change.end(), 0.0);
    p.contradictions.clear();
    p.lo.resize(m);
    p.hi.resize(m);
}

int ConstraintSolver::rows() const { return parts_->rows.count(); }

std::pair<int, int> ConstraintSolver::rows_of(int constraint) const {
    const std::vector<RowBlock>& blocks = parts_->rows.rows.blocks;
    if (constraint < 0 || constraint >= static_cast<int>(blocks.size()))
        throw std::invalid_argument("lig::ConstraintSolver: there is no constraint " +
                                    std::to_string(constraint));
    return {blocks[constraint].begin, blocks[constraint].begin + blocks[constraint].count};
}

std::span<const double> ConstraintSolver::free_acceleration() const { return parts_->free; }
std::span<const double> ConstraintSolver::free_values() const { return parts_->free_values; }
std::span<const double> ConstraintSolver::forces() const { return parts_->forces; }
std::span<const double> ConstraintSolver::acceleration() const { return parts_->acceleration; }
std::span<const double> ConstraintSolver::values() const { return parts_->values; }
std::span<const double> ConstraintSolver::impulses() const { return parts_->impulses; }
std::span<const double> ConstraintSolver::velocity_change() const { return parts_->velocity_change; }
std::span<const int> ConstraintSolver::contradictions() const { return parts_->contradictions; }

std::span<const double> ConstraintSolver::matrix() {
    parts_->build(options);
    return parts_->K;
}

// [K04 eqs. 4 to 8]: k from one test force, and the force in proportion.
std::optional<double> ConstraintSolver::single_force(int row) {
    Parts& p = *parts_;
    if (row < 0 || row >= p.rows.count())
        throw std::invalid_argument("lig::ConstraintSolver: there is no row " + std::to_string(row));
    require_test_force(options.test_force);
    if (p.apart) {
        const double effect = p.response(row, row);
        if (!(std::abs(effect) > 0)) return std::nullopt;
        const double force = (p.rows.wanted[row] - p.free_values[row]) / effect;
        return std::clamp(force, p.rows.ranges[row].lower, p.rows.ranges[row].upper);
    }
    TestForces<double>& test = p.test_forces();
    const double effect = test.evaluate(p.rows, p.ws, row, options.test_force)[row] - p.start[row];
    const double size = size_of_terms(p.rows, p.rows.block_of(row), p.rows.rows.rows[row],
                                      test.joint_accelerations(), test.link_accelerations());
    if (!(effect > smallest_share * size)) return std::nullopt;
    const double force = options.test_force * ((p.rows.wanted[row] - p.free_values[row]) / effect);
    return std::clamp(force, p.rows.ranges[row].lower, p.rows.ranges[row].upper);
}

ConstraintReport ConstraintSolver::solve() {
    Parts& p = *parts_;
    ConstraintReport report;
    report.rows = p.rows.count();
    report.link = p.singular_link;
    p.contradictions.clear();
    if (!p.finite || !p.rows.is_finite() || !p.acting.is_finite() || !all_finite(p.rows.wanted) ||
        !all_finite(p.rows.product)) {
        report.status = ConstraintStatus::non_finite;
        return report;
    }
    if (p.singular_link >= 0) {
        report.status = ConstraintStatus::singular_inertia;
        return report;
    }
    p.target.resize(report.rows);
    for (int r = 0; r < report.rows; ++r) {
        p.target[r] = p.rows.wanted[r] - p.free_values[r];
        p.lo[r] = p.rows.ranges[r].lower;
        p.hi[r] = p.rows.ranges[r].upper;
    }
    p.find_change(options, p.forces, report);
    for (int k = 0; k < p.model->nv; ++k) p.acceleration[k] = p.free[k] + p.change[k];
    p.values.resize(report.rows);
    p.judge(options, p.forces, p.acceleration, p.rows.product, p.rows.wanted, p.values, report);
    return report;
}

ConstraintReport ConstraintSolver::apply_impact(std::span<const double> wanted_changes,
                                                JointState<double>& state) {
    Parts& p = *parts_;
    require_size(wanted_changes.size(), p.rows.count(), "the list of wanted changes");
    require_size(state.v.size(), p.model->nv, "v");
    ConstraintReport report;
    report.rows = p.rows.count();
    report.link = p.singular_link;
    p.contradictions.clear();
    // Forces take no part in an impact: that the accelerations are finite is not asked.
    if (!all_finite(wanted_changes) || !p.rows.is_finite() || !p.acting.is_finite() ||
        !all_finite(p.state.q)) {
        report.status = ConstraintStatus::non_finite;
        return report;
    }
    if (p.singular_link >= 0) {
        report.status = ConstraintStatus::singular_inertia;
        return report;
    }
    p.target.assign(wanted_changes.begin(), wanted_changes.end());
    for (int r = 0; r < report.rows; ++r) {
        p.lo[r] = std::isinf(p.rows.ranges[r].lower) ? -HUGE_VAL : 0;
        p.hi[r] = std::isinf(p.rows.ranges[r].upper) ? HUGE_VAL : 0;
    }
    p.find_change(options, p.impulses, report);
    p.velocity_change = p.change;
    p.target.resize(2 * static_cast<std::size_t>(report.rows));
    const std::span<double> reached(p.target.data() + report.rows, report.rows);
    p.judge(options, p.impulses, p.velocity_change, {}, wanted_changes, reached, report);
    if (report.status != ConstraintStatus::ok) return report;
    for (int k = 0; k < p.model->nv; ++k) state.v[k] += p.velocity_change[k];
    return report;
}

void ConstraintSolver::add_forces(std::span<const double> per_row, std::span<double> tau,
                                  std::span<Force<double>> f_ext) const {
    const Parts& p = *parts_;
    require_size(per_row.size(), p.rows.count(), "the list of forces");
    require_size(tau.size(), p.model->nv, "tau");
    require_size(f_ext.size(), p.ws.f_ext.size(), "the list of external forces");
    p.pushing().for_each([&](const RowBlock& block, const Row& row, int r) {
        p.pushing().push(
            block, row, per_row[r],
            [&](int link, const Force<double>& force, double size) { f_ext[link] += size * force; },
            [&](int dof, double value, double size) { tau[dof] += size * value; });
    });
}

}  // namespace lig
