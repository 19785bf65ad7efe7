// Runs forward dynamics a given number of times and nothing else, for counting instructions:
// bench/count_instructions.py runs it under callgrind. Usage: bench_instruction_probe WORKLOAD CALLS

#include "workloads.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
    using namespace lig;
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s WORKLOAD CALLS\n", argv[0]);
        return 1;
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
