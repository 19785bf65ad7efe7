#include <ligament/snapshot.h>

#include "core/byte_stream.h"
#include "model/base_numbers.h"

#include <ligament/collision.h>
#include <ligament/model.h>

#include <stdexcept>
#include <string>

namespace lig {

namespace {

// Layout, little-endian: magic, version, fingerprint, nq, nv, na, nkinematic, bytes of contacts (64 bits
// each), then doubles: time, q, v, act, and 19 numbers a kinematic body; then the contacts.
constexpr std::uint64_t snapshot_magic = 0x504e53544e454d4c;  // "LMENTSNP"
constexpr std::uint64_t snapshot_version = 3;

}  // namespace

std::vector<std::byte> Snapshot::to_bytes() const {
    ByteWriter to;
    for (const std::uint64_t x :
         {snapshot_magic, snapshot_version, fingerprint, std::uint64_t(q.size()), std::uint64_t(v.size()),
          std::uint64_t(act.size()), std::uint64_t(kinematic.size()), std::uint64_t(contacts.size())})
        to.word(x);
    to.number(time);
    for (const double x : q) to.number(x);
    for (const double x : v) to.number(x);
    for (const double x : act) to.number(x);
    for (const BaseMotion<double>& base : kinematic)
        for_each_number(base, base, [&](const double& x, const double&) { to.number(x); });
    to.bytes(contacts);
    return std::move(to.out);
}

Snapshot Snapshot::from_bytes(std::span<const std::byte> bytes) {
    ByteReader in(bytes, "lig::Snapshot");
    if (in.word() != snapshot_magic) throw std::invalid_argument("lig::Snapshot: the data is not a snapshot");
    if (const std::uint64_t version = in.word(); version != snapshot_version)
        throw std::invalid_argument("lig::Snapshot: version " + std::to_string(version) +
                                    "; this library reads version " + std::to_string(snapshot_version));
    Snapshot s;
    s.fingerprint = in.word();
    const std::uint64_t nq = in.word(), nv = in.word(), na = in.word(), nkinematic = in.word();
    const std::uint64_t ncontacts = in.word();
    constexpr std::uint64_t most = std::uint64_t(1) << 40;  // keeps the sum below from overflowing
    if (nq > most || nv > most || na > most || nkinematic > most || ncontacts > most ||
        in.left() != 8 * (1 + nq + nv + na + 19 * nkinematic) + ncontacts)
        throw std::invalid_argument(
            "lig::Snapshot: the length does not fit the counts; the data is truncated or damaged");
    s.time = in.number();
    s.q.resize(nq);
    s.v.resize(nv);
    s.act.resize(na);
    s.kinematic.resize(nkinematic);
    for (double& x : s.q) x = in.number();
    for (double& x : s.v) x = in.number();
    for (double& x : s.act) x = in.number();
    for (BaseMotion<double>& base : s.kinematic)
        for_each_number(base, base, [&](double& x, double&) { x = in.number(); });
    const std::span<const std::byte> contacts = in.bytes(ncontacts);
    s.contacts.assign(contacts.begin(), contacts.end());
    return s;
}

Snapshot save(const Model& model, const JointState<double>& state) {
    return {model.fingerprint, state.time, state.q, state.v, state.act, state.kinematic, {}};
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
        snapshot.kinematic.size() != std::size_t(model.nkinematic))
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
