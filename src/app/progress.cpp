#include "app/progress.h"

#include "app/terminal.h"
#include "app/text_width.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace lig::app {

namespace {

constexpr double smoothing = 3;  // seconds that a speed is averaged over
constexpr int widest_bar = 30, narrowest_bar = 8;

bool can_be_redrawn() {
    const char* const kind = std::getenv("TERM");
    return is_terminal(stderr) && (!kind || std::string_view(kind) != "dumb");
}

// 0:07, 12:30, 1:05:00.
std::string clock_text(double seconds) {
    if (!(seconds < 360000)) return "long";
    const int whole = static_cast<int>(std::lround(seconds));
    return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                        : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

// In eighths of a character where the locale has them.
std::string bar(double share, int width) {
    if (!speaks_utf8()) {
        const int filled = static_cast<int>(width * share);
        return fmt::format("[{:#<{}}{:.<{}}]", "", filled, "", width - filled);
    }
    constexpr std::string_view parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int eighths = static_cast<int>(8 * width * share);
    std::string text = "▕";
    for (int k = 0; k < eighths / 8; ++k) text += "█";
    text += parts[eighths % 8];
    text.append(static_cast<std::size_t>(width - (eighths + 7) / 8), ' ');
    return text + "▏";
}

}  // namespace

Progress::Progress(bool quiet, std::string label)
    : shown_(!quiet && can_be_redrawn()), label_(std::move(label)) {
    start();
}

Progress::~Progress() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
}

void Progress::start() {
    begin_ = last_ = Clock::now();
    simulated_ = speed_ = 0;
}

void Progress::set_label(std::string label) {
    label_ = std::move(label);
    start();
}

void Progress::say(std::string_view line) {
    fmt::print(stderr, "{}{}\n", drawn_ ? "\r\033[K" : "", line);
    drawn_ = false;
}

std::string Progress::text(double simulated, double all, double elapsed) const {
    const double share = all > 0 ? std::clamp(simulated / all, 0.0, 1.0) : 1.0;
    const std::string_view times = speaks_utf8() ? "×" : "x";
    // What a narrow line has no place for goes from the end.
    const std::string pieces[] = {
        fmt::format(" {:3.0f} %", 100 * share),
        speed_ > 0 ? fmt::format("  {} left", clock_text((all - simulated) / speed_)) : "",
        fmt::format("  {:.2f} of {:g} s", simulated, all),
        fmt::format("  {:.3g} {} real time", speed_, times),
        fmt::format("  {} so far", clock_text(elapsed)),
    };
    // The last column stays free: some terminals begin a new line once it is written.
    const int width = line_width(stderr, 80) - 1;
    std::string before = label_.empty() ? "" : label_ + "  ";
    int free = width - text_width(before) - narrowest_bar - 2;
    if (free < text_width(pieces[0])) {
        free += text_width(before);
        before.clear();
    }
    std::string after;
    for (const std::string& piece : pieces) {
        if (text_width(piece) > free) break;
        free -= text_width(piece);
        after += piece;
    }
    if (free < 0) return after;
    return before + bar(share, std::min(narrowest_bar + free, widest_bar)) + after;
}

void Progress::at(double simulated, double all) {
    if (!shown_) return;
    const auto now = Clock::now();
    const double passed = std::chrono::duration<double>(now - last_).count();
    if (passed < 0.1) return;
    const double elapsed = std::chrono::duration<double>(now - begin_).count();
    // At first the mean, then what the last seconds were like.
    const double weight = std::max(passed / elapsed, 1 - std::exp(-passed / smoothing));
    speed_ += weight * ((simulated - simulated_) / passed - speed_);
    last_ = now;
    simulated_ = simulated;
    fmt::print(stderr, "\r{}\033[K", text(simulated, all, elapsed));
    drawn_ = true;
}

}  // namespace lig::app
