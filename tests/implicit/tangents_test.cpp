// The matrix of Newton's method against finite differences of the forces that it belongs to. With u the
// change of velocities, bodies move by η u; the matrix has −η ∂f/∂(η u, u) of the forces f, and η ∂(Jᵀ y)/∂(η
// u) of the rows. Where it is symmetric by design, uᵀ A u is what can be compared.

#include "formulations/implicit/body_bushings.h"
#include "formulations/implicit/geometric_stiffness.h"
#include "formulations/implicit/joint_stiffness.h"
#include "formulations/implicit/touch_point.h"
#include "formulations/implicit/turning_springs.h"
#include "support/implicit_bodies.h"

#include <string>

using namespace lig;
using namespace lig::test;
using maximal::BodySystem;

namespace {

const char* const chain = R"(<mujoco><worldbody>
  <body pos="0 0 1"><joint type="ball"/><geom type="box" size=".3 .2 .1" pos=".3 .1 0" mass="2"/>
    <body pos=".6 0 .1"><joint type="ball"/><geom type="box" size=".2 .3 .1" pos=".2 0 .1" mass="1"/>
      <body pos=".4 .1 0"><joint type="ball"/><geom type="box" size=".2 .1 .3" pos=".1 .2 0" mass="3"/></body>
    </body></body></worldbody></mujoco>)";

}  // namespace

// Along a motion that keeps joints closed, J u = 0 throughout, all that is left of ∂(Jᵀ y)/∂u · u comes from
// arms that turn: exactly what the blocks of single bodies have.
TEST_CASE("implicit tangents: geometric stiffness is what forces of joints do as arms turn") {
    Random random(1);
    Bodies all(chain);
    implicit::GeometricStiffness geometric(all.system);
    for (int trial = 0; trial < 20; ++trial) {
        set_random(random, all, 0.5, 0);
        // Small beside the inertia: nothing is bounded.
        std::vector<double> y = all.vector();
        for (int k = all.system.graph.body_entries(); k < all.system.graph.size(); ++k)
            y[k] = random.uniform(-0.01, 0.01);
        const std::vector<double> u =
            all.directions(random_entries(random, static_cast<std::size_t>(all.model->nv), 1));
        const double analytic = all.added(u, [&] { geometric.add(y, {}, eta, all.system); });
        // In the axes of joints that turn with parents y would turn, too: forces are held in the world.
        std::vector<Force<double>> forces;
        for (int i = 0; i < all.system.graph.links(); ++i)
            forces.push_back(all.system.matrix.joint_force(i, y));
        const double numeric = all.along(u, [&](std::vector<double>& f) {
            for (int i = 0; i < all.system.graph.links(); ++i) {
                const Vec3d& p = all.system.poses.workspace().poses[i].X_WL.p;
                const auto add = [&](int link, const Vec3d& force) {
                    const Vec3d moment = cross(p - all.system.poses.workspace().poses[link].X_WL.p, force);
                    all.system.poses.add_wrench(link, {moment, force}, f);
                };
                add(i, -forces[i].lin);
                if (const int parent = all.model->tree.links[i].parent; parent >= 0)
                    add(parent, forces[i].lin);
            }
        });
        CHECK(std::abs(analytic) > 1e-7);
        CHECK(analytic == doctest::Approx(numeric).epsilon(1e-5).scale(1e-6));
    }
}

