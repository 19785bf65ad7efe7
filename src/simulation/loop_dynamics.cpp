// The rows J v + base = 0 of equalities, less those that follow from others, are solved for as many
// velocities as there are rows, the dependent ones D:
//     J_D v_D + J_I w + base = 0,   N_D = −J_D⁻¹ J_I,   n_D = −J_D⁻¹ base,   m_D = −J_D⁻¹ product,
// and N is the unit matrix in the independent ones. D comes by elimination with pivots from all that is left
// of rows and columns; velocities that were asked to be independent give no pivots, those that actuators
// drive give them last. A column counts by 1/√M_kk, so that radians and metres compare by what they move.

#include <ligament/loop_dynamics.h>

#include "linalg/dense_lu.h"
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
#include <stdexcept>

namespace lig {

namespace {

// Relative to the size of the parts: beyond it the rows of a state are not those of a closed one.
constexpr double max_opening = 1e-6;
// Of rows and columns at their scale: a velocity that is driven is dependent rather than have another move
// this many times as fast.
constexpr double min_pivot = 1e-6;
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

LoopDynamics::LoopDynamics(LoopDynamics&&) noexcept = default;
LoopDynamics& LoopDynamics::operator=(LoopDynamics&&) noexcept = default;
LoopDynamics::~LoopDynamics() = default;

LoopDynamics::LoopDynamics(std::shared_ptr<const Model> shared, std::vector<int> independent)
    : ws(shared),
      drives(*shared),
      model_(std::move(shared)),
      state_(*model_),
      asked_(std::move(independent)) {
    const Model& model = *model_;
    std::sort(asked_.begin(), asked_.end());
    for (std::size_t k = 0; k < asked_.size(); ++k)
        if (asked_[k] < 0 || asked_[k] >= model.nv || (k > 0 && asked_[k] == asked_[k - 1]))
            throw std::invalid_argument("lig::LoopDynamics: " + std::to_string(asked_[k]) +
                                        " is not a velocity of the model, or given twice");
    driven_.assign(model.nv, 0);
    for (int i = 0; i < model.nu; ++i) {
        const Model::Actuator& actuator = model.actuators[i];
        if (!model.options.enabled.actuation || !actuator.enabled) continue;
        actuators_.push_back(i);
        for (int k = actuator.row.begin; k < actuator.row.begin + actuator.row.count; ++k)
            driven_[model.row_velocities[k]] = 1;
    }
    if (!Equalities(model).acting().empty()) closure_ = std::make_unique<EqualityClosure>(model);
    joint_force.assign(model.nv, 0.0);
    residual.assign(model.nv, 0.0);
    actuator_force.assign(model.nu, 0.0);
    multipliers.assign(Equalities::multiplier_count(model), 0.0);
    free_force_.assign(model.nv, 0.0);
}

LoopStatus LoopDynamics::set_state(const JointState<double>& state) {
    state_ = state;
    where.clear();
    rows_.clear();
    forward_kinematics(state, ws);
    update_drives(state, ws, drives);
    if (closure_) {
        // The accelerations of links are what the rows' products are made of.
        std::vector<double> still(model_->nv, 0.0), qacc(model_->nv);
        forward_dynamics<double>(state, still, ws, qacc);
        if (const int link = closure_->accelerate(state, ws, drives, true, qacc); link >= 0) {
            for (const Model::Body& body : model_->bodies)
                if (body.link == link && where.empty()) where = named(*model_, body) + " has no inertia";
            return LoopStatus::no_inertia;
        }
        const EqualityErrors error = closure_->error();
        if (!(error.relative <= max_opening)) {
            where = closure_->name_of_block(error.block) + " is open by " + std::to_string(error.largest);
            return LoopStatus::open;
        }
        for (int r = 0; r < closure_->equality_rows(); ++r)
            if (!closure_->is_redundant(r)) rows_.push_back(r);
    }
    return choose_independent();
}

LoopStatus LoopDynamics::choose_independent() {
    const int nv = model_->nv, count = static_cast<int>(rows_.size());
    if (const int d = nv - count; !asked_.empty() && static_cast<int>(asked_.size()) != d) {
        where = (d == 1 ? "there is 1 freedom here, not "
                        : "there are " + std::to_string(d) + " freedoms here, not ") +
                std::to_string(asked_.size());
        return LoopStatus::dependent;
    }
    J_.resize(static_cast<std::size_t>(count) * nv);
    base_.resize(count);
    product_.resize(count);
    for (int i = 0; i < count; ++i) {
        closure_->write_row(ws, rows_[i], std::span(J_).subspan(static_cast<std::size_t>(i) * nv, nv));
        base_[i] = closure_->terms()[rows_[i]].base_rate;
        product_[i] = closure_->terms()[rows_[i]].product;
    }

    std::vector<double> M(static_cast<std::size_t>(nv) * nv);
    mass_matrix<double>(state_, ws, drives, M);
    column_scale_.resize(nv);
    for (int k = 0; k < nv; ++k) column_scale_[k] = 1 / std::sqrt(M[static_cast<std::size_t>(k) * (nv + 1)]);
    std::vector<double> rest(J_);
    for (int i = 0; i < count; ++i) {
        double* const row = rest.data() + static_cast<std::size_t>(i) * nv;
        double largest = 0;
        for (int k = 0; k < nv; ++k) largest = std::max(largest, std::fabs(row[k] *= column_scale_[k]));
        for (int k = 0; k < nv; ++k) row[k] /= largest;
    }

    // 0: gives pivots first; 1: where these are too small; 2: never.
    std::vector<char> turn(nv, 0);
    for (int k = 0; k < nv; ++k) turn[k] = driven_[k] != 0;
    if (!asked_.empty()) {
        std::fill(turn.begin(), turn.end(), 0);
        for (const int k : asked_) turn[k] = 2;
    }
    std::vector<char> is_dependent(nv, 0), used(count, 0);
    for (int rank = 0, pass = 0; rank < count;) {
        int row = -1, column = -1;
        double largest = pass == 0 ? min_pivot : 0;
        for (int i = 0; i < count; ++i)
            for (int k = 0; k < nv && !used[i]; ++k)
                if (const double size = std::fabs(rest[static_cast<std::size_t>(i) * nv + k]);
                    turn[k] <= pass && !is_dependent[k] && size > largest)
                    largest = size, row = i, column = k;
        if (row < 0) {
            if (pass++ == 0) continue;
            where = "the velocities that were asked for are not independent here";
            return LoopStatus::dependent;
        }
        used[row] = is_dependent[column] = 1;
        ++rank;
        const double* const pivot_row = rest.data() + static_cast<std::size_t>(row) * nv;
        for (int i = 0; i < count; ++i) {
            double* const other = rest.data() + static_cast<std::size_t>(i) * nv;
            const double factor = used[i] ? 0 : other[column] / pivot_row[column];
            if (factor != 0)
                for (int k = 0; k < nv; ++k) other[k] -= factor * pivot_row[k];
        }
    }
    independent_.clear();
    dependent_.clear();
    for (int k = 0; k < nv; ++k) (is_dependent[k] ? dependent_ : independent_).push_back(k);
    find_map();
    return LoopStatus::ok;
}

void LoopDynamics::find_map() {
    const int nv = model_->nv, count = static_cast<int>(rows_.size()), d = freedoms();
    // J_D⁻¹, with the columns at their scale and the rows at unit length.
    std::vector<double> factor(static_cast<std::size_t>(count) * count), unit(count), row_scale(count);
    std::vector<int> swapped(count);
    for (int i = 0; i < count; ++i) {
        double largest = 0;
        for (int k = 0; k < count; ++k) {
            double& entry = factor[static_cast<std::size_t>(i) * count + k];
            entry = J_[static_cast<std::size_t>(i) * nv + dependent_[k]] * column_scale_[dependent_[k]];
            largest = std::max(largest, std::fabs(entry));
        }
        row_scale[i] = 1 / largest;
        for (int k = 0; k < count; ++k) factor[static_cast<std::size_t>(i) * count + k] *= row_scale[i];
    }
    DenseLu lu(factor.data(), count, count, swapped.data());
    lu.factor(0);
    inverse_.resize(static_cast<std::size_t>(count) * count);
    for (int c = 0; c < count; ++c) {
        std::fill(unit.begin(), unit.end(), 0.0);
        unit[c] = row_scale[c];
        lu.solve(unit.data());
        for (int k = 0; k < count; ++k)
            inverse_[static_cast<std::size_t>(k) * count + c] = column_scale_[dependent_[k]] * unit[k];
    }

    map_.assign(static_cast<std::size_t>(nv) * d, 0.0);
    drift_.assign(nv, 0.0);
    acceleration_drift_.assign(nv, 0.0);
    for (int i = 0; i < d; ++i) map_[static_cast<std::size_t>(independent_[i]) * d + i] = 1;
    for (int k = 0; k < count; ++k) {
        const int own = dependent_[k];
        for (int r = 0; r < count; ++r) {
            const double share = inverse_[static_cast<std::size_t>(k) * count + r];
            for (int i = 0; i < d; ++i)
                map_[static_cast<std::size_t>(own) * d + i] -=
                    share * J_[static_cast<std::size_t>(r) * nv + independent_[i]];
            drift_[own] -= share * base_[r];
            acceleration_drift_[own] -= share * product_[r];
        }
    }
}

namespace {

void map_up(std::span<const double> map, std::span<const double> drift, std::span<const double> w,
            std::span<double> out) {
    for (std::size_t k = 0; k < out.size(); ++k) {
        double sum = drift[k];
        for (std::size_t i = 0; i < w.size(); ++i) sum += map[k * w.size() + i] * w[i];
        out[k] = sum;
    }
}

}  // namespace

void LoopDynamics::velocities(std::span<const double> w, std::span<double> v) const {
    map_up(map_, drift_, w, v);
}

void LoopDynamics::accelerations(std::span<const double> dw, std::span<double> qacc) const {
    map_up(map_, acceleration_drift_, dw, qacc);
}

void LoopDynamics::jacobian(int body, const Vec3d& point, Axes axes, std::span<double> out) const {
    const int nv = model_->nv, d = freedoms();
    std::vector<double> J(6 * static_cast<std::size_t>(nv));
    frame_jacobian<double>(ws, body, point, axes, J);
    std::fill(out.begin(), out.end(), 0.0);
    for (int r = 0; r < 6; ++r)
        for (int k = 0; k < nv; ++k)
            for (int i = 0; i < d; ++i)
                out[static_cast<std::size_t>(r) * d + i] +=
                    J[static_cast<std::size_t>(r) * nv + k] * map_[static_cast<std::size_t>(k) * d + i];
}

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

bool LoopDynamics::share(std::span<const double> pushed, std::span<const double> held,
                         ForcesBesides& besides) {
    LeastForces least(freedoms());
    add_besides(besides, 1, least);
    if (!least.solve(along_independent(pushed))) return false;
    take_besides(least, 0, besides);
    std::vector<double> left(held.begin(), held.end());
    for (std::size_t k = 0; k < left.size(); ++k) left[k] += pushed[k];
    for (const BoundedForce& own : besides.unknown) own.add_to(left, -1);
    find_multipliers(left);
    return true;
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
