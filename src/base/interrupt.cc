#include "base/interrupt.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
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

// What getdents64 gives, as the kernel has it. (readdir may allocate.)
struct DirectoryEntry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  std::uint8_t type;
  char name[1];
};
constexpr int kDeepest = 8;

bool remove_at(int folder, const char* name, int depth);

// One pass over a folder; false when nothing in it could be removed.
bool remove_entries(int folder, int depth) {
  alignas(DirectoryEntry) std::array<char, 2048> buffer;
  bool removed = false;
  ::lseek(folder, 0, SEEK_SET);
  for (;;) {
    const long bytes = ::syscall(SYS_getdents64, folder, buffer.data(), buffer.size());
    if (bytes <= 0) return removed;
    for (long at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer.data() + at);
      const char* const name =
          buffer.data() + at + offsetof(DirectoryEntry, name);  // longer than declared
      const bool self = std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
      removed = (!self && remove_at(folder, name, depth + 1)) || removed;
      at += entry->length;
    }
  }
}

// A file, or a folder with what is in it. Calls nothing but the kernel.
bool remove_at(int folder, const char* name, int depth) {
  if (::unlinkat(folder, name, 0) == 0) return true;
  if (depth > kDeepest) return false;
  const int inside = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inside < 0) return false;
  // Removing entries may make a pass miss others.
  while (remove_entries(inside, depth)) {
  }
  ::close(inside);
  return ::unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

void remove_all_armed() {
  for (Slot& slot : slots) {
    if (slot.armed.load(std::memory_order_acquire)) remove_at(AT_FDCWD, slot.path.data(), 0);
  }
}

std::atomic<int> waiting_for{0};  // objects
std::atomic<int> arrived{0};      // a signal meanwhile

extern "C" void remove_and_die(int signal) {
  if (waiting_for.load() > 0) {
    arrived.store(signal);
    // Between the two lines above the last object may have gone.
    if (waiting_for.load() > 0 || arrived.exchange(0) == 0) return;
  }
  remove_all_armed();
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

InterruptsWait::InterruptsWait() noexcept {
  waiting_for.fetch_add(1);
}

InterruptsWait::~InterruptsWait() {
  if (waiting_for.fetch_sub(1) > 1) return;
  if (const int signal = arrived.exchange(0); signal != 0) ::raise(signal);
}

void remove_temporaries() noexcept {
  remove_all_armed();
}

void remove_temporaries_on_interrupt() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // What nohup or a shell's background job ignores stays ignored.
    if (std::signal(signal, remove_and_die) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

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
