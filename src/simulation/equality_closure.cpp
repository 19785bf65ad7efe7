#include "simulation/equality_closure.h"

#include "constraints/coupling_rows.h"
#include "constraints/implicit_terms.h"
#include "constraints/length_row.h"
#include "constraints/limit_bend.h"
#include "constraints/row_jacobian.h"
#include "constraints/stretch_entries.h"
#include "core/length.h"
#include "dynamics/dynamics_parts.h"
#include "simulation/row_tension.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig {

namespace {

int max_rows(const Model& model) {
    return Equalities::multiplier_count(model) + static_cast<int>(model.tendons.size());
}

// What a correction strains a body by becomes a velocity in the next step: with x = ω² h² of an elastic
// frequency, of the acceleration that is corrected for x/((1 + x)(1 + s² x)), s times the step being what
// resists. That is a quarter at worst with s = 1, below one percent with this.
constexpr double stiffer = 10;

// Rows that follow from each other on the equalities are at an angle of about e where those are open by e.
double rank_tolerance(double relative_error) {
    const double sine = 100 * relative_error;
    return std::clamp(sine * sine, EqualitySystem::smallest_tolerance, 1e-6);
}

}  // namespace

EqualityClosure::EqualityClosure(const Model& model)
    : model_(model),
      list_(model),
      factor_(model),
      system_(model, max_rows(model)),
      tension_(model),
      joint_terms_(model),
      elastic_terms_(model),
      s_(model.nv),
      change_(model.nv),
      motion_(model.tree.links.size()),
      force_(model.tree.links.size()) {
    const int rows = max_rows(model);
    for (Rows* list : {&rows_, &placing_}) {
        list->rows.reserve(rows);
        list->blocks.reserve(rows);
    }
    terms_.reserve(rows);
    for (std::vector<double>* list : {&lambda_, &target_, &product_, &impulse_, &pulled_})
        list->reserve(rows);
}

void EqualityClosure::assemble(const JointState<double>& state, const Workspace<double>& ws,
                               const DriveWorkspace<double>& drives, bool with_products) {
    rows_.clear();
    terms_.clear();
    for (const Equality& equality : list_.acting())
        Equalities::add(equality, {state, ws, &drives, state.time, with_products}, rows_, terms_);
    if (held) add_held(ws);
    if (held_limits) add_held_limits(state, drives);
    equalities_ = static_cast<int>(rows_.rows.size());
    // A tendon of inertia a pulls with λ = −a (J v̇ + J̇ v), which is a row of compliance 1/a.
    for (const int tendon : drives.inertial_tendons) {
        const Model::Row& row = model_.tendons[tendon].row;
        rows_.begin_block(RowKind::tendon, tendon);
        Row& out = rows_.add_row();
        out.lo = -HUGE_VAL;
        out.compliance = 1 / model_.tendons[tendon].armature;
        for (int k = row.begin; k < row.begin + row.count; ++k)
            rows_.add_entry(model_.row_velocities[k], drives.row_entries[k]);
        EqualityTerms own;
        if (with_products) own.product = tendon_acceleration(ws, tendon);
        terms_.push_back(own);
    }
    for (std::vector<double>* list : {&lambda_, &target_, &product_, &impulse_})
        list->resize(rows_.rows.size());
}

void EqualityClosure::add_held(const Workspace<double>& ws) {
    for (const HeldContact& contact : *held) {
        const Transformd &A = carrier_pose(ws, contact.link_a), &B = carrier_pose(ws, contact.link_b);
        const Vec3d arm_a = A.R * stretched(ws, contact.link_a, contact.on_a, contact.geom_a);
        const Vec3d arm_b = B.R * stretched(ws, contact.link_b, contact.on_b, contact.geom_b);
        rows_.begin_block(RowKind::contact, -1, contact.link_a, contact.link_b);
        Row& row = rows_.add_row();
        row.lo = -HUGE_VAL;
        if (contact.link_a >= 0) row.on_a = {-cross(arm_a, contact.normal), -contact.normal};
        if (contact.link_b >= 0) row.on_b = {cross(arm_b, contact.normal), contact.normal};
        add_stretch_entries(ws, contact.link_a, -contact.normal, contact.on_a, rows_, contact.geom_a);
        add_stretch_entries(ws, contact.link_b, contact.normal, contact.on_b, rows_, contact.geom_b);
        const double distance = dot(contact.normal, B.p - A.p + arm_b - arm_a);
        terms_.push_back({.error = distance - contact.distance,
                          .rounding = std::numeric_limits<double>::epsilon() * (length(A.p) + length(B.p))});
    }
}

