// Joints that close loops are joints: which joint of a ring is the one does not change the motion.

#include "support/ring_mechanisms.h"

#include <ligament/drives.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

struct Run {
    std::vector<Transformd> poses;  // by the bodies of the mechanism
    double limit_violation = 0;
    StepStatus status = StepStatus::ok;
    std::string where;
};

Run run(const CutMechanism& cut, const SimulationOptions& options, double h, double duration) {
    const auto model = compile(cut.scene);
    Simulation simulation(model, options);
    simulation.callbacks.control = [](const JointState<double>& state, SmoothDynamics& inputs) {
        for (std::size_t k = 0; k < inputs.ctrl.size(); ++k) inputs.ctrl[k] = std::sin(7 * state.time + 0.5);
    };
    Run out;
    for (double t = 0; t < duration - 0.5 * h; t += h) {
        const StepReport report = simulation.step(h);
        out.limit_violation = std::max(out.limit_violation, report.limit_violation);
        if (report.status == StepStatus::ok) continue;
        out.status = report.status;
        out.where = report.where;
        break;
    }
    std::vector<Transformd> poses(model->bodies.size());
    simulation.body_poses(poses);
    for (std::size_t b = 0; b < cut.bodies.size(); ++b)
        out.poses.push_back(
            poses[static_cast<std::size_t>(model->find_body(b == 0 ? "world" : "b" + std::to_string(b)))]);
    return out;
}

// The largest distance of any body, or of its axes.
double difference(const Run& a, const Run& b) {
    double most = 0;
    for (std::size_t k = 0; k < a.poses.size(); ++k) {
        const Transformd &x = a.poses[k], &y = b.poses[k];
        for (const Vec3d& d : {x.p - y.p, x.R.x - y.R.x, x.R.y - y.R.y})
            most = std::max(most, std::sqrt(dot(d, d)));
    }
    return most;
}

double moved(const Run& a, const CutMechanism& cut) {
    double most = 0;
    const auto model = compile(cut.scene);
    for (std::size_t b = 1; b < a.poses.size(); ++b) {
        const int body = model->find_body("b" + std::to_string(b));
        const Transformd& X0 = model->bodies[static_cast<std::size_t>(body)].X_WB0;
        const Vec3d d = a.poses[b].p - X0.p;
        most = std::max(most, std::sqrt(dot(d, d)));
    }
    return most;
}

}  // namespace

namespace {

SimulationOptions accurate(Stepping stepping) {
    SimulationOptions options;
    options.formulation = "reduced";
    options.stepping = stepping;
    options.integrator = SmoothIntegrator::rk45;
    options.tolerance = 1e-11;
    return options;
}

// By how much the motion of a mechanism changes with the joint that is cut, at the most.
void check_cuts(bool rough, Stepping stepping, double bound) {
    std::vector<RingMechanism> all = ring_mechanisms(rough);
    for (RingMechanism& mechanism : all) {
        CAPTURE(mechanism.name);
        const CutMechanism any = cut_at(mechanism, -1);
        const Run wanted = run(any, accurate(stepping), 0.01, 0.3);
        CAPTURE(wanted.where);
        REQUIRE(wanted.status == StepStatus::ok);
        CHECK(moved(wanted, any) > 0.01);
        int cuts = 0;
        for (int cut = 0; cut < static_cast<int>(mechanism.joints.size()); ++cut) {
            CAPTURE(cut);
            const CutMechanism here = cut_at(mechanism, cut);
            if (here.closes[static_cast<std::size_t>(cut)] < 0) continue;  // it is in no ring
            ++cuts;
            const Run found = run(here, accurate(stepping), 0.01, 0.3);
            CAPTURE(found.where);
            REQUIRE(found.status == StepStatus::ok);
            CHECK(difference(found, wanted) < bound);
        }
        CHECK(cuts >= static_cast<int>(mechanism.joints.size()) - 1);
        if (!rough) continue;
        for (RingJoint& joint : mechanism.joints) {
            joint.properties.friction_loss = 0;
            joint.properties.range = {};
        }
        CHECK(difference(run(cut_at(mechanism, -1), accurate(stepping), 0.01, 0.3), wanted) > 1e-2);
    }
}

}  // namespace

TEST_CASE("loop joints: springs, dampers, armature and motors of ten mechanisms, cut at each joint in turn") {
    check_cuts(false, Stepping::smooth, 2e-10);
}

