// Impacts from event to event, against closed forms and integrations of their own, to 1e-6 and better; in
// frames of 60 Hz unless it is said otherwise. docs/event-stepping.md and docs/validation.md have the
// figures.

#include "core/length.h"
#include "support/event_runs.h"
#include "support/reference_problems.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

const char* const bouncing_ball = R"(<mujoco><worldbody><geom type="plane" size="0 0 1"/>
  <body pos="0 0 1.1"><freejoint name="root"/><geom size="0.1" restitution="0.8"/></body>
  </worldbody></mujoco>)";

}  // namespace

// The time of an impact follows from the flight after it: y = u t − g t²/2, v = u − g t.
TEST_CASE("event: the first bounces, to a microsecond") {
    Simulation sim(model_of(bouncing_ball), by_events());
    const double expected[] = {0.451523640985731, 1.17396146656290, 1.75191172702464};
    double before = 0;
    int count = 0;
    run(sim, 2, frame, [&](const StepReport& report) {
        const double v = velocity_of(sim).z, height = position_of(sim).z - 0.1;
        if (v > 0 && before < 0 && count < 3) {
            const double u = std::sqrt(v * v + 2 * gravity * height);
            const double when = report.time - (u - v) / gravity;
            MESSAGE("bounce " << count + 1 << ": off by " << when - expected[count] << " s");
            CHECK(std::abs(when - expected[count]) < 1e-6);
            CHECK(off(u, std::pow(0.8, count + 1) * std::sqrt(2 * gravity)) < 1e-6);
            ++count;
        }
        before = v;
        CHECK(report.impacts <= 1);
    });
    CHECK(count == 3);
}

// All bounces together last √(2h/g) (1 + e)/(1 − e), and from any state of a flight on v_i/g (1 + 2e/(1 − e))
// from the next impact, with v_i, on. Every frame before the end says when that will be; in the frame that
// has it the ball comes to rest.
TEST_CASE("event: infinitely many bounces end when they should, in rest that is exact") {
    Simulation sim(model_of(bouncing_ball), by_events());
    const double end = 4.06371276887158, e = 0.8;
    double worst = 0;
    int most = 0;
    run(sim, 5, frame, [&](const StepReport& report) {
        most = std::max(most, report.impacts);
        CHECK(report.fallbacks == 0);
        if (report.time > end) {
            CHECK(velocity_of(sim).z == 0);
            CHECK(std::abs(position_of(sim).z - 0.1) < 1e-12);
            return;
        }
        const double v = velocity_of(sim).z, height = position_of(sim).z - 0.1;
        const double next = std::sqrt(v * v + 2 * gravity * height);
        const double predicted = report.time + (v + next) / gravity + 2 * e * next / (gravity * (1 - e));
        worst = std::max(worst, std::abs(predicted - end));
    });
    MESSAGE("bounces: their end is off by " << worst << " s; " << most << " impacts in one frame");
    CHECK(worst < 1e-6);
    CHECK(most > 20);
    CHECK(most < 80);  // ln(u/1e-6)/ln 1.25 with u below g · frame: 53, and those slower than that
    CHECK(contact_force_on(sim, 1).z == doctest::Approx(sim.model().total_mass * gravity).epsilon(1e-9));
}

namespace {
// When it moves for the last time, in frames of dt from half a millisecond before the end on.
double last_motion(double dt) {
    Simulation sim(model_of(bouncing_ball), by_events());
    const double end = 4.06371276887158;
    run_until(sim, end - 5e-4);
    CHECK(velocity_of(sim).z != 0);
    double moved = 0;
    while (sim.state().time < end + 5e-4) {
        step_ok(sim, dt);
        if (velocity_of(sim).z != 0) moved = sim.state().time;
    }
    return moved - end;
}
}  // namespace

TEST_CASE("event: infinitely many bounces end in frames that are short, too") {
    const double late = last_motion(2e-5);
    MESSAGE("bounces: in frames of 20 µs the last motion is " << late << " s from the end");
    CHECK(std::abs(late) < 3e-5);
}
// A frame of 1 µs adds 1e-5 m/s, which the next one takes for another bounce: the ball hovers 0.1 nm above
// the ground for 300 µs.
TEST_CASE("event: infinitely many bounces end in frames of a microsecond" * doctest::should_fail()) {
    CHECK(std::abs(last_motion(1e-6)) < 3e-6);
}

