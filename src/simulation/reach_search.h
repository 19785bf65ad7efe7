#pragma once

// Targets by Levenberg and Marquardt's method, equalities and limits by rows that hold.
//
// In the coordinates of JointFactor (equality_system.h) a step is the shortest s, in the measure of the
// inertia, with which the equalities lose their error and the targets as much of theirs as a damping μ lets
// them: they give way by a share μ of what they could do. μ falls after a step that was good and rises after
// one that was not. A limit that the step would pass is held at its end by a row, and the step is computed
// again, until none is passed. What is judged is the sum of squares of all errors; those of equalities and
// limits count for so much more that no target is met at their expense.
//
// What bends counts as stiff, by the forces with which it pulls: limits that are circles, and links that a
// target pulls on which they cannot reach. And a step along a bend is put back onto equalities and limits
// before it is judged.

#include <ligament/inverse_kinematics.h>

#include "constraints/limit_bend.h"
#include "core/length.h"
#include "core/rotation.h"
#include "dynamics/dynamics_parts.h"
#include "joints/joint_list.h"
#include "model/named.h"
#include "simulation/equality_closure.h"
#include "simulation/row_tension.h"

#include <algorithm>
#include <cmath>

namespace lig {

class ReachSearch {
public:
    explicit ReachSearch(const std::shared_ptr<const Model>& model)
        : ws_(model),
          drives_(*model),
          closure_(*model),
          factor_(*model),
          system_(*model, Equalities::multiplier_count(*model) + model->nv),
          tension_(*model),
          joint_terms_(*model),
          state_(*model),
          step_(model->nv),
          s_(model->nv),
          tried_(model->nq) {}

    // The nearest pose downhill.
    ReachReport descend(const std::vector<ReachTarget>& targets, JointState<double>& state,
                        const ReachOptions& options) {
        targets_ = &targets;
        state_ = state;
        measure_size();
        ReachReport report;
        report.poses = 1;
        Merit now = look();
        double damping = 1e-4;
        bool bold = true;
        int idle = 0;
        settled_ = false;
        for (; report.iterations < options.iterations; ++report.iterations) {
            if (is_met(options)) break;
            if (!find_step(damping)) break;
            shorten(step_, options.longest_step);
            tried_ = state_.q;
            integrate<double>(ws_, tried_, step_, 1.0, state_.q);
            const Merit next = restore(look());
            if (next.sum < now.sum) {
                // Where nothing more is to be gained the pose is the nearest there is.
                idle = next.sum > now.sum * (1 - 1e-9) && next.firm <= closed * closed ? idle + 1 : 0;
                now = next;
                settled_ = idle == 3;
                if (settled_) break;
                damping = std::max((bold ? 0.1 : 0.5) * damping, 1e-14);
                bold = true;
            } else {
                state_.q = tried_;
                now = look();
                damping *= bold ? 10 : 4;
                bold = false;
                settled_ = damping > 1e6;
                if (settled_) break;
            }
        }
        describe(options, report);
        if (state.q != state_.q) {
            std::fill(state_.v.begin(), state_.v.end(), 0.0);
            state = state_;
        }
        return report;
    }

    // Whether the last descent ended where no pose near by is nearer.
    bool settled() const { return settled_; }

    // How far the targets are off in a state.
    ReachReport errors_of(const std::vector<ReachTarget>& targets, const JointState<double>& state,
                          const ReachOptions& options) {
        targets_ = &targets;
        state_ = state;
        look();
        return describe_errors(options);
    }

    std::vector<Pose> poses_of(const std::vector<ReachTarget>& targets, const JointState<double>& state) {
        std::vector<Pose> out;
        forward_kinematics(state, ws_);
        for (const ReachTarget& target : targets) out.push_back(pose_of(target));
        return out;
    }

