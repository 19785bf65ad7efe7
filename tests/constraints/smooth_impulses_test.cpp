// Implicit steps of springs, dampers and drives against (M + h C + h² K) dv = h (tau − bias) − h² K v by
// dense algebra, with slopes of the forces by differences.

#include "constraints/smooth_impulses.h"

#include "constraints/implicit_terms.h"
#include "support/dense_step.h"
#include "support/drive_reference.h"
#include "support/random_scene.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

// A step by the functions under test, and the same by dense algebra.
struct Step {
    explicit Step(std::shared_ptr<const Model> shared)
        : model(std::move(shared)),
          ws(model),
          drives(*model),
          factor(*model),
          terms(*model),
          impulses(*model),
          warm(*model) {}

    // h (0 − bias), then everything in its place for `impulses`.
    void prepare(const JointState<double>& state) {
        const std::vector<double> still(model->nv);
        forward_kinematics(state, ws);
        update_drives(state, ws, drives);
        bias.resize(model->nv);
        inverse_dynamics<double>(state, still, ws, drives, bias);
        forward_kinematics(state, ws);
        update_drives(state, ws, drives);
        terms.clear_added();
        rows.clear();
    }

    std::vector<double> velocities(const JointState<double>& state, const std::vector<double>& ctrl,
                                   double h) {
        prepare(state);
        std::vector<double> x(model->nv);
        for (int k = 0; k < model->nv; ++k) x[k] = -h * bias[k];
        const RowContext context{.h = h};
        impulses.add({state, *model, ctrl, context, warm, drives}, terms, x, rows);
        REQUIRE(factor.factor(ws, terms) == -1);
        return stepped(factor, state.v, x, rows);
    }

    // One element of the dense matrices: a force along J with slopes, each zero where it would drive.
    struct Element {
        std::vector<double> J;
        double stiffness, damping, speed;
    };

    std::vector<double> spread(const Model::Row& row) const {
        std::vector<double> J(model->nv);
        for (int k = row.begin; k < row.begin + row.count; ++k)
            J[model->row_velocities[k]] += drives.row_entries[k];
        return J;
    }

    // The slopes of a force by differences when the drives' length and velocity are moved alone.
    template <class Force>
    Element element(const Model::Row& row, double& length, double& velocity, bool has_length, Force&& force) {
        const double l = length, s = velocity, step = 1e-6;
        const auto slope = [&](double& moved, double at) {
            moved = at + step;
            const double above = force();
            moved = at - step;
            const double below = force();
            moved = at;
            return std::max(-(above - below) / (2 * step), 0.0);
        };
        const double k = has_length ? slope(length, l) : 0, c = slope(velocity, s);
        return {spread(row), k, c, s};
    }

    std::vector<Element> elements(const JointState<double>& state, const std::vector<double>& ctrl) {
        std::vector<Element> out;
        std::vector<double> tau(model->nv);
        for (std::size_t i = 0; i < model->tendons.size(); ++i) {
            // Read off where the row is largest.
            const std::vector<double> J = spread(model->tendons[i].row);
            std::size_t best = 0;
            for (std::size_t k = 0; k < J.size(); ++k)
                if (std::abs(J[k]) > std::abs(J[best])) best = k;
            DriveWorkspace<double> alone = drives;
            for (std::size_t other = 0; other < model->tendons.size(); ++other) {
                if (other == i) continue;
                alone.tendon_velocity[other] = 0;
                const Model::Row& row = model->tendons[other].row;
                std::fill_n(alone.row_entries.begin() + row.begin, row.count, 0.0);
            }
            const auto force = [&] {
                std::fill(tau.begin(), tau.end(), 0.0);
                add_tendon_spring_forces<double>(*model, alone, tau);
                add_tendon_damping_forces<double>(*model, alone, tau);
                return tau[best] / J[best];
            };
            out.push_back(element(model->tendons[i].row, alone.tendon_length[i], alone.tendon_velocity[i],
                                  true, force));
        }
        for (int i = 0; i < model->nu; ++i) {
            const Model::Actuator& actuator = model->actuators[i];
            const bool on_joint = actuator.joint >= 0;
            const bool has_length = on_joint ? model->joints[actuator.joint].type != JointType::free
                                             : actuator.transmission != Transmission::site ||
                                                   actuator.reference_site >= 0;
            DriveWorkspace<double> alone = drives;
            const auto force = [&] {
                actuator_forces<double>(state, *model, ctrl, alone);
                return alone.actuator_force[i];
            };
            out.push_back(element(actuator.row, alone.actuator_length[i], alone.actuator_velocity[i],
                                  has_length, force));
        }
        return out;
    }

