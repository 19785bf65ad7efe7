// Penalties as a whole: what the rows of contacts, limits and dry friction answer to a change u of velocities
// is the change of their own forces when bodies have moved on by η u and are faster by u. Depths are so small
// that arms and directions, which the rows keep, count for nothing.

#include "formulations/implicit/geometric_stiffness.h"
#include "formulations/implicit/penalties.h"
#include "formulations/implicit/touch_point.h"
#include "support/dodecahedron.h"
#include "support/implicit_bodies.h"

#include <fmt/format.h>

#include <array>
#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;
using implicit::Penalties;
using implicit::StiffRows;

namespace {

constexpr double depth = 1e-5;
constexpr double frequency = 3, dissipation = 30;

// Impulses on bodies of all penalties, where bodies are at `from`, if velocities change by x.
std::vector<double> impulses(Bodies& all, Penalties& penalties, const maximal::BodyCoordinates& from,
                             const std::vector<double>& x) {
    all.look(from);
    all.system.poses.find_freedoms();
    all.system.poses.to_joints(all.state);
    forward_kinematics(all.state, all.inputs.ws);
    update_drives(all.state, all.inputs.ws, all.inputs.drives);
    std::vector<double> u = all.vector(), f = all.vector();
    all.system.poses.velocities(u);
    all.system.matrix.find_inertias();
    REQUIRE(all.system.matrix.factor().bad_node < 0);
    StiffRows rows;
    penalties.add_rows({all.system, all.state, all.inputs.drives, u}, eta, x, rows);
    REQUIRE(!rows.empty());
    REQUIRE(rows.find_forces(all.system, x, 1e-13));
    rows.add_forces(all.system, f);
    return f;
}

// Along u from where `all` is; the largest change of an impulse.
double compare(Bodies& all, Penalties& penalties, const std::vector<double>& u) {
    constexpr double step = 1e-5;
    const maximal::BodyCoordinates here = all.bodies;
    const JointState<double> state = all.state;
    const std::vector<double> none = all.vector();
    std::vector<double> answered = none, moved = none;
    for (const double side : {1.0, -1.0}) {
        std::vector<double> x = u;
        for (double& entry : x) entry *= side * step;
        const std::vector<double> answer = impulses(all, penalties, here, x),
                                  there = impulses(all, penalties, all.moved(u, side * step), none);
        for (std::size_t k = 0; k < x.size(); ++k) {
            answered[k] += side * answer[k] / (2 * step);
            moved[k] += side * there[k] / (2 * step);
        }
    }
    double largest = 0, off = 0;
    for (int k = 0; k < all.system.graph.body_entries(); ++k) {
        largest = std::max(largest, std::abs(moved[k]));
        off = std::max(off, std::abs(moved[k] - answered[k]));
    }
    CHECK(off < 1e-3 * largest);
    all.state = state;
    all.look();
    return largest;
}

// Along each joint alone, and along all of them.
void check_joints(Random& random, Bodies& all, Penalties& penalties) {
    REQUIRE(penalties.reads_joints());
    all.look();
    penalties.start();
    for (int k = 0; k <= all.model->nv; ++k) {
        CAPTURE(k);
        std::vector<double> v(all.state.v.size(), 0.0);
        if (k < all.model->nv)
            v[k] = 1;
        else
            v = random_entries(random, v.size(), 1);
        CHECK(compare(all, penalties, all.directions(v)) > 1e-3);
    }
}

std::string corners() {
    std::string text;
    for (const Vec3d& p : dodecahedron_corners())
        text += fmt::format("{:.17g} {:.17g} {:.17g} ", 0.1 * p.x, 0.1 * p.y, 0.1 * p.z);
    return text;
}

}  // namespace

TEST_CASE("implicit tangents: contacts of every shape that stick and slide, on a floor and on a body") {
    // Shapes with their lowest point 0.2 below the centre.
    const char* const shapes[] = {
        "type='sphere' size='.2'",
        "type='capsule' size='.2 .3' euler='90 0 0'",
        "type='cylinder' size='.2 .3' euler='90 0 0'",
        "type='cylinder' size='.3 .2'",
        "type='ellipsoid' size='.4 .3 .2'",
        "type='box' size='.3 .4 .2'",
    };
    Random random(11);
    for (const char* shape : shapes)
        for (const bool on_a_body : {false, true}) {
            CAPTURE(shape);
            CAPTURE(on_a_body);
            const char* const below =
                on_a_body ? "<body pos='0 0 -.5'><freejoint/><geom type='box' size='1 1 .5' mass='5'/></body>"
                          : "<geom type='plane' size='0 0 1'/>";
            Bodies all(fmt::format(
                "<mujoco><default><geom condim='6' friction='.5 .02 .01'/></default>"
                "<worldbody>{}<body pos='0 0 {:.17g}'><freejoint/>"
                "<geom {} mass='2'/></body></worldbody></mujoco>",
                below, 0.2 - depth, shape));
            for (const bool slides : {false, true}) {
                CAPTURE(slides);
                all.state = JointState<double>(*all.model);
                const std::size_t last = all.state.v.size() - 6;  // of the shape
                if (slides) {
                    all.state.v[last] = 1;
                    all.state.v[last + 1] = -0.5;
                    all.state.v[last + 2] = 0.01;
                }
                all.look();
                CollisionWorkspace collision(all.model);
                std::vector<Transformd> poses;
                for (int b = 0; b < static_cast<int>(all.model->bodies.size()); ++b)
                    poses.push_back(body_pose(all.inputs.ws, b));
                find_contacts(poses, {}, collision);
                Penalties penalties(*all.model, frequency, dissipation);
                penalties.start();
                penalties.begin(collision.contacts, all.inputs.ws, 0);
                for (int trial = 0; trial < 10; ++trial) {
                    const std::vector<double> u =
                        all.directions(random_entries(random, all.state.v.size(), 1));
                    CHECK(compare(all, penalties, u) > 1e-3);
                }
            }
        }
}