// The same of a loop, along a motion that keeps it closed.
TEST_CASE("implicit tangents: geometric stiffness of loops") {
    Random random(5);
    Bodies all(R"(<mujoco><worldbody>
      <body name="a" pos="0 0 1"><freejoint/><geom type="box" size=".3 .2 .1" pos=".1 .1 0" mass="2"/></body>
      <body name="b" pos=".7 0 1"><freejoint/><geom type="box" size=".2 .3 .1" pos=".2 0 .1" mass="1"/></body>
      </worldbody><equality><connect body1="a" body2="b" anchor=".4 .1 .05"/></equality></mujoco>)");
    implicit::GeometricStiffness geometric(all.system);
    REQUIRE(all.system.graph.equalities().size() == 1);
    const maximal::BodyGraph::Equality& loop = all.system.graph.equalities()[0];
    for (int trial = 0; trial < 20; ++trial) {
        all.state = JointState<double>(*all.model);
        all.look();
        const Vec3d p = body_pose(all.system.poses.workspace(), 1) * Vec3d{0.4, 0.1, 0.05};
        Motion<double> V[2] = {{random_vec(random, 1), random_vec(random, 1)},
                               {random_vec(random, 1), Vec3d::zero()}};
        const Vec3d at_p = V[0].lin + cross(V[0].ang, p - all.system.poses.centre(0));
        V[1].lin = at_p - cross(V[1].ang, p - all.system.poses.centre(1));
        std::vector<double> u = all.vector(), y = all.vector();
        for (int link = 0; link < 2; ++link) all.system.graph.write_motion(link, V[link], u);
        for (int r = 0; r < loop.count; ++r) y[loop.begin + r] = random.uniform(-0.01, 0.01);
        const double analytic = all.added(u, [&] { geometric.add(y, {}, eta, all.system); });
        Vec3d forces[2];
        for (int link = 0; link < 2; ++link)
            forces[link] = all.system.matrix.equality_force(loop, link, y).lin;
        CHECK(largest(forces[0] + forces[1]) < 1e-15);
        const double numeric = all.along(u, [&](std::vector<double>& f) {
            for (int link = 0; link < 2; ++link) {
                const Workspace<double>& ws = all.system.poses.workspace();
                const Vec3d arm = body_pose(ws, 1) * Vec3d{0.4, 0.1, 0.05} - ws.poses[link].X_WL.p;
                all.system.poses.add_wrench(link, {-cross(arm, forces[link]), -forces[link]}, f);
            }
        });
        CHECK(std::abs(analytic) > 1e-7);
        CHECK(analytic == doctest::Approx(numeric).epsilon(1e-5).scale(1e-6));
    }
}

TEST_CASE("implicit tangents: springs and dampers of hinges and balls") {
    const char* const models[] = {
        R"(<mujoco><worldbody><body><joint type="ball" stiffness="7" damping="0.3"/><geom size=".1"/>
        <body pos="0 0 .5"><joint type="ball" stiffness="20"/><geom size=".1" pos=".1 0 0"/></body></body>
        </worldbody></mujoco>)",
        R"(<mujoco><worldbody><body><joint axis="1 2 3" stiffness="5" damping=".2" springref="20"/>
        <geom size=".1"/>
        </body></worldbody></mujoco>)"};
    Random random(2);
    for (const char* xml : models) {
        Bodies all(xml);
        implicit::TurningSprings springs(*all.model);
        for (int trial = 0; trial < 20; ++trial) {
            set_random(random, all, 0.7, 0);
            springs.start(all.state);
            // One joint moves: moments that turn with two bodies at once are not in the matrix, by design.
            std::vector<double> v(all.state.v.size(), 0.0);
            const Model::Joint& joint =
                all.model->joints[random_index(random, static_cast<int>(all.model->joints.size()))];
            for (int k = 0; k < joint.nv; ++k) v[joint.v_adr + k] = random.uniform(0.2, 1);
            const std::vector<double> u = all.directions(v);
            springs.follow(all.system);
            const double analytic =
                all.added(u, [&] { springs.add_blocks(eta, false, all.system); });
            const double numeric = -eta * all.along(u, [&](std::vector<double>& f) {
                springs.follow(all.system);
                springs.add_forces(all.system, f);
            });
            CHECK(analytic > 1e-4);
            CHECK(analytic == doctest::Approx(numeric).epsilon(1e-5).scale(0));
        }
    }
}

