// One model under two formulations: how far apart are they after half a second?

#include <ligament/load.h>
#include <ligament/simulation.h>

#include <cmath>
#include <cstdio>

int main() {
    lig::Diagnostics log;
    const auto model = lig::compile(lig::load_scene("scenes/four_bar.xml", {}, log), log);
    lig::Simulation a(model, {.formulation = "reduced"}), b(model, {.formulation = "multiplier"});
    for (int i = 0; i < 50; ++i)
        if (!lig::was_taken(a.step(0.01)) || !lig::was_taken(b.step(0.01))) return 1;
    for (const lig::Model::Joint& joint : model->joints)
        std::printf("%-8s %9.6f rad, %.1e apart\n", joint.name.c_str(), a.state().q[joint.q_adr],
                    std::abs(a.state().q[joint.q_adr] - b.state().q[joint.q_adr]));
}
