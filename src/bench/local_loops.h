#pragma once

// k loops of five links each, spread over a chain: how factor and solution grow with k.

#include "bench/benchmark.h"
#include "bench/measure.h"

namespace lig::bench {

struct LocalLoops {
    Results::Table times, residuals;
    Results::Plot plot;
};

LocalLoops measure_local_loops(int links, const std::vector<int>& counts, const Effort& effort);

}  // namespace lig::bench