    // Slopes of the springs and dampers of joints of angles and lengths by differences of their forces; of a
    // ball and the halves of a free joint from the law.
    void add_joint_slopes(const JointState<double>& state, std::vector<double>& C, std::vector<double>& K) {
        const int nv = model->nv;
        const auto force = [&](const JointState<double>& at, int dof) {
            std::vector<double> tau(nv);
            add_spring_forces<double>(at, *model, tau);
            add_damping_forces<double>(at, *model, tau);
            return tau[dof];
        };
        for (const Model::Joint& joint : model->joints)
            for (int k = 0; k < joint.nv; ++k) {
                const int dof = joint.v_adr + k;
                const double step = 1e-6;
                JointState<double> above = state, below = state;
                above.v[dof] += step;
                below.v[dof] -= step;
                C[dof * nv + dof] += std::max(-(force(above, dof) - force(below, dof)) / (2 * step), 0.0);
                if (joint.nq != joint.nv) continue;
                above = below = state;
                above.q[joint.q_adr + k] += step;
                below.q[joint.q_adr + k] -= step;
                K[dof * nv + dof] += std::max(-(force(above, dof) - force(below, dof)) / (2 * step), 0.0);
            }
        for (const Model::Joint& joint : model->joints) {
            if (joint.nq == joint.nv) continue;
            double x[6];
            joints::visit_joint(joint.type, [&](auto kind) {
                decltype(kind)::difference(&model->q_spring[joint.q_adr], &state.q[joint.q_adr], x);
            });
            for (int first = 0; first < joint.nv; first += 3) {
                const double size = std::sqrt(x[first] * x[first] + x[first + 1] * x[first + 1] +
                                              x[first + 2] * x[first + 2]);
                const auto [second, third] = joint.stiffness_poly;
                const auto pull = [&](double s) {
                    return s * joint.stiffness + s * s * second + s * s * s * third;
                };
                const double across = size > 0 ? pull(size) / size : joint.stiffness;
                const double along = (pull(size + 1e-6) - pull(size - 1e-6)) / 2e-6;
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j < 3; ++j) {
                        const double nn = size > 0 ? x[first + i] * x[first + j] / (size * size) : 0;
                        K[(joint.v_adr + first + i) * nv + joint.v_adr + first + j] +=
                            (i == j ? across : 0) + (along - across) * nn;
                    }
            }
        }
    }

    std::vector<double> expected(const JointState<double>& state, const std::vector<double>& ctrl, double h) {
        prepare(state);
        const int nv = model->nv;
        std::vector<double> M(nv * nv), C(nv * nv), K(nv * nv), tau(nv);
        add_smooth_forces<double>(state, *model, ctrl, drives, tau);
        add_joint_slopes(state, C, K);
        std::vector<double> right(nv);
        for (int k = 0; k < nv; ++k) right[k] = h * (tau[k] - bias[k]);
        for (int i = 0; i < nv; ++i)
            for (int j = 0; j < nv; ++j) right[i] -= h * h * K[i * nv + j] * state.v[j];
        for (const Element& e : elements(state, ctrl))
            for (int i = 0; i < nv; ++i) {
                right[i] -= h * h * e.stiffness * e.J[i] * e.speed;
                for (int j = 0; j < nv; ++j) {
                    C[i * nv + j] += e.damping * e.J[i] * e.J[j];
                    K[i * nv + j] += e.stiffness * e.J[i] * e.J[j];
                }
            }
        Workspace<double> other(model);
        mass_matrix<double>(state, other, drives, M);
        for (std::size_t k = 0; k < M.size(); ++k) M[k] += h * C[k] + h * h * K[k];
        std::vector<double> v = dense_solve(M, right);
        for (int k = 0; k < nv; ++k) v[k] += state.v[k];
        return v;
    }

    std::shared_ptr<const Model> model;
    Workspace<double> ws;
    DriveWorkspace<double> drives;
    JointFactor factor;
    JointTerms terms;
    SmoothImpulses impulses;
    WarmStarts warm;
    Rows rows;
    std::vector<double> bias;
};

// The slopes by differences are good to 1e-9 of the forces; the sweeps end at rounding.
constexpr double tolerance = 1e-7;

void remove_limits(Scene& scene) {
    for (std::size_t i = 0; i < scene.joints().size(); ++i)
        scene.joint(JointId{static_cast<int>(i)}).effort = {};
}