TEST_CASE("implicit tangents: bushings") {
    Bodies all(
        R"(<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 0 0"/>
        </body></worldbody></mujoco>)");
    Scene scene = scene_of(R"(<mujoco><worldbody><body name="b" pos="0 0 1"><freejoint/>
        <geom type="box" size=".1 .2 .3" pos=".1 0 0"/></body></worldbody></mujoco>)");
    BushingSpec spec;
    spec.body_a = world;
    spec.body_b = BodyId{1};
    spec.frame_a.pos = {0, 0, 1};
    spec.stiffness = {100, 200, 300};
    spec.damping = {1, 2, 3};
    spec.turn_stiffness = {10, 20, 30};
    spec.turn_damping = {0.1, 0.2, 0.3};
    scene.add_bushing(spec);
    all.model = compile(scene);
    implicit::BodyBushings bushings(*all.model);
    implicit::StiffRows rows;
    Random random(3);
    for (int trial = 0; trial < 20; ++trial) {
        // Displaced sideways, with no force and no twist: nothing is left out there.
        set_random(random, all, 0, 0);
        all.state.q = JointState<double>(*all.model).q;
        all.look();
        const std::vector<double> u = all.directions(random_entries(random, all.state.v.size(), 1));
        bushings.look(all.system);
        const double analytic = all.added(u, [&] { bushings.add_stiffness(eta, all.system, rows); });
        const double numeric = -eta * all.along(u, [&](std::vector<double>& f) {
            bushings.look(all.system);
            bushings.add_forces(all.system, f);
        });
        CHECK(rows.empty());
        CHECK(analytic > 1e-3);
        CHECK(analytic == doctest::Approx(numeric).epsilon(1e-5).scale(0));
    }
}

// Between two bodies they are rows beside the matrix.
TEST_CASE("implicit tangents: bushings between two bodies") {
    const char* const two = R"(<mujoco><worldbody>
        <body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 0 0"/></body>
        <body pos=".5 0 1"><freejoint/><geom type="box" size=".2 .1 .3" pos="0 .1 0"/></body>
        </worldbody></mujoco>)";
    Bodies all(two);
    Scene scene = scene_of(two);
    // So soft that a row does not feel the others.
    BushingSpec spec;
    spec.body_a = BodyId{1};
    spec.body_b = BodyId{2};
    spec.frame_a.pos = {0.2, 0.1, 0.3};
    spec.frame_b.pos = {-0.3, 0.1, 0.3};
    spec.stiffness = {1e-4, 2e-4, 3e-4};
    spec.damping = {1e-6, 2e-6, 3e-6};
    spec.turn_stiffness = {1e-5, 2e-5, 3e-5};
    spec.turn_damping = {1e-7, 2e-7, 3e-7};
    scene.add_bushing(spec);
    all.model = compile(scene);
    implicit::BodyBushings bushings(*all.model);
    Random random(6);
    for (int trial = 0; trial < 20; ++trial) {
        all.state = JointState<double>(*all.model);
        all.look();
        const std::vector<double> u = all.directions(random_entries(random, all.state.v.size(), 1));
        bushings.look(all.system);
        implicit::StiffRows rows;
        CHECK(all.added(u, [&] { bushings.add_stiffness(eta, all.system, rows); }) == 0);
        const double analytic = all.along_rows(u, rows);
        const double numeric = -eta * all.along(u, [&](std::vector<double>& f) {
            bushings.look(all.system);
            bushings.add_forces(all.system, f);
        });
        CHECK(analytic > 1e-9);
        CHECK(analytic == doctest::Approx(numeric).epsilon(1e-5).scale(0));
    }
}