TEST_CASE("loop joints: the same with dry friction and limits that are reached") {
    check_cuts(true, Stepping::event, 1e-9);
}

namespace {

// A body on one that swings, held by a joint of the tree or by a loop of the same kind.
RingMechanism held_body(JointType type, const JointSpec& properties) {
    return {"held",
            {{}, {0.1, 0, 0.2}, {0.3, 0.1, 0.3}},
            {{0, 1, JointType::hinge, {0, 0, 0}, {0.2, 1, 0.1}, {}, sprung(2, 0.05)},
             {1, 2, type, {0.2, 0.05, 0.25}, {0.3, 0.2, 1}, {-0.2, 0.3, 0}, properties, 0.5}},
            0.3};
}
RingMechanism held_by_loop(JointType type, const JointSpec& properties) {
    RingMechanism mechanism = held_body(type, properties);
    mechanism.joints.push_back({0, 2, JointType::free, {0, 0, 0}});
    return mechanism;
}

struct KindCase {
    std::string name;
    JointType type;
    JointSpec smooth, rough;
};

std::vector<KindCase> kind_cases() {
    using enum JointType;
    std::vector<KindCase> cases;
    const auto add = [&](const char* name, JointType type, JointSpec smooth, auto&& make_rough) {
        JointSpec rough = smooth;
        make_rough(rough);
        cases.push_back({name, type, std::move(smooth), std::move(rough)});
    };
    const auto common = [](double stiffness) {
        JointSpec joint = sprung(stiffness, 0.03);
        joint.damping_poly = {0.01, 0.002};
        joint.armature = 0.02;
        return joint;
    };
    JointSpec hinge_spec = common(0.6);
    hinge_spec.stiffness_poly = {0.1, 0.2};
    hinge_spec.reference = 0.2;
    hinge_spec.spring_reference = 0.5;
    add("hinge", hinge, hinge_spec, [](JointSpec& joint) {
        joint.range[0] = {0.1, 0.3};
        joint.friction_loss = 0.02;
    });
    JointSpec slide_spec = common(15);
    slide_spec.reference = 0.1;
    slide_spec.spring_reference = 0.12;
    add("slide", slide, slide_spec, [](JointSpec& joint) {
        joint.range[0] = {0.08, 0.11};
        joint.friction_loss = 0.3;
    });
    JointSpec ball_spec = common(0.5);
    add("ball", ball, ball_spec, [](JointSpec& joint) {
        joint.cone = 0.15;
        joint.friction_loss = 0.01;
    });
    JointSpec twisted = common(0);
    twisted.axis_stiffness = Vec3d{0.4, 0.8, 0.2};
    twisted.stiffness_axes = {0.9, 0.1, 0.3, 0.2};
    twisted.axis = {0.1, 0.2, 1};
    add("ball with three stiffnesses", ball, twisted, [](JointSpec& joint) {
        joint.swing = 0.2;
        joint.twist = Range{-0.05, 0.04};
    });
    add("universal", universal, common(0.5), [](JointSpec& joint) {
        joint.range[0] = {-0.1, 0.1};
        joint.range[1] = {-0.15, 0.05};
        joint.friction_loss = 0.02;
    });
    add("cylindrical", cylindrical, common(2), [](JointSpec& joint) {
        joint.range[0] = {-0.2, 0.1};
        joint.range[1] = {-0.04, 0.03};
        joint.friction_loss = 0.02;
    });
    add("planar", planar, common(10), [](JointSpec& joint) {
        joint.range[0] = {-0.03, 0.02};
        joint.range[2] = {-0.1, 0.1};
        joint.friction_loss = 0.05;
    });
    JointSpec screw_spec = common(0.4);
    screw_spec.pitch = 0.05;
    screw_spec.reference = -0.1;
    add("screw", screw, screw_spec, [](JointSpec& joint) {
        joint.range[0] = {-0.3, 0.1};
        joint.friction_loss = 0.02;
    });
    return cases;
}

}  // namespace

