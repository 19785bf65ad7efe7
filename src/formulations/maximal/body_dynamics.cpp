#include "formulations/maximal/body_dynamics.h"

#include "dynamics/joint_springs.h"

#include <ligament/bushing.h>
#include <ligament/fluid.h>

#include <algorithm>

namespace lig::maximal {

namespace {

// Of the residual where they are not: a first solution is mostly better than this, to rounding of what
// cancels in the rows, and a second one would cost as much again without changing accelerations beyond
// rounding.
constexpr double good_enough = 1e-12;

bool is_zero(const Force<double>& f) {
    return f.ang.x == 0 && f.ang.y == 0 && f.ang.z == 0 && f.lin.x == 0 && f.lin.y == 0 && f.lin.z == 0;
}

}  // namespace

std::vector<char> freedoms_with_armature(const Model& model) {
    std::vector<char> soft(model.nv);
    for (int k = 0; k < model.nv; ++k) soft[k] = model.tree.armature[k] > 0;
    return soft;
}

BodyDynamics::BodyDynamics(std::shared_ptr<const Model> model, LoopMethod loops)
    : BodyDynamics(model, loops, freedoms_with_armature(*model), false) {}

BodyDynamics BodyDynamics::with_body_blocks(std::shared_ptr<const Model> model) {
    const std::vector<char> none(model->nv, 0);
    return BodyDynamics(std::move(model), LoopMethod::direct, none, true);
}

BodyDynamics::BodyDynamics(std::shared_ptr<const Model> model, LoopMethod loops, std::span<const char> soft,
                           bool with_body_blocks)
    : system(model, loops, soft, with_body_blocks), state_(*model) {
    for (const Model::Joint& joint : model->joints) {
        const bool damps = has_damper(joint);
        depends_on_velocity_ = depends_on_velocity_ || damps;
        always_joint_forces_ = always_joint_forces_ || damps || has_spring(joint);
    }
    if (model->nu > 0 || !model->tendons.empty() || has_medium(*model) || has_bushings(*model))
        depends_on_velocity_ = true;
    always_joint_forces_ = always_joint_forces_ || depends_on_velocity_ || !model->floating_mass.empty();
    const std::size_t n = static_cast<std::size_t>(system.size());
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
    system.add_gravity(f);
    const bool reads = reads_joints(inputs);
    if (reads || always_read) system.to_joints(state);
    if (!reads) return;
    forward_kinematics(state, inputs.ws);
    update_drives(state, inputs.ws, inputs.drives);
    if (inputs.push_bodies()) system.add_link_forces(inputs.ws.f_ext, f);
    std::copy(inputs.qfrc_applied.begin(), inputs.qfrc_applied.end(), tau_.begin());
    add_smooth_forces<double>(state, system.model(), inputs.ctrl, inputs.drives, tau_);
    system.add_joint_forces(tau_, f);
}

BodyDynamics::Solved BodyDynamics::accelerate_bodies(std::span<double> f, double alpha,
                                                     RedundantRows redundant) {
    system.find_inertias();
    system.find_rows(true);
    system.add_gyroscopic_forces(f);
    Solved solved;
    const bool share = redundant == RedundantRows::share;
    const BlockLdlt::Factored factored = share ? system.factor() : system.factor_leaving_out();
    solved.bad_link = factored.bad_node;
    solved.redundant_rows = factored.redundant_rows;
    if (factored.bad_node >= 0) return solved;
    const int bodies = system.body_entries();
    std::copy_n(f.begin(), bodies, solution_.begin());
    const std::span<const double> products = system.products();
    for (int k = bodies; k < system.size(); ++k) solution_[k] = -products[k];
    if (alpha > 0) {  // Baumgarte's stabilization [B96 sec. 2.1]
        system.velocities(velocities_);
        system.row_velocities(velocities_, rates_);
        const std::span<const double> errors = system.errors(), base = system.base_rates();
        for (int k = bodies; k < system.size(); ++k)
            solution_[k] -= 2 * alpha * (rates_[k] + base[k]) + alpha * alpha * errors[k];
    }
    const BlockLdlt::Refined refined = share && factored.redundant_rows > 0
                                           ? system.solve_refined(solution_, BodySystem::most_solves)
                                           : system.solve_refined(solution_, 2, good_enough);
    solved.solves = refined.solves;
    solved.residual = refined.residual;
    return solved;
}

BodyDynamics::Solved BodyDynamics::accelerate(SmoothDynamics& inputs, const JointState<double>& state,
                                              std::span<double> qacc) {
    forward_kinematics(state, inputs.ws);
    system.from_joints(inputs.ws, state, bodies_);
    system.look(bodies_, inputs.ws.bases, state.time);
    system.find_freedoms();
    state_ = state;
    find_forces(inputs, state_, false, f_);
    const Solved solved = accelerate_bodies(f_, 0);
    if (solved.bad_link < 0) system.joint_accelerations(solution_, qacc);
    return solved;
}

void BodyDynamics::write_multipliers(std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    const Model& model = system.model();
    // Loops, couplings, couplings of tendons, pairs.
    std::vector<int> loops, pairs;
    int next = 0;
    for (const Model::Loop& loop : model.loops) {
        loops.push_back(next);
        next += loop.rows;
    }
    const int couplings = next;
    next += static_cast<int>(model.couplings.size() + model.tendon_couplings.size());
    for (const Model::PairConstraint& pair : model.pair_constraints) {
        pairs.push_back(next);
        next += pair.rows;
    }
    for (std::size_t e = 0; e < system.equalities().size(); ++e) {
        const BodySystem::Equality& equality = system.equalities()[e];
        const int begin = equality.kind == RowKind::loop   ? loops[equality.source]
                          : equality.kind == RowKind::pair ? pairs[equality.source]
                                                           : couplings + equality.source;
        for (int r = 0; r < system.rows_of(e); ++r) {
            const int entry = system.entry_of(e, r);
            out[begin + entry - equality.begin] = -system.scale_of(e, r) * solution_[entry];
        }
    }
}

}  // namespace lig::maximal
