#include "bench/setting.h"

#include <ligament/dynamics.h>

#include <fmt/format.h>

namespace lig::bench {

Results::Table setting_table(const Effort& effort) {
    Results::Table setting{"setting", {"what", "is"}, {}};
#if defined(__clang__)
    setting.rows.push_back({"compiler", "clang " __clang_version__});
#else
    setting.rows.push_back({"compiler", "g++ " __VERSION__});
#endif
    setting.rows.push_back({"instruction set of the kernels", std::string(instruction_set_name())});
    setting.rows.push_back(
        {"times", fmt::format("best of up to {} turns, the methods in turn, one thread", effort.rounds)});
    return setting;
}

}  // namespace lig::bench
