#pragma once

// A bar on a terminal while something takes its time, nothing elsewhere.

#include <chrono>
#include <string>
#include <utility>

namespace lig::app {

class Progress {
public:
    explicit Progress(bool quiet);
    ~Progress();  // wipes it away
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void set_label(std::string label) { label_ = std::move(label); }
    // `simulated` of `all` seconds are done. Drawn a few times a second, however often it is called.
    void at(double simulated, double all);

private:
    using Clock = std::chrono::steady_clock;

    bool shown_;
    std::string label_;
    Clock::time_point begin_, last_;
};

}  // namespace lig::app
