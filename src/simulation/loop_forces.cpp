// Forces in independent coordinates: of actuators, and of what has bounds besides.

#include <ligament/loop_dynamics.h>

#include "linalg/pseudo_inverse.h"
#include "linalg/vector_ops.h"
#include "model/coordinate_names.h"
#include "model/named.h"
#include "simulation/equality_closure.h"
#include "simulation/forces_besides.h"
#include "simulation/forces_of_motion.h"
#include "simulation/least_forces.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

// Singular values of what actuators do to the freedoms, each brought to unit length: no more than rounding.
constexpr double no_effect = 1e-7;
// Of the largest of the terms that make it up: more is missing of a force than rounding leaves.
constexpr double missing = 1e-9;
// The same of a force towards the independent velocities: nothing of it is left.
constexpr double rounding = 1e-11;
// Squares of forces count by these beside those of actuators: what contacts bear is free of charge, or nearly
// so, and a residual is the last resort.
constexpr double weight_of_bounded = 1e-6, weight_of_residual = 1e3;

// "'knee.x'"
std::string velocity_name(const Model& model, int velocity) {
    for (const Model::Joint& joint : model.joints)
        if (velocity >= joint.v_adr && velocity < joint.v_adr + joint.nv)
            return "'" +
                   velocity_names(joint.type, joint.name.empty() ? named(model, joint)
                                                                 : joint.name)[velocity - joint.v_adr] +
                   "'";
    return "'" + std::to_string(velocity) + "'";
}

}  // namespace

// Nᵀ τ, what is no more than rounding left out: loops bear all of it.
std::vector<double> LoopDynamics::along_independent(std::span<const double> tau) const {
    const std::size_t d = independent_.size();
    std::vector<double> out(d, 0.0), size(d, 0.0);
    for (std::size_t k = 0; k < tau.size(); ++k)
        if (tau[k] != 0)
            for (std::size_t i = 0; i < d; ++i) {
                const double term = map_[k * d + i] * tau[k];
                out[i] += term;
                size[i] = std::max(size[i], std::fabs(term));
            }
    for (std::size_t i = 0; i < d; ++i)
        if (std::fabs(out[i]) <= rounding * size[i]) out[i] = 0;
    return out;
}

LoopStatus LoopDynamics::find_forces(std::span<double> qacc) {
    ForcesBesides none;
    return find_forces(qacc, none);
}

LoopStatus LoopDynamics::find_forces(std::span<double> qacc, ForcesBesides& besides) {
    const int d = freedoms();
    std::vector<double> dw(d);
    for (int i = 0; i < d; ++i) dw[i] = qacc[independent_[i]];
    accelerations(dw, qacc);
    find_forces_of_motion(state_, qacc, ws, drives, free_force_);
    for (std::size_t k = 0; k < besides.given.size(); ++k) free_force_[k] -= besides.given[k];
    const std::vector<double> wanted = along_independent(free_force_);

    for (std::vector<double>* all : {&joint_force, &actuator_force, &residual})
        std::fill(all->begin(), all->end(), 0.0);
    spare_actuators = 0;
    LoopStatus status = LoopStatus::ok;
    if (!besides.unknown.empty())
        status = find_bounded(wanted, besides, false);
    else if (!actuators_.empty())
        status = find_actuation(wanted);
    else
        for (int i = 0; i < d; ++i) joint_force[independent_[i]] = wanted[i];
    if (status == LoopStatus::unreachable && allow_residual) status = find_bounded(wanted, besides, true);

    std::vector<double> left(free_force_);
    for (int k = 0; k < model_->nv; ++k) left[k] -= joint_force[k] + residual[k];
    for (const BoundedForce& own : besides.unknown) own.add_to(left, -1);
    find_multipliers(left);
    return status;
}

void LoopDynamics::share(std::span<const double> pushed, std::span<const double> held,
                         ForcesBesides& besides) {
    LeastForces least(freedoms());
    add_besides(besides, 1, least);
    if (least.solve(along_independent(pushed))) take_besides(least, 0, besides);
    std::vector<double> left(held.begin(), held.end());
    for (std::size_t k = 0; k < left.size(); ++k) left[k] += pushed[k];
    for (const BoundedForce& own : besides.unknown) own.add_to(left, -1);
    find_multipliers(left);
}

// Nᵀ Bᵀ, actuator after actuator (those that act × freedoms).
std::vector<double> LoopDynamics::actuator_columns() const {
    const std::size_t d = independent_.size();
    std::vector<double> out(actuators_.size() * d, 0.0);
    for (std::size_t a = 0; a < actuators_.size(); ++a) {
        const Model::Row& row = model_->actuators[actuators_[a]].row;
        for (int k = row.begin; k < row.begin + row.count; ++k)
            for (std::size_t i = 0; i < d; ++i)
                out[a * d + i] += map_[model_->row_velocities[k] * d + i] * drives.row_entries[k];
    }
    return out;
}

void LoopDynamics::add_besides(const ForcesBesides& besides, double weight, LeastForces& least) const {
    std::vector<double> columns;
    for (const BoundedForce& own : besides.unknown) {
        const int count = static_cast<int>(own.force.size());
        columns.clear();
        for (int k = 0; k < count; ++k) {
            const std::vector<double> column = along_independent(own.row(k, model_->nv));
            columns.insert(columns.end(), column.begin(), column.end());
        }
        if (own.cone)
            least.add_cone(columns, count, weight);
        else
            least.add(columns, weight, own.range);
    }
}

