// Leading bodies along paths by accelerations that are constant in each step.
//
// Let e be how far the path is ahead of the body, u the body's velocity and v that of the path. The body is
// to leave the step with u⁺ = v⁺ + e/(3h). It moves by h (u + u⁺)/2, the path by h (v + v⁺)/2 and the error
// T = O(h³) of the trapezoidal rule, so that
//
//   e⁺ = e + T − (e + e⁻)/6
//
// with the roots 1/2 and 1/3: without T errors are gone after a few steps, and with it e stays near 3 T.
// Going exactly to where the path is, u⁺ = 2 (p⁺ − p)/h − u, would have velocities swing about those of the
// path for ever; setting velocities anew before each step would strike whatever hangs on the body.

#include <ligament/kinematic_paths.h>

#include "simulation/hermite.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace lig {

namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw std::invalid_argument("lig: kinematic paths: " + what);
}

bool is_finite(const Vec3d& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

// m/s, rad/s: of what is faster, accelerations and energies have no numbers.
constexpr double fastest = 1e100;

// Velocities at the samples from the ways between them; zero at both ends.
template <class Way>
std::vector<Vec3d> rates_at(const std::vector<double>& times, const std::string& who, Way way) {
    std::vector<Vec3d> rates(times.size(), Vec3d::zero());
    double h0 = 0;
    Vec3d before = Vec3d::zero();
    for (std::size_t k = 0; k + 1 < times.size(); ++k) {
        const double h1 = times[k + 1] - times[k];
        const Vec3d behind = (1 / h1) * way(k);
        if (!(std::abs(behind.x) < fastest && std::abs(behind.y) < fastest && std::abs(behind.z) < fastest))
            refuse(who + " is too fast to be computed with");
        if (k > 0) rates[k] = parabola_rate(h0, before, h1, behind);
        h0 = h1;
        before = behind;
    }
    return rates;
}

}  // namespace

KinematicPaths::KinematicPaths(const Model& model, PathSamples samples) : samples_(std::move(samples)) {
    const std::vector<double>& times = samples_.times;
    const std::size_t count = times.size();
    if (count == 0) refuse("there are no samples");
    for (std::size_t k = 0; k < count; ++k)
        if (!std::isfinite(times[k]) || (k > 0 && !(times[k] > times[k - 1])))
            refuse("times must be finite and rise");
    std::set<int> seen;
    for (PathSamples::Path& path : samples_.paths) {
        const auto found = std::find(model.kinematic_bodies.begin(), model.kinematic_bodies.end(), path.body);
        if (found == model.kinematic_bodies.end())
            refuse("body " + std::to_string(path.body) + " is not kinematic");
        places_.push_back(static_cast<int>(found - model.kinematic_bodies.begin()));
        const std::string who = "the path of body '" + model.bodies[path.body].name + "'";
        if (!seen.insert(path.body).second) refuse(who + " is there twice");
        const auto fits = [&](std::size_t size) { return size == 0 || size == count; };
        if (!fits(path.pos.size()) || !fits(path.quat.size()))
            refuse(who + " has not as many samples as there are times");
        if (!std::all_of(path.pos.begin(), path.pos.end(), is_finite)) refuse(who + " is not finite");
        for (Quatd& q : path.quat) {
            if (!std::isfinite(q.w) || !is_finite(q.vec())) refuse(who + " is not finite");
            if (q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0) refuse(who + " has a quaternion that is zero");
            q = unit_quaternion(q);
        }
        Velocities& at = velocities_.emplace_back();
        if (!path.pos.empty())
            at.lin = rates_at(times, who, [&](std::size_t k) { return path.pos[k + 1] - path.pos[k]; });
        // A rotation vector is the same in the axes of both of its ends.
        if (!path.quat.empty())
            at.ang = rates_at(times, who, [&](std::size_t k) {
                return rotation_log(conjugate(path.quat[k]) * path.quat[k + 1]);
            });
    }
}

void KinematicPaths::sample(int index, double time, BaseMotion<double>& motion) const {
    const auto [from, to, rests, s] = HermitePlace::find(samples_.times, time);
    const PathSamples::Path& path = samples_.paths[index];
    const Velocities& at = velocities_[index];
    motion.velocity = Motion<double>::zero();
    motion.acceleration = Motion<double>::zero();
    if (!path.pos.empty()) {
        const Vec3d d = path.pos[to] - path.pos[from], &w0 = at.lin[from], &w1 = at.lin[to];
        motion.pos = path.pos[from] + s.p1 * d + s.d0 * w0 + s.d1 * w1;
        if (!rests) {
            motion.velocity.lin = s.v1 * d + s.w0 * w0 + s.w1 * w1;
            motion.acceleration.lin = s.a1 * d + s.b0 * w0 + s.b1 * w1;
        }
    }
    if (!path.quat.empty()) {
        const RotationCurve curve(s, path.quat[from], path.quat[to], at.ang[from], at.ang[to]);
        motion.quat = curve.rotation();
        if (!rests) {
            const Mat3d R = rotation_matrix(motion.quat);
            motion.velocity.ang = R * curve.velocity();
            motion.acceleration.ang = R * curve.acceleration();
        }
    }
}

void KinematicPaths::start(Simulation& sim) const {
    for (std::size_t k = 0; k < places_.size(); ++k) {
        BaseMotion<double> motion = sim.state().kinematic[places_[k]];
        sample(static_cast<int>(k), sim.state().time, motion);
        sim.set_kinematic(samples_.paths[k].body, motion);
    }
}

void KinematicPaths::lead(Simulation& sim, double h) const {
    const double now = sim.state().time;
    for (std::size_t k = 0; k < places_.size(); ++k) {
        BaseMotion<double> motion = sim.state().kinematic[places_[k]], here = motion, there = motion;
        sample(static_cast<int>(k), now, here);
        sample(static_cast<int>(k), now + h, there);
        const Vec3d turned = rotation_log(here.quat * conjugate(motion.quat));
        const Vec3d ang = there.velocity.ang + (1 / (3 * h)) * turned;
        const Vec3d lin = there.velocity.lin + (1 / (3 * h)) * (here.pos - motion.pos);
        motion.acceleration = {(1 / h) * (ang - motion.velocity.ang), (1 / h) * (lin - motion.velocity.lin)};
        sim.set_kinematic(samples_.paths[k].body, motion);
    }
}

}  // namespace lig
