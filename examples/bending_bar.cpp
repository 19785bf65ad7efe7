// A kind of body that a program defines: a bar that bends as one body, with two modes and an elastic law of
// its own. One end is held in a wall; pulled aside and let go, it swings at the frequency of its lowest mode.

#include <ligament/body_kind.h>
#include <ligament/simulation.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

int main() {
    constexpr double length = 1, width = 0.02, young = 2e9, density = 1000;
    constexpr double area = width * width, bending = young * area * width * width / 12;

    // Along x from the wall, w = s₁ x² + s₂ x³ upwards, and the energy ½ E I ∫ w″² dx.
    const auto modes = [](const auto& r) {
        const auto zero = 0.0 * r.x, square = r.x * r.x;
        return std::array{lig::Vec3{zero, zero, square}, lig::Vec3{zero, zero, square * r.x}};
    };
    const auto energy = [](const auto& s) {
        constexpr double l = length;
        return bending * (2 * l * s[0] * s[0] + 6 * l * l * s[0] * s[1] + 6 * l * l * l * s[1] * s[1]);
    };

    lig::Scene scene("bar");
    scene.options.gravity = {0, 0, 0};
    const lig::BodyId bar = scene.add_body(lig::world, {.name = "bar",
                                                        .kind = lig::BodyKind::program,
                                                        .program = lig::body_kind<2>(modes, energy)});
    scene.add_geom(bar, {.shape = lig::ShapeType::box,
                         .pose = {{length / 2, 0, 0}},
                         .size = {length / 2, width / 2, width / 2},
                         .density = density});
    scene.add_loop({.name = "wall", .type = lig::JointType::fixed, .body_a = lig::world, .body_b = bar});

    lig::Simulation simulation(lig::compile(scene), {.formulation = "multiplier"});
    lig::JointState<double> start = simulation.state();
    start.q[7] = 0.001;  // behind the free joint's seven coordinates; nearly the shape of the lowest mode
    start.q[8] = -0.3837 * start.q[7];
    start.q[2] += start.q[7] / 3 + start.q[8] / 4;  // so much higher is the centre of mass, by ∫ w dx
    simulation.set_state(start);

    // How high the tip is; ten times from one passage through rest to the next of that kind.
    const auto tip = [&] { return simulation.state().q[7] + simulation.state().q[8]; };
    double before = tip(), first = 0, last = 0;
    int periods = -1;
    while (periods < 10) {
        if (simulation.step(1e-4).status != lig::StepStatus::ok) return 1;
        const double now = tip();
        if (before < 0 && now >= 0) {
            last = simulation.state().time - 1e-4 * now / (now - before);
            if (periods < 0) first = last;
            ++periods;
        }
        before = now;
    }
    const double unit = std::sqrt(bending / (density * area)) / (length * length) / (2 * std::numbers::pi);
    const double found = periods / (last - first);
    std::printf("this bar          %8.4f Hz\n", found);
    std::printf("Rayleigh and Ritz %8.4f Hz\n", 3.5327 * unit);
    std::printf("Euler, Bernoulli  %8.4f Hz\n", 3.5160 * unit);
    return std::abs(found / (3.5327 * unit) - 1) < 1e-4 ? 0 : 1;
}
