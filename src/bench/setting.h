#pragma once

// What figures were measured with, as a table.

#include "bench/benchmark.h"
#include "bench/measure.h"

namespace lig::bench {

Results::Table setting_table(const Effort& effort);

}  // namespace lig::bench
