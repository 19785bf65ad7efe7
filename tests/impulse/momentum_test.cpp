// What nothing acts on from outside keeps its momentum, whatever happens inside: joints and contacts push two
// bodies at one point, equally and oppositely. Free rotation is symplectic and keeps angular momentum by
// itself.
//
// Momenta are summed here over bodies as the simulation has them (in snapshots: centre of mass, principal
// axes, ω and v), not over joint coordinates, in which joints do not come apart.

#include "core/length.h"
#include "model/split_inertia.h"
#include "support/impulse_benchmarks.h"

using namespace lig;
using namespace lig::test;

namespace {

struct Momentum {
    Vec3d linear = Vec3d::zero(), angular = Vec3d::zero();  // about the world's origin
    double moving = 0, turning = 0;                         // sums of their absolute values
};

Momentum momentum_of(const Simulation& sim) {
    const Model& model = sim.model();
    std::vector<Transformd> poses(model.bodies.size());
    sim.body_poses(poses);  // bodies are placed when they are first asked for
    const std::vector<double> numbers = sim.save().bodies;
    REQUIRE(numbers.size() >= 2 + 13 * model.tree.links.size());
    Momentum sum;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const int link = model.bodies[b].link;
        if (link < 0) continue;
        const double* n = numbers.data() + 2 + 13 * link;
        const Vec3d x{n[0], n[1], n[2]}, w{n[7], n[8], n[9]}, v{n[10], n[11], n[12]};
        const Mat3d R = (poses[b] * model.bodies[b].X_LB.inverse()).R;
        const RigidInertia<double> about_L = world_inertia(R, model.tree.links[link].inertia);
        const Vec3d p = about_L.mass * v;
        // About L, as a velocity there; the rest of the arm is x less the centre of mass seen from L.
        const Vec3d com = (1 / about_L.mass) * about_L.h;
        const Force<double> own = about_L * Motion<double>{w, v - cross(w, com)};
        sum.linear += p;
        const Vec3d angular = own.ang + cross(x - com, p);
        sum.angular += angular;
        sum.moving += length(p);
        sum.turning += length(angular);
    }
    return sum;
}

// Relative changes of the sums, at most, in `seconds`.
struct Kept {
    double linear = 0, angular = 0;
    int contacts = 0;
};
Kept keep(Simulation& sim, double seconds) {
    const Momentum before = momentum_of(sim);
    Kept kept;
    run(sim, seconds, frame, [&](const StepReport&) {
        const Momentum now = momentum_of(sim);
        kept.linear = std::max(kept.linear, length(now.linear - before.linear) / before.moving);
        kept.angular = std::max(kept.angular, length(now.angular - before.angular) / before.turning);
        for (const Contact& contact : sim.contacts().contacts) kept.contacts += length(contact.impulse) > 0;
    });
    return kept;
}

// Five characters in space that fly towards each other and turn.
Simulation flying_characters(const SimulationOptions& options, double speed) {
    const scenes::Setting settings[] = {{"count", 5}};
    Scene scene = scenes::generate(scenes::pile, settings);
    scene.options.gravity = Vec3d::zero();
    Simulation sim(compile(scene), options);
    JointState<double> state = sim.state();
    int k = 0;
    for (const Model::Joint& joint : sim.model().joints) {
        if (joint.type != JointType::free) continue;
        double* q = state.q.data() + joint.q_adr;
        double* v = state.v.data() + joint.v_adr;
        q[2] += 20;  // nowhere near the ground
        v[0] = speed * (k % 2 ? -0.1 : 0.1);
        v[2] = speed * (2 - k);
        v[3] = speed * 0.2 * (k - 1);
        v[4] = speed * (0.3 - 0.15 * k);
        ++k;
    }
    sim.set_state(state);
    return sim;
}

}  // namespace

