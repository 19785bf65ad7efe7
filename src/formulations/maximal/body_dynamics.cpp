#include "formulations/maximal/body_dynamics.h"

#include "dynamics/bushing_pulls.h"
#include "dynamics/joint_springs.h"
#include "linalg/vector_ops.h"

#include <ligament/bushing.h>
#include <ligament/fluid.h>

#include <algorithm>
#include <cmath>

namespace lig::maximal {

namespace {

// Of the residual where they are not: a first solution is mostly better than this, to rounding of what
// cancels in the rows, and a second one would cost as much again without changing accelerations beyond
// rounding.
constexpr double good_enough = 1e-12;
// Of what a row of a loop does to its bodies, if they were free: what is left beside joints moves nothing.
constexpr double moves_nothing = 1e-10;
constexpr int least_squares_passes = 3;

bool is_zero(const Force<double>& f) {
    return f.ang.x == 0 && f.ang.y == 0 && f.ang.z == 0 && f.lin.x == 0 && f.lin.y == 0 && f.lin.z == 0;
}

}  // namespace

std::vector<char> freedoms_with_armature(const Model& model) {
    std::vector<char> soft(model.nv);
    for (const Model::Joint& joint : model.joints)
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
            soft[k] = model.tree.armature[k] > 0 && joint.type != JointType::stretch;
    return soft;
}

BodyDynamics::BodyDynamics(std::shared_ptr<const Model> model, EqualityMethod method)
    : BodyDynamics(model, method, freedoms_with_armature(*model), false) {}

BodyDynamics BodyDynamics::with_body_blocks(std::shared_ptr<const Model> model) {
    const std::vector<char> none(model->nv, 0);
    return BodyDynamics(std::move(model), EqualityMethod::direct, none, true);
}

BodyDynamics::BodyDynamics(std::shared_ptr<const Model> model, EqualityMethod method,
                           std::span<const char> soft, bool with_body_blocks)
    : system(model, method, soft, with_body_blocks), state_(*model) {
    for (const Model::Joint& joint : model->joints) {
        const bool damps = has_damper(joint);
        depends_on_velocity_ = depends_on_velocity_ || damps;
        always_joint_forces_ = always_joint_forces_ || damps || has_spring(joint);
    }
    if (model->nu > 0 || !model->tendons.empty() || has_medium(*model) || has_bushings(*model))
        depends_on_velocity_ = true;
    always_joint_forces_ = always_joint_forces_ || depends_on_velocity_ || !model->floating_mass.empty();
    const std::size_t n = static_cast<std::size_t>(system.graph.size());
    for (std::vector<double>* v : {&f_, &solution_, &velocities_, &rates_}) v->assign(n, 0.0);
    tau_.assign(model->nv, 0.0);
}

bool BodyDynamics::reads_joints(const SmoothDynamics& inputs) const {
    return always_joint_forces_ ||
           std::any_of(inputs.qfrc_applied.begin(), inputs.qfrc_applied.end(),
                       [](double x) { return x != 0; }) ||
           std::any_of(inputs.xfrc_applied.begin(), inputs.xfrc_applied.end(),
                       [](const Force<double>& f) { return !is_zero(f); });
}

void BodyDynamics::find_forces(SmoothDynamics& inputs, JointState<double>& state, bool always_read,
                               std::span<double> f) {
    std::fill(f.begin(), f.end(), 0.0);
    system.poses.add_gravity(f);
    const bool reads = reads_joints(inputs);
    if (reads || always_read) system.poses.to_joints(state);
    if (!reads) return;
    forward_kinematics(state, inputs.ws);
    update_drives(state, inputs.ws, inputs.drives);
    if (inputs.push_bodies()) system.poses.add_link_forces(inputs.ws.f_ext, f);
    std::copy(inputs.qfrc_applied.begin(), inputs.qfrc_applied.end(), tau_.begin());
    add_smooth_forces<double>(state, system.graph.model(), inputs.ctrl, inputs.drives, tau_);
    add_bushing_pulls<double>(inputs.ws, tau_);
    system.poses.add_joint_forces(tau_, f);
}

BodyDynamics::Solved BodyDynamics::accelerate_bodies(std::span<double> f, double alpha,
                                                     RedundantRows redundant) {
    system.matrix.find_inertias();
    system.matrix.find_rows(true);
    system.poses.add_gyroscopic_forces(f);
    Solved solved;
    const bool share = redundant == RedundantRows::share;
    const BlockLdlt::Factored factored = share ? system.matrix.factor() : system.matrix.factor_leaving_out();
    solved.bad_link = factored.bad_node;
    solved.redundant_rows = factored.redundant_rows;
    if (factored.bad_node >= 0) return solved;
    const int bodies = system.graph.body_entries();
    std::copy_n(f.begin(), bodies, solution_.begin());
    const std::span<const double> products = system.matrix.products();
    for (int k = bodies; k < system.graph.size(); ++k) solution_[k] = -products[k];
    if (alpha > 0) {  // Baumgarte's stabilization [B96 sec. 2.1]
        system.poses.velocities(velocities_);
        system.matrix.row_velocities(velocities_, rates_);
        const std::span<const double> errors = system.matrix.errors(), base = system.matrix.base_rates();
        for (int k = bodies; k < system.graph.size(); ++k)
            solution_[k] -= 2 * alpha * (rates_[k] + base[k]) + alpha * alpha * errors[k];
    }
    const BlockLdlt::Refined refined = share && factored.redundant_rows > 0
                                           ? system.matrix.solve_refined(solution_, BodyMatrix::max_solves)
                                           : system.matrix.solve_refined(solution_, 2, good_enough);
    solved.solves = refined.solves;
    solved.residual = refined.residual;
    return solved;
}

BodyDynamics::Solved BodyDynamics::accelerate_off_equalities(std::span<const double> f) {
    const int bodies = system.graph.body_entries(), n = system.graph.size();
    const std::span<const int> stated = system.matrix.stated_rows();
    const std::vector<int> entries(stated.begin(), stated.end());
    const std::size_t count = entries.size();
    const double opening = system.matrix.equality_opening();
    rows_.resize(count);
    gram_.assign(count * count, 0.0);
    for (std::vector<double>* v : {&missed_, &forces_, &equality_products_}) v->assign(count, 0.0);
    equality_rows_.assign(static_cast<std::size_t>(n), 0);
    for (std::size_t r = 0; r < count; ++r) {
        std::fill(rates_.begin(), rates_.end(), 0.0);
        rates_[entries[r]] = 1;
        rows_[r].assign(bodies, 0.0);
        system.matrix.add_row_forces(rates_, rows_[r]);
        equality_products_[r] = system.matrix.products()[entries[r]];
        equality_rows_[entries[r]] = 1;
    }
    // The matrix of the joints alone.
    system.matrix.leave_out(equality_rows_);
    system.matrix.find_inertias();
    system.matrix.find_rows(true);
    Solved solved;
    solved.bad_link = system.matrix.factor().bad_node;
    if (solved.bad_link >= 0) return solved;
    // Under the forces of equalities: summing up answers to single rows would leave joints open by their
    // rounding.
    const auto accelerate_joints = [&] {
        std::copy_n(f.begin(), bodies, solution_.begin());
        for (std::size_t r = 0; r < count; ++r)
            add_scaled(-forces_[r], rows_[r].data(), solution_.data(), bodies);
        for (int k = bodies; k < n; ++k) solution_[k] = -system.matrix.products()[k];
        solved.solves += system.matrix.solve_refined(solution_, 3).solves;
    };
    for (std::size_t r = 0; r < count; ++r) {
        std::fill(solution_.begin(), solution_.end(), 0.0);
        std::copy_n(rows_[r].begin(), bodies, solution_.begin());
        solved.solves += system.matrix.solve_refined(solution_, 3).solves;
        for (std::size_t k = 0; k < count; ++k)
            gram_[r * count + k] = dot(rows_[k].data(), solution_.data(), bodies);
        if (!(gram_[r * (count + 1)] > moves_nothing * system.matrix.free_response(rows_[r])))
            gram_[r * (count + 1)] = 0;
    }
    const int rank =
        pseudo_inverse_.factor(gram_, static_cast<int>(count), open_equalities::tolerance(opening));
    solved.redundant_rows = static_cast<int>(count) - rank;
    const auto find_missed = [&] {
        solved.residual = 0;
        for (std::size_t r = 0; r < count; ++r) {
            double largest = std::abs(equality_products_[r]);
            for (int k = 0; k < bodies; ++k)
                largest = std::max(largest, std::abs(rows_[r][k] * solution_[k]));
            missed_[r] = equality_products_[r] + dot(rows_[r].data(), solution_.data(), bodies);
            if (largest > 0) solved.residual = std::max(solved.residual, std::abs(missed_[r]) / largest);
        }
    };
    accelerate_joints();
    find_missed();
    for (int pass = 0; pass < least_squares_passes; ++pass) {
        pseudo_inverse_.solve(missed_, missed_);
        for (std::size_t r = 0; r < count; ++r) forces_[r] += missed_[r];
        accelerate_joints();
        find_missed();
    }
    for (std::size_t r = 0; r < count; ++r) solution_[entries[r]] = forces_[r];
    // As others expect the rows.
    system.matrix.leave_out({});
    system.matrix.find_rows(true);
    return solved;
}

BodyDynamics::Solved BodyDynamics::accelerate(SmoothDynamics& inputs, const JointState<double>& state,
                                              std::span<double> qacc) {
    forward_kinematics(state, inputs.ws);
    system.poses.from_joints(inputs.ws, state, bodies_);
    system.poses.look(bodies_, inputs.ws.bases, state.time);
    system.poses.find_freedoms();
    state_ = state;
    find_forces(inputs, state_, false, f_);
    Solved solved = accelerate_bodies(f_, 0);
    if (solved.bad_link < 0 && system.matrix.equality_opening() > open_equalities::least)
        solved = accelerate_off_equalities(f_);
    if (solved.bad_link < 0) system.poses.joint_accelerations(solution_, qacc);
    return solved;
}

void BodyDynamics::write_multipliers(std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t e = 0; e < system.graph.equalities().size(); ++e) {
        const BodyGraph::Equality& equality = system.graph.equalities()[e];
        for (int r = 0; r < system.matrix.rows_of(e); ++r) {
            const int entry = system.matrix.entry_of(e, r);
            out[equality.multiplier + entry - equality.begin] =
                -system.matrix.scale_of(e, r) * solution_[entry];
        }
    }
}

}  // namespace lig::maximal
