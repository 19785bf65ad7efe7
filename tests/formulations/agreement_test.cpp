// All formulations tend to the same motion as steps get shorter: what rests, slides, sticks, rolls, swings
// against a limit, hangs in loops and on tendons. The reference is `reduced` from event to event with a
// tolerance of 1e-9.

#include "formulations/formulation_list.h"
#include "support/contact_scenes.h"

#include <ligament/load.h>

#include <filesystem>
#include <functional>

using namespace lig;
using namespace lig::test;

namespace {

using Figures = std::vector<double>;

struct Agreement {
    const char* name;
    std::string xml;
    std::vector<double> v;  // at the start; empty: at rest
    double seconds;
    // Of errors relative to the largest of the figures: with steps of 1/1920 s.
    double allowed;
    std::function<Figures(const Simulation&)> read;
};

Figures coordinates(const Simulation& sim) { return sim.state().q; }
Figures coordinates_and_energy(const Simulation& sim) {
    Figures all = sim.state().q;
    all.push_back(total(sim.energy()));
    return all;
}
// What the first body is held by: its joint, its contacts.
Figures reactions(const Simulation& sim) {
    std::vector<Force<double>> bodies(sim.model().bodies.size());
    sim.joint_reactions(bodies);
    const Force<double>& first = bodies[1];
    return {first.ang.x, first.ang.y, first.ang.z, first.lin.x, first.lin.y, first.lin.z};
}
Figures contact_force(const Simulation& sim) {
    const Vec3d force = contact_force_on(sim, 1);
    return {force.x, force.y, force.z};
}

const std::string arm_on_limit =
    "<mujoco><compiler angle='radian'/><worldbody><body><joint axis='0 1 0' range='-2 .5'/>"
    "<geom type='capsule' fromto='0 0 0 .8 0 0' size='.03' mass='2' contype='0' conaffinity='0'/>"
    "<body pos='.8 0 0'><joint axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.03' mass='1' contype='0' "
    "conaffinity='0'/></body></body>"
    "</worldbody></mujoco>";
const std::string arm_on_tendon =
    "<mujoco><compiler angle='radian'/><worldbody><body><joint name='a' axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.03' mass='1' contype='0' conaffinity='0'/>"
    "<body pos='.5 0 0'><joint name='b' axis='0 1 0' damping='.1'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='.5' contype='0' "
    "conaffinity='0'/></body></body>"
    "</worldbody><tendon><fixed limited='true' range='-.4 .6' frictionloss='.5'><joint joint='a' coef='1'/>"
    "<joint joint='b' coef='.3'/></fixed></tendon></mujoco>";
const std::string driven_arm =
    "<mujoco><compiler angle='radian'/><worldbody><body><joint name='a' axis='0 1 0' frictionloss='.3'/>"
    "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.03' mass='1' contype='0' conaffinity='0'/>"
    "<body pos='.5 0 0'><joint name='b' axis='0 1 0' stiffness='3' damping='.2'/>"
    "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.03' mass='1' contype='0' "
    "conaffinity='0'/></body></body>"
    "</worldbody><actuator><position joint='a' kp='40' kv='4'/></actuator></mujoco>";
const std::string four_bar =
    "<mujoco><compiler angle='radian'/><worldbody><body><joint axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 .4' size='.02' mass='1' contype='0' conaffinity='0'/>"
    "<body pos='0 0 .4'><joint axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 .9 0 0' size='.02' mass='2' contype='0' conaffinity='0'/>"
    "<body name='follower' pos='.9 0 0'><joint axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -.4' size='.02' mass='1' contype='0' "
    "conaffinity='0'/></body></body>"
    "</body></worldbody><equality><connect body1='follower' anchor='0 0 -.4'/></equality></mujoco>";
std::string box_at(double height) {
    return "<body pos='0 0 " + number(height) +
           "'><freejoint name='root'/><geom type='box' size='.2 .2 .1' mass='3'/></body>";
}
std::string ball_at(double height) {
    return "<body pos='0 0 " + number(height) + "'><freejoint name='root'/><geom size='.1' mass='2'/></body>";
}

const Agreement agreements[] = {
    {"a box rests", floor_with(0.5, 0, 0, 3, box_at(0.1)), {}, 1, 1e-3, contact_force},
    {"a box slides and stops",
     floor_with(0.5, 0, 0, 3, box_at(0.1)),
     {2, 0, 0, 0, 0, 0},
     1,
     2e-3,
     coordinates},
    {"a ball slides, then rolls",
     floor_with(0.3, 0, 0, 3, ball_at(0.1)),
     {3, 0, 0, 0, 0, 0},
     1,
     2e-3,
     coordinates},
    {"a ball falls and stays",
     floor_with(0.3, 0, 0, 3, ball_at(0.4)),
     {1, 0, 0, 0, 0, 0},
     1,
     5e-3,
     coordinates},
    {"a box sticks on a slope", incline(0.7, 0.1, box), {}, 1, 1e-3, coordinates},
    {"a box slides down a slope", incline(0.3, 0.1, box), {}, 1, 2e-3, coordinates},
    {"an arm hits its limit", arm_on_limit, {}, 1, 3e-2, coordinates_and_energy},
    {"an arm hangs on a tendon", arm_on_tendon, {}, 1, 1e-2, coordinates},
    {"a driven arm with dry friction", driven_arm, {}, 1, 1e-2, coordinates_and_energy},
    {"… its reactions", driven_arm, {}, 1, 1e-2, reactions},
    {"a four-bar mechanism", four_bar, {1, -1, 1}, 0.5, 1e-2, coordinates_and_energy},
};

Figures figures_of(const Agreement& scene, const SimulationOptions& options, double dt) {
    Simulation sim(model_of(scene.xml), options);
    JointState<double> state = sim.state();
    if (!scene.v.empty()) state.v = scene.v;
    sim.set_state(state);
    run(sim, scene.seconds, dt);
    return scene.read(sim);
}

// Every formulation, and the other way in which `implicit` touches.
struct Contender {
    std::string name;
    SimulationOptions options;
};
std::vector<Contender> contenders() {
    std::vector<Contender> all;
    for (const std::string_view name : formulations::formulation_names)
        all.push_back({std::string(name), {.formulation = std::string(name)}});
    SimulationOptions penalties{.formulation = "implicit"};
    penalties.touching = Touching::penalty;
    penalties.implicit.penalty_dissipation = 30;  // nothing bounces
    all.push_back({"implicit, penalties", penalties});
    return all;
}

double distance(const Figures& a, const Figures& b) {
    REQUIRE(a.size() == b.size());
    double most = 0, size = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        most = std::max(most, std::abs(a[k] - b[k]));
        size = std::max(size, std::abs(b[k]));
    }
    return most / size;
}

}  // namespace

