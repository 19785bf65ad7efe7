#pragma once

// A bar on a terminal while something takes its time, nothing elsewhere.

#include <chrono>
#include <string>
#include <string_view>

namespace lig::app {

class Progress {
public:
    // `label` stands before the bar: what is being done, where that is one of several things.
    explicit Progress(bool quiet, std::string label = "");
    ~Progress();  // wipes it away
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // `simulated` of `all` seconds are done. Drawn a few times a second, however often it is called.
    void at(double simulated, double all);

    // The next thing begins: its time counts from now on.
    void set_label(std::string label);

    // A line on stderr, above the bar.
    void say(std::string_view line);

private:
    using Clock = std::chrono::steady_clock;

    void start();
    std::string text(double simulated, double all, double elapsed) const;

    bool shown_, drawn_ = false;
    std::string label_;
    Clock::time_point begin_, last_;
    double simulated_ = 0;  // at last_
    double speed_ = 0;      // simulated seconds per second, smoothed
};

}  // namespace lig::app