TEST_CASE("implicit tangents: a tendon over several joints") {
    Bodies all(R"(<mujoco><worldbody>
        <body><joint name="a" axis="1 2 3"/><geom size=".1" pos=".2 0 0"/>
        <body pos=".5 0 0"><joint name="b" axis="1 0 1"/><geom size=".1" pos=".1 .1 0"/>
        <body pos=".3 0 0"><joint name="c" axis="0 1 0"/><geom size=".1" pos="0 .2 0"/></body></body></body>
        </worldbody>
        <tendon><fixed stiffness="1e-4" springlength="0 0" damping="1e-6"><joint joint="a" coef="2"/>
        <joint joint="c" coef="-1"/></fixed></tendon></mujoco>)");
    implicit::JointStiffness joints(*all.model);
    Random random(7);
    for (int trial = 0; trial < 20; ++trial) {
        all.state = JointState<double>(*all.model);
        set_random(random, all, 0.6, 1);
        const std::vector<double> v = random_entries(random, all.state.v.size(), 1);
        const std::vector<double> u = all.directions(v);
        // The tendon's length is 2 a − c.
        const double rate = 2 * v[0] - v[2], wanted = (eta * eta * 1e-4 + eta * 1e-6) * rate * rate;
        all.system.poses.find_freedoms();
        implicit::StiffRows rows;
        CHECK(all.added(u, [&] {
            joints.add_blocks(all.inputs, all.state, eta, false, true, all.system, rows);
        }) == 0);
        CHECK(all.along_rows(u, rows) == doctest::Approx(wanted).epsilon(1e-5).scale(0));
    }
}

// Springs, dampers, servos, rotors and tendons of joints, along motions of the joints.
TEST_CASE("implicit tangents: drives, springs and rotors of joints, and drives to a pose") {
    Bodies all(R"(<mujoco><worldbody>
        <body><joint name="a" axis="1 2 3" stiffness="5" damping=".2" armature=".03"/>
        <geom size=".1" pos=".2 0 0"/>
        <body pos=".5 0 0"><joint name="b" type="slide" axis="1 0 1" stiffness="50" damping="2"/>
        <geom size=".1"/>
        <body pos=".3 0 0"><joint name="c" axis="0 1 0"/><geom size=".1" pos="0 .2 0"/></body></body></body>
        </worldbody>
        <tendon><fixed name="t" stiffness="9" springlength="0 0" damping=".4"><joint joint="a" coef="2"/>
        </fixed></tendon>
        <actuator><position joint="c" kp="30" kv="2"/><velocity joint="b" kv="3"/><motor joint="a"/>
        </actuator>
        </mujoco>)");
    implicit::JointStiffness joints(*all.model);
    PoseTargets targets(*all.model);
    Random random(4);
    for (const double torque : {0.0, HUGE_VAL, 1e6})  // of drives to a pose; none, any, or limited
        for (int trial = 0; trial < 20; ++trial) {
            const bool poses = torque > 0;
            all.state = JointState<double>(*all.model);
            set_random(random, all, 0.6, 1);
            all.inputs.ctrl = {0.3, -0.2, 0.5};
            if (poses) targets.set(*all.model, JointState<double>(*all.model).q, {}, 3, 0.8, torque, {});
            const std::vector<double> v = random_entries(random, all.state.v.size(), 1);
            const std::vector<double> u = all.directions(v);
            const auto torques = [&](double by) {
                JointState<double> state = all.state;
                integrate<double>(all.inputs.ws, state.q, v, by * eta, state.q);
                for (std::size_t k = 0; k < v.size(); ++k) state.v[k] += by * v[k];
                forward_kinematics(state, all.inputs.ws);
                update_drives(state, all.inputs.ws, all.inputs.drives);
                std::vector<double> tau(v.size(), 0.0);
                add_smooth_forces<double>(state, *all.model, all.inputs.ctrl, all.inputs.drives, tau);
                joints.add_rotors(state.v, all.state.v, eta, tau);
                if (poses) joints.add_pose_drive(targets, state, all.inputs.ws, eta, tau);
                return tau;
            };
            const double step = 1e-5;
            const std::vector<double> above = torques(step), below = torques(-step);
            double numeric = 0;
            for (std::size_t k = 0; k < v.size(); ++k)
                numeric -= eta * v[k] * (above[k] - below[k]) / (2 * step);
            all.look();
            all.system.poses.find_freedoms();
            implicit::StiffRows rows;
            joints.springs.start(all.state);
            joints.springs.follow(all.system);
            std::vector<double> tau(v.size(), 0.0);
            if (poses) joints.add_pose_drive(targets, all.state, all.inputs.ws, eta, tau);
            const double analytic = all.added(u, [&] {
                joints.add_blocks(all.inputs, all.state, eta, false, true, all.system, rows);
            });
            CHECK(rows.empty());
            CHECK(analytic > 1e-3);
            CHECK(analytic == doctest::Approx(numeric).epsilon(1e-4).scale(0));
        }
}