    // The largest change of a coordinate: rad, or of lengths, times the size of the model.
    double longest(const std::vector<double>& change) const {
        double most = 0;
        for (const Model::Joint& joint : ws_.model().joints) {
            const joints::JointInfo& info = joints::joint_info(joint.type);
            const double* v = change.data() + joint.v_adr;
            for (int k = 0; k < info.nq; ++k) {
                const bool turns = info.coordinate_kinds[k] == joints::Coordinate::quaternion;
                const double unit = info.coordinate_kinds[k] == joints::Coordinate::length ? size_ : 1;
                for (int i = 0; i < (turns ? 3 : 1); ++i) most = std::max(most, std::abs(*v++) / unit);
                if (turns) k += 3;
            }
        }
        return most;
    }

    // The change of coordinates from one to the other, counted like velocities.
    void find_change(const JointState<double>& from, const JointState<double>& to, std::vector<double>& out) {
        difference<double>(ws_, from.q, to.q, out);
    }

private:
    // An error of an equality or limit counts as this many of a target.
    static constexpr double firmness = 100;
    static constexpr double closed = 1e-12;  // relative error of equalities
    static constexpr double kept = 1e-9;     // rad, m: beyond a limit by less
    static constexpr double on_limit = 1e-12;  // … after a step: rounding
    static constexpr int max_restorations = 4;
    static constexpr double longest_restoration = 0.3;  // rad, or times the size of the model

    ReachReport describe_errors(const ReachOptions& options) const {
        ReachReport report;
        report.reached = is_met(options);
        if (report.reached) return report;
        for (std::size_t k = 0; k < errors_.size(); ++k) {
            const double error = std::max(length(errors_[k].way), length(errors_[k].turn));
            if (report.target < 0 || error > report.error) {
                report.error = error;
                report.target = static_cast<int>(k);
            }
        }
        return report;
    }

    struct Merit {
        double sum = 0;   // of squares, all errors relative to their sizes
        double firm = 0;  // of these, what may not be off, without its factor
    };

    Pose pose_of(const ReachTarget& target) const {
        const Transformd X = body_pose(ws_, target.body) * transform_of(target.frame);
        return {X.p, quaternion(X.R)};
    }
    static Transformd transform_of(const Pose& pose) {
        return {rotation_matrix(normalized(pose.quat)), pose.pos};
    }

    void measure_size() {
        forward_kinematics(state_, ws_);
        size_ = 0;
        Vec3d least = Vec3d::zero(), most = Vec3d::zero();
        bool first = true;
        for (const auto& pose : ws_.poses) {
            const Vec3d& p = pose.X_WL.p;
            for (int k = 0; k < 3; ++k) {
                least[k] = first ? p[k] : std::min(least[k], p[k]);
                most[k] = first ? p[k] : std::max(most[k], p[k]);
            }
            first = false;
        }
        for (const ReachTarget& target : *targets_)
            size_ = std::max(size_, length(target.frame.pos));
        size_ = std::max({size_, length(most - least), 1e-3});
    }

    // Errors of the pose, and rows of the targets.
    Merit look() {
        forward_kinematics(state_, ws_);
        update_drives(state_, ws_, drives_);
        closure_.assemble(state_, ws_, drives_, false);
        Merit merit;
        for (const EqualityTerms& terms : closure_.terms())
            merit.firm += terms.error * terms.error / (terms.size * terms.size);
        find_near_limits(state_, ws_.model(), HUGE_VAL, limits_);
        for (const NearLimit& limit : limits_)
            if (limit.gap < 0) merit.firm += limit.gap * limit.gap;
        errors_.clear();
        for (const ReachTarget& target : *targets_) {
            const Pose now = pose_of(target);
            Error& error = errors_.emplace_back();
            error.way = now.pos - target.wanted.pos;
            merit.sum += target.weight * dot(error.way, error.way) / (size_ * size_);
            if (!target.with_axes) continue;
            // In the world's axes.
            error.turn = rotation_log(now.quat * conjugate(normalized(target.wanted.quat)));
            const double radian = radian_of(target) / size_;
            merit.sum += target.weight * radian * radian * dot(error.turn, error.turn);
        }
        merit.sum += firmness * merit.firm;
        if (!std::isfinite(merit.sum)) merit.sum = HUGE_VAL;
        return merit;
    }

