// Assembling: least squares over the errors of all rows, from several starts.
//
// A step is that of Levenberg and Marquardt in the coordinates of JointFactor (equality_system.h): the rows
// are asked to lose all of their error and give way by a share μ of what they could do, which bends the least
// step towards the gradient where rows become dependent. μ falls after a step that was good and rises after
// one that was not. Coordinates that a step would take beyond their range are held at its end by rows of
// their own, and the step is computed again, until none leaves.

#include <ligament/assemble.h>

#include "core/rotation.h"
#include "joints/joint_list.h"
#include "scenes/random.h"
#include "simulation/equality_closure.h"

#include <ligament/smooth_motion.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace lig {

namespace {

// A coordinate that has a range: its velocity is its rate.
struct Bounded {
    int joint, q, v;
    Range range;
};

std::vector<Bounded> bounded_coordinates(const Model& model) {
    std::vector<Bounded> out;
    if (!model.options.enabled.constraint || !model.options.enabled.limit) return out;
    for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
        const Model::Joint& joint = model.joints[j];
        if (joint.nq != joint.nv) continue;
        for (int k = 0; k < joint.nq; ++k)
            if (std::isfinite(joint.range[k].lower) || std::isfinite(joint.range[k].upper))
                out.push_back({j, joint.q_adr + k, joint.v_adr + k, joint.range[k]});
    }
    return out;
}

class Assembler {
public:
    Assembler(const std::shared_ptr<const Model>& model, JointState<double> start,
              const AssembleOptions& options)
        : model_(*model),
          options_(options),
          ws_(model),
          drives_(*model),
          closure_(*model),
          factor_(*model),
          system_(*model, Equalities::multiplier_count(*model) + model->nv),
          bounded_(bounded_coordinates(*model)),
          start_(std::move(start)),
          state_(start_),
          step_(model->nv),
          s_(model->nv),
          tried_(start_.q),
          held_(bounded_.size()) {}

    // Whether this pose, or one that is found from it, closes everything.
    bool solve(bool within_ranges) {
        if (within_ranges) clamp(state_.q);
        double now = look();
        double damping = 1e-3;
        bool bold = true;  // the last step was good with this damping or less
        for (int k = 0; k < options_.iterations; ++k, ++iterations) {
            if (closure_.error().relative <= close_enough) return true;
            if (!find_step(damping, within_ranges)) break;
            shorten_step();
            tried_ = state_.q;
            integrate<double>(ws_, tried_, step_, 1.0, state_.q);
            if (within_ranges) clamp(state_.q);
            const double next = look();
            if (next < now) {
                // Steps that hardly gain anything lead to a pose in which nothing more is to be gained.
                if (next > now * (1 - 1e-12) && damping <= 1e-6) break;
                now = next;
                damping = std::max((bold ? 0.2 : 0.9) * damping, 1e-12);
                bold = true;
            } else {
                state_.q = tried_;
                now = look();
                damping *= bold ? 6 : 2;
                bold = false;
                if (damping > 1e8) break;
            }
        }
        return closure_.error().relative <= max_left;
    }

    // The given pose with every coordinate moved by up to `reach` (rad, or times the size of the model).
    void begin_at_random(double reach) {
        state_ = start_;
        for (const Model::Joint& joint : model_.joints) {
            const joints::JointInfo& info = joints::joint_info(joint.type);
            double* const q = state_.q.data() + joint.q_adr;
            for (int k = 0; k < info.nq; ++k) switch (info.coordinate_kinds[k]) {
                    case joints::Coordinate::angle: q[k] += reach * random_.u(); break;
                    case joints::Coordinate::length:
                        q[k] += reach * size_ * random_.u() / std::numbers::pi;
                        break;
                    case joints::Coordinate::quaternion: {
                        const Vec3d turn{reach * random_.u(), reach * random_.u(), reach * random_.u()};
                        const Quatd turned = Quatd{q[k], q[k + 1], q[k + 2], q[k + 3]} * rotation_exp(turn);
                        q[k] = turned.w;
                        q[k + 1] = turned.x;
                        q[k + 2] = turned.y;
                        q[k + 3] = turned.z;
                        k += 3;
                        break;
                    }
                }
        }
        // Beyond a range: somewhere within it.
        for (const Bounded& b : bounded_) {
            double& q = state_.q[b.q];
            if (q >= b.range.lower && q <= b.range.upper) continue;
            if (std::isfinite(b.range.lower) && std::isfinite(b.range.upper))
                q = b.range.lower + 0.5 * (1 + random_.u()) * (b.range.upper - b.range.lower);
            else
                q = std::clamp(q, b.range.lower, b.range.upper);
        }
    }