void LoopDynamics::take_besides(const LeastForces& least, int first, ForcesBesides& besides) const {
    for (BoundedForce& own : besides.unknown)
        for (double& force : own.force) force = least.forces()[first++];
}

// An actuator pushes along its row.
void LoopDynamics::act(int actuator, double force) {
    actuator_force[actuator] = force;
    const Model::Row& row = model_->actuators[actuator].row;
    for (int k = row.begin; k < row.begin + row.count; ++k)
        joint_force[model_->row_velocities[k]] += drives.row_entries[k] * force;
}

// A f = wanted with A = Nᵀ Bᵀ, B the rows of the actuators: of all f the one of least Σ f².
LoopStatus LoopDynamics::find_actuation(std::span<const double> wanted) {
    const int d = freedoms(), count = static_cast<int>(actuators_.size());
    const std::vector<double> A = actuator_columns();
    std::vector<double> G(static_cast<std::size_t>(d) * d, 0.0);
    const auto column = [&](int a) { return A.data() + static_cast<std::size_t>(a) * d; };
    int effective = 0;
    for (int a = 0; a < count; ++a) {
        effective += std::any_of(column(a), column(a) + d, [](double entry) { return entry != 0; });
        for (int i = 0; i < d; ++i)
            for (int j = 0; j < d; ++j) G[static_cast<std::size_t>(i) * d + j] += column(a)[i] * column(a)[j];
    }
    PseudoInverse inverse;
    const int rank = inverse.factor(G, d, no_effect);
    spare_actuators = effective - rank;
    std::vector<double> f(count, 0.0), left(wanted.begin(), wanted.end()), lambda(d), size(d);
    // Twice: what rounding leaves of the first.
    for (int pass = 0; pass < 2; ++pass) {
        inverse.solve(left, lambda);
        for (int a = 0; a < count; ++a) f[a] += dot(column(a), lambda.data(), d);
        for (int i = 0; i < d; ++i) {
            left[i] = wanted[i];
            size[i] = std::fabs(wanted[i]);
            for (int a = 0; a < count; ++a) {
                const double term = column(a)[i] * f[a];
                left[i] -= term;
                size[i] = std::max(size[i], std::fabs(term));
            }
        }
    }
    for (int a = 0; a < count; ++a) act(actuators_[a], f[a]);
    return tell_missing(left, size);
}

// The same with forces that have bounds. Where no actuator may act, what the bounds leave to be done acts
// along the independent coordinates.
LoopStatus LoopDynamics::find_bounded(std::span<const double> wanted, ForcesBesides& besides,
                                      bool with_residual) {
    const int d = freedoms();
    const Range any;
    LeastForces least(d);
    std::vector<double> unit(d, 0.0);
    const auto add_unit = [&](int i, double weight) {
        unit[i] = 1;
        least.add(unit, weight, any);
        unit[i] = 0;
    };
    const std::vector<double> A = actuator_columns();
    const int count = static_cast<int>(actuators_.size());
    for (int a = 0; a < count; ++a)
        least.add(std::span(A).subspan(static_cast<std::size_t>(a) * d, d), 1, any);
    const int own_count = actuators_.empty() ? d : 0;
    for (int i = 0; i < own_count; ++i) add_unit(i, 1);
    std::vector<int> undriven;
    for (int i = 0; i < d && with_residual; ++i)
        if (!driven_[independent_[i]]) undriven.push_back(i);
    for (const int i : undriven) add_unit(i, weight_of_residual);
    add_besides(besides, weight_of_bounded, least);

    const bool balanced = least.solve(wanted);
    std::fill(joint_force.begin(), joint_force.end(), 0.0);
    int at = 0;
    for (const int actuator : actuators_) act(actuator, least.forces()[at++]);
    for (int i = 0; i < own_count; ++i) joint_force[independent_[i]] = least.forces()[at++];
    for (const int i : undriven) residual[independent_[i]] = least.forces()[at++];
    take_besides(least, at, besides);
    return balanced ? LoopStatus::ok : tell_missing(least.missing(), least.sizes());
}

LoopStatus LoopDynamics::tell_missing(std::span<const double> left, std::span<const double> size) {
    const double largest = largest_of(size);
    int worst = -1;
    for (int i = 0; i < freedoms(); ++i)
        if (std::fabs(left[i]) > missing * std::max(size[i], missing * largest) &&
            (worst < 0 || std::fabs(left[i]) > std::fabs(left[worst])))
            worst = i;
    if (worst < 0) return LoopStatus::ok;
    where = "no actuator gives the motion what it asks for along " +
            velocity_name(*model_, independent_[worst]) + ": " + std::to_string(left[worst]) + " is missing";
    return LoopStatus::unreachable;
}

// J_Dᵀ λ is what is left of the forces of dependent velocities.
void LoopDynamics::find_multipliers(std::span<const double> left) {
    if (!closure_) return;
    const std::size_t count = rows_.size();
    std::vector<double> lambda(closure_->rows().rows.size(), 0.0);
    for (std::size_t k = 0; k < count; ++k)
        for (std::size_t r = 0; r < count; ++r)
            lambda[rows_[r]] += inverse_[k * count + r] * left[dependent_[k]];
    closure_->take_lambda(lambda);
    closure_->write_multipliers(multipliers);
}

}  // namespace lig
