// The character of scenes/ falls head over heels for two seconds.
#include <ligament/load.h>
#include <ligament/simulation.h>

#include <cstdio>

int main() {
    lig::Diagnostics log;
    const auto model = lig::compile(lig::load_scene("scenes/character.xml", {}, log), log);
    lig::Simulation sim(model, {.formulation = "reduced"});
    sim.reset(model->find_keyframe("tumble"));
    for (int frame = 1; frame <= 120; ++frame) {
        const lig::StepReport report = sim.step(1.0 / 60);
        if (report.status != lig::StepStatus::ok) return std::puts(report.where.c_str()), 1;
        if (frame % 30 == 0)
            std::printf("%.1f s: pelvis at %.3f m, %.1f J of motion\n", report.time, sim.state().q[2],
                        sim.energy().kinetic);
    }
}
