#include "online/interruption.h"

#include <iterator>

namespace slackline::online {
namespace {

volatile std::sig_atomic_t came = 0;

extern "C" void remember_signal(int signal) {
  came = signal;
}

}  // namespace

Interruption::Interruption() {
  came = 0;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = remember_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &before_[i], nullptr);
  }
}

int Interruption::signal() {
  return came;
}

}  // namespace slackline::online
