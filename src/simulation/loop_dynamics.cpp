// The rows J v + base = 0 of equalities, less those that follow from others, are solved for as many
// velocities as there are rows, the dependent ones D:
//     J_D v_D + J_I w + base = 0,   N_D = −J_D⁻¹ J_I,   n_D = −J_D⁻¹ base,   m_D = −J_D⁻¹ product,
// and N is the unit matrix in the independent ones. D comes by elimination with pivots from all that is left
// of rows and columns; velocities that were asked to be independent give no pivots, those that actuators
// drive give them last. A column counts by 1/√M_kk, so that radians and metres compare by what they move.

#include <ligament/loop_dynamics.h>

#include "dynamics/bushing_pulls.h"
#include "linalg/dense_lu.h"
#include "linalg/pseudo_inverse.h"
#include "model/coordinate_names.h"
#include "model/named.h"
#include "simulation/equality_closure.h"

#include <ligament/bushing.h>
#include <ligament/fluid.h>

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

// M v̇ and all that acts by itself taken off: what joints are asked for where nothing closes a loop.
void LoopDynamics::find_free_forces(std::span<const double> qacc, std::span<double> tau) {
    std::vector<double> passive(model_->nv, 0.0);
    clear_external(ws);
    add_fluid_forces(ws);
    add_bushing_forces(ws);
    inverse_dynamics<double>(state_, qacc, ws, drives, tau, has_medium(*model_) || has_bushings(*model_));
    add_passive_forces<double>(state_, *model_, drives, passive);
    add_bushing_pulls<double>(ws, passive);
    for (int k = 0; k < model_->nv; ++k) tau[k] -= passive[k];
}

LoopStatus LoopDynamics::find_forces(std::span<double> qacc) {
    const int d = freedoms();
    std::vector<double> dw(d), wanted(d, 0.0);
    for (int i = 0; i < d; ++i) dw[i] = qacc[independent_[i]];
    accelerations(dw, qacc);
    find_free_forces(qacc, free_force_);
    for (int k = 0; k < model_->nv; ++k)
        for (int i = 0; i < d; ++i) wanted[i] += map_[static_cast<std::size_t>(k) * d + i] * free_force_[k];

    std::fill(joint_force.begin(), joint_force.end(), 0.0);
    std::fill(actuator_force.begin(), actuator_force.end(), 0.0);
    spare_actuators = 0;
    LoopStatus status = LoopStatus::ok;
    if (actuators_.empty())
        for (int i = 0; i < d; ++i) joint_force[independent_[i]] = wanted[i];
    else
        status = find_actuation(wanted);

    std::vector<double> left(free_force_);
    for (int k = 0; k < model_->nv; ++k) left[k] -= joint_force[k];
    find_multipliers(left);
    return status;
}

// A f = wanted with A = Nᵀ Bᵀ, B the rows of the actuators: of all f the one of least Σ f².
LoopStatus LoopDynamics::find_actuation(std::span<const double> wanted) {
    const int d = freedoms(), count = static_cast<int>(actuators_.size());
    std::vector<double> A(static_cast<std::size_t>(d) * count, 0.0), G(static_cast<std::size_t>(d) * d, 0.0);
    const auto for_each_entry = [&](int a, const auto& f) {
        const Model::Row& row = model_->actuators[actuators_[a]].row;
        for (int k = row.begin; k < row.begin + row.count; ++k)
            f(model_->row_velocities[k], drives.row_entries[k]);
    };
    int effective = 0;
    for (int a = 0; a < count; ++a) {
        for_each_entry(a, [&](int velocity, double entry) {
            for (int i = 0; i < d; ++i)
                A[static_cast<std::size_t>(i) * count + a] +=
                    map_[static_cast<std::size_t>(velocity) * d + i] * entry;
        });
        bool acts = false;
        for (int i = 0; i < d; ++i) acts = acts || A[static_cast<std::size_t>(i) * count + a] != 0;
        effective += acts;
    }
    for (int i = 0; i < d; ++i)
        for (int j = 0; j < d; ++j)
            for (int a = 0; a < count; ++a)
                G[static_cast<std::size_t>(i) * d + j] +=
                    A[static_cast<std::size_t>(i) * count + a] * A[static_cast<std::size_t>(j) * count + a];
    PseudoInverse inverse;
    const int rank = inverse.factor(G, d, no_effect);
    spare_actuators = effective - rank;
    std::vector<double> f(count, 0.0), left(wanted.begin(), wanted.end()), lambda(d), size(d);
    // Twice: what rounding leaves of the first.
    for (int pass = 0; pass < 2; ++pass) {
        inverse.solve(left, lambda);
        for (int a = 0; a < count; ++a)
            for (int i = 0; i < d; ++i) f[a] += A[static_cast<std::size_t>(i) * count + a] * lambda[i];
        for (int i = 0; i < d; ++i) {
            left[i] = wanted[i];
            size[i] = std::fabs(wanted[i]);
            for (int a = 0; a < count; ++a) {
                const double term = A[static_cast<std::size_t>(i) * count + a] * f[a];
                left[i] -= term;
                size[i] = std::max(size[i], std::fabs(term));
            }
        }
    }
    for (int a = 0; a < count; ++a) {
        actuator_force[actuators_[a]] = f[a];
        for_each_entry(a, [&](int velocity, double entry) { joint_force[velocity] += entry * f[a]; });
    }

    double largest = 0;
    for (const double own : size) largest = std::max(largest, own);
    int worst = -1;
    for (int i = 0; i < d; ++i)
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
