#include <ligament/snapshot.h>

#include "core/byte_stream.h"
#include "model/base_numbers.h"

#include <ligament/collision.h>
#include <ligament/model.h>

#include <array>
#include <stdexcept>
#include <string>
#include <tuple>

namespace lig {

namespace {

// Layout, little-endian: magic, version, fingerprint; nq, nv, na, and the counts of ctrl, qfrc_applied,
// pose_targets, impulses, bodies, guard, loop_q, kinematic, xfrc_applied, bytes of contacts (64 bits each);
// then doubles: time, impulse_time, the lists of numbers in this order, 19 a kinematic body, 6 an applied
// force; then the contacts. Version 6 had no loop_q, version 5 no guard and version 4 no bodies either,
// neither counts nor lists.
constexpr std::uint64_t snapshot_magic = 0x504e53544e454d4c;  // "LMENTSNP"
constexpr std::uint64_t snapshot_version = 7, oldest_version = 4;
constexpr std::size_t numbers_of_base = 19, numbers_of_force = 6;

// The lists of plain numbers, of a snapshot or a const one, in their order.
auto number_lists(auto& snapshot) {
    return std::array{&snapshot.q, &snapshot.v, &snapshot.act,
                      &snapshot.ctrl, &snapshot.qfrc_applied, &snapshot.pose_targets,
                      &snapshot.impulses, &snapshot.bodies, &snapshot.guard,
                      &snapshot.loop_q};
}

}  // namespace

std::vector<std::byte> Snapshot::to_bytes() const {
    ByteWriter to;
    for (const std::uint64_t x : {snapshot_magic, snapshot_version, fingerprint}) to.word(x);
    for (const std::vector<double>* list : number_lists(*this)) to.word(list->size());
    for (const std::size_t count : {kinematic.size(), xfrc_applied.size(), contacts.size()}) to.word(count);
    to.number(time);
    to.number(impulse_time);
    for (const std::vector<double>* list : number_lists(*this))
        for (const double x : *list) to.number(x);
    for (const BaseMotion<double>& base : kinematic)
        for_each_number(base, base, [&](const double& x, const double&) { to.number(x); });
    for (const Force<double>& force : xfrc_applied)
        for (const Vec3d& part : {force.ang, force.lin})
            for (int k = 0; k < 3; ++k) to.number(part[k]);
    to.bytes(contacts);
    return std::move(to.out);
}

Snapshot Snapshot::from_bytes(std::span<const std::byte> bytes) {
    ByteReader in(bytes, "lig::Snapshot");
    if (in.word() != snapshot_magic) throw std::invalid_argument("lig::Snapshot: the data is not a snapshot");
    const std::uint64_t version = in.word();
    if (version < oldest_version || version > snapshot_version)
        throw std::invalid_argument("lig::Snapshot: version " + std::to_string(version) +
                                    "; this library reads versions " + std::to_string(oldest_version) +
                                    " to " + std::to_string(snapshot_version));
    Snapshot s;
    s.fingerprint = in.word();
    std::uint64_t wanted = 8 * 2;
    const auto count = [&](std::uint64_t size_of_each) {
        const std::uint64_t n = in.word();
        // Keeps the sum from overflowing.
        if (n > std::uint64_t(1) << 40)
            throw std::invalid_argument("lig::Snapshot: a count is absurd; the data is damaged");
        wanted += n * size_of_each;
        return n;
    };
    std::array<std::uint64_t, std::tuple_size_v<decltype(number_lists(s))>> numbers{};
    const std::size_t lists = numbers.size() - (snapshot_version - version);
    for (std::size_t k = 0; k < lists; ++k) numbers[k] = count(8);
    const std::uint64_t nkinematic = count(8 * numbers_of_base), nforces = count(8 * numbers_of_force);
    const std::uint64_t ncontacts = count(1);
    if (in.left() != wanted)
        throw std::invalid_argument(
            "lig::Snapshot: the length does not fit the counts; the data is truncated or damaged");
    s.time = in.number();
    s.impulse_time = in.number();
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        std::vector<double>& list = *number_lists(s)[k];
        list.resize(numbers[k]);
        for (double& x : list) x = in.number();
    }
    s.kinematic.resize(nkinematic);
    for (BaseMotion<double>& base : s.kinematic)
        for_each_number(base, base, [&](double& x, double&) { x = in.number(); });
    s.xfrc_applied.resize(nforces);
    for (Force<double>& force : s.xfrc_applied)
        for (Vec3d* part : {&force.ang, &force.lin})
            for (int k = 0; k < 3; ++k) (*part)[k] = in.number();
    const std::span<const std::byte> contacts = in.bytes(ncontacts);
    s.contacts.assign(contacts.begin(), contacts.end());
    return s;
}

Snapshot save(const Model& model, const JointState<double>& state) {
    Snapshot snapshot;
    snapshot.fingerprint = model.fingerprint;
    snapshot.time = state.time;
    snapshot.q = state.q;
    snapshot.v = state.v;
    snapshot.act = state.act;
    snapshot.kinematic = state.kinematic;
    snapshot.loop_q = state.loop_q;
    return snapshot;
}

Snapshot save(const Model& model, const JointState<double>& state, const CollisionWorkspace& collision) {
    Snapshot snapshot = save(model, state);
    snapshot.contacts = save_contacts(collision);
    return snapshot;
}

namespace {

void check_model(const Model& model, const Snapshot& snapshot) {
    if (snapshot.fingerprint != model.fingerprint || snapshot.q.size() != std::size_t(model.nq) ||
        snapshot.v.size() != std::size_t(model.nv) || snapshot.act.size() != std::size_t(model.na) ||
        snapshot.kinematic.size() != std::size_t(model.nkinematic) ||
        (!snapshot.loop_q.empty() && snapshot.loop_q.size() != model.loop_q0.size()))
        throw std::invalid_argument("lig::restore: the snapshot is of another model than '" + model.name +
                                    "'");
}

}  // namespace

void restore(const Model& model, const Snapshot& snapshot, JointState<double>& state) {
    check_model(model, snapshot);
    state.q = snapshot.q;
    state.v = snapshot.v;
    state.act = snapshot.act;
    state.kinematic = snapshot.kinematic;
    state.loop_q = snapshot.loop_q.empty() ? model.loop_q0 : snapshot.loop_q;
    state.time = snapshot.time;
}

void restore(const Model& model, const Snapshot& snapshot, JointState<double>& state,
             CollisionWorkspace& collision) {
    check_model(model, snapshot);
    if (snapshot.contacts.empty())
        clear_contacts(collision);
    else
        restore_contacts(snapshot.contacts, collision);
    restore(model, snapshot, state);
}

}  // namespace lig