void EqualityClosure::add_held_limits(const JointState<double>& state, const DriveWorkspace<double>& drives) {
    bends_.clear();
    for (const HeldLimit& limit : *held_limits) {
        rows_.begin_block(limit.joint >= 0 ? RowKind::limit : RowKind::tendon_limit,
                          static_cast<int>(bends_.size()));
        rows_.add_row().lo = -HUGE_VAL;
        LimitBend& bend = bends_.emplace_back();
        if (limit.joint >= 0) {
            const NearLimit now = find_limit(state, model_, limit.joint, limit.slot, &bend);
            for (int k = 0; k < now.count; ++k) rows_.add_entry(now.first + k, now.gradient[k]);
            terms_.push_back({.error = now.gap - limit.gap});
        } else {
            const TendonGaps now = find_tendon_gaps(model_, drives, limit.tendon);
            add_length_entries(model_, drives, model_.tendons[limit.tendon].row,
                               (limit.slot == 0 ? 1 : -1) / now.arm, rows_);
            terms_.push_back({.error = now.gap[limit.slot] / now.arm - limit.gap});
        }
    }
}

int EqualityClosure::factor_inertia(const Workspace<double>& ws) {
    return resists_ ? factor_.factor(ws, elastic_terms_) : factor_.factor(ws);
}

bool EqualityClosure::factor(const Workspace<double>& ws) {
    if (factor_inertia(ws) >= 0) return false;
    system_.set_rows(factor_, rows_);
    return true;
}

void EqualityClosure::multiply(const Workspace<double>& ws, std::span<const double> x,
                               std::span<double> out) {
    const std::vector<TreeLink<double>>& links = model_.tree.links;
    for (std::size_t i = 0; i < links.size(); ++i) {
        Motion<double> motion = links[i].parent >= 0 ? shift(motion_[links[i].parent], ws.links[i].r)
                                                     : Motion<double>::zero();
        for (int k = links[i].v_adr; k < links[i].v_adr + links[i].nv; ++k) motion += x[k] * ws.S[k];
        motion_[i] = motion;
    }
    for (const RowBlock& block : rows_.blocks)
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const Row& row = rows_.rows[r];
            double sum = 0;
            if (block.link_a >= 0) sum += dot(row.on_a, motion_[block.link_a]);
            if (block.link_b >= 0) sum += dot(row.on_b, motion_[block.link_b]);
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
                sum += rows_.entries[e].value * x[rows_.entries[e].dof];
            out[r] = sum;
        }
}

int EqualityClosure::accelerate(const JointState<double>& state, const Workspace<double>& ws,
                                const DriveWorkspace<double>& drives, bool choose_rows,
                                std::span<double> qacc) {
    assemble(state, ws, drives, true);
    if (const int link = factor_.factor(ws); link >= 0) return link;
    system_.set_rows(factor_, rows_);
    const double opening = error().relative;
    if (choose_rows)
        system_.choose(rank_tolerance(opening));
    else
        system_.choose_as_before();
    multiply(ws, qacc, product_);
    for (std::size_t r = 0; r < terms_.size(); ++r) target_[r] = -(product_[r] + terms_[r].product);
    std::fill(s_.begin(), s_.end(), 0.0);
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
    met_rows_ = -1;
    if (choose_rows && opening > open_equalities::least)
        met_rows_ = system_.solve_least_squares(open_equalities::tolerance(opening), target_, s_, lambda_) -
                    (static_cast<int>(terms_.size()) - equalities_);
    else
        system_.solve(target_, s_, lambda_);
    factor_.outward(s_, change_);
    for (int k = 0; k < model_.nv; ++k) qacc[k] += change_[k];
    return -1;
}

EqualityErrors EqualityClosure::error() const {
    EqualityErrors out;
    for (int b = 0; b < static_cast<int>(rows_.blocks.size()); ++b)
        for (int r = rows_.blocks[b].begin; r < rows_.blocks[b].begin + rows_.blocks[b].count; ++r) {
            const EqualityTerms& terms = terms_[r];
            // NaN counts as the largest.
            const double own = std::abs(terms.error / terms.scale),
                         relative = std::abs(terms.error) / terms.size;
            if (!(own <= out.largest)) out.largest = own;
            if (!(relative <= out.relative)) {
                out.relative = relative;
                out.block = b;
            }
        }
    return out;
}

const Rows& EqualityClosure::placing_rows() {
    if (std::all_of(terms_.begin(), terms_.end(), [](const EqualityTerms& own) { return own.holonomic; }))
        return rows_;
    placing_ = rows_;
    for (std::size_t r = 0; r < terms_.size(); ++r)
        if (!terms_[r].holonomic) placing_.rows[r].on_a = placing_.rows[r].on_b = Force<double>::zero();
    return placing_;
}