    void begin_at_start() { state_ = start_; }
    void show(const JointState<double>& state) { state_ = state; }

    // The sum of squares of all errors relative to their sizes.
    double look() {
        forward_kinematics(state_, ws_);
        update_drives(state_, ws_, drives_);
        closure_.assemble(state_, ws_, drives_, false);
        double sum = 0;
        size_ = 0;
        for (const EqualityTerms& terms : closure_.terms()) {
            sum += terms.error * terms.error / (terms.size * terms.size);
            size_ = std::max(size_, terms.size / std::abs(terms.scale));
        }
        return std::isfinite(sum) ? sum : HUGE_VAL;
    }

    // Of the present pose.
    void describe(AssembleReport& report) {
        look();
        report.error = closure_.error().largest;
        report.open.clear();
        for (int b = 0; b < static_cast<int>(closure_.rows().blocks.size()); ++b) {
            const RowBlock& block = closure_.rows().blocks[b];
            double square = 0, relative = 0;
            for (int r = block.begin; r < std::min(block.begin + block.count, closure_.equality_rows());
                 ++r) {
                const EqualityTerms& terms = closure_.terms()[r];
                square += terms.error / terms.scale * (terms.error / terms.scale);
                relative = std::max(relative, std::abs(terms.error) / terms.size);
            }
            if (relative > max_left) report.open.push_back({closure_.name_of_block(b), std::sqrt(square)});
        }
        std::sort(report.open.begin(), report.open.end(), [](const auto& a, const auto& b) {
            return a.error > b.error || (a.error == b.error && a.what < b.what);
        });
        report.limit_violation = 0;
        report.beyond_limit.clear();
        for (const Bounded& b : bounded_) {
            const double beyond = std::max(b.range.lower - state_.q[b.q], state_.q[b.q] - b.range.upper);
            if (!(beyond > std::max(report.limit_violation, 1e-9))) continue;
            report.limit_violation = beyond;
            report.beyond_limit = model_.joints[b.joint].name;
        }
    }

    const JointState<double>& state() const { return state_; }
    bool has_ranges() const { return !bounded_.empty(); }

    int iterations = 0;
    static constexpr double close_enough = 1e-14;  // relative
    // Where rows are redundant, they contradict each other by the digits of the file.
    static constexpr double max_left = 1e-6;

private:
    void clamp(std::vector<double>& q) const {
        for (const Bounded& b : bounded_) q[b.q] = std::clamp(q[b.q], b.range.lower, b.range.upper);
    }

    // All of it, so that it leads the same way.
    void shorten_step() {
        if (options_.longest_step == 0) return;
        double most = 0;
        for (const Model::Joint& joint : model_.joints) {
            const joints::JointInfo& info = joints::joint_info(joint.type);
            const double* v = step_.data() + joint.v_adr;
            for (int k = 0; k < info.nq; ++k) {
                const joints::Coordinate kind = info.coordinate_kinds[k];
                const int count = kind == joints::Coordinate::quaternion ? 3 : 1;
                const double unit = kind == joints::Coordinate::length ? size_ : 1;
                for (int i = 0; i < count; ++i) most = std::max(most, std::abs(*v++) / unit);
                if (kind == joints::Coordinate::quaternion) k += 3;
            }
        }
        if (most <= options_.longest_step) return;
        for (double& x : step_) x *= options_.longest_step / most;
    }

