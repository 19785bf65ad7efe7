// What is round rolls on: a contact point that turned with its body would drive it.

#include "core/length.h"
#include "core/rotation.h"
#include "support/dodecahedron.h"
#include "support/implicit_runs.h"
#include "support/simulation_scenes.h"

#include <ligament/load.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double pi = std::numbers::pi;

struct Roller {
    const char* name;
    std::string geom;     // attributes, the axis of rolling along y
    double height;        // of the centre, and the radius of rolling
    double friction;
};

constexpr double golden = 1.618033988749895;

// The twenty corners of a dodecahedron whose edge is 2/φ, turned so that a face is below.
std::string dodecahedron(double scale) {
    std::string out;
    // A face's normal is (0, φ, 1)/√(φ² + 1); it is to be along −z.
    const double n = std::sqrt(golden * golden + 1);
    const Quatd turn = rotation_exp(std::acos(-1 / n) * Vec3d{-1, 0, 0});
    const Mat3d R = rotation_matrix(turn);
    for (const Vec3d& corner : dodecahedron_corners()) {
        const Vec3d p = scale * (R * corner);
        out += fmt::format("{:.17g} {:.17g} {:.17g} ", p.x, p.y, p.z);
    }
    return out;
}

std::shared_ptr<const Model> rolling(const Roller& roller) {
    return model_of(fmt::format(
        "<mujoco><option gravity='0 0 -9.81'/><asset><mesh name='twelve' vertex='{}'/></asset><worldbody>"
        "<geom type='plane' size='0 0 1' friction='{} 0 0'/><body pos='0 0 {:.17g}'>"
        "<freejoint name='root'/><geom {} mass='2' friction='{} 0 0'/></body></worldbody></mujoco>",
        dodecahedron(0.2), roller.friction, roller.height, roller.geom, roller.friction));
}

}  // namespace

TEST_CASE("implicit: balls, wheels, capsules, ellipsoids, coins roll and a dodecahedron slides for 10 s") {
    const double face = 0.2 * golden * golden / std::sqrt(golden * golden + 1);  // from the centre
    const Roller rollers[] = {
        {"ball", "type='sphere' size='.33'", 0.33, 1},
        {"wheel", "type='cylinder' size='.3 .1' euler='90 0 0'", 0.3, 1},
        {"capsule", "type='capsule' size='.2 .3' euler='90 0 0'", 0.2, 1},
        {"ellipsoid", "type='ellipsoid' size='.25 .4 .25'", 0.25, 1},
        {"coin", "type='cylinder' size='.2 .01' euler='90 0 0'", 0.2, 1},
        {"dodecahedron", "type='mesh' mesh='twelve'", face, 0},
    };
    for (const Touching touching : {Touching::penalty, Touching::hard})
        for (const Roller& roller : rollers) {
            CAPTURE(roller.name);
            CAPTURE(touching == Touching::hard);
            SimulationOptions options = implicit_options();
            options.touching = touching;
            Simulation sim(rolling(roller), options);
            const bool rolls = roller.friction > 0;
            set_velocity(sim, {3, 0, 0}, rolls ? Vec3d{0, 3 / roller.height, 0} : Vec3d::zero());
            const double start = total(sim.energy());
            double deepest = 0, highest = start;
            run(sim, 10, frame, [&](const StepReport& report) {
                deepest = std::max(deepest, report.penetration);
                highest = std::max(highest, total(sim.energy()));
            });
            const double motion = 0.5 * 2 * 9;
            CHECK(std::abs(position_of(sim).x - 30) < 0.03);
            CHECK(std::abs(position_of(sim).y) < 0.03);
            CHECK(std::abs(total(sim.energy()) - start) < 1e-3 * motion);
            CHECK(highest - start < 1e-3 * motion);
            CHECK(deepest < 1e-4);
        }
}