// The same of a ball with a spring that is beside a drive: it goes by the terms of joints.
TEST_CASE("implicit tangents: the spring of a ball beside a drive") {
    Bodies all(R"(<mujoco><worldbody>
        <body><joint type="ball" stiffness="7" damping=".3"/><geom size=".1" pos=".2 0 0"/>
        <body pos=".5 0 0"><joint name="b" axis="1 0 1"/><geom size=".1" pos="0 .1 0"/></body></body>
        </worldbody><actuator><motor joint="b"/></actuator></mujoco>)");
    implicit::JointStiffness joints(*all.model);
    Random random(9);
    for (int trial = 0; trial < 20; ++trial) {
        all.state = JointState<double>(*all.model);
        set_random(random, all, 0.7, 0);
        const std::vector<double> v = random_entries(random, all.state.v.size(), 1);
        const std::vector<double> u = all.directions(v);
        const auto torques = [&](double by) {
            JointState<double> state = all.state;
            integrate<double>(all.inputs.ws, state.q, v, by * eta, state.q);
            for (std::size_t k = 0; k < v.size(); ++k) state.v[k] += by * v[k];
            forward_kinematics(state, all.inputs.ws);
            update_drives(state, all.inputs.ws, all.inputs.drives);
            std::vector<double> tau(v.size(), 0.0);
            add_smooth_forces<double>(state, *all.model, all.inputs.ctrl, all.inputs.drives, tau);
            return tau;
        };
        const double step = 1e-5;
        const std::vector<double> above = torques(step), below = torques(-step);
        double numeric = 0;
        for (std::size_t k = 0; k < v.size(); ++k)
            numeric -= eta * v[k] * (above[k] - below[k]) / (2 * step);
        all.look();
        all.system.poses.find_freedoms();
        joints.springs.start(all.state);
        joints.springs.follow(all.system);
        implicit::StiffRows rows;
        const double analytic = all.added(u, [&] {
            joints.add_blocks(all.inputs, all.state, eta, false, true, all.system, rows);
        });
        CHECK(rows.empty());
        CHECK(analytic > 1e-4);
        CHECK(analytic == doctest::Approx(numeric).epsilon(1e-4).scale(0));
    }
}

