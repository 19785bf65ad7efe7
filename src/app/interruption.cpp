#include "app/interruption.h"

namespace lig::app {

namespace {

volatile std::sig_atomic_t interrupted = 0;

void note_interruption(int signal) {
    interrupted = 1;
    std::signal(signal, SIG_DFL);
}

}  // namespace

Interruption::Interruption() {
    for (std::size_t k = 0; k < std::size(signals); ++k) {
        before_[k] = std::signal(signals[k], note_interruption);
        if (before_[k] == SIG_IGN) std::signal(signals[k], SIG_IGN);
    }
}

Interruption::~Interruption() {
    for (std::size_t k = 0; k < std::size(signals); ++k) std::signal(signals[k], before_[k]);
}

bool Interruption::happened() const { return interrupted != 0; }
void Interruption::ask_for() { interrupted = 1; }

}  // namespace lig::app
