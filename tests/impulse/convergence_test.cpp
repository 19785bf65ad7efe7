// With enough sweeps sequential impulses find what a solution of all rows at once finds: velocities after one
// step of `classic`, without bias, against `reduced`, whose joints hold by themselves and whose impulses are
// solved for to 1e-10 m/s.
//
// The step is so short (a nanosecond) that nothing moves in it: then both state the same problem. Bodies that
// come with finite velocities are stopped by finite impulses of joints, loops, contacts and friction at once,
// while gravity, gyroscopic terms and the way in which positions are advanced are below what is compared.

#include "support/contact_scenes.h"
#include "support/impulse_runs.h"
#include "support/random_values.h"

using namespace lig;
using namespace lig::test;

namespace {

constexpr double instant = 1e-9;  // s

// A trunk on four legs of two links, of random measures, with its feet on the ground; with `linked`, a rod's
// length between two feet that are opposite is kept by a loop.
std::string quadruped(Random& random, double friction, bool linked) {
    std::string xml = "<mujoco><default><geom friction='" + number(friction) +
                      " 0 0'/></default><worldbody><geom type='plane' size='0 0 1'/>";
    xml += "<body name='trunk' pos='0 0 0.8'><freejoint/><geom type='box' size='0.4 0.3 0.1' mass='" +
           number(random.uniform(1, 20)) + "' contype='0' conaffinity='0'/>";
    for (int leg = 0; leg < 4; ++leg) {
        const double x = leg % 2 ? 0.3 : -0.3, y = leg / 2 ? 0.25 : -0.25, knee = random.uniform(-0.2, 0.2);
        const std::string name = std::to_string(leg), upper = random.uniform(0, 1) < 0.5 ? "ball" : "hinge";
        xml += "<body pos='" + number(x) + " " + number(y) + " 0'><joint type='" + upper +
               "' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 " + number(knee) +
               " 0 -0.4' size='0.04' mass='" + number(random.uniform(0.3, 3)) +
               "' contype='0' conaffinity='0'/><body name='shin" + name + "' pos='" + number(knee) +
               " 0 -0.4'><joint type='hinge' axis='0.3 1 0'/><geom type='capsule' fromto='0 0 0 " +
               number(-knee) + " 0 -0.3' size='0.03' mass='" + number(random.uniform(0.3, 3)) +
               "' contype='0' conaffinity='0'/><geom name='foot" + name + "' type='sphere' size='0.1' pos='" +
               number(-knee) + " 0 -0.3' mass='0.2'/></body></body>";
    }
    xml += "</body></worldbody>";
    if (linked)
        xml += "<equality><connect body1='shin0' body2='shin3' anchor='0.3 0.2 -0.3'/></equality>";
    return xml + "</mujoco>";
}

// Boxes that stand side by side and on each other.
std::string boxes(Random& random, double friction) {
    std::string xml = "<mujoco><default><geom friction='" + number(friction) +
                      " 0 0'/></default><worldbody><geom type='plane' size='0 0 1'/>";
    for (int k = 0; k < 4; ++k)
        xml += "<body pos='" + number(k < 3 ? 0.05 * k : 0.9) + " " + number(0.03 * k) + " " +
               number(k < 3 ? 0.25 + 0.5 * k : 0.25) +
               "'><freejoint/><geom type='box' size='0.3 0.3 0.25' "
               "mass='" +
               number(random.uniform(0.5, 5)) + "'/></body>";
    return xml + "</worldbody></mujoco>";
}

// The largest difference of velocities after an instant, relative to the largest velocity of the reference.
struct Differences {
    std::vector<double> off;  // by how many sweeps
    double speed = 0, changed = 0;
};
Differences compare(const std::shared_ptr<const Model>& model, const std::vector<double>& v,
                    std::span<const int> sweeps) {
    const auto strike = [&](SimulationOptions options) {
        options.accuracy = 1e-13;
        Simulation sim(model, options);
        JointState<double> state = sim.state();
        state.v = v;
        sim.set_state(state);
        const StepReport report = sim.step(instant);
        REQUIRE(was_taken(report));
        CHECK(report.contacts >= 4);
        return sim.state().v;
    };
    SimulationOptions exact;
    exact.stepping = Stepping::velocity;
    exact.iterations = 20000;
    const std::vector<double> reference = strike(exact);
    Differences found;
    for (std::size_t k = 0; k < v.size(); ++k) {
        found.speed = std::max(found.speed, std::abs(reference[k]));
        found.changed = std::max(found.changed, std::abs(reference[k] - v[k]));
    }
    for (const int count : sweeps) {
        SimulationOptions options = usual();
        options.solver = "classic";
        options.iterations = count;
        options.impulse.bias_factor = 0;
        const std::vector<double> own = strike(options);
        double off = 0;
        for (std::size_t k = 0; k < v.size(); ++k) off = std::max(off, std::abs(own[k] - reference[k]));
        found.off.push_back(off / std::max(found.speed, found.changed));
    }
    return found;
}

std::vector<double> falling(Random& random, int nv) {
    std::vector<double> v(nv);
    for (double& x : v) x = random.uniform(-0.5, 0.5);
    return v;
}

double mass_of(const Model& model, int body) {
    return model.tree.links[model.bodies[body].link].inertia.mass;
}

void check(const char* what, const Differences& found) {
    std::string list;
    for (const double off : found.off) list += " " + number(off);
    MESSAGE(std::string(what) << ": off by" << list << ", velocities changed by " << found.changed);
    CHECK(found.changed > 0.1);
    CHECK(found.off.front() > 1e-4);
    CHECK(found.off.back() < 1e-6);
}

}  // namespace