    double radian_of(const ReachTarget& target) const { return target.radian > 0 ? target.radian : size_; }

    bool is_met(const ReachOptions& options) const {
        if (closure_.error().relative > closed) return false;
        for (const NearLimit& limit : limits_)
            if (limit.gap < -kept) return false;
        return std::all_of(errors_.begin(), errors_.end(), [&](const Error& error) {
            return length(error.way) <= options.tolerance && length(error.turn) <= options.tolerance;
        });
    }

    // False where an inertia cannot be divided by.
    bool find_step(double damping) {
        if (factor_.factor(ws_) >= 0) return false;
        find_active(damping);
        if (!stiffen()) return true;
        if (factor_.factor(ws_, joint_terms_) >= 0) return false;
        find_active(damping);
        return true;
    }

    void find_active(double damping) {
        held_.assign(limits_.size(), 0);
        // An active set: what is passed is held, what pulls is let go.
        for (std::size_t time = 0; time <= 4 + 2 * limits_.size(); ++time) {
            collect_rows();
            for (std::size_t k = 0; k < targets_->size(); ++k) add_target((*targets_)[k], errors_[k]);
            solve_rows(damping);
            bool passed = false;
            for (std::size_t k = 0; k < limits_.size(); ++k) {
                if (held_[k] || gap_after(limits_[k]) >= -on_limit) continue;
                held_[k] = 1;
                passed = true;
            }
            if (!passed && !let_go()) break;
        }
    }

    // What bends: limits that are held and push, links that targets pull on. It counts as
    // stiff; without that, steps along a bend overshoot. Returns whether there is any.
    bool stiffen() {
        joint_terms_.clear_added();
        std::size_t row = closure_.terms().size();
        bool bends = false;
        for (std::size_t k = 0; k < limits_.size(); ++k) {
            if (!held_[k]) continue;
            LimitBend bend;
            find_limit(state_, ws_.model(), limits_[k].joint, limits_[k].slot, &bend);
            const Row& own = rows_.rows[row];
            if (bend.bend > 0 && lambda_[row] > 0) {
                add_bend(std::span<const RowEntry>(rows_.entries).subspan(own.entry_begin, own.entry_count),
                         bend, lambda_[row], joint_terms_);
                bends = true;
            }
            ++row;
        }
        tension_.clear();
        for (const RowBlock& block : rows_.blocks)
            if (block.kind == RowKind::tracking) pull_by_block(rows_, block, lambda_, ws_, tension_);
        tension_.pull_on_parents(ws_);
        joint_terms_.turning = {};
        if (tension_.find(ws_, 1, 0)) {
            joint_terms_.turning = tension_.of_links();
            bends = true;
        }
        return bends;
    }

    void solve_rows(double damping) {
        lambda_.assign(target_.size(), 0.0);
        std::fill(s_.begin(), s_.end(), 0.0);
        system_.set_rows(factor_, rows_);
        if (damping > 0) system_.soften(damping, sizes_);
        system_.choose(EqualitySystem::smallest_tolerance);
        system_.solve(target_, s_, lambda_);
        factor_.outward(s_, step_);
    }

    // Equalities and limits bend, and a step along them leaves them. It is put back onto them before it is
    // judged: else steps along a bend would have to be short.
    Merit restore(Merit next) {
        for (int k = 0; k < max_restorations && next.firm > closed * closed; ++k) {
            if (!std::isfinite(next.sum) || factor_.factor(ws_) >= 0) break;
            held_.assign(limits_.size(), 0);
            for (std::size_t i = 0; i < limits_.size(); ++i) held_[i] = limits_[i].gap < -on_limit;
            collect_rows();
            solve_rows(0);
            shorten(step_, longest_restoration);
            integrate<double>(ws_, state_.q, step_, 1.0, state_.q);
            next = look();
        }
        return next;
    }

    // The limit that pulls the most.
    bool let_go() {
        std::size_t row = closure_.terms().size(), worst = limits_.size();
        double most = 0;
        for (std::size_t k = 0; k < limits_.size(); ++k) {
            if (!held_[k]) continue;
            if (lambda_[row] < most) {
                most = lambda_[row];
                worst = k;
            }
            ++row;
        }
        if (worst == limits_.size()) return false;
        held_[worst] = 0;
        return true;
    }

