// ConstraintSolver: the accelerations of a state under acceleration constraints [K04 sec. 4], and its
// velocities after impact constraints [sec. 5].
//
//   acceleration   K f = wanted − h(v̇₀),   v̇ = v̇₀ + M⁻¹ Jᵀ f              [eq. 10 with h = wanted]
//   impact         K p = wanted change,     v⁺ = v⁻ + M⁻¹ Jᵀ p              [eq. 14, 15 with δt = 1]
//   with ranges    w = K f + h(v̇₀) − wanted,  w complementary to f in its range      [eq. 16 to 18]
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
#include "dynamics/equality_system.h"
#include "formulations/reduced/acceleration/acceleration_deltas.h"
#include "formulations/reduced/acceleration/constraint_rows.h"
#include "formulations/reduced/acceleration/propagated_matrix.h"
#include "formulations/reduced/acceleration/test_forces.h"
#include "linalg/semidefinite_cholesky.h"

#include <ligament/acceleration_constraints.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

namespace lig {

namespace {

// What rounding of K leaves of a squared sine that is 0.
constexpr double smallest_share = 1e-12;
constexpr int usual_rows = 32;

void require_test_force(double magnitude) {
    if (!std::isfinite(magnitude) || magnitude == 0)
        throw std::invalid_argument("lig::ConstraintSolver: a test force has to be finite and not 0");
}

const LcpSolverInfo& require_solver(std::string_view name) {
    if (const LcpSolverInfo* solver = find_lcp_solver(name)) return *solver;
    std::string text = "lig::ConstraintSolver: there is no solver '" + std::string(name) + "'; there are:";
    for (const LcpSolverInfo& solver : lcp_solvers()) text += " " + std::string(solver.name);
    throw std::invalid_argument(text);
}

// By how much w, which is h less what is wanted, is not as the force in its range asks for.
double miss_of(double w, double force, double lo, double hi) {
    if (force <= lo && force >= hi) return 0;
    if (force <= lo) return std::max(-w, 0.0);
    if (force >= hi) return std::max(w, 0.0);
    return std::abs(w);
}

bool all_finite(std::span<const double> x) {
    return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

std::string_view constraint_status_name(ConstraintStatus status) {
    switch (status) {
        case ConstraintStatus::ok: return "ok";
        case ConstraintStatus::contradictory: return "contradictory";
        case ConstraintStatus::not_converged: return "not_converged";
        case ConstraintStatus::singular_inertia: return "singular_inertia";
        case ConstraintStatus::non_finite: return "non_finite";
    }
    return "";
}

struct ConstraintSolver::Parts {
    explicit Parts(std::shared_ptr<const Model> shared) : model(std::move(shared)) {
        for (std::vector<double>* list : {&tau, &free, &acceleration, &velocity_change, &s, &change})
            list->assign(model->nv, 0.0);
        on_links.resize(model->tree.links.size());
        link_acceleration.resize(model->tree.links.size());
    }

    std::shared_ptr<const Model> model;
    Workspace<double> ws{model};
    JointState<double> state{*model};
    JointFactor factor{*model};
    int singular_link = -1;
    bool finite = true;

    ConstraintRows rows;
    EqualitySystem system{*model, usual_rows};
    SemidefiniteCholesky cholesky;
    LcpWorkspace lcp;
    AccelerationDeltas deltas{*model};
    PropagatedMatrix propagated{*model};
    // Made when first used: a workspace each.
    std::optional<TestForces<double>> single;
    std::optional<TestForces<Lanes4d>> four;
    std::optional<TestForces<Lanes8d>> eight;
    bool single_is_set = false, lanes_are_set = false;

    std::vector<double> tau, free, acceleration, velocity_change;          // (nv)
    std::vector<double> start;                                             // (rows) J v̇₀
    std::vector<double> free_values, values, forces, impulses, K, target;  // (rows), K squared
    // (rows) between these the forces are, or impulses.
    std::vector<double> lo, hi;
    std::vector<int> contradictions;
    std::vector<double> s, change;                  // (nv) scratch
    std::vector<Force<double>> on_links;            // (links) scratch
    std::vector<Motion<double>> link_acceleration;  // (links) scratch

    TestForces<double>& test_forces() {
        if (!single) single.emplace(model);
        if (!single_is_set) single->set_state(state, tau, ws);
        single_is_set = true;
        return *single;
    }
    template <class T>
    void build_in_lanes(std::optional<TestForces<T>>& forces, double test_force) {
        if (!forces) forces.emplace(model);
        if (!lanes_are_set) forces->set_state(state, tau, ws);
        lanes_are_set = true;
        for (int first = 0; first < rows.count(); first += lane_width<T>)
            forces->columns(rows, ws, first, test_force, start, K);
    }
    void build(const ConstraintOptions& options);
    void find_change(const ConstraintOptions& options, std::vector<double>& f, ConstraintReport& report);
    void find_within_ranges(const ConstraintOptions& options, std::vector<double>& f,
                            ConstraintReport& report);
    bool may_be_missed(const ConstraintOptions& options, int row) const;
    void judge(const ConstraintOptions& options, std::span<const double> f, std::span<const double> rates,
               std::span<const double> offset, std::span<const double> wanted, std::span<double> reached,
               ConstraintReport& report);
};

void ConstraintSolver::Parts::build(const ConstraintOptions& options) {
    const std::size_t m = rows.count();
    K.resize(m * m);
    require_test_force(options.test_force);
    switch (options.method) {
        case ResponseMethod::evaluations:
            for (int i = 0; i < rows.count(); ++i)
                test_forces().columns(rows, ws, i, options.test_force, start, K);
            break;
        case ResponseMethod::lanes:
            // As wide as the registers are; the bits are the same.
            if (instruction_set_name() == "avx512")
                build_in_lanes(eight, options.test_force);
            else
                build_in_lanes(four, options.test_force);
            break;
        case ResponseMethod::deltas:
            rows.for_each([&](const RowBlock& block, const Row& row, int i) {
                deltas.of_row(factor, rows.rows, block, row);
                rows.for_each([&](const RowBlock& other, const Row& h, int j) {
                    K[j * m + i] = deltas.value(rows.rows, other, h);
                });
            });
            break;
        case ResponseMethod::propagation: propagated.build(factor, rows.rows, K); break;
    }
}

// f between lo and hi, K f − target complementary to it.
void ConstraintSolver::Parts::find_within_ranges(const ConstraintOptions& options, std::vector<double>& f,
                                                 ConstraintReport& report) {
    const LcpSolverInfo& solver = require_solver(options.solver);
    build(options);
    const int m = rows.count();
    if (lcp.capacity() < m) lcp.resize(m);
    for (double& b : target) b = -b;
    const LcpProblem problem{
        .n = m, .a = K.data(), .stride = m, .b = target.data(), .lo = lo.data(), .hi = hi.data()};
    const LcpResult found = solver.solve(problem, options.lcp, lcp, f);
    report.redundant_rows = found.redundant;
    if (found.status == LcpStatus::not_finite) report.status = ConstraintStatus::non_finite;
    if (found.status == LcpStatus::iteration_limit || found.status == LcpStatus::interrupted)
        report.status = ConstraintStatus::not_converged;
}

// f with K f = target, or within its ranges as near as these allow, and `change` = M⁻¹ Jᵀ f.
void ConstraintSolver::Parts::find_change(const ConstraintOptions& options, std::vector<double>& f,
                                          ConstraintReport& report) {
    f.assign(rows.count(), 0.0);
    std::fill(s.begin(), s.end(), 0.0);
    if (!rows.has_ranges() && options.method == ResponseMethod::propagation) {
        system.set_rows(factor, rows.rows);
        system.choose(std::max(options.smallest_sine * options.smallest_sine,
                               EqualitySystem::smallest_tolerance));
        system.solve(target, s, f);
        report.redundant_rows = system.redundant_rows();
    } else {
        if (rows.has_ranges()) {
            find_within_ranges(options, f, report);
        } else {
            build(options);
            const double share = options.smallest_sine * options.smallest_sine;
            cholesky.factor(K, rows.count(), std::max(share, smallest_share));
            cholesky.solve(K, target, f);
            report.redundant_rows = rows.count() - cholesky.rank();
        }
        std::fill(on_links.begin(), on_links.end(), Force<double>::zero());
        rows.for_each([&](const RowBlock& block, const Row& row, int r) {
            rows.push(
                block, row, f[r],
                [&](int link, const Force<double>& force, double size) { on_links[link] += size * force; },
                [&](int dof, double value, double size) { s[dof] += size * value; });
        });
        factor.inward(s, on_links);
    }
    factor.outward(s, change);
}

// A row that was solved for is met to rounding, however large that is beside its terms.
bool ConstraintSolver::Parts::may_be_missed(const ConstraintOptions& options, int row) const {
    if (rows.has_ranges()) return true;
    return options.method == ResponseMethod::propagation ? system.is_redundant(row) : !cholesky.is_kept(row);
}

// What was reached, J rates + offset, and which of the constraints are missed.
void ConstraintSolver::Parts::judge(const ConstraintOptions& options, std::span<const double> f,
                                    std::span<const double> rates, std::span<const double> offset,
                                    std::span<const double> wanted, std::span<double> reached,
                                    ConstraintReport& report) {
    row_values<double>(rows, ws, rates, link_acceleration, reached);
    int constraint = 0;
    for (const RowBlock& block : rows.rows.blocks) {
        bool missed = false;
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const Row& row = rows.rows.rows[r];
            const double own = offset.empty() ? 0 : offset[r];
            reached[r] += own;
            const double miss = miss_of(reached[r] - wanted[r], f[r], lo[r], hi[r]);
            report.largest_miss = std::max(report.largest_miss, miss);
            if (!may_be_missed(options, r)) continue;
            // What is met is the difference of these; at rest nothing is left of it.
            const double size = rows.has_ranges() ? lcp.scale()[r]
                                                  : std::abs(own) + std::abs(wanted[r]) +
                                                        size_of_terms(rows, block, row, rates, link_acceleration);
            missed = missed || miss > options.contradiction * size;
        }
        if (missed) contradictions.push_back(constraint);
        ++constraint;
    }
    if (!contradictions.empty() && report.status == ConstraintStatus::ok)
        report.status = ConstraintStatus::contradictory;
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
    Parts& p = *parts_;
    p.rows.assemble(p.ws, constraints);
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
    if (!p.finite || !p.rows.is_finite() || !all_finite(p.rows.wanted) || !all_finite(p.rows.product)) {
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
    if (!all_finite(wanted_changes) || !p.rows.is_finite() || !all_finite(p.state.q)) {
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
    p.rows.for_each([&](const RowBlock& block, const Row& row, int r) {
        p.rows.push(
            block, row, per_row[r],
            [&](int link, const Force<double>& force, double size) { f_ext[link] += size * force; },
            [&](int dof, double value, double size) { tau[dof] += size * value; });
    });
}

}  // namespace lig
