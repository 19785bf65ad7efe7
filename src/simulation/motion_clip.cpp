#include <ligament/motion_clip.h>

#include "core/rotation.h"
#include "core/unit_quaternion.h"
#include "joints/joint_list.h"
#include "model/floating.h"
#include "simulation/hermite.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace lig {

namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw std::invalid_argument("lig: motion clip: " + what);
}

Quatd quaternion_at(const double* q) { return {q[0], q[1], q[2], q[3]}; }
Vec3d vector_at(const double* v) { return {v[0], v[1], v[2]}; }
void put(const Quatd& r, double* q) {
    q[0] = r.w;
    q[1] = r.x;
    q[2] = r.y;
    q[3] = r.z;
}
void put(const Vec3d& w, double* v) {
    v[0] = w.x;
    v[1] = w.y;
    v[2] = w.z;
}

// The last pose is that of the beginning if no coordinate is farther from it than this: rad, m.
constexpr double closed_tolerance = 1e-3;

}  // namespace

MotionClip::MotionClip(const Model& model, ClipSamples samples, ClipEnds ends)
    : samples_(std::move(samples)),
      ends_(ends),
      fingerprint_(model.fingerprint),
      nq_(model.nq),
      nv_(model.nv) {
    if (samples_.times.empty()) refuse("it has no samples");
    int last = -1;
    for (const int j : samples_.joints) {
        if (j <= last || j >= static_cast<int>(model.joints.size()))
            refuse("joints must be rising indices of the model's joints");
        last = j;
        const Model::Joint& joint = model.joints[j];
        const bool rotation = joint.nq > joint.nv;
        tracks_.push_back({j, q_size_, v_size_, joint.q_adr, joint.v_adr, joint.nq - (rotation ? 4 : 0),
                           rotation, floats(joint)});
        q_size_ += joint.nq;
        v_size_ += joint.nv;
    }
    const std::size_t count = samples_.times.size();
    if (samples_.q.size() != count * q_size_)
        refuse("it has " + std::to_string(samples_.q.size()) + " coordinates; " + std::to_string(count) +
               " samples of its joints need " + std::to_string(count * q_size_));
    if (!samples_.v.empty() && samples_.v.size() != count * v_size_)
        refuse("it has " + std::to_string(samples_.v.size()) + " velocities; its joints need none or " +
               std::to_string(count * v_size_));
    for (std::size_t k = 0; k < count; ++k)
        if (!std::isfinite(samples_.times[k]) || (k > 0 && !(samples_.times[k] > samples_.times[k - 1])))
            refuse("times must be finite and rise");
    for (const std::vector<double>* numbers : {&samples_.q, &samples_.v})
        for (const double x : *numbers)
            if (!std::isfinite(x)) refuse("a number is not finite");
    for (const Track& track : tracks_)
        for (std::size_t k = 0; k < count && track.rotation; ++k) {
            double* at = &samples_.q[k * q_size_ + track.q_at + track.numbers];
            const Quatd r = quaternion_at(at);
            if (r.w == 0 && r.x == 0 && r.y == 0 && r.z == 0)
                refuse("a quaternion of joint '" + model.joints[track.joint].name + "' is zero");
            put(unit_quaternion(r), at);
        }
    period_ = end() - begin();
    if (ends_ == ClipEnds::loop) close_loop();
    if (samples_.v.empty()) find_velocities();
}

// Appends the first sample at the end unless the last one is it. Where bodies float does not count: that is
// not followed, and who walks does not come back.
void MotionClip::close_loop() {
    const std::size_t count = samples_.times.size();
    if (count < 2) return;
    const double* first = samples_.q.data();
    const double* last = samples_.q.data() + (count - 1) * q_size_;
    double apart = 0;
    for (const Track& track : tracks_) {
        if (track.floats) continue;
        for (int k = 0; k < track.numbers; ++k)
            apart = std::max(apart, std::abs(last[track.q_at + k] - first[track.q_at + k]));
        if (!track.rotation) continue;
        const Vec3d turn = rotation_log(conjugate(quaternion_at(first + track.q_at + track.numbers)) *
                                        quaternion_at(last + track.q_at + track.numbers));
        apart = std::max(apart, std::sqrt(dot(turn, turn)));
    }
    if (apart <= closed_tolerance) return;
    const double step = (end() - begin()) / static_cast<double>(count - 1);
    samples_.times.push_back(end() + step);
    for (int k = 0; k < q_size_; ++k) samples_.q.push_back(samples_.q[k]);
    for (int k = 0; k < v_size_ && !samples_.v.empty(); ++k) samples_.v.push_back(samples_.v[k]);
    period_ = end() - begin();
}

