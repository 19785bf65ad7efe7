#pragma once

// StepPacer: the lengths of the steps in which a duration is made. The wanted one, in equal parts of the
// duration; shorter after a step that was too long, and longer again after some that were not.

#include "core/number_stream.h"

#include <algorithm>
#include <cmath>

namespace lig::maximal {

class StepPacer {
public:
    // What the next duration begins with: belongs to the state.
    struct Memory {
        double last_step = 0;  // where it was shorter than wanted
        int easy = 0;          // steps since one was too long

        void save_or_restore(NumberStream& numbers) {
            numbers.number(last_step);
            numbers.number(easy);
        }
    };

    StepPacer(double duration, double step, Memory& memory)
        : memory_(memory),
          wanted_(duration / std::max(1.0, std::ceil(duration / step - 1e-9))),
          remaining_(duration),
          length_(memory.last_step > 0 ? std::min(wanted_, memory.last_step) : wanted_) {}
    ~StepPacer() { memory_.last_step = length_ < wanted_ ? length_ : 0; }
    StepPacer(const StepPacer&) = delete;
    StepPacer& operator=(const StepPacer&) = delete;

    double wanted() const { return wanted_; }
    double length() const { return length_; }
    bool is_done() const { return !(remaining_ > 1e-9 * wanted_); }

    // Of the next step: no crumb is left at the end.
    double next() const {
        const double step = remaining_ < 1.5 * length_ && remaining_ > (1 + 1e-9) * length_
                                ? 0.5 * remaining_
                                : std::min(length_, remaining_);
        return remaining_ - step < 1e-9 * wanted_ ? remaining_ : step;
    }
    void was_made(double step) { remaining_ -= step; }
    // No longer than this, whatever came before.
    void limit(double length) { length_ = std::min(length_, length); }
    // As an error estimate asks for.
    void choose(double length) { length_ = std::min(wanted_, length); }
    // The last step was too long, or nearly so.
    void shorten(double length) {
        length_ = length;
        memory_.easy = 0;
    }
    // The last step was not: after some of them steps become longer. True: they do.
    bool lengthen() {
        if (++memory_.easy < easy_steps && length_ < wanted_) return false;
        shorten(std::min(wanted_, 2 * length_));
        return true;
    }

private:
    static constexpr int easy_steps = 4;

    Memory& memory_;
    double wanted_, remaining_, length_;
};

}  // namespace lig::maximal