bool EqualityClosure::find_correction(const Workspace<double>& ws, double tolerance, std::span<double> dq) {
    const auto is_off = [&](int r) {
        return std::abs(terms_[r].error) > 2e-15 * terms_[r].size + 4 * terms_[r].rounding;
    };
    bool off = false;
    for (int r = 0; r < equalities_; ++r) off = off || is_off(r);
    if (!off || (stiffened_ ? factor_with_tension(ws) : factor_inertia(ws)) >= 0) return false;
    system_.set_rows(factor_, placing_rows());
    system_.choose(tolerance);
    off = false;
    for (int r = 0; r < static_cast<int>(terms_.size()); ++r) {
        target_[r] = -terms_[r].error;
        off = off || (is_off(r) && !system_.is_redundant(r));
    }
    if (!off) return false;
    std::fill(dq.begin(), dq.end(), 0.0);
    correct(ws, dq);
    if (stiffened_)
        for (std::size_t r = 0; r < pulled_.size(); ++r) pulled_[r] += impulse_[r];
    return true;
}

void EqualityClosure::resist_stretching(const JointState<double>& state, double h) {
    resists_ = h > 0 && !model_.deforming.empty();
    if (!resists_) return;
    elastic_terms_.clear_added();
    add_implicit_terms(state, model_, stiffer * h, elastic_terms_, change_);
    // Of springs and dampers, theirs alone.
    for (const TreeLink<double>& link : model_.tree.links) {
        const int stretches = link.stretch < 0 ? 0 : model_.tree.stretches[link.stretch].count;
        for (int k = link.v_adr; k < link.v_adr + link.nv - stretches; ++k)
            for (int l = link.v_adr; l <= k; ++l) elastic_terms_.added[elastic_terms_.added_at(k, l)] = 0;
    }
}

void EqualityClosure::stiffen() {
    stiffened_ = true;
    pulled_ = impulse_;
}

void EqualityClosure::relax() { stiffened_ = false; }

int EqualityClosure::factor_with_tension(const Workspace<double>& ws) {
    tension_.clear();
    for (const RowBlock& block : rows_.blocks)
        if (block.kind == RowKind::loop || block.kind == RowKind::pair)
            pull_by_block(rows_, block, pulled_, ws, tension_);
    tension_.pull_on_parents(ws);
    joint_terms_.turning = {};
    if (resists_)
        joint_terms_.added = elastic_terms_.added;
    else
        joint_terms_.clear_added();
    for (const RowBlock& block : rows_.blocks) {
        if (block.kind != RowKind::limit || !(pulled_[block.begin] > 0)) continue;
        const Row& row = rows_.rows[block.begin];
        add_bend(std::span<const RowEntry>(rows_.entries).subspan(row.entry_begin, row.entry_count),
                 bends_[block.source], pulled_[block.begin], joint_terms_);
    }
    if (tension_.find(ws, 1, 0)) joint_terms_.turning = tension_.of_links();
    return factor_.factor(ws, joint_terms_);
}

bool EqualityClosure::velocity_fits(const Workspace<double>& ws, std::span<const double> v, double share) {
    double fastest = 0;
    for (const double x : v) fastest = std::max(fastest, std::abs(x));
    multiply(ws, v, product_);
    for (int r = 0; r < equalities_; ++r)
        if (!(std::abs(product_[r] + terms_[r].base_rate) <= share * terms_[r].size * fastest)) return false;
    return true;
}

void EqualityClosure::project_velocity(const Workspace<double>& ws, double tolerance, std::span<double> v) {
    if (!factor(ws)) return;
    system_.choose(tolerance);
    for (std::size_t r = 0; r < terms_.size(); ++r) target_[r] = -terms_[r].base_rate;
    correct(ws, v);
}

void EqualityClosure::take_out(const Workspace<double>& ws, std::span<double> change, ChangeOf of) {
    if (of == ChangeOf::coordinates) multiply(ws, change, product_);
    for (std::size_t r = 0; r < terms_.size(); ++r)
        target_[r] = of == ChangeOf::coordinates && !terms_[r].holonomic ? product_[r] : 0;
    correct(ws, change);
}

// Soft rows are only there for what they weigh: they ask for nothing.
void EqualityClosure::correct(const Workspace<double>& ws, std::span<double> x) {
    multiply(ws, x, product_);
    for (int r = 0; r < static_cast<int>(terms_.size()); ++r)
        target_[r] = r < equalities_ ? target_[r] - product_[r] : 0;
    std::fill(s_.begin(), s_.end(), 0.0);
    std::fill(impulse_.begin(), impulse_.end(), 0.0);
    system_.solve(target_, s_, impulse_);
    factor_.outward(s_, change_);
    for (int k = 0; k < model_.nv; ++k) x[k] += change_[k];
}