namespace {

// Balls in a row along x, the first of which flies at 1 m/s against the others.
Simulation cradle(const std::vector<double>& masses, double gap, ImpactLaw law) {
    std::string xml =
        "<mujoco><option gravity='0 0 0'/><default><geom restitution='1' condim='1'/></default><worldbody>";
    for (std::size_t k = 0; k < masses.size(); ++k)
        xml += "<body pos='" + std::to_string(double(k) * (0.2 + gap) - (k == 0 ? 0.3 : 0)) +
               " 0 0'><freejoint name='ball" + std::to_string(k) + "'/><geom size='0.1' mass='" +
               std::to_string(masses[k]) + "'/></body>";
    SimulationOptions options = by_events();
    options.impact = law;
    Simulation sim(model_of(xml + "</worldbody></mujoco>"), options);
    set_velocity(sim, {1, 0, 0}, Vec3d::zero(), "ball0");
    return sim;
}
void check_cradle(Simulation sim, const std::vector<double>& expected) {
    run(sim, 1);
    for (std::size_t k = 0; k < expected.size(); ++k) {
        CAPTURE(k);
        CHECK(std::abs(velocity_of(sim, "ball" + std::to_string(k)).x - expected[k]) < 1e-9);
    }
}

}  // namespace

TEST_CASE("event: a cradle of 1, 2 and 3 kg, pair by pair") {
    const std::vector<double> expected{-1.0 / 3, -2.0 / 15, 8.0 / 15};
    for (const double gap : {0.0, 1e-6, 0.003, 0.05})
        for (const ImpactLaw law : {ImpactLaw::automatic, ImpactLaw::sequential}) {
            CAPTURE(gap);
            check_cradle(cradle({1, 2, 3}, gap, law), expected);
        }
    // With gaps there is never more than one impact at a time, whatever the law.
    check_cradle(cradle({1, 2, 3}, 0.003, ImpactLaw::simultaneous), expected);
}

// All rows at once: u₁⁺ = 1 between the first two, u₂⁺ = 0 between the others, K λ = (2, 0) with
// K = (3/2 −1/2; −1/2 5/6): λ = (5/3, 1). Of five equal balls four leave together.
TEST_CASE("event: a touching cradle, all at once") {
    check_cradle(cradle({1, 2, 3}, 0, ImpactLaw::simultaneous), {-2.0 / 3, 1.0 / 3, 1.0 / 3});
    check_cradle(cradle({1, 1, 1, 1, 1}, 0, ImpactLaw::simultaneous), {-0.6, 0.4, 0.4, 0.4, 0.4});
}

TEST_CASE("event: of five equal balls the last one leaves, and only that") {
    for (const double gap : {0.0, 0.001})
        check_cradle(cradle({1, 1, 1, 1, 1}, gap, ImpactLaw::automatic), {0, 0, 0, 0, 1});
}