    // False where an inertia cannot be divided by.
    bool find_step(double damping, bool within_ranges) {
        if (factor_.factor(ws_) >= 0) return false;
        std::fill(held_.begin(), held_.end(), 0);
        // Each time at least one coordinate more is held.
        for (std::size_t time = 0; time <= bounded_.size(); ++time) {
            rows_ = closure_.placing_rows();
            target_.clear();
            sizes_.clear();
            for (const EqualityTerms& terms : closure_.terms()) {
                target_.push_back(-terms.error);
                sizes_.push_back(terms.holonomic ? terms.size : 0);
            }
            for (std::size_t k = 0; k < bounded_.size(); ++k) {
                if (!held_[k]) continue;
                const Bounded& b = bounded_[k];
                rows_.begin_block(RowKind::limit, b.joint);
                rows_.add_row();
                rows_.add_entry(b.v, 1);
                sizes_.push_back(0);
                target_.push_back((held_[k] < 0 ? b.range.lower : b.range.upper) - state_.q[b.q]);
            }
            lambda_.assign(target_.size(), 0.0);
            std::fill(s_.begin(), s_.end(), 0.0);
            system_.set_rows(factor_, rows_);
            system_.soften(damping, sizes_);
            system_.choose(EqualitySystem::smallest_tolerance);
            system_.solve(target_, s_, lambda_);
            factor_.outward(s_, step_);
            bool leaves = false;
            for (std::size_t k = 0; k < bounded_.size() && within_ranges; ++k) {
                if (held_[k]) continue;
                const double q = state_.q[bounded_[k].q] + step_[bounded_[k].v];
                held_[k] = q < bounded_[k].range.lower ? -1 : q > bounded_[k].range.upper ? 1
                                                                                          : 0;
                leaves = leaves || held_[k];
            }
            if (!leaves) break;
        }
        return true;
    }

    const Model& model_;
    AssembleOptions options_;
    Workspace<double> ws_;
    DriveWorkspace<double> drives_;
    EqualityClosure closure_;
    JointFactor factor_;
    EqualitySystem system_;
    std::vector<Bounded> bounded_;
    JointState<double> start_, state_;
    std::vector<double> step_, s_, tried_, target_, sizes_, lambda_;
    std::vector<int> held_;  // (bounded) −1 at its lower end, 1 at its upper one
    Rows rows_;
    double size_ = 1;
    scenes::Congruence random_{options_.seed};
};

// Loops between parts that cannot move relative to each other: nothing can be done about them.
void add_rigid_loops(const std::shared_ptr<const Model>& model, const JointState<double>& state,
                     AssembleReport& report) {
    Workspace<double> ws(model);
    forward_kinematics(state, ws);
    for (int k = 0; k < static_cast<int>(model->loops.size()); ++k) {
        const Model::Loop& loop = model->loops[k];
        const int a = model->bodies[loop.body_a].link, b = model->bodies[loop.body_b].link;
        if (!loop.active || (a != b && (a >= 0 || b >= 0))) continue;
        std::vector<double> C(loop.rows);
        loop_residual(ws, k, C);
        double most = 0;
        for (const double c : C) most = std::max(most, std::abs(c));
        if (most <= 1e-6) continue;
        report.closed = false;
        report.error = std::max(report.error, most);
        report.open.push_back({"loop '" + loop.name + "' between '" + model->bodies[loop.body_a].name +
                                   "' and '" + model->bodies[loop.body_b].name + "', which cannot move",
                               most});
    }
}

}  // namespace

AssembleReport assemble(const std::shared_ptr<const Model>& model, JointState<double>& state,
                        const AssembleOptions& options) {
    SmoothDynamics dynamics(model);  // also looks at the kinds of bodies
    const JointState<double> shape(*model);
    if (state.q.size() != shape.q.size() || state.v.size() != shape.v.size() ||
        state.kinematic.size() != shape.kinematic.size())
        throw std::invalid_argument("lig::assemble: the state is of another model");
    AssembleReport report;
    if (!dynamics.has_equalities()) {
        report.closed = true;
        if (model->options.enabled.constraint && model->options.enabled.equality)
            add_rigid_loops(model, state, report);
        return report;
    }
    Assembler assembler(model, state, options);
    JointState<double> best = state;
    double best_error = HUGE_VAL;
    const auto attempt = [&](bool within_ranges) {
        ++report.starts;
        const bool solved = assembler.solve(within_ranges);
        const double error = assembler.look();
        if (error < best_error) {
            best_error = error;
            best = assembler.state();
        }
        return solved;
    };
    bool found = attempt(true);
    for (int k = 1; k < options.starts && !found; ++k) {
        assembler.begin_at_random(std::numbers::pi * k / std::max(options.starts - 1, 1));
        found = attempt(true);
    }
    if (!found && assembler.has_ranges()) {
        assembler.begin_at_start();
        found = attempt(false);
    }
    report.iterations = assembler.iterations;
    assembler.show(best);
    assembler.describe(report);
    report.closed = found;
    if (found) {
        best.v = state.v;
        report.closed = dynamics.close_equalities(best).closed;
        report.error = dynamics.equality_errors(best).largest;
        report.open.clear();
    }
    add_rigid_loops(model, best, report);
    if (report.closed) state = best;
    return report;
}

}  // namespace lig