TEST_CASE("loop joints: every kind moves as the joint of the tree does") {
    for (const KindCase& kind : kind_cases()) {
        CAPTURE(kind.name);
        const CutMechanism tree = cut_at(held_body(kind.type, kind.smooth), -1);
        const CutMechanism loop = cut_at(held_by_loop(kind.type, kind.smooth), 1);
        REQUIRE(loop.closes[1] == 0);
        const Run wanted = run(tree, accurate(Stepping::smooth), 0.01, 0.4);
        const Run found = run(loop, accurate(Stepping::smooth), 0.01, 0.4);
        CAPTURE(wanted.where);
        CAPTURE(found.where);
        REQUIRE(wanted.status == StepStatus::ok);
        REQUIRE(found.status == StepStatus::ok);
        CHECK(difference(found, wanted) < 1e-9);
    }
}

TEST_CASE("loop joints: limits and dry friction of every kind, from event to event") {
    for (const KindCase& kind : kind_cases()) {
        CAPTURE(kind.name);
        const CutMechanism tree = cut_at(held_body(kind.type, kind.rough), -1);
        const CutMechanism loop = cut_at(held_by_loop(kind.type, kind.rough), 1);
        const Run wanted = run(tree, accurate(Stepping::event), 0.01, 0.4);
        const Run found = run(loop, accurate(Stepping::event), 0.01, 0.4);
        const Run without =
            run(cut_at(held_body(kind.type, kind.smooth), -1), accurate(Stepping::event), 0.01, 0.4);
        CAPTURE(wanted.where);
        CAPTURE(found.where);
        CHECK(wanted.status == StepStatus::ok);
        CHECK(found.status == StepStatus::ok);
        CHECK(difference(found, wanted) < 5e-9);
        CHECK(difference(without, wanted) > 1e-2);
    }
}

TEST_CASE(
    "loop joints: velocity steps of all formulations converge to one motion, wherever the ring is cut") {
    for (RingMechanism mechanism : ring_mechanisms(true)) {
        if (mechanism.name != "four-bar" && mechanism.name != "ring of seven hinges in space") continue;
        // Which implicit does not have.
        for (RingJoint& joint : mechanism.joints) joint.properties.armature = 0;
        const Run wanted = run(cut_at(mechanism, -1), accurate(Stepping::event), 0.01, 0.2);
        REQUIRE(wanted.status == StepStatus::ok);
        for (const char* formulation : {"reduced", "multiplier", "implicit", "impulse"})
            for (int cut = 0; cut < static_cast<int>(mechanism.joints.size()); ++cut) {
                CAPTURE(mechanism.name);
                CAPTURE(formulation);
                CAPTURE(cut);
                SimulationOptions options;
                options.formulation = formulation;
                if (options.formulation == "implicit") options.touching = Touching::hard;
                double errors[2];
                for (int k = 0; k < 2; ++k) {
                    const Run found = run(cut_at(mechanism, cut), options, (k == 0 ? 1 : 0.25) * 1e-3, 0.2);
                    CAPTURE(found.where);
                    REQUIRE(found.status == StepStatus::ok);
                    errors[k] = difference(found, wanted);
                }
                CHECK(errors[1] < 0.3 * errors[0]);
                CHECK(errors[1] < 1e-3);
            }
    }
}

TEST_CASE("loop joints: angles go on through turns, in snapshots as well") {
    JointSpec spring = sprung(0.3, 0.002, 15);
    const CutMechanism tree = cut_at(held_body(JointType::hinge, spring), -1);
    const CutMechanism loop = cut_at(held_by_loop(JointType::hinge, spring), 1);
    const Run wanted = run(tree, accurate(Stepping::smooth), 0.01, 1);
    const Run found = run(loop, accurate(Stepping::smooth), 0.01, 1);
    REQUIRE(found.status == StepStatus::ok);
    CHECK(difference(found, wanted) < 1e-7);

    const auto model = compile(loop.scene);
    Simulation simulation(model, accurate(Stepping::smooth));
    const auto angle = [&](const Simulation& of) {
        double q[1], v[1];
        of.loop_coordinates(0, q, v);
        return q[0];
    };
    for (int k = 0; k < 100; ++k) simulation.step(0.01);
    CHECK(angle(simulation) > 7);
    Simulation again(model, accurate(Stepping::smooth));
    again.restore(Snapshot::from_bytes(simulation.save().to_bytes()));
    CHECK(angle(again) == angle(simulation));
    simulation.step(0.01);
    again.step(0.01);
    CHECK(again.state().q == simulation.state().q);
    CHECK(again.state().loop_q == simulation.state().loop_q);
}