// Forces of contacts, held as they are, at points that wander over what is round and stay on corners.
TEST_CASE("implicit tangents: geometric stiffness of contacts") {
    Random random(16);
    for (const char* shape : {"type='box' size='.3 .4 .2'", "type='capsule' size='.2 .3' euler='90 0 0'",
                              "type='cylinder' size='.2 .3' euler='90 0 0'"}) {
        CAPTURE(shape);
        Bodies all(fmt::format(
            "<mujoco><worldbody><geom type='plane' size='0 0 1'/>"
            "<body pos='0 0 {:.17g}'><freejoint/><geom {} mass='2'/></body></worldbody>"
            "</mujoco>",
            0.2 - depth, shape));
        all.look();
        CollisionWorkspace collision(all.model);
        const Transformd poses[] = {body_pose(all.inputs.ws, 0), body_pose(all.inputs.ws, 1)};
        find_contacts(poses, {}, collision);
        const Contacts& contacts = collision.contacts;
        // As large as they may be without being bounded.
        for (Contact& contact : collision.contacts.contacts)
            contact.impulse = {random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), random.uniform(0.2, 1)};
        Penalties penalties(*all.model, frequency, dissipation);
        penalties.start();
        penalties.begin(contacts, all.inputs.ws, 1);
        std::vector<implicit::GeometricStiffness::Load> loads;
        penalties.add_loads(all.system, loads);
        REQUIRE(loads.size() == contacts.contacts.size());
        implicit::GeometricStiffness geometric(all.system);
        std::vector<implicit::TouchPoint> points;
        for (const Contact& contact : contacts.contacts)
            points.emplace_back(*all.model, 1, poses[1], contact.on_b, -contact.normal);
        for (int trial = 0; trial < 10; ++trial) {
            const std::vector<double> u = all.directions(random_entries(random, 6, 1));
            const double analytic =
                all.added(u, [&] { geometric.add(all.vector(), loads, eta, all.system); });
            const double numeric = -eta * all.along(u, [&](std::vector<double>& f) {
                const Transformd& X = all.system.poses.workspace().poses[0].X_WL;
                for (std::size_t k = 0; k < points.size(); ++k) {
                    const Contact& contact = contacts.contacts[k];
                    const Vec3d arm = points[k].at(X, -contact.normal).core - X.p;
                    all.system.poses.add_wrench(0, {cross(arm, contact.impulse), contact.impulse}, f);
                }
            });
            CHECK(std::abs(analytic) > 1e-9);
            CHECK(analytic == doctest::Approx(numeric).epsilon(1e-5).scale(1e-6));
        }
    }
}

TEST_CASE("implicit tangents: contacts of a hull") {
    Random random(12);
    const double face = 0.1 * std::numbers::phi * std::numbers::phi /
                        std::sqrt(std::numbers::phi * std::numbers::phi + 1);
    Bodies all(fmt::format(
        "<mujoco><compiler angle='radian'/><default><geom condim='3' friction='.5 0 0'/>"
        "</default><asset><mesh name='twelve' vertex='{}'/></asset><worldbody>"
        "<geom type='plane' size='0 0 1'/><body pos='0 0 {:.17g}' euler='0 {:.17g} 0'>"
        "<freejoint/><geom type='mesh' mesh='twelve' mass='2'/></body></worldbody>"
        "</mujoco>",
        corners(), face - depth, -std::atan2(1, std::numbers::phi)));
    all.look();
    CollisionWorkspace collision(all.model);
    const Transformd poses[] = {body_pose(all.inputs.ws, 0), body_pose(all.inputs.ws, 1)};
    find_contacts(poses, {}, collision);
    REQUIRE(collision.contacts.contacts.size() >= 3);
    Penalties penalties(*all.model, frequency, dissipation);
    penalties.start();
    penalties.begin(collision.contacts, all.inputs.ws, 0);
    for (int trial = 0; trial < 10; ++trial)
        CHECK(compare(all, penalties, all.directions(random_entries(random, 6, 1))) > 0.01);
}