// What rolls is not symmetric about its axis: it rises and sinks. Backward Euler dissipates that motion; BDF2
// with short steps keeps it.
TEST_CASE("implicit: an egg that rolls over its ends keeps its energy, and has rolled its perimeter") {
    SimulationOptions options = implicit_options(SmoothIntegrator::bdf2);
    options.touching = Touching::penalty;
    const double a = 0.3, c = 0.25;
    Simulation sim(rolling({"egg", "type='ellipsoid' size='.3 .3 .25'", c, 1}), options);
    set_velocity(sim, {3, 0, 0}, {0, 3 / c, 0});
    const double start = total(sim.energy()), h = 0.001;
    double least = HUGE_VAL, most = 0, turned = 0, slip = 0;
    run(sim, 10, h, [&](const StepReport&) {
        const double z = position_of(sim).z;
        least = std::min(least, z);
        most = std::max(most, z);
        turned += h * spin_of(sim).y;
        slip = std::max(slip, std::abs(velocity_of(sim).x - spin_of(sim).y * z));
    });
    // It goes over its flat side and over its ends, and does not slip: the velocity of the material below is
    // 0.
    CHECK(std::abs(least - c) < 1e-3);
    CHECK(std::abs(most - a) < 1e-3);
    CHECK(slip < 0.03);
    CHECK(std::abs(total(sim.energy()) - start) < 1e-3 * (start - 2 * gravity * c));
    // The perimeter of the ellipse, by Ramanujan's second formula.
    const double lambda = (a - c) / (a + c), x = 3 * lambda * lambda;
    const double perimeter = pi * (a + c) * (1 + x / (10 + std::sqrt(4 - x)));
    CHECK(std::abs(position_of(sim).x / (turned / (2 * pi) * perimeter) - 1) < 2e-3);
}

// A disk that leans by α and rolls on a circle, its centre at the distance R from the middle: with Ω its way
// around, the moment of weight and support about the centre of mass is what turns its angular momentum, and
// the material at the contact rests.
TEST_CASE("implicit: a coin that leans rolls on a circle") {
    const double r = 0.2, thick = 0.002, lean = 0.3, R = 1.5, m = 2;
    const double along = m * r * r / 2, across = m * (r * r / 4 + thick * thick / 3);
    // In the frame that goes around, x outward from the middle, z up. The axis n points outward and up, the
    // rim of the lower face touches.
    const Vec3d n{std::cos(lean), 0, std::sin(lean)}, z{0, 0, 1};
    const Vec3d arm = r * Vec3d{std::sin(lean), 0, -std::cos(lean)} - thick * n;
    const auto velocity = [&](double omega) {
        // Ω R + (w × arm)_y = 0 for w = Ω z + s n.
        const double s = -omega * (R + arm.x) / (n.z * arm.x - n.x * arm.z);
        return omega * z + s * n;
    };
    const auto missed = [&](double omega) {
        const Vec3d w = velocity(omega);
        const Vec3d L = along * dot(w, n) * n + across * (w - dot(w, n) * n);
        const Vec3d force{-m * omega * omega * R, 0, m * gravity};
        return cross(arm, force).y - cross(omega * z, L).y;
    };
    double low = 0.1, high = 20;
    REQUIRE(missed(low) * missed(high) < 0);
    for (int k = 0; k < 100; ++k) {
        const double middle = 0.5 * (low + high);
        (missed(low) * missed(middle) <= 0 ? high : low) = middle;
    }
    const double omega = 0.5 * (low + high);
    SimulationOptions options = implicit_options(SmoothIntegrator::bdf2);
    options.touching = Touching::penalty;
    Scene scene;
    scene.options.gravity = {0, 0, -gravity};
    GeomSpec ground, disk;
    ground.shape = ShapeType::plane;
    disk.shape = ShapeType::cylinder;
    disk.size = {r, thick, 0};
    disk.mass = m;
    ground.friction = disk.friction = {1, 0, 0};
    scene.add_geom(world, ground);
    const Quatd turn = rotation_exp((pi / 2 - lean) * Vec3d{0, 1, 0});
    const BodyId body = scene.add_body(
        world, {.name = "coin",
                .pose = {{R, 0, -arm.z}, turn}});
    scene.add_joint(body, {.name = "root", .type = JointType::free});
    scene.add_geom(body, disk);
    Simulation sim(compile(scene), options);
    set_velocity(sim, {0, omega * R, 0}, transpose_mul(rotation_matrix(turn), velocity(omega)));
    const double start = total(sim.energy()), around = 2 * pi / omega;
    double nearest = HUGE_VAL, farthest = 0;
    run(sim, around, around / 4000, [&](const StepReport&) {
        const Vec3d at = position_of(sim);
        nearest = std::min(nearest, std::hypot(at.x, at.y));
        farthest = std::max(farthest, std::hypot(at.x, at.y));
    });
    const Vec3d at = position_of(sim);
    CHECK(nearest > 0.99 * R);
    CHECK(farthest < 1.01 * R);
    CHECK(std::hypot(at.x - R, at.y) < 0.02 * 2 * pi * R);
    CHECK(std::abs(total(sim.energy()) - start) < 1e-3 * start);
}
