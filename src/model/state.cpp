#include <ligament/model.h>
#include <ligament/state.h>

#include "core/rotation.h"

#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

namespace lig {

namespace {

template <class T>
Vec3<T> broadcast(const Vec3d& a) {
    using R = real_t<T>;
    return {T(R(a.x)), T(R(a.y)), T(R(a.z))};
}

// Calls f on every number of a base's motion, and on the same number of another.
template <class A, class B, class F>
void for_each_number(A& a, B& b, F&& f) {
    const auto three = [&](auto& x, auto& y) {
        for (int k = 0; k < 3; ++k) f(x[k], y[k]);
    };
    three(a.pos, b.pos);
    f(a.quat.w, b.quat.w);
    f(a.quat.x, b.quat.x);
    f(a.quat.y, b.quat.y);
    f(a.quat.z, b.quat.z);
    three(a.velocity.ang, b.velocity.ang);
    three(a.velocity.lin, b.velocity.lin);
    three(a.acceleration.ang, b.acceleration.ang);
    three(a.acceleration.lin, b.acceleration.lin);
}

}  // namespace

template <class T>
JointState<T>::JointState(const Model& model) {
    using R = real_t<T>;
    for (const double x : model.q0) q.push_back(T(R(x)));
    v.assign(model.nv, T(0));
    act.assign(model.na, T(0));
    for (const int body : model.kinematic_bodies) {
        const Transformd& X_WB = model.bodies[body].X_WB0;
        const Quatd quat = quaternion(X_WB.R);
        kinematic.push_back({broadcast<T>(X_WB.p),
                             {T(R(quat.w)), T(R(quat.x)), T(R(quat.y)), T(R(quat.z))},
                             Motion<T>::zero(),
                             Motion<T>::zero()});
    }
}

template <class T>
BodyState<T>::BodyState(const Model& model)
    : pos(model.bodies.size(), Vec3<T>::zero()),
      quat(model.bodies.size(), Quat<T>::identity()),
      vel(model.bodies.size(), Motion<T>::zero()) {}

template <class T>
void set_lane(JointState<T>& lanes, int lane, const JointState<real_t<T>>& state) {
    if (lanes.q.size() != state.q.size() || lanes.v.size() != state.v.size() ||
        lanes.act.size() != state.act.size() || lanes.kinematic.size() != state.kinematic.size())
        throw std::invalid_argument("lig::set_lane: the two states are of different models");
    for (std::size_t k = 0; k < state.q.size(); ++k) set_lane(lanes.q[k], lane, state.q[k]);
    for (std::size_t k = 0; k < state.v.size(); ++k) set_lane(lanes.v[k], lane, state.v[k]);
    for (std::size_t k = 0; k < state.act.size(); ++k) set_lane(lanes.act[k], lane, state.act[k]);
    for (std::size_t k = 0; k < state.kinematic.size(); ++k)
        for_each_number(lanes.kinematic[k], state.kinematic[k],
                        [&](T& to, const real_t<T>& from) { set_lane(to, lane, from); });
}

template <class T>
JointState<real_t<T>> get_lane(const JointState<T>& lanes, int lane) {
    JointState<real_t<T>> state;
    for (const T& x : lanes.q) state.q.push_back(get_lane(x, lane));
    for (const T& x : lanes.v) state.v.push_back(get_lane(x, lane));
    for (const T& x : lanes.act) state.act.push_back(get_lane(x, lane));
    state.kinematic.resize(lanes.kinematic.size());
    for (std::size_t k = 0; k < state.kinematic.size(); ++k)
        for_each_number(state.kinematic[k], lanes.kinematic[k],
                        [&](real_t<T>& to, const T& from) { to = get_lane(from, lane); });
    state.time = lanes.time;
    return state;
}

JointState<double> keyframe_state(const Model& model, int keyframe) {
    const Model::Keyframe& key = model.keyframes.at(keyframe);
    JointState<double> state(model);
    state.q = key.q;
    state.v = key.v;
    state.act = key.act;
    for (std::size_t k = 0; k < state.kinematic.size(); ++k) {
        state.kinematic[k].pos = key.kinematic[k].pos;
        state.kinematic[k].quat = key.kinematic[k].quat;
    }
    state.time = key.time;
    return state;
}

namespace {

// Layout, little-endian: magic, version, fingerprint, nq, nv, na, nkinematic (64 bits each), then doubles:
// time, q, v, act, and 19 numbers a kinematic body.
constexpr std::uint64_t snapshot_magic = 0x504e53544e454d4c;  // "LMENTSNP"
constexpr std::uint64_t snapshot_version = 2;

class Writer {
public:
    void word(std::uint64_t x) {
        for (int k = 0; k < 8; ++k) bytes.push_back(static_cast<std::byte>(x >> (8 * k)));
    }
    void number(double x) { word(std::bit_cast<std::uint64_t>(x)); }
    std::vector<std::byte> bytes;
};

class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
    std::uint64_t word() {
        if (bytes_.size() < 8)
            throw std::invalid_argument("lig::Snapshot: the data ends too early; the file is truncated");
        std::uint64_t x = 0;
        for (int k = 0; k < 8; ++k) x |= static_cast<std::uint64_t>(bytes_[k]) << (8 * k);
        bytes_ = bytes_.subspan(8);
        return x;
    }
    double number() { return std::bit_cast<double>(word()); }
    std::size_t left() const { return bytes_.size(); }

private:
    std::span<const std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> Snapshot::to_bytes() const {
    Writer out;
    for (const std::uint64_t x :
         {snapshot_magic, snapshot_version, fingerprint, std::uint64_t(q.size()), std::uint64_t(v.size()),
          std::uint64_t(act.size()), std::uint64_t(kinematic.size())})
        out.word(x);
    out.number(time);
    for (const double x : q) out.number(x);
    for (const double x : v) out.number(x);
    for (const double x : act) out.number(x);
    for (const BaseMotion<double>& base : kinematic)
        for_each_number(base, base, [&](const double& x, const double&) { out.number(x); });
    return std::move(out.bytes);
}

Snapshot Snapshot::from_bytes(std::span<const std::byte> bytes) {
    Reader in(bytes);
    if (in.word() != snapshot_magic) throw std::invalid_argument("lig::Snapshot: the data is not a snapshot");
    if (const std::uint64_t version = in.word(); version != snapshot_version)
        throw std::invalid_argument("lig::Snapshot: version " + std::to_string(version) +
                                    "; this library reads version " + std::to_string(snapshot_version));
    Snapshot s;
    s.fingerprint = in.word();
    const std::uint64_t nq = in.word(), nv = in.word(), na = in.word(), nkinematic = in.word();
    constexpr std::uint64_t most = std::uint64_t(1) << 40;  // keeps the sum below from overflowing
    if (nq > most || nv > most || na > most || nkinematic > most ||
        in.left() != 8 * (1 + nq + nv + na + 19 * nkinematic))
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
    return s;
}

Snapshot save(const Model& model, const JointState<double>& state) {
    return {model.fingerprint, state.time, state.q, state.v, state.act, state.kinematic};
}

void restore(const Model& model, const Snapshot& snapshot, JointState<double>& state) {
    if (snapshot.fingerprint != model.fingerprint || snapshot.q.size() != std::size_t(model.nq) ||
        snapshot.v.size() != std::size_t(model.nv) || snapshot.act.size() != std::size_t(model.na) ||
        snapshot.kinematic.size() != std::size_t(model.nkinematic))
        throw std::invalid_argument("lig::restore: the snapshot is of another model than '" + model.name +
                                    "'");
    state.q = snapshot.q;
    state.v = snapshot.v;
    state.act = snapshot.act;
    state.kinematic = snapshot.kinematic;
    state.time = snapshot.time;
}

#define LIG_INSTANTIATE(T)                                                     \
    template struct JointState<T>;                                             \
    template struct BodyState<T>;                                              \
    template void set_lane(JointState<T>&, int, const JointState<real_t<T>>&); \
    template JointState<real_t<T>> get_lane(const JointState<T>&, int);
LIG_FOR_EACH_SCALAR(LIG_INSTANTIATE)
#undef LIG_INSTANTIATE

}  // namespace lig
