#include "app/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace lig::app {

Progress::Progress(bool quiet)
    : shown_(!quiet && isatty(fileno(stderr)) != 0), begin_(Clock::now()), last_(begin_) {}

Progress::~Progress() {
    if (shown_) fmt::print(stderr, "\r\033[K");
}

void Progress::at(double simulated, double all) {
    if (!shown_) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    constexpr int width = 30;
    const double share = std::clamp(simulated / all, 0.0, 1.0);
    const int filled = static_cast<int>(width * share);
    const double speed = simulated / std::chrono::duration<double>(now - begin_).count();
    fmt::print(stderr, "\r\033[K{}{}[{:#<{}}{: >{}}] {:3.0f} %  {:.2f} of {:g} s, {:.3g} × real time",
               label_, label_.empty() ? "" : "  ", "",
               filled, "", width - filled, 100 * share, simulated, all, speed);
}

}  // namespace lig::app
