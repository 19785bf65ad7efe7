// Random mechanisms in which something touches: what is found satisfies the conditions of contacts,
// friction and limits, written down anew, and forward and inverse dynamics undo each other.

#include "simulation/forces_of_motion.h"
#include "support/event_runs.h"
#include "support/random_model.h"
#include "support/random_values.h"

#include <ligament/contact_dynamics.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

double largest_of(std::span<const double> all) {
    double most = 0;
    for (const double x : all) most = std::max(most, std::abs(x));
    return most;
}

double difference(std::span<const double> a, std::span<const double> b) {
    double most = 0;
    for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
    return most;
}

// The conditions for a state at rest: accelerations of points are J v̇ there. By how much they are missed,
// relative to accelerations and forces.
double missed_conditions(const JointState<double>& state, ContactDynamics& found,
                         std::span<const double> applied) {
    const Model& model = found.loops.model();
    const int nv = model.nv;
    Workspace<double> ws(found.loops.ws);
    DriveWorkspace<double> drives(model);
    forward_kinematics(state, ws);
    update_drives(state, ws, drives);
    std::vector<double> left(nv);
    find_forces_of_motion(state, found.qacc, ws, drives, left);
    double force = std::max(largest_of(left), largest_of(applied)), missed = 0;
    const double a = 1 + largest_of(found.qacc);
    for (int k = 0; k < nv; ++k) left[k] -= applied[k] + found.limit_force[k] + found.friction_force[k];
    for (const TouchingContact& contact : found.contacts) {
        std::vector<double> J(6 * nv), other(6 * nv);
        const auto jacobian = [&](int geom, std::span<double> out) {
            const int body = model.geoms[geom].body;
            frame_jacobian<double>(ws, body, body_pose(ws, body).inverse() * contact.point, Axes::world, out);
        };
        jacobian(contact.geom_b, J);
        jacobian(contact.geom_a, other);
        Motion<double> w = Motion<double>::zero();
        for (int k = 0; k < nv; ++k) {
            for (int r = 0; r < 6; ++r) J[r * nv + k] -= other[r * nv + k];
            const Vec3d turn{J[k], J[nv + k], J[2 * nv + k]},
                move{J[3 * nv + k], J[4 * nv + k], J[5 * nv + k]};
            left[k] -= dot(move, contact.force) + dot(turn, contact.moment);
            w.ang += found.qacc[k] * turn;
            w.lin += found.qacc[k] * move;
        }
        const Vec3d& n = contact.normal;
        const double push = dot(n, contact.force), parts = dot(n, w.lin);
        force = std::max(force, length(contact.force));
        missed = std::max({missed, -parts / a, push > 1e-6 * force ? parts / a : 0, -push / force});
        // Friction by its coefficients: within the circle of the push, and against what slips.
        const auto& mu = contact.properties.friction;
        const Vec3d t = contact.force - push * n;
        double used = dot(t, t) / (mu[0] * mu[0]),
               slip = mu[0] * mu[0] * dot(w.lin - parts * n, w.lin - parts * n);
        double power = dot(t, w.lin);
        if (contact.properties.condim > 3 && mu[2] > 0) {
            used += dot(contact.moment, n) * dot(contact.moment, n) / (mu[2] * mu[2]);
            slip += mu[2] * mu[2] * dot(w.ang, n) * dot(w.ang, n);
            power += dot(contact.moment, n) * dot(w.ang, n);
        }
        if (contact.properties.condim == 1 || !(mu[0] > 0)) {
            missed = std::max(missed, length(t) / force);
            continue;
        }
        if (contact.properties.condim > 4) continue;
        missed = std::max(missed, (std::sqrt(used) - push) / force);
        // All of it against the slip is what takes the most power.
        if (push > 1e-6 * force)
            missed = std::max(missed, (power + push * std::sqrt(slip)) / (force * a));
    }
    // What tendons rub is in the same sum.
    const bool rubs = std::any_of(model.tendons.begin(), model.tendons.end(),
                                  [](const Model::Tendon& tendon) { return tendon.friction_loss > 0; });
    for (std::size_t j = 0; j < model.joints.size() && !rubs; ++j)
        for (int k = model.joints[j].v_adr; k < model.joints[j].v_adr + model.joints[j].nv; ++k) {
            const double most = model.joints[j].friction_loss, own = found.friction_force[k];
            if (!(most > 0)) continue;
            missed = std::max(missed, (std::abs(own) - most) / force);
            missed = std::max(missed, (own * found.qacc[k] + most * std::abs(found.qacc[k])) / (force * a));
        }
    // Equalities bear the rest.
    const std::span<const double> N = found.loops.map();
    const std::size_t d = static_cast<std::size_t>(found.loops.freedoms());
    for (std::size_t i = 0; i < d; ++i) {
        double sum = 0, size = 1;
        for (int k = 0; k < nv; ++k) {
            sum += N[k * d + i] * left[k];
            size = std::max(size, std::abs(N[k * d + i]));
        }
        missed = std::max(missed, std::abs(sum) / (force * size));
    }
    return missed;
}

