#include "base/interrupt.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

namespace slackline {
namespace {

// A signal handler may not allocate or lock, so the paths lie in a fixed table. A slot is `claimed`
// while its owner lives and `armed` while its path is complete; the handler looks only at the
// latter.
struct Slot {
  std::atomic<bool> claimed{false};
  std::atomic<bool> armed{false};
  std::array<char, 4096> path{};
};
std::array<Slot, 32> slots;

extern "C" void remove_and_die(int signal) {
  for (Slot& slot : slots) {
    if (slot.armed.load(std::memory_order_acquire)) ::unlink(slot.path.data());
  }
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

TemporaryGuard::TemporaryGuard(const std::filesystem::path& path) noexcept : slot_(-1) {
  const std::size_t length = path.native().size();
  if (length >= slots[0].path.size()) return;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].claimed.exchange(true)) continue;
    std::memcpy(slots[i].path.data(), path.c_str(), length + 1);
    slots[i].armed.store(true, std::memory_order_release);
    slot_ = static_cast<int>(i);
    return;
  }
}

TemporaryGuard::~TemporaryGuard() {
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  slot.armed.store(false);
  slot.claimed.store(false);
}

void remove_temporaries_on_interrupt() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // What nohup or a shell's background job ignores stays ignored.
    if (std::signal(signal, remove_and_die) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

}  // namespace slackline
