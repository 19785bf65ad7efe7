// Runs forward dynamics a given number of times and nothing else, for counting instructions:
// bench/count_instructions.py runs it under callgrind. Usage: bench_instruction_probe WORKLOAD CALLS
// Workloads multiplier_chainN and multiplier_treeN (bench/linear_models.h) are steps of 1 ms of `multiplier`,
// implicit_chainN (bench/hernandez/stiff_models.h) steps of 1/60 s of `implicit` with one solution.

#include "bench/hernandez/stiff_models.h"
#include "bench/linear_models.h"
#include "workloads.h"

#include <ligament/simulation.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

int main(int argc, char** argv) {
    using namespace lig;
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s WORKLOAD CALLS\n", argv[0]);
        return 1;
    }
    for (const std::string_view formulation : {"multiplier", "implicit"}) {
        if (!std::string_view(argv[1]).starts_with(formulation)) continue;
        const char* const kind = argv[1] + formulation.size() + 1;
        const char* const size = std::strpbrk(kind, "0123456789");
        if (!size) {
            std::fprintf(stderr, "%s: how many?\n", argv[1]);
            return 2;
        }
        const bool implicit = formulation == "implicit";
        const std::shared_ptr<const Model> model =
            implicit ? bench::stiff_chain(std::atoi(size))
                     : bench::linear_model(std::string_view(kind, static_cast<std::size_t>(size - kind)),
                                           std::atoi(size));
        SimulationOptions options;
        options.formulation = formulation;
        options.implicit.newton = implicit ? 1 : 0;
        Simulation simulation(model, options);
        const JointState<double> state = implicit ? simulation.state() : bench::resting_state(*model);
        for (int i = 0; i < std::atoi(argv[2]); ++i) {
            simulation.set_state(state);
            simulation.step(implicit ? 1.0 / 60 : 1e-3);
        }
        return 0;
    }
    std::shared_ptr<const Model> model;
    if (std::strncmp(argv[1], "chain", 5) == 0) {
        model = bench::chain(std::atoi(argv[1] + 5));
    } else {
        for (const bench::Workload& w : bench::workloads())
            if (w.name == argv[1]) model = w.model;
    }
    if (!model) {
        std::fprintf(stderr, "%s: no such workload, or its model is absent\n", argv[1]);
        return 2;
    }
    Workspace<double> ws(model);
    const std::vector<bench::Input<double>> list = bench::inputs<double>(*model);
    std::vector<double> qacc(model->nv);
    for (int i = 0; i < std::atoi(argv[2]); ++i) {
        const bench::Input<double>& input = list[i % list.size()];
        forward_dynamics<double>(input.state, input.tau, ws, qacc);
    }
    return 0;
}