TEST_CASE("all formulations agree as steps get shorter") {
    for (const Agreement& scene : agreements) {
        const std::string name = scene.name;
        CAPTURE(name);
        const Figures reference =
            figures_of(scene, {.stepping = Stepping::event, .tolerance = 1e-9}, frame);
        for (const auto& [formulation, options] : contenders()) {
            CAPTURE(formulation);
            const double coarse = distance(figures_of(scene, options, 1.0 / 120), reference),
                         fine = distance(figures_of(scene, options, 1.0 / 1920), reference);
            CHECK(fine <= scene.allowed);
            // Of first order at least, down to what is met at any step.
            CHECK(fine <= std::max(0.25 * coarse, 0.1 * scene.allowed));
        }
    }
}

TEST_CASE("all formulations agree on scenes of users") {
    const std::filesystem::path folder = std::filesystem::path(LIG_SHARED_DIR) / "models" / "real";
    if (!std::filesystem::exists(folder)) {
        MESSAGE("skipped: no " << folder.string());
        return;
    }
    const auto height_of = [](const char* body) {
        return [=](const Simulation& sim) {
            std::vector<Transformd> poses(sim.model().bodies.size());
            sim.body_poses(poses);
            return Figures{poses[sim.model().find_body(body)].p.z};
        };
    };
    struct RealScene {
        const char* file;
        double seconds, allowed;
        std::function<Figures(const Simulation&)> read;
    };
    const RealScene real_scenes[] = {
        {"rolling_ball.xml", 3, 1e-3, [](const Simulation& sim) { return Figures{sim.state().q[0]}; }},
        {"car.xml", 2, 5e-3, [](const Simulation& sim) { return Figures{sim.state().q[0]}; }},
        {"scissor.xml", 2, 1e-3, height_of("deck")},
        {"heavy_on_light.xml", 1, 1e-2, contact_force},
        {"heavy_on_light_hinges.xml", 0.5, 1e-3, height_of("b4")},
        {"limit_impact.xml", 1, 2e-2, [](const Simulation& sim) { return Figures{total(sim.energy())}; }},
        {"tendon_range.xml", 1, 1e-3, coordinates},
    };
    for (const RealScene& scene : real_scenes) {
        const std::string name = scene.file;
        CAPTURE(name);
        Diagnostics log;
        const std::shared_ptr<const Model> model =
            compile(load_scene((folder / name).string(), {}, log), log);
        const auto figures = [&](const SimulationOptions& options) {
            Simulation sim(model, options);
            if (!model->keyframes.empty()) sim.reset(0);
            run(sim, scene.seconds, 1e-3);
            return scene.read(sim);
        };
        const Figures reference = figures({});
        for (const auto& [formulation, options] : contenders()) {
            CAPTURE(formulation);
            CHECK(distance(figures(options), reference) <= scene.allowed);
        }
    }
}
