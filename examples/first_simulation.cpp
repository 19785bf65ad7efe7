// A box that falls onto a floor, for one second.

#include <ligament/simulation.h>

#include <cstdio>

int main() {
    lig::Scene scene("box");
    scene.add_geom(lig::world, {.shape = lig::ShapeType::plane, .size = {5, 5, 1}});
    const lig::BodyId box = scene.add_body(lig::world, {.name = "box", .pose = {.pos = {0, 0, 1}}});
    scene.add_joint(box, {.type = lig::JointType::free});
    scene.add_geom(box, {.shape = lig::ShapeType::box, .size = {0.1, 0.1, 0.1}});

    lig::Simulation sim(lig::compile(scene));
    for (int frame = 0; frame < 60; ++frame) {
        const lig::StepReport report = sim.step(1.0 / 60);
        if (report.status != lig::StepStatus::ok) return std::puts(report.where.c_str()), 1;
    }
    std::printf("at %.3f m after %.2f s, %zu contacts\n", sim.state().q[2], sim.state().time,
                sim.contacts().contacts.size());
}