TEST_CASE("implicit tangents: limits of joints and tendons") {
    Bodies all(R"(<mujoco><compiler angle="radian"/><worldbody>
        <body><joint name="a" axis="1 2 3" range="-1 .3"/><geom size=".1" pos=".2 0 0"/>
        <body pos=".5 0 0"><joint name="b" type="slide" axis="1 0 1" range=".2 1"/><geom size=".1"/>
        <body pos=".3 0 0"><joint name="c" type="ball" range="0 .5"/><geom size=".1" pos="0 .2 0"/>
        <body pos="0 .4 0"><joint name="d" axis="0 0 1"/><geom size=".1" pos="0 .2 0"/>
        </body></body></body></body></worldbody>
        <tendon><fixed range="-1 .4" limited="true"><joint joint="d" coef="2"/><joint joint="a" coef="-.5"/>
        </fixed></tendon></mujoco>)");
    Random random(13);
    Penalties penalties(*all.model, frequency, dissipation);
    REQUIRE(penalties.reads_tendons());
    all.state.q[0] = 0.3 + depth;
    all.state.q[1] = 0.2 - depth;
    const Quatd turn = rotation_exp((0.5 + depth) / std::sqrt(14.0) * Vec3d{1, 2, 3});
    std::copy_n(std::array{turn.w, turn.x, turn.y, turn.z}.begin(), 4, all.state.q.begin() + 2);
    all.state.q[6] = (0.4 + 0.5 * all.state.q[0] + depth) / 2;
    check_joints(random, all, penalties);
}

// The force of a cone, about an axis that turns with the joint; held at its size.
TEST_CASE("implicit tangents: the force of a ball's cone turns with its bodies") {
    Bodies all(R"(<mujoco><worldbody><body pos="0 0 1"><joint type="ball"/><geom size=".1" pos=".2 0 0"/>
        <body pos=".5 0 0"><joint type="ball" range="0 70"/><geom size=".1" pos="0 .2 0"/></body></body>
        </worldbody></mujoco>)");
    const double cone = *all.model->joints[1].cone;
    Random random(15);
    for (int trial = 0; trial < 20; ++trial) {
        all.state = JointState<double>(*all.model);
        set_random(random, all, 0.6, 0);
        const Quatd turn = rotation_exp((cone + depth) * random_direction(random));
        std::copy_n(std::array{turn.w, turn.x, turn.y, turn.z}.begin(), 4, all.state.q.begin() + 4);
        all.look();
        Penalties penalties(*all.model, 100, 0);
        penalties.start();
        const std::vector<double> none = all.vector();
        all.system.poses.find_freedoms();
        all.system.matrix.find_inertias();
        REQUIRE(all.system.matrix.factor().bad_node < 0);
        StiffRows rows;
        penalties.add_rows({all.system, all.state, all.inputs.drives, none}, eta, none, rows);
        REQUIRE(rows.find_forces(all.system, none, 1e-13));
        penalties.keep_forces(eta, rows);
        const double N = rows.impulses_of(0)[0] / eta;
        REQUIRE(N > 0);
        // One of the two bodies turns: moments that turn with both at once are not in the matrix.
        std::vector<double> u = none;
        all.system.graph.write_motion(trial % 2, {random_vec(random, 1), Vec3d::zero()}, u);
        const double analytic = all.added(u, [&] { penalties.add_blocks(eta, all.system); });
        const double numeric = -eta * all.along(u, [&](std::vector<double>& f) {
            const Workspace<double>& ws = all.system.poses.workspace();
            const Mat3d &R_a = ws.poses[0].X_WL.R, &R_b = ws.poses[1].X_WL.R;
            const Vec3d e = rotation_log(quaternion(transpose(R_a) * R_b));
            const Vec3d torque = -N / std::sqrt(dot(e, e)) * (R_a * e);
            all.system.poses.add_wrench(1, {torque, Vec3d::zero()}, f);
            all.system.poses.add_wrench(0, {-torque, Vec3d::zero()}, f);
        });
        CHECK(analytic > 0);
        CHECK(analytic == doctest::Approx(numeric).epsilon(1e-5).scale(0));
    }
}

TEST_CASE("implicit tangents: dry friction of joints and tendons") {
    Bodies all(R"(<mujoco><worldbody>
        <body><joint name="a" axis="1 2 3" frictionloss="1e-4"/><geom size=".1" pos=".2 0 0"/>
        <body pos="0 .4 0"><joint name="b" axis="1 0 0" frictionloss="3e-4"/><geom size=".1" pos="0 .2 0"/>
        </body></body></worldbody><tendon><fixed frictionloss="2e-4"><joint joint="a" coef="1"/>
        <joint joint="b" coef="-.7"/></fixed></tendon></mujoco>)");
    Random random(14);
    Penalties penalties(*all.model, frequency, dissipation);
    check_joints(random, all, penalties);
}
