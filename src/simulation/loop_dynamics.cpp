// The rows J v + base = 0 of equalities, less those that follow from others, are solved for as many
// velocities as there are rows, the dependent ones D:
//     J_D v_D + J_I w + base = 0,   N_D = −J_D⁻¹ J_I,   n_D = −J_D⁻¹ base,   m_D = −J_D⁻¹ product,
// and N is the unit matrix in the independent ones. D comes by elimination with pivots from all that is left
// of rows and columns; velocities that were asked to be independent give no pivots, those that actuators
// drive give them last. A column counts by 1/√M_kk, so that radians and metres compare by what they move.

#include <ligament/loop_dynamics.h>

#include "linalg/dense_lu.h"
#include "model/named.h"
#include "simulation/equality_closure.h"

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

}  // namespace lig