// A block of 0.2 × 1 m on its edge, tilted by half the angle α at which it would fall over. About an edge it
// is a pendulum upside down: θ̈ = ∓ 3g/(4R) sin(α − |θ|), ω² + 3g/(2R) cos(α − |θ|) stays. At the impact ω
// falls to 1 − 3/2 sin² α of itself. What is asked about instants within frames follows from states at the
// ends of frames by these equations: speeds and peaks from the integral, times by integrating backwards.
TEST_CASE("event: Housner's block") {
    const double alpha = std::atan2(0.1, 0.5), R = std::hypot(0.1, 0.5);
    const double k = 3 * gravity / (4 * R);
    Simulation sim(
        model_of(R"(<mujoco><default><geom friction='2 0 0'/></default><worldbody><geom type="plane"
      size="0 0 1"/><body pos="0 0 0.5"><freejoint name="root"/><geom type="box" size="0.1 0.3 0.5"/></body>
      </worldbody></mujoco>)"),
        by_events());
    JointState<double> state = sim.state();
    const double tilt = alpha / 2;  // about +y, on the edge at x = +0.1, z = 0
    state.q[0] = 0.1 - R * std::sin(alpha - tilt);
    state.q[2] = R * std::cos(alpha - tilt);
    state.q[3] = std::cos(tilt / 2);
    state.q[5] = std::sin(tilt / 2);
    sim.set_state(state);
    const auto angle = [&] { return 2 * std::atan2(sim.state().q[5], sim.state().q[3]); };

    double before = 0, after = 0, when = 0, peak = 0;
    run(sim, 0.5, frame, [&](const StepReport& report) {
        const double theta = std::abs(angle()), omega = std::abs(spin_of(sim).y);
        const double fallen = std::cos(alpha - theta) - std::cos(alpha);
        const double at_impact = std::sqrt(omega * omega + 2 * k * fallen);
        if (angle() > 0) before = at_impact;
        if (angle() < 0 && when == 0) {
            after = at_impact;
            peak = alpha - std::acos(std::cos(alpha) + after * after / (2 * k));
            // Backwards to θ = 0 in equal parts of the angle: dt = dθ/ω, by Simpson's rule.
            const auto slowness = [&](double th) {
                return 1 / std::sqrt(after * after + 2 * k * (std::cos(alpha) - std::cos(alpha - th)));
            };
            double sum = 0;
            const int parts = 200;
            for (int i = 0; i < parts; ++i) {
                const double a = theta * i / parts, b = theta * (i + 1) / parts;
                sum += (b - a) / 6 * (slowness(a) + 4 * slowness(0.5 * (a + b)) + slowness(b));
            }
            when = report.time - sum;
        }
    });
    MESSAGE("housner: relative errors " << off(when, 0.347093586788881) << " "
                                        << off(before, 0.648049012267532)
                                        << " " << off(after, 0.610661569252098) << " "
                                        << off(peak, 0.0833391131643547));
    CHECK(off(when, 0.347093586788881) < 1e-6);
    CHECK(off(before, 0.648049012267532) < 1e-6);
    CHECK(off(after, 0.610661569252098) < 1e-6);
    CHECK(off(peak, 0.0833391131643547) < 1e-6);

    // The same peak as it is seen.
    double seen = 0;
    run_until(sim, 0.5 + 1e-9);
    run(sim, 0.2, 1e-3, [&](const StepReport&) { seen = std::max(seen, -angle()); });
    CHECK(off(seen, 0.0833391131643547) < 1e-5);  // 1 ms about a maximum

    run(sim, 14);
    MESSAGE("housner: at 15 s theta " << angle() << ", kinetic energy " << sim.energy().kinetic);
    CHECK(std::abs(angle()) < 1e-6);
    CHECK(sim.energy().kinetic < 1e-12);
}

// --- a pendulum of two rods whose tip hits a wall ----------------------------------------------------------

namespace {

// Rods of 1 m and 1 kg, angles from the downward vertical: an integration of its own, with the wall at
// x = `wall` for the tip. Independent of the library.
struct TwoRods {
    using Vector = std::array<double, 4>;  // φ₁ φ₂ φ̇₁ φ̇₂
    double wall, e;
    Vector y;
    double time = 0;
    std::vector<double> impacts;