TEST_CASE("convergence: quadrupeds that come down, with loops and friction") {
    const int sweeps[] = {10, 100, 1000, 10000, 100000};
    for (const double friction : {0.0, 0.7})
        for (const bool linked : {false, true})
            for (int k = 0; k < 4; ++k) {
                Random random(100 + k);
                const auto model = model_of(quadruped(random, friction, linked));
                std::vector<double> v = falling(random, model->nv);
                v[2] = -1.5;
                check(linked ? "quadruped with a loop" : "quadruped", compare(model, v, sweeps));
            }
}

TEST_CASE("convergence: boxes that fall on each other") {
    const int sweeps[] = {10, 100, 1000, 10000};
    for (int k = 0; k < 4; ++k) {
        Random random(200 + k);
        const auto model = model_of(boxes(random, 0));
        std::vector<double> v = falling(random, model->nv);
        for (int b = 0; b < 4; ++b) v[6 * b + 2] = -1 - 0.2 * b;
        check("boxes", compare(model, v, sweeps));
    }
}

// With friction at four corners each, impacts have more than one solution. So it is asked whether what was
// found is one: momentum changes by the impulses, contacts do not approach and only push, those that part do
// not push, and friction is within the cone and, where something slides, on it and against the sliding.
TEST_CASE("convergence: boxes that fall on each other with friction end with a solution of Coulomb's law") {
    for (int k = 0; k < 6; ++k) {
        Random random(300 + k);
        const double mu = 0.3;
        const auto model = model_of(boxes(random, mu));
        SimulationOptions options = usual();
        options.solver = "classic";
        options.iterations = 20000;
        options.accuracy = 1e-14;
        options.impulse.bias_factor = 0;
        Simulation sim(model, options);
        JointState<double> state = sim.state();
        state.v = falling(random, model->nv);
        for (int b = 0; b < 4; ++b) state.v[6 * b + 2] = -1 - 0.2 * b;
        sim.set_state(state);
        step_ok(sim, instant);
        const std::vector<double>& v = sim.state().v;
        // Bodies are 1, 2, …; boxes stand upright, so their axes are the world's.
        const auto velocity_at = [&](int body, const Vec3d& point) {
            if (body == 0) return Vec3d::zero();
            const double *q = state.q.data() + 7 * (body - 1), *u = v.data() + 6 * (body - 1);
            return Vec3d{u[0], u[1], u[2]} +
                   cross(Vec3d{u[3], u[4], u[5]}, point - Vec3d{q[0], q[1], q[2]});
        };
        std::vector<Vec3d> given(5, Vec3d::zero());
        double miss = 0, most = 0;
        int sliding = 0;
        for (const Manifold& manifold : sim.contacts().manifolds) {
            const int a = model->geoms[manifold.geom_a].body, b = model->geoms[manifold.geom_b].body;
            for (int c = manifold.begin; c < manifold.begin + manifold.count; ++c) {
                const Contact& contact = sim.contacts().contacts[c];
                given[b] += contact.impulse;
                given[a] -= contact.impulse;
                if (contact.distance > 1e-6) continue;
                const Vec3d& n = contact.normal;
                const Vec3d slip = velocity_at(b, contact.on_b) - velocity_at(a, contact.on_a);
                const double normal = dot(contact.impulse, n), parting = dot(slip, n);
                const Vec3d friction = contact.impulse - normal * n, along = slip - parting * n;
                most = std::max(most, normal);
                CHECK(normal >= 0);
                CHECK(length(friction) < mu * normal + 1e-12);
                const double speed = length(along);
                if (speed > 1e-5 && normal > 1e-5) ++sliding;
                miss = std::max({miss, -parting, normal * std::max(parting, 0.0),
                                 length(speed * friction + (mu * normal) * along)});
            }
        }
        MESSAGE("boxes with friction: the law is missed by " << miss << " m/s or J, largest impulse " << most
                                                             << " N s, " << sliding << " contacts slide");
        CHECK(most > 0.1);
        CHECK(miss < 1e-9);
        for (int body = 1; body <= 4; ++body) {
            const double *before = state.v.data() + 6 * (body - 1), *after = v.data() + 6 * (body - 1);
            for (int j = 0; j < 3; ++j)
                CHECK(std::abs(given[body][j] - mass_of(*model, body) * (after[j] - before[j])) < 1e-6);
        }
    }
}
