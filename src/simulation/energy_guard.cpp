#include "simulation/energy_guard.h"

#include "linalg/sym_factor3.h"
#include "simulation/tree_whole.h"

#include <ligament/dynamics.h>

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr double max_removed = 0.9;  // of the kinetic energy
// Of the energies that a balance is the difference of: what rounding leaves of it.
constexpr double rounding = 1e-12;

double noise_of(const EnergyLedger& step) {
    return rounding * (std::abs(step.before) + std::abs(step.potential) + step.kinetic);
}

// Whether something other than its joints and contacts holds a tree: then its momentum is not its own.
bool is_tied(const Model& model, int begin, int end) {
    const auto within = [&](int body) {
        const int link = model.bodies[body].link;
        return link >= begin && link < end;
    };
    const auto ties = [&](const auto& pair) { return within(pair.body_a) != within(pair.body_b); };
    return std::any_of(model.loops.begin(), model.loops.end(), ties) ||
           std::any_of(model.pair_constraints.begin(), model.pair_constraints.end(), ties) ||
           !model.tendon_couplings.empty() || !model.couplings.empty() ||
           !model.subtree_constraints.empty() || !model.group_constraints.empty();
}

// (nv) The velocities of the model if all its joints were locked: trees that float go on as one body, others
// stand still.
void locked_velocities(const SmoothDynamics& dynamics, std::span<double> out) {
    const Workspace<double>& ws = dynamics.ws;
    const Model& model = ws.model();
    std::fill(out.begin(), out.end(), 0.0);
    const int count = static_cast<int>(model.tree.links.size());
    for (int begin = 0, end = 0; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && model.tree.links[end].parent >= begin) ++end;
        const TreeLink<double>& root = model.tree.links[begin];
        if (root.parent != -1 || root.kernel != TreeLink<double>::Kernel::free) continue;
        if (is_tied(model, begin, end)) continue;
        const TreeWhole whole = whole_of(ws, begin, end);
        const Vec3d spin = solve(factor(whole.inertia), whole.spin);
        const Transformd& X_WL = ws.poses[begin].X_WL;
        const Vec3d lin = (1 / whole.mass) * whole.momentum + cross(spin, X_WL.p - whole.com);
        const Vec3d ang = transpose_mul(X_WL.R, spin);
        for (int k = 0; k < 3; ++k) {
            out[root.v_adr + k] = lin[k];
            out[root.v_adr + 3 + k] = ang[k];
        }
    }
}

}  // namespace

EnergyGuard::EnergyGuard(double share, const Model& model, bool has_soft_contacts)
    : share_(share), soft_(has_soft_contacts) {
    const Vec3d& wind = model.options.wind;
    wind_ = dot(wind, wind) > 0;
}

// What a step has made beyond all that it may have been given. In a hard blow what is dissipated and what the
// method makes cannot be told apart to the last joule: there only energy that has risen counts.
double EnergyGuard::made_in(const EnergyLedger& step) const {
    const EnergyFlows& flows = step.flows;
    const double by_wind = wind_ ? std::max(0.0, -flows.dampers) : 0.0;
    const double raised = std::max(0.0, -flows.corrections);
    const double given = flows.drives + flows.applied + flows.kinematic + raised + by_wind;
    // Nothing that dissipates gives: where it does, the method has made that, too.
    double given_back = -by_wind;
    for (const double lost :
         {flows.dampers, flows.joint_friction, flows.contact_friction, flows.impacts, flows.limits})
        given_back += std::max(0.0, -lost);
    const double made = step.method + given_back - flows.removed;
    const double risen = step.after() - step.before - given;
    if (soft_) return risen - flows.removed;
    if (made > 0) return std::max(0.0, std::min(made, risen));
    // What corrections have put in its place has not been lost.
    return std::min(0.0, made + raised);
}

EnergyGuard::Account EnergyGuard::after(const EnergyLedger& step, double h) const {
    const double fading = std::exp(-h / fading_time);
    Account next = account;
    const double by_bases = std::abs(step.flows.kinematic) / h * fading_time;
    const double own = step.kinetic - std::max(0.0, made_in(step)) - raised_in(step);
    next.moving = std::max({fading * account.moving, own, by_bases});
    next.made = fading * account.made + made_in(step);
    return next;
}

// What the account may have after the step, J.
double EnergyGuard::admitted(const EnergyLedger& step, const Account& next, double least) const {
    return share_ * next.moving + least + noise_of(step);
}