// Linear momentum is kept to rounding by all solvers. Angular momentum is, too, where nothing but impulses
// moves bodies and joints are apart by less than the 5 mm up to which both bodies are pushed at one point:
// by classic and soft-step, here as slow as that takes. split-step moves bodies by δx beside their
// velocities, which changes Σ m x × v by Σ m δx × v: by little, and more where things are faster.
TEST_CASE("impulse: characters that collide in space keep their momentum") {
    struct Case {
        const char* solver;
        double speed, angular;
    };
    const Case cases[] = {
        {"classic", 0.3, 1e-13},
        {"classic", 3, 1e-3},
        {"split-step", 0.3, 5e-5},
        {"split-step", 3, 5e-4},
        {"soft-step", 0.3, 1e-12},
        {"soft-step", 3, 5e-4},
    };
    for (const Case& c : cases) {
        SimulationOptions options = usual();
        options.solver = c.solver;
        Simulation sim = flying_characters(options, c.speed);
        const Kept kept = keep(sim, 3 / c.speed);
        MESSAGE(std::string(c.solver) << ", " << c.speed << " m/s: linear momentum off by " << kept.linear
                                      << ", angular by " << kept.angular << ", " << kept.contacts
                                      << " contacts");
        CHECK(kept.contacts > 50);
        CHECK(kept.linear < 1e-13);
        CHECK(kept.angular < c.angular);
    }
}

// A chain of balls that is thrown, without contacts: joints alone.
TEST_CASE("impulse: a chain in space keeps its momentum") {
    std::string xml =
        "<mujoco><option gravity='0 0 0'/><default><geom contype='0' conaffinity='0'/></default>"
        "<worldbody><body><freejoint name='root'/><geom type='capsule' size='0.03 0.1'/>";
    for (int k = 0; k < 12; ++k)
        xml +=
            "<body pos='0 0 0.2'><joint type='ball' pos='0 0 -0.1'/>"
            "<geom type='capsule' size='0.03 0.1'/>";
    for (int k = 0; k < 12; ++k) xml += "</body>";
    const auto model = model_of(xml + "</body></worldbody></mujoco>");
    for (const char* solver : {"classic", "soft-step", "split-step"}) {
        SimulationOptions options = usual();
        options.solver = solver;
        Simulation sim(model, options);
        JointState<double> state = sim.state();
        for (int k = 0; k < model->nv; ++k) state.v[k] = 0.3 * std::sin(1.7 * k + 1);
        sim.set_state(state);
        const Kept kept = keep(sim, 5);
        MESSAGE(std::string(solver) << ": chain, 5 s: linear momentum off by " << kept.linear
                                    << ", angular by "
                                    << kept.angular);
        CHECK(kept.linear < 1e-13);
        CHECK(kept.angular < (options.solver == "split-step" ? 2e-4 : 1e-13));
    }
}

// G6, Dzhanibekov's top: ω = (0.01, 10, 0.01) about moments of 1, 2, 3. By Euler's equations in Jacobi's
// functions ω_y changes its sign at 1.49059388808 s and every 2.75308405542 s from there on: 22 times in a
// minute. The splitting that turns it is symplectic, so that the energy has no trend.
TEST_CASE("impulse: Dzhanibekov's top flips, and keeps energy and angular momentum") {
    Simulation sim(model_of("<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint name='root'/>"
                            "<inertial pos='0 0 0' mass='1' diaginertia='1 2 3'/></body></worldbody>"
                            "</mujoco>"),
                   usual());
    set_velocity(sim, Vec3d::zero(), {0.01, 10, 0.01});
    const double energy = sim.energy().kinetic;
    const Vec3d momentum = momentum_of(sim).angular;
    double turned = 0, gained = 0, late = 0, before = 10;
    int flips = 0;
    run(sim, 60, frame, [&](const StepReport& report) {
        turned = std::max(turned, length(momentum_of(sim).angular - momentum) / length(momentum));
        const double off = std::abs(sim.energy().kinetic / energy - 1);
        gained = std::max(gained, off);
        if (report.time > 50) late = std::max(late, off);
        if (before * spin_of(sim).y < 0) ++flips;
        before = spin_of(sim).y;
    });
    MESSAGE("Dzhanibekov, 60 s: " << flips << " flips, angular momentum off by " << turned << ", energy by "
                                  << gained << ", in the last 10 s by " << late);
    CHECK(turned < 1e-11);  // rounding, over 28,800 sub-steps
    CHECK(gained < 1e-5);
    CHECK(flips == 22);
}