struct Counts {
    int checked = 0, contacts = 0, sliding = 0, limits = 0, looped = 0, other_answers = 0, without = 0;
};

// Forward, back, and forward again.
void check_round(const JointState<double>& state, const TouchingOptions& options, bool at_rest,
                 Random& random, Counts& counts, std::shared_ptr<const Model> model) {
    ContactDynamics dynamics(model, options);
    for (double& x : dynamics.inputs().qfrc_applied) x = random.uniform(-5, 5);
    if (!dynamics.touches(state)) return;
    const TouchingStatus status = dynamics.accelerate(state);
    if (status == TouchingStatus::impact || status == TouchingStatus::open) return;
    counts.without += status == TouchingStatus::no_forces;
    if (status != TouchingStatus::ok) return;
    ++counts.checked;
    counts.contacts += !dynamics.contacts.empty();
    counts.limits += !dynamics.limits.empty();
    counts.looped += dynamics.loops.freedoms() < model->nv;
    for (const TouchingContact& contact : dynamics.contacts)
        counts.sliding += contact.mode == TouchingMode::slides || contact.mode == TouchingMode::breaks_away;
    if (at_rest) CHECK(missed_conditions(state, dynamics, dynamics.inputs().qfrc_applied) < 1e-7);

    const std::vector<double> qacc = dynamics.qacc;
    const double size = std::max(largest_of(qacc), 1.0) * std::max(largest_of(dynamics.loops.map()), 1.0);
    std::vector<double> wanted(model->nv, 1e3);
    for (const int k : dynamics.loops.independent()) wanted[k] = qacc[k];
    const double applied = largest_of(dynamics.inputs().qfrc_applied);
    const TouchingStatus back = dynamics.find_forces(state, wanted);
    CAPTURE(dynamics.where);
    REQUIRE(back == TouchingStatus::ok);
    CHECK(difference(wanted, qacc) < 1e-9 * size);
    dynamics.inputs().qfrc_applied = dynamics.loops.joint_force;
    const TouchingStatus again = dynamics.accelerate(state);
    CAPTURE(dynamics.where);
    REQUIRE(again == TouchingStatus::ok);
    const double push = std::max(largest_of(dynamics.loops.joint_force), applied);
    if (difference(dynamics.qacc, qacc) < 1e-9 * std::max(size, push)) return;
    // Coulomb's law may have several answers.
    ++counts.other_answers;
    CHECK_FALSE(dynamics.contacts.empty());
    if (at_rest) CHECK(missed_conditions(state, dynamics, dynamics.inputs().qfrc_applied) < 1e-7);
}

void tell(const Counts& counts) {
    MESSAGE(counts.checked << " states: " << counts.contacts << " with contacts, " << counts.limits
                           << " with limits, " << counts.looped << " with loops; " << counts.sliding
                           << " contacts slide; other answers " << counts.other_answers << ", none "
                           << counts.without);
}

}  // namespace

TEST_CASE("contact dynamics: random mechanisms at rest, their loops, contacts, limits and friction") {
    Counts counts;
    for (int seed = 0; seed < 300 && counts.checked < 100; ++seed) {
        CAPTURE(seed);
        const auto model = random_model(seed);
        if (model->nv > 60) continue;
        Simulation sim(model);
        sim.reset(0);
        bool good = true;
        for (int k = 0; k < 30 && good; ++k) good = sim.step(frame).status == StepStatus::ok;
        if (!good) continue;
        Random random(seed);
        JointState<double> state = sim.state();
        std::fill(state.v.begin(), state.v.end(), 0.0);
        check_round(state, {.gap = 1e-3}, true, random, counts, model);
    }
    tell(counts);
    CHECK(counts.checked >= 80);
    CHECK(counts.contacts > 20);
    CHECK(counts.limits > 20);
    CHECK(counts.looped > 20);
    CHECK(counts.sliding > 20);
    CHECK(counts.other_answers <= 3);
    CHECK(counts.without <= 3);
}

TEST_CASE("contact dynamics: random mechanisms in motion") {
    Counts counts;
    for (int seed = 300; seed < 700 && counts.contacts < 8; ++seed) {
        CAPTURE(seed);
        const auto model = random_model(seed);
        if (model->nv > 16) continue;
        Simulation sim(model, by_events());
        sim.reset(0);
        bool good = true;
        for (int k = 0; k < 20 && good; ++k) good = sim.step(frame).status == StepStatus::ok;
        if (!good) continue;
        Random random(seed);
        check_round(sim.state(), {.gap = 1e-5, .speed = 1e-4}, false, random, counts, model);
    }
    tell(counts);
    CHECK(counts.checked > 10);
}