    double gap_after(const NearLimit& limit) const {
        double gap = limit.gap;
        for (int k = 0; k < limit.count; ++k) gap += limit.gradient[k] * step_[limit.first + k];
        return gap;
    }

    void collect_rows() {
        rows_ = closure_.placing_rows();
        target_.clear();
        sizes_.clear();
        for (const EqualityTerms& terms : closure_.terms()) {
            target_.push_back(terms.holonomic ? -terms.error : 0);
            sizes_.push_back(0);
        }
        for (std::size_t k = 0; k < limits_.size(); ++k) {
            if (!held_[k]) continue;
            const NearLimit& limit = limits_[k];
            rows_.begin_block(RowKind::limit, limit.joint);
            rows_.add_row().lo = -HUGE_VAL;
            for (int i = 0; i < limit.count; ++i) rows_.add_entry(limit.first + i, limit.gradient[i]);
            target_.push_back(-limit.gap);
            sizes_.push_back(0);
        }
    }

    struct Error {
        Vec3d way{0, 0, 0}, turn{0, 0, 0};
    };

    void add_target(const ReachTarget& target, const Error& error) {
        const Model& model = ws_.model();
        const int link = model.bodies[target.body].link;
        const Vec3d point = pose_of(target).pos, arm = point - ws_.poses[link].X_WL.p;
        rows_.begin_block(RowKind::tracking, -1, -1, link, {0, 0, 0}, point);
        const double weight = 1 / std::sqrt(target.weight);
        for (int k = 0; k < 3; ++k) {
            Vec3d axis = Vec3d::zero();
            axis[k] = 1;
            Row& row = rows_.add_row();
            row.lo = -HUGE_VAL;
            row.on_b = {cross(arm, axis), axis};
            target_.push_back(-error.way[k]);
            sizes_.push_back(weight * size_);
        }
        for (int k = 0; k < 3 && target.with_axes; ++k) {
            Row& row = rows_.add_row();
            row.lo = -HUGE_VAL;
            row.on_b.ang[k] = 1;
            target_.push_back(-error.turn[k]);
            sizes_.push_back(weight * size_ / radian_of(target));
        }
    }

    // All of it, so that it leads the same way.
    void shorten(std::vector<double>& change, double to) const {
        const double most = longest(change);
        if (most <= to) return;
        for (double& x : change) x *= to / most;
    }

    void describe(const ReachOptions& options, ReachReport& report) {
        const ReachReport found = describe_errors(options);
        report.reached = found.reached;
        report.error = found.error;
        report.target = found.target;
        for (const NearLimit& limit : limits_)
            if (limit.gap < 10 * kept) {
                const std::string name = named(ws_.model(), ws_.model().joints[limit.joint]);
                if (report.at_limit.empty() || report.at_limit.back() != name)
                    report.at_limit.push_back(name);
            }
        if (closure_.equality_rows() == 0 || factor_.factor(ws_) >= 0) return;
        system_.set_rows(factor_, closure_.placing_rows());
        system_.choose();
        report.smallest_sine = system_.smallest_sine();
    }

    Workspace<double> ws_;
    DriveWorkspace<double> drives_;
    EqualityClosure closure_;
    JointFactor factor_;
    EqualitySystem system_;
    TensionStiffness tension_;
    JointTerms joint_terms_;  // of what bends
    const std::vector<ReachTarget>* targets_ = nullptr;
    bool settled_ = false;  // no pose near by is nearer
    JointState<double> state_;
    double size_ = 1;
    std::vector<Error> errors_;       // (targets) how far they are off
    std::vector<NearLimit> limits_;
    std::vector<char> held_;          // (limits)
    Rows rows_;
    std::vector<double> step_, s_;    // (nv)
    std::vector<double> tried_;       // (nq)
    std::vector<double> target_, sizes_, lambda_;  // (rows)
};

}  // namespace lig
