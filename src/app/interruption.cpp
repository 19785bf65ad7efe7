#include "app/interruption.h"

#include <csignal>

namespace lig::app {

namespace {

volatile std::sig_atomic_t interrupted = 0;

void note_interruption(int signal) {
    interrupted = 1;
    std::signal(signal, SIG_DFL);
}

constexpr int signals[] = {SIGINT, SIGTERM};

}  // namespace

Interruption::Interruption() {
    for (const int signal : signals) std::signal(signal, note_interruption);
}

Interruption::~Interruption() {
    for (const int signal : signals) std::signal(signal, SIG_DFL);
}

bool Interruption::happened() const { return interrupted != 0; }

}  // namespace lig::app
