#include "base/interrupt_request.h"

#include <atomic>
#include <csignal>

namespace slackline {
namespace {

std::atomic<bool> interrupt_arrived{false};
std::atomic<void (*)(int)> interrupt_before{SIG_DFL};

extern "C" void remember_interrupt(int signal) {
  interrupt_arrived.store(true);
  std::signal(signal, interrupt_before.load());
}

}  // namespace

InterruptRequest::InterruptRequest() noexcept : before_(std::signal(SIGINT, SIG_IGN)) {
  interrupt_arrived.store(false);
  if (before_ == SIG_IGN) return;
  interrupt_before.store(before_);
  std::signal(SIGINT, remember_interrupt);
}

InterruptRequest::~InterruptRequest() {
  std::signal(SIGINT, before_);
}

bool InterruptRequest::arrived() const noexcept {
  return interrupt_arrived.load();
}

}  // namespace slackline