void EqualityClosure::joint_forces(const Workspace<double>& ws, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    std::fill(force_.begin(), force_.end(), Force<double>::zero());
    for (const RowBlock& block : rows_.blocks) {
        if (block.begin >= equalities_) break;
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const Row& row = rows_.rows[r];
            if (block.link_a >= 0) force_[block.link_a] += lambda_[r] * row.on_a;
            if (block.link_b >= 0) force_[block.link_b] += lambda_[r] * row.on_b;
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
                out[rows_.entries[e].dof] += lambda_[r] * rows_.entries[e].value;
        }
    }
    const std::vector<TreeLink<double>>& links = model_.tree.links;
    for (int i = static_cast<int>(links.size()) - 1; i >= 0; --i) {
        for (int k = links[i].v_adr; k < links[i].v_adr + links[i].nv; ++k) out[k] += dot(ws.S[k], force_[i]);
        if (links[i].parent >= 0) force_[links[i].parent] += shift_back(force_[i], ws.links[i].r);
    }
}

void EqualityClosure::write_row(const Workspace<double>& ws, int row, std::span<double> out) const {
    const auto block = std::find_if(rows_.blocks.begin(), rows_.blocks.end(), [&](const RowBlock& candidate) {
        return row < candidate.begin + candidate.count;
    });
    write_row_jacobian(rows_, *block, rows_.rows[row], ws, out);
}

// At a point of body B: what the rows of a block push it by, or where it does not move, the opposite of what
// they push A by.
Force<double> EqualityClosure::on_b(const Workspace<double>& ws, const RowBlock& block,
                                    const Vec3d& M) const {
    const bool by_b = block.link_b >= 0;
    const Vec3d origin = ws.poses[by_b ? block.link_b : block.link_a].X_WL.p;
    Force<double> sum = Force<double>::zero();
    for (int r = block.begin; r < block.begin + block.count; ++r)
        sum += lambda_[r] * shift_back(by_b ? rows_.rows[r].on_b : -rows_.rows[r].on_a, origin - M);
    return sum;
}

void EqualityClosure::loop_reactions(const Workspace<double>& ws, std::span<Force<double>> out) const {
    std::fill(out.begin(), out.end(), Force<double>::zero());
    for (const RowBlock& block : rows_.blocks) {
        if (block.kind != RowKind::loop) continue;
        const Model::Loop& loop = model_.loops[block.source];
        out[block.source] = on_b(ws, block, attached_frame(ws, loop.body_b, loop.X_BM).p);
    }
}

void EqualityClosure::pair_reactions(const Workspace<double>& ws, std::span<Force<double>> out) const {
    std::fill(out.begin(), out.end(), Force<double>::zero());
    for (const RowBlock& block : rows_.blocks) {
        if (block.kind != RowKind::pair) continue;
        const Model::PairConstraint& pair = model_.pair_constraints[block.source];
        out[block.source] = on_b(ws, block, attached_frame(ws, pair.body_b, pair.X_BM).p);
    }
}

int EqualityClosure::redundant_rows() const {
    if (met_rows_ >= 0) return equalities_ - met_rows_;
    int count = 0;
    for (int r = 0; r < equalities_; ++r) count += system_.is_redundant(r);
    return count;
}

void EqualityClosure::take_lambda(std::span<const double> lambda) {
    std::copy(lambda.begin(), lambda.end(), lambda_.begin());
}

template <class Function>
void EqualityClosure::for_each_multiplier(const Function& f) const {
    const std::span<const Equality> equalities = list_.acting();
    for (std::size_t e = 0; e < equalities.size(); ++e) {
        const RowBlock& block = rows_.blocks[e];
        for (int r = block.begin; r < block.begin + block.count; ++r)
            f(r, equalities[e].multiplier + terms_[r].part);
    }
}

void EqualityClosure::write_multipliers(std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for_each_multiplier([&](int row, int place) { out[place] = terms_[row].scale * lambda_[row]; });
}

void EqualityClosure::take_multipliers(std::span<const double> multipliers) {
    lambda_.assign(rows_.rows.size(), 0.0);
    for_each_multiplier([&](int row, int place) { lambda_[row] = multipliers[place] / terms_[row].scale; });
}

std::string EqualityClosure::name_of_block(int block) const {
    const RowBlock& own = rows_.blocks[block];
    if (is_equality(own.kind)) return Equalities::name_of(model_, own.kind, own.source);
    return own.kind == RowKind::contact ? "a contact" : "a limit";
}

}  // namespace lig