// Of what is round the point wanders over the body. Distances along the normal change as if it were fixed
// there.
TEST_CASE("implicit tangents: contact points of every shape, followed as bodies turn") {
    const auto model = model_of(R"(<mujoco><worldbody><body pos="0 0 1"><freejoint/>
        <geom type="sphere" size=".3" pos=".1 0 .2"/><geom type="capsule" size=".2 .3" euler="20 50 0"/>
        <geom type="cylinder" size=".2 .3" euler="20 50 0"/>
        <geom type="ellipsoid" size=".2 .3 .4" euler="10 20 30"/>
        <geom type="box" size=".2 .3 .4"/></body></worldbody></mujoco>)");
    Random random(8);
    for (int geom = 0; geom < 5; ++geom) {
        CAPTURE(geom);
        const GeomSpec& spec = model->geoms[geom].spec;
        for (int trial = 0; trial < 20; ++trial) {
            const Transformd X_WL{rotation_matrix(random_rotation(random)), random_vec(random, 1)};
            const Transformd X_WG = X_WL * model->geoms[geom].X_BG;
            const Vec3d d = random_direction(random), d_G = transpose_mul(X_WG.R, d);
            // The point that is farthest along d.
            Vec3d p{};
            const Vec3d& size = spec.size;
            if (spec.shape == ShapeType::sphere) p = size.x * d_G;
            if (spec.shape == ShapeType::capsule)
                p = size.x * d_G + Vec3d{0, 0, d_G.z > 0 ? size.y : -size.y};
            if (spec.shape == ShapeType::cylinder) {
                const double across = std::hypot(d_G.x, d_G.y);
                p = {size.x * d_G.x / across, size.x * d_G.y / across, d_G.z > 0 ? size.y : -size.y};
            }
            if (spec.shape == ShapeType::ellipsoid) {
                const Vec3d s{size.x * d_G.x, size.y * d_G.y, size.z * d_G.z};
                p = (1 / length(s)) * Vec3d{size.x * s.x, size.y * s.y, size.z * s.z};
            }
            if (spec.shape == ShapeType::box)
                p = {std::copysign(size.x, d_G.x), std::copysign(size.y, d_G.y),
                     std::copysign(size.z, d_G.z)};
            const implicit::TouchPoint point(*model, geom, X_WL, X_WG * p, d);
            CHECK(largest(point.at(X_WL, d).point - X_WG * p) < 1e-14);
            CHECK(largest(point.at(X_WL, d).slipped) < 1e-14);
            // After a turn, and on from there.
            const auto turned = [&](const Vec3d& by) {
                return Transformd{rotation_matrix(rotation_exp(by)) * X_WL.R, X_WL.p};
            };
            const Vec3d turn = random_vec(random, 0.2), more = random_vec(random, 1);
            const auto pose = [&](double by) {
                return Transformd{rotation_matrix(rotation_exp(by * more)) * turned(turn).R, X_WL.p};
            };
            const implicit::TouchPoint::Place here = point.at(pose(0), d);
            // It is the farthest one still.
            const Transformd X = pose(0) * model->geoms[geom].X_BG;
            const Vec3d e = transpose_mul(X.R, d);
            if (spec.shape == ShapeType::ellipsoid)
                CHECK(dot(d, here.point) ==
                      doctest::Approx(dot(d, X.p) +
                                      std::sqrt(std::pow(size.x * e.x, 2) + std::pow(size.y * e.y, 2) +
                                                std::pow(size.z * e.z, 2))));
            if (spec.shape == ShapeType::sphere)
                CHECK(dot(d, here.point) == doctest::Approx(dot(d, X.p) + size.x));
            if (spec.shape == ShapeType::cylinder && e.z * d_G.z > 0)
                CHECK(dot(d, here.point) ==
                      doctest::Approx(dot(d, X.p) + size.x * std::hypot(e.x, e.y) + size.y * std::abs(e.z)));
            const double step = 1e-6;
            const implicit::TouchPoint::Place above = point.at(pose(step), d),
                                              below = point.at(pose(-step), d);
            const Vec3d arm = here.point - X_WL.p, expected = cross(more, arm);
            CHECK(std::abs(dot(d, above.point - below.point) / (2 * step) - dot(d, expected)) < 1e-8);
            // What has slipped: to first order in the turn of the step, as the material there moves.
            const Vec3d slip = (1 / (2 * step)) * (above.slipped - below.slipped);
            CHECK(largest(slip - expected) < 1.5 * length(turn) * length(more) + 1e-8);
            const implicit::TouchPoint::Place start = point.at(
                Transformd{rotation_matrix(rotation_exp(step * more)) * X_WL.R, X_WL.p}, d);
            CHECK(largest((1 / step) * start.slipped - cross(more, X_WG * p - X_WL.p)) < 1e-5);
        }
    }
}