Scene one_hinge(double damping = 0) {
    Scene scene("hinge");
    scene.options.gravity = {0, 0, 0};
    const BodyId body = scene.add_body(
        world, {.name = "b", .inertial = InertialSpec{2, {}, Sym3d::diagonal(0.5, 0.5, 0.5), {}}});
    scene.add_joint(body, {.name = "j", .damping = damping});
    return scene;
}

ActuatorSpec servo(double stiffness, double damping, double gear = 1) {
    ActuatorSpec out;
    out.joint = JointId{0};
    out.gear[0] = gear;
    out.gain = {stiffness, 0, 0};
    out.bias = {0, -stiffness, -damping};
    return out;
}

}  // namespace

TEST_CASE("joints of all kinds with springs and dampers") {
    Random random(81);
    for (int trial = 0; trial < 20; ++trial) {
        TreeShape shape;
        shape.springs = true;
        shape.kinematic = trial % 3;
        Scene scene = random_scene(random, shape);
        for (std::size_t i = 0; i < scene.joints().size(); ++i) {
            JointSpec& joint = scene.joint(JointId{static_cast<int>(i)});
            joint.stiffness *= 100;
            joint.damping_poly = {random.uniform(-0.5, 1), random.uniform(0, 1)};
            joint.stiffness_poly = {random.uniform(0, 50), random.uniform(0, 50)};
        }
        Step step(compile(scene));
        const JointState<double> state = random_state(random, *step.model, 1, 3);
        for (const double h : {1e-3, 0.02, 0.5}) {
            const std::vector<double> wanted = step.expected(state, {}, h);
            CHECK(difference_of(step.velocities(state, {}, h), wanted) < tolerance);
            CHECK(step.rows.rows.empty());
        }
    }
}

TEST_CASE("drives and tendons of all kinds without limits") {
    Random random(82);
    for (const char* name : {"transmissions", "tendons", "tendon_armature"}) {
        CAPTURE(name);
        const DriveReference reference(name, remove_limits);
        Step step(reference.model);
        for (int trial = 0; trial < 10; ++trial) {
            JointState<double> state = reference.state;
            std::vector<double> ctrl = reference.ctrl;
            if (trial > 0) {
                state = random_state(random, *step.model, 0.5, 2);
                state.act = reference.state.act;
                ctrl = random_numbers(random, step.model->nu, 0.9);
            }
            for (const double h : {0.002, 0.05}) {
                const std::vector<double> wanted = step.expected(state, ctrl, h);
                CHECK(difference_of(step.velocities(state, ctrl, h), wanted) < tolerance);
            }
        }
    }
}

TEST_CASE("what becomes of an actuator is a matter of its limits") {
    const DriveReference reference("actuators");
    const SmoothImpulses impulses(*reference.model);
    const auto handling = [&](const char* name) {
        return impulses.handling()[reference.model->find_actuator(name)];
    };
    CHECK(handling("int") == DriveHandling::constant);
    CHECK(handling("force") == DriveHandling::constant);
    CHECK(handling("pos") == DriveHandling::in_joint);
    CHECK(handling("dam") == DriveHandling::joint_row);
    CHECK(handling("iv") == DriveHandling::joint_row);
    CHECK(handling("cyl") == DriveHandling::constant);  // moves a joint of limited effort
    const DriveReference transmissions("transmissions");
    const SmoothImpulses others(*transmissions.model);
    const int a6 = transmissions.model->find_actuator("a6"), a10 = transmissions.model->find_actuator("a10");
    CHECK(others.handling()[a6] == DriveHandling::row);
    CHECK(others.handling()[a10] == DriveHandling::row);
}

TEST_CASE("drives and motors of a joint keep to its effort together") {
    const DriveReference reference("actuators");
    Step step(reference.model);
    const double h = 0.01;
    Random random(83);
    int at_limit = 0, within = 0;
    for (int trial = 0; trial < 40; ++trial) {
        JointState<double> state = random_state(random, *step.model, 0.4, 1);
        for (double& a : state.act) a = random.uniform(-0.3, 0.3);
        std::vector<double> ctrl = random_numbers(random, step.model->nu, 0.02);
        ctrl[step.model->find_actuator("iv")] = random.uniform(-1, 1);
        step.velocities(state, ctrl, h);
        // What acts on each joint besides its servos.
        std::vector<double> other(step.model->nv);
        for (int i = 0; i < step.model->nu; ++i) {
            if (step.impulses.handling()[i] != DriveHandling::constant) continue;
            const std::vector<double> J = step.spread(step.model->actuators[i].row);
            for (int k = 0; k < step.model->nv; ++k) other[k] += J[k] * step.drives.actuator_force[i];
        }
        for (const RowBlock& block : step.rows.blocks) {
            if (block.kind != RowKind::drive) continue;
            const Row& row = step.rows.rows[block.begin];
            const Model::Joint& joint = step.model->joints[step.model->actuators[block.source].joint];
            const double carried = joint.actuators_carry_gravity ? step.drives.gravity_force[joint.v_adr] : 0;
            const double force = row.lambda / h + other[joint.v_adr] + carried;
            CHECK(force > joint.effort.lower - 1e-12);
            CHECK(force < joint.effort.upper + 1e-12);
            const bool is_free = row.lambda > row.lo && row.lambda < row.hi;
            ++(is_free ? within : at_limit);
            // Of a row at its bound, the whole effort is spent.
            if (!is_free)
                CHECK(std::min(force - joint.effort.lower, joint.effort.upper - force) < 1e-12);
        }
    }
    CHECK(at_limit > 5);
    CHECK(within > 5);
}