double EnergyGuard::surplus(const EnergyLedger& step, double h, double least) const {
    if (share_ == 0) return 0;
    if (!std::isfinite(step.method)) return HUGE_VAL;
    const double made = made_in(step);
    // As much as may be made for ever, `least` within the time that the account fades in, is no surplus:
    // corrections may have filled the account, and at rest there is no motion to take a trifle out of.
    if (!(made > least * h / fading_time + noise_of(step))) return 0;
    const Account next = after(step, h);
    return std::min(made, next.made - admitted(step, next, least));
}

// Of corrections, what is neither lost within the step nor counted as made by the method. Soft contacts give
// back what they were pressed in by.
double EnergyGuard::raised_in(const EnergyLedger& step) const {
    if (soft_) return 0;
    const EnergyFlows& flows = step.flows;
    const double risen = step.after() - step.before - flows.drives - flows.applied - flows.kinematic;
    return std::clamp(risen - std::max(0.0, made_in(step)), 0.0, std::max(0.0, -flows.corrections));
}

double EnergyGuard::surplus_raised(const EnergyLedger& step, double h, double least) const {
    const double raised = raised_in(step);
    if (share_ == 0 || raised == 0) return 0;
    const Account next = after(step, h);
    return std::clamp(next.made + raised - admitted(step, next, least), 0.0, raised);
}

void AdmittedRise::note(double kinetic, double h) {
    const double fading = std::exp(-h / EnergyGuard::fading_time);
    faded_ += (1 - fading) * account_;
    moving_ = std::max(fading * moving_, kinetic);
    account_ = share_ * moving_ + least_;
}

double idle_energy(const Model& model, double depth) {
    const Vec3d& gravity = model.options.gravity;
    const double of_mass = 0.5e-6 + depth * std::sqrt(dot(gravity, gravity));
    double sum = 0;
    for (const TreeLink<double>& link : model.tree.links) sum += of_mass * link.inertia.mass;
    return sum;
}

bool Brake::slow_down(double surplus, SmoothDynamics& dynamics, JointState<double>& state) {
    std::vector<double>&v = velocities_, &locked = locked_;
    v = state.v;
    locked.resize(v.size());
    const auto kinetic = [&] {
        forward_kinematics(state, dynamics.ws);
        update_drives(state, dynamics.ws, dynamics.drives);
        return energy(state, dynamics.ws, dynamics.drives).kinetic;
    };
    const double now = kinetic();
    // What grows by leaps is not slowed down but ended: of numbers that large nothing true is left.
    if (!(surplus <= max_removed * now)) return false;
    locked_velocities(dynamics, locked);
    for (const bool all : {false, true}) {
        if (all) std::fill(locked.begin(), locked.end(), 0.0);
        const auto slow_to = [&](double s) {
            for (std::size_t k = 0; k < v.size(); ++k) state.v[k] = locked[k] + s * (v[k] - locked[k]);
        };
    // The kinetic energy is a + b s + c s², as kinematic bodies go on.
        slow_to(0);
        const double a = kinetic();
        slow_to(0.5);
        const double half = kinetic();
        const double c = 2 * (now + a - 2 * half), b = now - a - c;
        const double below = a - (now - surplus), discriminant = b * b - 4 * c * below;
        const double s = b + std::sqrt(discriminant) != 0 ? -2 * below / (b + std::sqrt(discriminant)) : -1;
        if (s >= 0 && s <= 1) {
            slow_to(s);
            return true;
        }
    }
    state.v = v;
    return false;
}

void EnergyGuard::note(const EnergyLedger& step, double h, double raised) {
    account = after(step, h);
    account.made += raised;
}

void add_part(const StepReport& part, StepReport& whole) {
    if (whole.fallbacks == 0) whole.fallback = part.fallback;
    for (const StepCount& count : step_counts)
        whole.*count.value = (count.is_sum ? whole.*count.value : 0) + part.*count.value;
    for (const StepError& error : step_errors)
        whole.*error.value = std::max(whole.*error.value, part.*error.value);
    whole.residual = std::max(whole.residual, part.residual);
    whole.time = part.time;
    whole.given_up = part.given_up;
    for (int k = 0; k < step_stages; ++k) whole.seconds[k] += part.seconds[k];
    whole.energy.kinetic = part.energy.kinetic;
    whole.energy.potential = part.energy.potential;
    whole.energy.elastic = part.energy.elastic;
    whole.energy.flows += part.energy.flows;
    whole.energy.method += part.energy.method;
    whole.momentum.after = part.momentum.after;
    whole.momentum.flows += part.momentum.flows;
    whole.momentum.method += part.momentum.method;
    // What was not done as well as wished in one part was not in the whole.
    if (whole.status == StepStatus::ok || !was_taken(part)) {
        whole.status = part.status;
        whole.where = part.where;
    }
}

}  // namespace lig