    static Vector rate(const Vector& y) {
        const double c = 0.5 * std::cos(y[0] - y[1]), s = 0.5 * std::sin(y[0] - y[1]);
        const double f1 = -s * y[3] * y[3] - 1.5 * gravity * std::sin(y[0]);
        const double f2 = s * y[2] * y[2] - 0.5 * gravity * std::sin(y[1]);
        const double det = 4.0 / 9 - c * c;
        return {y[2], y[3], (f1 / 3 - c * f2) / det, (4.0 / 3 * f2 - c * f1) / det};
    }
    static Vector moved(const Vector& y, double h) {
        const auto plus = [](const Vector& a, const Vector& b, double s) {
            Vector r;
            for (int i = 0; i < 4; ++i) r[i] = a[i] + s * b[i];
            return r;
        };
        const Vector k1 = rate(y), k2 = rate(plus(y, k1, h / 2)), k3 = rate(plus(y, k2, h / 2)),
                     k4 = rate(plus(y, k3, h));
        Vector r = y;
        for (int i = 0; i < 4; ++i) r[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
        return r;
    }
    double gap(const Vector& at) const { return wall - std::sin(at[0]) - std::sin(at[1]); }
    double approach() const { return std::cos(y[0]) * y[2] + std::cos(y[1]) * y[3]; }

    // λ = (1 + e) J φ̇/(J M⁻¹ Jᵀ), φ̇ −= M⁻¹ Jᵀ λ, J = (cos φ₁, cos φ₂).
    void hit() {
        const double c = 0.5 * std::cos(y[0] - y[1]), det = 4.0 / 9 - c * c;
        const double j1 = std::cos(y[0]), j2 = std::cos(y[1]);
        const double r1 = (j1 / 3 - c * j2) / det, r2 = (4.0 / 3 * j2 - c * j1) / det;
        const double impulse = (1 + e) * approach() / (j1 * r1 + j2 * r2);
        y[2] -= r1 * impulse;
        y[3] -= r2 * impulse;
        impacts.push_back(time);
    }
    // Steps of 0.1 ms; the one in which the tip would pass the wall is cut where it reaches it.
    void run_until(double end) {
        while (end - time > 1e-14) {
            double h = std::min(1e-4, end - time);
            Vector next = moved(y, h);
            const bool hits = gap(next) < 0;
            for (int k = 0; hits && k < 50; ++k) {
                const double speed = -std::cos(next[0]) * next[2] - std::cos(next[1]) * next[3];
                h -= gap(next) / speed;
                next = moved(y, h);
            }
            y = next;
            time += h;
            if (hits) hit();
        }
    }
};

Simulation two_rods_at_wall(double wall, double e) {
    Scene scene;
    BodyId parent = world;
    for (const char* name : {"upper", "lower"}) {
        parent = scene.add_body(parent, {.name = name,
                                         .pose = {{0, 0, parent == world ? 0.0 : -1.0}},
                                         .inertial = rod_mass(1, {0, 0, -1})});
        scene.add_joint(parent, {.name = std::string(name) + "_joint", .axis = {0, -1, 0}});
    }
    scene.add_geom(parent, {.shape = ShapeType::sphere,
                            .pose = {{0, 0, -1}},
                            .size = {0.01, 0, 0},
                            .condim = 1,
                            .restitution = e});
    const double s = std::numbers::sqrt2 / 2;  // the plane's normal: −x
    scene.add_geom(world, {.shape = ShapeType::plane,
                           .pose = {{wall + 0.01, 0, 0}, {s, 0, -s, 0}},
                           .size = {0, 0, 1},
                           .condim = 1});
    return Simulation(compile(scene), by_events(1e-10));
}

}  // namespace

TEST_CASE("event: a pendulum of two rods hits a wall, and all that follows") {
    for (const double e : {1.0, 0.5}) {
        CAPTURE(e);
        TwoRods reference{.wall = -0.1, .e = e, .y = {-1.0, -0.4, 0, 0}, .impacts = {}};
        Simulation sim = two_rods_at_wall(-0.1, e);
        JointState<double> state = sim.state();
        state.q = {-1.0, 0.6};
        sim.set_state(state);
        const double start = total(sim.energy());
        double worst = 0, gain = 0;
        int impacts = 0;
        run(sim, 3.5, frame, [&](const StepReport& report) {
            impacts += report.impacts;
            reference.run_until(report.time);
            const TwoRods::Vector& y = reference.y;
            const std::vector<double>&q = sim.state().q, &v = sim.state().v;
            worst = std::max({worst, std::abs(q[0] - y[0]), std::abs(q[0] + q[1] - y[1]),
                              std::abs(v[0] - y[2]), std::abs(v[0] + v[1] - y[3])});
            gain = std::max(gain, std::abs(total(sim.energy()) - start));
            CHECK(report.fallbacks == 0);
        });
        MESSAGE("two rods, e = " << e << ": " << impacts << " impacts, states off by " << worst
                                 << (e == 1 ? ", energy by " + std::to_string(1e9 * gain) + "e-9 J" : ""));
        CHECK(reference.impacts.size() >= 3);
        CHECK(impacts == static_cast<int>(reference.impacts.size()));
        CHECK(worst < 1e-6);
        if (e == 1) CHECK(gain < 1e-9 * std::abs(start));
    }
}

// Just after the first impact the tip has no velocity towards the wall, and stays or leaves without one.
TEST_CASE("event: a pendulum of two rods hits a wall without bounce") {
    TwoRods reference{.wall = 0.3, .e = 0, .y = {-1.0, -0.4, 0, 0}, .impacts = {}};
    while (reference.impacts.empty()) reference.run_until(reference.time + 1e-4);
    TwoRods fresh{.wall = 0.3, .e = 0, .y = {-1.0, -0.4, 0, 0}, .impacts = {}};
    fresh.run_until(reference.impacts[0]);
    if (fresh.impacts.empty()) fresh.hit();
    Simulation sim = two_rods_at_wall(0.3, 0);
    JointState<double> state = sim.state();
    state.q = {-1.0, 0.6};
    sim.set_state(state);
    const double late = 1e-8;
    run_until(sim, reference.impacts[0] + late);
    const std::vector<double>&q = sim.state().q, &v = sim.state().v;
    CHECK(std::abs(v[0] - fresh.y[2]) < 1e-6);
    CHECK(std::abs(v[0] + v[1] - fresh.y[3]) < 1e-6);
    const double rate = std::cos(q[0]) * v[0] + std::cos(q[0] + q[1]) * (v[0] + v[1]);
    CHECK(std::abs(rate) < 1e-6);
    run(sim, 0.5, frame, [&](const StepReport&) {
        CHECK(std::sin(sim.state().q[0]) + std::sin(sim.state().q[0] + sim.state().q[1]) < 0.3 + 1e-6);
    });
}

// --- what falls flat, what is fast, what passes by, and Painlevé's rod -------------------------------------

TEST_CASE("event: a box that falls flat bounces at all corners alike, and does not turn") {
    for (const double e : {0.3, 0.7}) {
        CAPTURE(e);
        Simulation sim(
            model_of("<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.6'><freejoint "
                     "name='root'/><geom type='box' size='0.3 0.2 0.1' restitution='" +
                     std::to_string(e) + "'/></body></worldbody></mujoco>"),
            by_events());
        const double fall = std::sqrt(2 * 0.5 / gravity), up = e * gravity * fall;
        run_until(sim, fall + 0.5 * up / gravity);  // half way up
        const double t = 0.5 * up / gravity;
        CHECK(off(velocity_of(sim).z, up - gravity * t) < 1e-6);
        CHECK(off(position_of(sim).z - 0.1, up * t - 0.5 * gravity * t * t) < 1e-6);
        CHECK(std::abs(spin_of(sim).x) + std::abs(spin_of(sim).y) + std::abs(spin_of(sim).z) < 1e-9);
        // At rest when the sum of all bounces is over.
        const double end = fall * (1 + e) / (1 - e);
        run_until(sim, end + 0.02);
        CHECK(length(velocity_of(sim)) < 1e-9);
        CHECK(std::abs(position_of(sim).z - 0.1) < 1e-7);
    }
}

TEST_CASE("event: a fast small ball does not pass through a thin wall") {
    for (const double speed : {20.0, 100.0})
        for (const double aside : {0.0, 0.3}) {
            CAPTURE(speed);
            CAPTURE(aside);
            Simulation sim(model_of(R"(<mujoco><worldbody><geom type="box" size="0.0005 5 5" pos="2 0 0"/>
              <body><freejoint name="root"/><geom size="0.01"/></body></worldbody></mujoco>)"),
                           by_events(1e-7));
            set_velocity(sim, {speed, aside * speed, 0});
            const double wall = 2 - 0.0005 - 0.00999;
            run(sim, 0.3, frame, [&](const StepReport&) { CHECK(position_of(sim).x < wall); });
            CHECK(position_of(sim).x > 1.9);
        }
}

TEST_CASE("event: what passes by is not slowed down") {
    const auto flight = [](const std::string& box_at, const std::string& ball_at) {
        return "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='0.5 0.5 0.5' pos='" +
               box_at + "'/><body pos='" + ball_at +
               "'><freejoint name='root'/><geom size='0.05'/></body></worldbody></mujoco>";
    };
    struct Case {
        std::string what, box, ball;
        Vec3d velocity;
    };
    const Case cases[] = {
        {"along a face", "0 0 -0.551", "-2 0 0", {10, 0, 0}},
        {"along a face, fast", "0 0 -0.551", "-2 0 0", {100, 0, 0}},
        // Past the edge at x = 0, z = 0 with 1 mm to spare, downwards at 45°: the centre passes it at 51 mm.
        {"across an edge", "-0.5 0 -0.5", "-0.927875113 0 1", {10, 0, -10}},
        {"across an edge, fast", "-0.5 0 -0.5", "-0.927875113 0 1", {50, 0, -50}},
        {"down beside a face", "-0.551 0 0", "0 0 2", {0, 0, -20}},
    };
    for (const Case& c : cases) {
        CAPTURE(c.what);
        Simulation sim(model_of(flight(c.box, c.ball)), by_events(1e-7));
        set_velocity(sim, c.velocity);
        int impacts = 0;
        run(sim, 0.4, frame, [&](const StepReport& report) { impacts += report.impacts; });
        const Vec3d v = velocity_of(sim);
        CHECK(std::abs(v.x - c.velocity.x) + std::abs(v.y) + std::abs(v.z - c.velocity.z) < 1e-9);
        CHECK(impacts == 0);
    }
}

// As in impact_problems_test.cpp: with this friction no bounded force does it at 45°. Then velocity steps do,
// and the report says so.
TEST_CASE("event: Painlevé's rod stays finite and gains no energy, with a fallback that has a name") {
    int fallbacks = 0;
    std::string named;
    double rise = 0;
    for (const double mu : {1.0, 5.0, 1000.0})
        for (const double degrees : {20.0, 45.0, 63.4349488, 80.0, 135.0})
            for (const double speed : {-1.0, 1.0}) {
                CAPTURE(mu);
                CAPTURE(degrees);
                CAPTURE(speed);
                const double angle = degrees * std::numbers::pi / 180;
                Simulation sim(
                    model_of("<mujoco><worldbody><geom type='plane' size='0 0 1' friction='" +
                             std::to_string(mu) +
                             " 0 0'/><body><joint name='x' type='slide' axis='1 0 0'/><joint name='z' "
                             "type='slide' axis='0 0 1'/><joint name='turn' axis='0 -1 0'/>"
                             "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
                             "<geom type='sphere' size='0.001' pos='-1 0 0' friction='0 0 0'/>"
                             "<geom type='sphere' size='0.001' pos='1 0 0' friction='0 0 0'/>"
                             "</body></worldbody></mujoco>"),
                    by_events(1e-7));
                JointState<double> state = sim.state();
                state.q[1] = 0.001 + std::sin(angle);
                state.q[2] = angle;
                state.v[0] = speed;
                sim.set_state(state);
                const double start = total(sim.energy());
                double least = start;
                run(sim, 2, frame, [&](const StepReport& report) {
                    const double energy = total(sim.energy());
                    REQUIRE(std::isfinite(energy));
                    rise = std::max(rise, (energy - least) / start);
                    CHECK(energy < start * (1 + 1e-6));
                    least = std::min(least, energy);
                    CHECK((report.fallbacks > 0) == !report.fallback.empty());
                    fallbacks += report.fallbacks;
                    if (named.empty()) named = report.fallback;
                });
            }
    MESSAGE("painleve: energy above its running minimum by " << 100 * rise << " % of the start at most, "
                                                             << fallbacks << " fallbacks, the first: "
                                                             << named);
    CHECK(rise < 2e-3);
    CHECK(fallbacks > 0);
    CHECK(named.find("velocity steps: ") == 0);
}