TEST_CASE("one servo on a hinge in closed form") {
    const double I = 0.5, k = 300, c = 7, gear = 2, h = 0.02, q = 0.3, v = -1.5, target = 0.8, d = 0.4;
    const auto run = [&](const Range& force_range, const Range& effort) {
        Scene scene = one_hinge(d);
        ActuatorSpec spec = servo(k, c, gear);
        spec.force_range = force_range;
        scene.add_actuator(spec);
        scene.joint(JointId{0}).effort = effort;
        Step step(compile(scene));
        JointState<double> state(*step.model);
        state.q[0] = q;
        state.v[0] = v;
        const double next = step.velocities(state, {target}, h)[0];
        const bool is_limited = force_range != Range{} || effort != Range{};
        CHECK(step.rows.rows.size() == (is_limited ? 1 : 0));
        return next;
    };
    const double force = k * target - k * gear * q - c * gear * v;
    const double weight = gear * gear * (h * c + h * h * k);
    const double free = v + (h * (gear * force - d * v) - h * h * gear * gear * k * v) / (I + h * d + weight);
    CHECK(run({}, {}) == doctest::Approx(free).epsilon(1e-13));
    // The force at the end of that step is positive.
    const double last = force - k * h * gear * free - c * gear * (free - v);
    REQUIRE(last > 2);
    const auto limited = [&](double most) { return v + (h * (gear * most - d * v)) / (I + h * d); };

    // A range of the force that is not reached at the end, though at the beginning, and one that is.
    REQUIRE(force > last + 1);
    CHECK(run({-1000, last + 1}, {}) == doctest::Approx(free).epsilon(1e-13));
    CHECK(run({-1, 2}, {}) == doctest::Approx(limited(2)).epsilon(1e-13));
    // The same as an effort of the joint, which is beyond the gear.
    CHECK(run({}, {-1000, gear * (last + 1)}) == doctest::Approx(free).epsilon(1e-13));
    CHECK(run({}, {-1, 2}) == doctest::Approx(limited(2 / gear)).epsilon(1e-13));
    // Both: the narrower counts.
    CHECK(run({-0.25, 0.25}, {-1, 2}) == doctest::Approx(limited(0.25)).epsilon(1e-13));
    CHECK(run({-1, 2}, {-0.5, 0.5}) == doctest::Approx(limited(0.25)).epsilon(1e-13));
}

TEST_CASE("several drives share the effort of a joint") {
    const double I = 0.5, h = 0.01, q = 0.2, v = 0.7;
    Scene scene = one_hinge();
    scene.add_actuator(servo(200, 0));
    scene.add_actuator(servo(0, 9, -3));
    ActuatorSpec motor;
    motor.joint = JointId{0};
    scene.add_actuator(motor);
    std::vector<double> ctrl{0.1, 0, 4};
    const auto run = [&](Range effort) {
        scene.joint(JointId{0}).effort = effort;
        Step step(compile(scene));
        JointState<double> state(*step.model);
        state.q[0] = q;
        state.v[0] = v;
        return step.velocities(state, ctrl, h)[0];
    };
    const double K = 200, C = 9 * 9;
    const double force = 200 * (0.1 - q) - C * v + 4;
    const double free = v + (h * force - h * h * K * v) / (I + h * C + h * h * K);
    CHECK(run({}) == doctest::Approx(free).epsilon(1e-13));
    CHECK(run({-1e3, 1e3}) == doctest::Approx(free).epsilon(1e-13));
    CHECK(I * (free - v) / h < -15);
    CHECK(run({-15, 15}) == doctest::Approx(v - h * 15 / I).epsilon(1e-13));
    // The motor alone is beyond the effort; the servos take from it as much as they would.
    CHECK(run({-1e3, 1}) == doctest::Approx(free).epsilon(1e-13));
    // All push the same way.
    ctrl[0] = 2;
    CHECK(run({-6, 6}) == doctest::Approx(v + h * 6 / I).epsilon(1e-13));
    ctrl[2] = 8;
    CHECK(run({-6, 6}) == doctest::Approx(v + h * 6 / I).epsilon(1e-13));
}