void MotionClip::find_velocities() {
    const int count = static_cast<int>(samples_.times.size());
    samples_.v.assign(static_cast<std::size_t>(count) * v_size_, 0.0);
    if (count < 2) return;
    const bool loops = ends_ == ClipEnds::loop;
    const auto at = [&](int k) { return samples_.q.data() + static_cast<std::size_t>(k) * q_size_; };
    for (int k = 0; k < count; ++k) {
        // The intervals before and behind; at the ends of a loop they are those at the other end, else the
        // one that there is counts twice.
        const int behind = k + 1 < count ? k : loops ? 0
                                                     : count - 2;
        const int before = k > 0 ? k - 1 : loops ? count - 2
                                                 : 0;
        const double h0 = samples_.times[before + 1] - samples_.times[before];
        const double h1 = samples_.times[behind + 1] - samples_.times[behind];
        const auto mean = [&](auto rate0, auto rate1) { return parabola_rate(h0, rate0, h1, rate1); };
        double* v = samples_.v.data() + static_cast<std::size_t>(k) * v_size_;
        for (const Track& track : tracks_) {
            for (int c = 0; c < track.numbers; ++c) {
                const int q = track.q_at + c;
                v[track.v_at + c] =
                    mean((at(before + 1)[q] - at(before)[q]) / h0, (at(behind + 1)[q] - at(behind)[q]) / h1);
            }
            if (!track.rotation) continue;
            // A rotation vector is the same in the axes of both of its ends.
            const auto rate = [&](int interval, double h) {
                const int q = track.q_at + track.numbers;
                return (1 / h) * rotation_log(conjugate(quaternion_at(at(interval) + q)) *
                                              quaternion_at(at(interval + 1) + q));
            };
            put(mean(rate(before, h0), rate(behind, h1)), v + track.v_at + track.numbers);
        }
    }
}

bool MotionClip::has_joint(int joint) const {
    return std::binary_search(samples_.joints.begin(), samples_.joints.end(), joint);
}

bool MotionClip::fits(const Model& model) const {
    if (model.fingerprint == fingerprint_) return true;
    if (model.nq != nq_ || model.nv != nv_) return false;
    return std::all_of(tracks_.begin(), tracks_.end(), [&](const Track& track) {
        if (track.joint >= static_cast<int>(model.joints.size())) return false;
        const Model::Joint& joint = model.joints[track.joint];
        return joint.q_adr == track.q_adr && joint.v_adr == track.v_adr &&
               (joint.nq > joint.nv) == track.rotation &&
               joint.nq == track.numbers + (track.rotation ? 4 : 0);
    });
}

void MotionClip::sample(double time, std::span<double> q, std::span<double> v, std::span<double> a) const {
    if (ends_ == ClipEnds::loop && period_ > 0)
        time = std::clamp(begin() + (time - begin()) - std::floor((time - begin()) / period_) * period_,
                          begin(), end());
    const auto [from, to, rests, s] = HermitePlace::find(samples_.times, time);
    const double* q0 = samples_.q.data() + static_cast<std::size_t>(from) * q_size_;
    const double* q1 = samples_.q.data() + static_cast<std::size_t>(to) * q_size_;
    const double* v0 = samples_.v.data() + static_cast<std::size_t>(from) * v_size_;
    const double* v1 = samples_.v.data() + static_cast<std::size_t>(to) * v_size_;
    for (const Track& track : tracks_) {
        const double *x0 = q0 + track.q_at, *x1 = q1 + track.q_at;
        const double *w0 = v0 + track.v_at, *w1 = v1 + track.v_at;
        double* const at = q.empty() ? nullptr : q.data() + track.q_adr;
        double* const rate = v.empty() ? nullptr : v.data() + track.v_adr;
        double* const second = a.empty() ? nullptr : a.data() + track.v_adr;
        for (int k = 0; k < track.numbers; ++k) {
            const double d = x1[k] - x0[k];
            if (at) at[k] = x0[k] + s.p1 * d + s.d0 * w0[k] + s.d1 * w1[k];
            if (rate) rate[k] = rests ? 0 : s.v1 * d + s.w0 * w0[k] + s.w1 * w1[k];
            if (second) second[k] = rests ? 0 : s.a1 * d + s.b0 * w0[k] + s.b1 * w1[k];
        }
        if (!track.rotation) continue;
        const int n = track.numbers;
        const RotationCurve curve(s, quaternion_at(x0 + n), quaternion_at(x1 + n), vector_at(w0 + n),
                                  vector_at(w1 + n));
        if (at) put(curve.rotation(), at + n);
        if (rate) put(rests ? Vec3d::zero() : curve.velocity(), rate + n);
        if (second) put(rests ? Vec3d::zero() : curve.acceleration(), second + n);
    }
}

ClipSamples keyframe_samples(const Model& model, std::span<const int> keyframes,
                             std::span<const double> times) {
    std::vector<int> which(keyframes.begin(), keyframes.end());
    if (keyframes.empty())
        for (int k = 0; k < static_cast<int>(model.keyframes.size()); ++k) which.push_back(k);
    if (which.empty()) refuse("the model has no keyframes");
    if (!times.empty() && times.size() != which.size())
        refuse(std::to_string(which.size()) + " keyframes have " + std::to_string(times.size()) + " times");
    ClipSamples samples;
    for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) samples.joints.push_back(j);
    for (std::size_t k = 0; k < which.size(); ++k) {
        if (which[k] < 0 || which[k] >= static_cast<int>(model.keyframes.size()))
            refuse("the model has no keyframe " + std::to_string(which[k]));
        const Model::Keyframe& key = model.keyframes[which[k]];
        samples.times.push_back(times.empty() ? key.time : times[k]);
        for (const Model::Joint& joint : model.joints)
            samples.q.insert(samples.q.end(), key.q.begin() + joint.q_adr,
                             key.q.begin() + joint.q_adr + joint.nq);
    }
    return samples;
}

}  // namespace lig
