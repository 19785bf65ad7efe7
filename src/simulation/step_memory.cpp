#include "simulation/step_memory.h"

#include "simulation/finite_checks.h"
#include "simulation/pose_target_numbers.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace lig {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("lig::Simulation: " + what); }

// A list of a snapshot, or zeros where it has none.
template <class T>
std::vector<T> list_or_zeros(const std::vector<T>& list, std::size_t size, const T& zero, const char* what) {
    if (list.empty()) return std::vector<T>(size, zero);
    if (list.size() != size) refuse(std::string("the snapshot's ") + what + " are of another model");
    return list;
}

EnergyGuard::Account account_of(const std::vector<double>& numbers) {
    if (numbers.empty()) return {};
    if (numbers.size() != 3 || !(numbers[1] >= 0) || !std::isfinite(numbers[0]) ||
        !std::isfinite(numbers[1]) || !(numbers[2] >= 1 && numbers[2] <= EnergyGuard::max_parts))
        refuse("the account of the snapshot's energy is damaged");
    return {numbers[0], numbers[1], static_cast<int>(numbers[2])};
}

void check_bodies(const Snapshot& snapshot, const Formulation& formulation) {
    std::vector<double> own;
    formulation.context().bodies->save_bodies(own);
    if (!snapshot.bodies.empty() && snapshot.bodies.size() != own.size())
        refuse("the snapshot's bodies are of another formulation; without them it can be restored");
    for (const double x : snapshot.bodies)
        if (!std::isfinite(x)) refuse("a number of the snapshot's bodies is not finite");
}

}  // namespace

StepMemory::StepMemory(const Model& model) : state_(model), pose_targets_(model) {}

// Calls copy(of the simulation, of the memory) for everything but contacts and bodies.
template <class Memory, class Copy>
void StepMemory::for_each_field(const SteppingParts& parts, Memory& memory, Copy&& copy) {
    SmoothDynamics& inputs = parts.formulation.context().motion.dynamics;
    copy(parts.state, memory.state_);
    copy(inputs.ctrl, memory.ctrl_);
    copy(inputs.qfrc_applied, memory.qfrc_applied_);
    copy(inputs.xfrc_applied, memory.xfrc_applied_);
    copy(parts.formulation.context().warm.lambda, memory.impulses_);
    copy(parts.formulation.context().impulse_time, memory.impulse_time_);
    copy(parts.formulation.context().pose_targets, memory.pose_targets_);
    copy(parts.guard.account, memory.guard_);
}

void StepMemory::note(const SteppingParts& parts) {
    for_each_field(parts, *this, [](const auto& now, auto& kept) { kept = now; });
    const Contacts& contacts = parts.formulation.context().collision.contacts;
    contacts_ = contacts.contacts;
    manifolds_ = contacts.manifolds;
    events_ = contacts.events;
    parts.formulation.context().bodies->save_bodies(bodies_);
}

void StepMemory::put_back_fields(const SteppingParts& parts) const {
    for_each_field(parts, *this, [](auto& now, const auto& kept) { now = kept; });
    parts.formulation.context().last.kind = SubstepKind::none;
    parts.formulation.context().bodies->state_was_set(parts.state);
    if (!bodies_.empty()) parts.formulation.context().bodies->restore_bodies(bodies_);
}

void StepMemory::put_back(const SteppingParts& parts) const {
    Contacts& contacts = parts.formulation.context().collision.contacts;
    contacts.contacts = contacts_;
    contacts.manifolds = manifolds_;
    contacts.events = events_;
    put_back_fields(parts);
}

Snapshot StepMemory::snapshot(const SteppingParts& parts) {
    StepMemory now(parts.model);
    now.note(parts);
    Snapshot snapshot = save(parts.model, now.state_, parts.formulation.context().collision);
    snapshot.ctrl = std::move(now.ctrl_);
    snapshot.qfrc_applied = std::move(now.qfrc_applied_);
    snapshot.xfrc_applied = std::move(now.xfrc_applied_);
    if (now.pose_targets_.active()) snapshot.pose_targets = numbers_of(parts.model, now.pose_targets_);
    snapshot.impulses = std::move(now.impulses_);
    snapshot.impulse_time = now.impulse_time_;
    snapshot.bodies = std::move(now.bodies_);
    snapshot.guard = {now.guard_.made, now.guard_.moving, static_cast<double>(now.guard_.parts)};
    return snapshot;
}

void StepMemory::restore(const Snapshot& snapshot, const SteppingParts& parts) {
    const Model& model = parts.model;
    const SmoothDynamics& inputs = parts.formulation.context().motion.dynamics;
    StepMemory next(model);
    lig::restore(model, snapshot, next.state_);
    if (const std::string bad = find_bad_state(model, next.state_); !bad.empty()) refuse(bad);
    next.ctrl_ = list_or_zeros(snapshot.ctrl, inputs.ctrl.size(), 0.0, "controls");
    next.qfrc_applied_ =
        list_or_zeros(snapshot.qfrc_applied, inputs.qfrc_applied.size(), 0.0, "applied forces");
    next.xfrc_applied_ = list_or_zeros(snapshot.xfrc_applied, inputs.xfrc_applied.size(),
                                       Force<double>::zero(), "applied forces");
    next.impulses_ =
        list_or_zeros(snapshot.impulses, parts.formulation.context().warm.lambda.size(), 0.0, "impulses");
    next.pose_targets_ = targets_of(model, snapshot.pose_targets);
    for (const double x : next.impulses_)
        if (!std::isfinite(x)) refuse("an impulse of the snapshot is not finite");
    next.impulse_time_ = snapshot.impulse_time;
    if (!(next.impulse_time_ >= 0 && std::isfinite(next.impulse_time_)))
        refuse("the time of the snapshot's impulses is not a number");
    check_bodies(snapshot, parts.formulation);
    next.bodies_ = snapshot.bodies;
    next.guard_ = account_of(snapshot.guard);
    // The last that may throw.
    lig::restore(model, snapshot, parts.state, parts.formulation.context().collision);
    next.put_back_fields(parts);
}

void StepMemory::reset(const SteppingParts& parts) {
    const SmoothDynamics& inputs = parts.formulation.context().motion.dynamics;
    StepMemory beginning(parts.model);
    beginning.ctrl_.assign(inputs.ctrl.size(), 0.0);
    beginning.qfrc_applied_.assign(inputs.qfrc_applied.size(), 0.0);
    beginning.xfrc_applied_.assign(inputs.xfrc_applied.size(), Force<double>::zero());
    beginning.impulses_.assign(parts.formulation.context().warm.lambda.size(), 0.0);
    parts.formulation.forget();
    beginning.put_back_fields(parts);
}

}  // namespace lig