TEST_CASE("a servo on a tendon of limited effort") {
    const double I = 0.5, h = 0.01, q = 0.2, v = 0.7, k = 200, coefficient = 1.5, gear = 2;
    const auto run = [&](const Range& effort, const Range& force_range) {
        Scene scene = one_hinge();
        TendonSpec tendon;
        tendon.joints = {{JointId{0}, coefficient}};
        tendon.effort = effort;
        ActuatorSpec spec = servo(k, 0, gear);
        spec.transmission = Transmission::tendon;
        spec.joint = {};
        spec.tendon = scene.add_tendon(tendon);
        spec.force_range = force_range;
        scene.add_actuator(spec);
        Step step(compile(scene));
        JointState<double> state(*step.model);
        state.q[0] = q;
        state.v[0] = v;
        CHECK(step.impulses.handling()[0] == DriveHandling::row);
        return step.velocities(state, {1.0}, h)[0];
    };
    const double J = gear * coefficient, force = k * (1 - J * q);
    const double free = v + (h * J * force - h * h * J * J * k * v) / (I + h * h * J * J * k);
    CHECK(run({}, {}) == doctest::Approx(free).epsilon(1e-13));
    CHECK(run({-1, 3}, {}) == doctest::Approx(v + h * J * 3 / I).epsilon(1e-13));
    CHECK(run({-1, 3}, {-2, 2}) == doctest::Approx(v + h * J * 2 / I).epsilon(1e-13));
}

TEST_CASE("servos with an activation, of now or of the end of the step") {
    const double I = 0.5, q = 0.2, v = 0.7, k = 200, a = 0.3, u = 2;
    for (const bool early : {false, true})
        for (const bool limited : {false, true}) {
            Scene scene = one_hinge();
            scene.options.timestep = 0.01;
            ActuatorSpec spec = servo(k, 0);
            spec.activation = Activation::integrator;
            spec.act_early = early;
            if (limited) spec.force_range = {-1e3, 1e3};
            scene.add_actuator(spec);
            Step step(compile(scene));
            JointState<double> state(*step.model);
            state.q[0] = q;
            state.v[0] = v;
            state.act[0] = a;
            const double h = 0.01, input = early ? a + h * u : a;
            const double next = v + (h * k * (input - q) - h * h * k * v) / (I + h * h * k);
            CHECK(step.velocities(state, {u}, h)[0] == doctest::Approx(next).epsilon(1e-13));
        }
}

TEST_CASE("forces that drive are not taken at the end of the step") {
    const double h = 0.1, q = 0.2, v = 0.7, I = 0.5;
    Scene scene = one_hinge();
    scene.add_actuator(servo(-2, -1));
    scene.joint(JointId{0}).damping_poly = {-3, 0};  // −v |v| (−3)
    Step step(compile(scene));
    JointState<double> state(*step.model);
    state.q[0] = q;
    state.v[0] = v;
    const double force = 2 * q + 1 * v + 3 * v * v;
    CHECK(step.velocities(state, {0}, h)[0] == doctest::Approx(v + h * force / I).epsilon(1e-14));
}

TEST_CASE("switches are honoured") {
    Scene scene = one_hinge(3);
    scene.joint(JointId{0}).stiffness = 50;
    scene.add_actuator(servo(200, 5));
    const double h = 0.01, q = 0.2, v = 0.7, I = 0.5;
    const auto run = [&] {
        Step step(compile(scene));
        JointState<double> state(*step.model);
        state.q[0] = q;
        state.v[0] = v;
        return step.velocities(state, {0}, h)[0];
    };
    const auto implicit = [&](double k, double c) {
        return v - h * (k * (q + h * v) + c * v) / (I + h * c + h * h * k);
    };
    CHECK(run() == doctest::Approx(implicit(250, 8)).epsilon(1e-13));
    scene.options.enabled.actuation = false;
    CHECK(run() == doctest::Approx(implicit(50, 3)).epsilon(1e-13));
    scene.options.enabled.damper = false;
    CHECK(run() == doctest::Approx(implicit(50, 0)).epsilon(1e-13));
    scene.options.enabled.spring = false;
    CHECK(run() == doctest::Approx(v).epsilon(1e-15));
}
