// Runge–Kutta methods on the coordinates of bodies: positions, quaternions as four numbers, velocities.

#include "formulations/multiplier/body_motion.h"

#include "core/length.h"
#include "core/rotation.h"
#include "dynamics/stretches.h"
#include "formulations/multiplier/tuning.h"
#include "simulation/butcher.h"
#include "simulation/kinematic_motion.h"
#include "simulation/momentum_account.h"

#include <algorithm>
#include <cmath>

namespace lig::multiplier {

namespace {

constexpr const MotionTuning& tuning = motion_tuning;

constexpr int numbers_of_link = 13;  // position 3, quaternion 4, velocity 6
constexpr int numbers_of_shape = 12;  // of links that deform, behind those: S and its rate

void write(const Sym3d& a, double* out) { bodies::Affine::gather(a, out); }
Sym3d read(const double* from) { return bodies::Affine::spread(from); }

// Of the entries of a link that deforms.
Sym3d spread_stretches(const BodySystem& system, int link, std::span<const double> u) {
    Sym3d out;
    visit_deforming(system.graph.model(), system.graph.link(link).stretch, [&](auto kind) {
        out = kind.spread(u.data() + system.graph.offset(link) + 6);
    });
    return out;
}
void gather_stretches(const BodySystem& system, int link, const Sym3d& S, std::span<double> u) {
    visit_deforming(system.graph.model(), system.graph.link(link).stretch, [&](auto kind) {
        kind.read(S, u.data() + system.graph.offset(link) + 6);
    });
}

void write_rates(const BodySystem& system, const BodyCoordinates& bodies, std::span<const double> a,
                 double* out) {
    for (int i = 0; i < system.graph.links(); ++i, out += numbers_of_link) {
        const Motion<double>& V = bodies.V[i];
        const Quatd turning = Quatd{0, V.ang.x, V.ang.y, V.ang.z} * bodies.quat[i];
        const Motion<double> accelerated = system.graph.motion_of(a, i);
        for (int k = 0; k < 3; ++k) {
            out[k] = V.lin[k];
            out[7 + k] = accelerated.ang[k];
            out[10 + k] = accelerated.lin[k];
        }
        out[3] = 0.5 * turning.w;
        out[4] = 0.5 * turning.x;
        out[5] = 0.5 * turning.y;
        out[6] = 0.5 * turning.z;
    }
    for (std::size_t k = 0; k < bodies.shapes.size(); ++k, out += numbers_of_shape) {
        const int link = system.graph.tree().stretches[k].link;
        write(bodies.shapes[k].rate, out);
        write(spread_stretches(system, link, a), out + 6);
    }
}

void move(const BodyCoordinates& from, const double* change, BodyCoordinates& to) {
    for (std::size_t i = 0; i < from.x.size(); ++i, change += numbers_of_link) {
        to.x[i] = from.x[i] + Vec3d{change[0], change[1], change[2]};
        const Quatd& q = from.quat[i];
        to.quat[i] = normalized(
            Quatd{q.w + change[3], q.x + change[4], q.y + change[5], q.z + change[6]});
        to.V[i] = from.V[i] +
                  Motion<double>{{change[7], change[8], change[9]}, {change[10], change[11], change[12]}};
    }
    for (std::size_t k = 0; k < from.shapes.size(); ++k, change += numbers_of_shape)
        to.shapes[k] = {from.shapes[k].S + read(change), from.shapes[k].rate + read(change + 6)};
}

// most: the largest error so far, relative to what it is an error of, and 1. Infinite if one is no number.
void raise(double& most, const Vec3d& error, double size) {
    for (int k = 0; k < 3; ++k)
        if (!(std::abs(error[k]) <= most * (1 + size))) most = std::abs(error[k]) / (1 + size);
    if (std::isnan(most)) most = HUGE_VAL;
}

void raise(double& most, const Sym3d& error, double size) {
    raise(most, Vec3d{error.xx, error.yy, error.zz}, size);
    raise(most, Vec3d{error.xy, error.xz, error.yz}, size);
}

double size_of(const Sym3d& a) {
    return std::max({std::abs(a.xx), std::abs(a.yy), std::abs(a.zz), std::abs(a.xy), std::abs(a.xz),
                     std::abs(a.yz)});
}

double largest_change(const BodyCoordinates& from, const BodyCoordinates& to) {
    double most = 0;
    for (std::size_t i = 0; i < from.x.size(); ++i) {
        raise(most, to.x[i] - from.x[i], length(from.x[i]));
        raise(most, (to.quat[i] * conjugate(from.quat[i])).vec(), 0);
        raise(most, to.V[i].ang - from.V[i].ang, length(from.V[i].ang));
        raise(most, to.V[i].lin - from.V[i].lin, length(from.V[i].lin));
    }
    for (std::size_t k = 0; k < from.shapes.size(); ++k) {
        raise(most, to.shapes[k].S - from.shapes[k].S, 0);
        raise(most, to.shapes[k].rate - from.shapes[k].rate, size_of(from.shapes[k].rate));
    }
    return most;
}

}  // namespace

// Takes from the change in u_, of velocities or of positions counted like velocities, what leads off the rows
// of the last factor; x_ gets the rest.
void BodyMotion::take_out_rows(ChangeOf of) {
    BodySystem& system = dynamics.system;
    system.poses.momenta(u_, x_);
    system.matrix.row_velocities(u_, rates_);
    std::fill(x_.begin() + system.graph.body_entries(), x_.end(), 0.0);
    for (const int dof : system.graph.soft_freedoms())
        x_[system.graph.soft_row(dof)] = rates_[system.graph.soft_row(dof)];
    if (of == ChangeOf::coordinates)
        for (std::size_t e = 0; e < system.graph.equalities().size(); ++e)
            for (int r = 0; r < system.matrix.rows_of(e); ++r)
                if (const int entry = system.matrix.entry_of(e, r); !system.matrix.is_holonomic(e, r))
                    x_[entry] = rates_[entry];
    system.matrix.solve_refined(x_, BodyMatrix::max_solves);
}

// The error of a step relative to what is tolerated; change: the estimated error of all numbers, at stage_.
//
// Errors that lead off the constraints are removed by projection, and what they do to the motion along them
// is of their square. They count in full all the same: stages that are off are what makes errors along the
// constraints, which are estimated well only where all errors follow the order of the method. They do not
// near a position where rows become dependent, x away: the rows that have almost none of their own left turn
// accelerations by what stages are off over x. Steps that count it in full become as short as x and never
// get there. So a step is good, too, if its error along the constraints is smaller by far, and the square of
// the others is.
double BodyMotion::error_of_stages(const BodyCoordinates& from, const JointState<double>& state,
                                   const BodyMotionOptions& options, std::span<const double> change) {
    BodySystem& system = dynamics.system;
    const auto turn_of = [&](int i) {
        const double* const e = change.data() + numbers_of_link * i + 3;
        return 2 * (Quatd{e[0], e[1], e[2], e[3]} * conjugate(stage_.quat[i])).vec();
    };
    double all = 0, along = 0, of_activations = 0;
    for (int i = 0; i < system.graph.links(); ++i) {
        const double* const e = change.data() + numbers_of_link * i;
        const Motion<double> moved{turn_of(i), {e[0], e[1], e[2]}};
        raise(all, 0.5 * moved.ang, 0);
        raise(all, moved.lin, length(from.x[i]));
        raise(all, Vec3d{e[7], e[8], e[9]}, length(from.V[i].ang));
        raise(all, Vec3d{e[10], e[11], e[12]}, length(from.V[i].lin));
        system.graph.write_motion(i, moved, u_);
    }
    const double* const of_shapes = change.data() + numbers_of_link * system.graph.links();
    for (std::size_t k = 0; k < from.shapes.size(); ++k) {
        const double* const e = of_shapes + numbers_of_shape * static_cast<int>(k);
        for (int part = 0; part < numbers_of_shape; part += 3)
            raise(all, Vec3d{e[part], e[part + 1], e[part + 2]}, part < 6 ? 0 : size_of(from.shapes[k].rate));
        gather_stretches(system, system.graph.tree().stretches[k].link, read(e), u_);
    }
    for (std::size_t k = 0; k < state.act.size(); ++k)
        of_activations = std::max(of_activations, std::abs(change[change.size() - state.act.size() + k]) /
                                                      (1 + std::abs(state.act[k])));
    if (options.baumgarte > 0) return std::max(all, of_activations) / options.tolerance;
    take_out_rows(ChangeOf::coordinates);
    for (int i = 0; i < system.graph.links(); ++i) {
        const Motion<double> moved = system.graph.motion_of(x_, i);
        raise(along, 0.5 * moved.ang, 0);
        raise(along, moved.lin, length(from.x[i]));
        const double* const e = change.data() + numbers_of_link * i;
        system.graph.write_motion(i, {{e[7], e[8], e[9]}, {e[10], e[11], e[12]}}, u_);
    }
    for (std::size_t k = 0; k < from.shapes.size(); ++k) {
        const int link = system.graph.tree().stretches[k].link;
        raise(along, spread_stretches(system, link, x_), 0);
        gather_stretches(system, link, read(of_shapes + numbers_of_shape * static_cast<int>(k) + 6), u_);
    }
    take_out_rows(ChangeOf::velocities);
    for (int i = 0; i < system.graph.links(); ++i) {
        const Motion<double> gained = system.graph.motion_of(x_, i);
        raise(along, gained.ang, length(from.V[i].ang));
        raise(along, gained.lin, length(from.V[i].lin));
    }
    for (std::size_t k = 0; k < from.shapes.size(); ++k)
        raise(along, spread_stretches(system, system.graph.tree().stretches[k].link, x_),
              size_of(from.shapes[k].rate));
    along = std::max(along, of_activations) / options.tolerance;
    return std::min(std::max(all / options.tolerance, along),
                    std::max(tuning.along_weight * along,
                             tuning.off_rows_weight * all / std::sqrt(options.tolerance)));
}

// Accelerations of stage_, `when` after the beginning of the step, into the rates of a stage.
bool BodyMotion::evaluate_stage(const Step& step, int stage, double when) {
    BodySystem& system = dynamics.system;
    SmoothDynamics& inputs = step.inputs;
    next_.time = step.state.time + when;
    for (std::size_t k = 0; k < step.state.kinematic.size(); ++k)
        next_.kinematic[k] = moved(step.state.kinematic[k], when);
    next_.loop_q = step.state.loop_q;
    look(next_, stage_);
    find_forces(inputs, next_, step.options, true, f_);
    // Not shared in one stage and left out in the others: next to a singular position that is not the same.
    const BodyDynamics::Solved solved =
        dynamics.accelerate_bodies(f_, step.options.baumgarte, BodyDynamics::RedundantRows::left_out);
    if (stage == 0) {
        left_out_ = step.report.redundant_rows = solved.redundant_rows;
        if (solved.redundant_rows > 0) system.matrix.leave_out(system.matrix.redundant());
    }
    // In a step that is too long stages may be anywhere.
    const auto fail = [&](const char* what) {
        step.error = HUGE_VAL;
        step.report.where = what;
        return false;
    };
    if (solved.bad_link >= 0) return fail("a body's inertia or its acceleration, which is not finite,");
    std::vector<double>& rates = stages_[stage];
    write_rates(system, stage_, dynamics.solution(), rates.data());
    std::copy_n(inputs.drives.act_dot.begin(), step.state.act.size(), rates.end() - step.state.act.size());
    if (!std::all_of(rates.begin(), rates.end(), [](double x) { return std::isfinite(x); }))
        return fail("accelerations, which are not finite,");
    flows_.find(system, inputs, next_, dynamics.reads_joints(inputs));
    system.poses.velocities(u_);
    powers_[stage] = flows_.work(u_, 1);
    powers_[stage].kinematic += BodyFlows::work_of_rows(system, dynamics.solution());
    if (inputs.momentum)
        inputs.momentum->stage(stage) = inputs.momentum->forces(system.poses.workspace(), inputs);
    return true;
}

// The weighted sum of the rates of the first stages times h, in the last list of stages_.
std::span<const double> BodyMotion::weigh_stages(double h, std::span<const double> weights) {
    std::vector<double>& sum = stages_.back();
    std::fill(sum.begin(), sum.end(), 0.0);
    for (std::size_t s = 0; s < weights.size(); ++s)
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += h * weights[s] * stages_[s][k];
    return sum;
}

// stage_ and activations where those rates lead.
void BodyMotion::combine_stages(const Step& step, std::span<const double> weights) {
    const std::span<const double> sum = weigh_stages(step.h, weights);
    move(step.bodies, sum.data(), stage_);
    const std::size_t na = step.state.act.size();
    for (std::size_t k = 0; k < na; ++k) next_.act[k] = step.state.act[k] + sum[sum.size() - na + k];
}

// What forces have done: their powers by the weights of the velocities.
void BodyMotion::add_stage_work(const Step& step, std::span<const double> weights) {
    for (std::size_t s = 0; s < weights.size(); ++s) work_ += (step.h * weights[s]) * powers_[s];
    if (step.inputs.momentum) step.inputs.momentum->propose(step.h, weights);
}

template <class Tableau>
bool BodyMotion::run_stages(const Step& step) {
    for (int s = 0; s < Tableau::stages; ++s) {
        if (s > 0) combine_stages(step, {Tableau::a[s], static_cast<std::size_t>(s)});
        if (!evaluate_stage(step, s, Tableau::c[s] * step.h)) return false;
    }
    return true;
}

// Semi-implicit: velocities first, then positions with the new ones.
bool BodyMotion::step_euler(const Step& step) {
    if (!evaluate_stage(step, 0, 0)) return false;
    // A kick: it does its work at the mean of the velocities before and after.
    const std::span<const double> a = dynamics.solution();
    for (int k = 0; k < dynamics.system.graph.body_entries(); ++k) u_[k] += 0.5 * step.h * a[k];
    work_ = flows_.work(u_, step.h);
    work_.kinematic += step.h * BodyFlows::work_of_rows(dynamics.system, a);
    const double one[] = {1};
    if (step.inputs.momentum) step.inputs.momentum->propose(step.h, one);
    combine_stages(step, one);
    for (std::size_t i = 0; i < step.bodies.x.size(); ++i) {
        stage_.x[i] = step.bodies.x[i] + step.h * stage_.V[i].lin;
        stage_.quat[i] = normalized(rotation_exp(step.h * stage_.V[i].ang) * step.bodies.quat[i]);
    }
    for (std::size_t k = 0; k < stage_.shapes.size(); ++k)
        stage_.shapes[k].S = step.bodies.shapes[k].S + step.h * stage_.shapes[k].rate;
    return true;
}

// stage_ and next_ by the method of the options; false: not.
bool BodyMotion::find_end_of_stages(const Step& step) {
    switch (step.options.method) {
        case Method::rk4:
            if (!run_stages<butcher::Rk4>(step)) return false;
            combine_stages(step, butcher::Rk4::b);
            add_stage_work(step, butcher::Rk4::b);
            return true;
        case Method::rk45: {
            using Tableau = butcher::DormandPrince;
            if (!run_stages<Tableau>(step)) return false;
            // The last stage is the new state: its weights are those of the result.
            step.error = error_of_stages(step.bodies, step.state, step.options,
                                         weigh_stages(step.h, Tableau::error));
            if (!(step.error <= 1)) return false;
            add_stage_work(step, {Tableau::a[Tableau::stages - 1], Tableau::stages - 1});
            return true;
        }
        default: return step_euler(step);
    }
}

// Puts the end of a step onto the constraints. False: it is too far off them.
bool BodyMotion::accept_end_of_stages(const Step& step, int redundant_before) {
    trial_ = stage_;
    if (!project(next_, stage_, step.report)) return false;
    if (step.options.method != Method::rk45) return true;
    if (redundant_ > redundant_before && missed_ < tuning.max_misses) {
        ++missed_;
        return false;
    }
    // Rows that were left out and do not follow from the others at the end: no estimate knows of them. Where
    // a shorter step is moved back by as much, the error is an older one.
    const double moved_back = redundant_ < left_out_ ? largest_change(trial_, stage_) : 0;
    if (tuning.off_rows_weight * moved_back > std::sqrt(step.options.tolerance) &&
        moved_back < 0.75 * moved_back_) {
        moved_back_ = moved_back;
        return false;
    }
    return true;
}

// One step by stages. False: its error is too large, or accelerations could not be had; then bodies and state
// are as before.
bool BodyMotion::step_stages(const Step& step) {
    BodySystem& system = dynamics.system;
    const std::size_t size =
        static_cast<std::size_t>(numbers_of_link * system.graph.links()) +
        numbers_of_shape * step.bodies.shapes.size() + step.state.act.size();
    if (stages_.empty()) stages_.assign(butcher::max_stages + 1, std::vector<double>(size));
    powers_.resize(butcher::max_stages);
    work_ = {};
    stage_ = step.bodies;
    next_ = step.state;
    factored_ = false;
    system.matrix.leave_out({});
    const int redundant_before = redundant_;
    left_out_ = 0;
    if (!find_end_of_stages(step)) return false;
    system.matrix.leave_out({});
    next_.time = step.state.time + step.h;
    for (std::size_t k = 0; k < step.state.kinematic.size(); ++k)
        next_.kinematic[k] = moved(step.state.kinematic[k], step.h);
    if (step.options.baumgarte == 0) {
        if (!accept_end_of_stages(step, redundant_before)) return false;
    } else {
        look(next_, stage_);
        system.matrix.find_errors();
        step.report.joint_error = std::max(step.report.joint_error, system.matrix.joint_error());
        step.report.equality_error = std::max(step.report.equality_error, system.matrix.equality_error());
    }
    missed_ = 0;
    moved_back_ = HUGE_VAL;
    step.report.work += work_;
    if (step.inputs.momentum) step.inputs.momentum->accept();
    std::swap(step.bodies, stage_);
    std::swap(step.state, next_);
    return true;
}

}  // namespace lig::multiplier
