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

void remove_temporaries() {
  for (Slot& slot : slots) {
    if (slot.armed.load(std::memory_order_acquire)) remove_at(AT_FDCWD, slot.path.data(), 0);
  }
}

extern "C" void remove_and_die(int signal) {
  remove_temporaries();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

/// Characters of a file. A signal handler may not use the library's.
class FileCharacters {
 public:
  explicit FileCharacters(const char* path) : fd_(::open(path, O_RDONLY | O_CLOEXEC)) {}
  ~FileCharacters() { ::close(fd_); }
  FileCharacters(const FileCharacters&) = delete;
  FileCharacters& operator=(const FileCharacters&) = delete;
  /// '\0' at the end.
  char next() {
    if (at_ == size_) {
      size_ = ::read(fd_, buffer_.data(), buffer_.size());
      at_ = 0;
    }
    return size_ <= 0 ? '\0' : buffer_[static_cast<std::size_t>(at_++)];
  }

 private:
  int fd_;
  std::array<char, 4096> buffer_{};
  long at_ = 0;
  long size_ = 0;
};

std::uintptr_t hexadecimal(FileCharacters& in, char end) {
  std::uintptr_t value = 0;
  for (char c = in.next(); c != end && c != '\0'; c = in.next()) {
    value = 16 * value + static_cast<std::uintptr_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return value;
}

std::array<char, 4096> lost_path;

/// The path of the file that is mapped at `address`; its length, 0 where none is. Lines of
/// /proc/self/maps: begin-end permissions offset device inode path.
std::size_t find_lost_path(std::uintptr_t address) {
  FileCharacters in("/proc/self/maps");
  for (;;) {
    const std::uintptr_t begin = hexadecimal(in, '-');
    const std::uintptr_t end = hexadecimal(in, ' ');
    if (end == 0) return 0;
    std::size_t length = 0;
    for (char c = in.next(); c != '\n' && c != '\0'; c = in.next()) {
      const bool in_path = length > 0 || c == '/';
      if (in_path && length < lost_path.size()) lost_path[length++] = c;
    }
    if (address >= begin && address < end) return length;
  }
}

void say(const char* text, std::size_t length) {
  static_cast<void>(!::write(STDERR_FILENO, text, length));
}

extern "C" void say_what_is_lost(int signal, siginfo_t* info, void* /*context*/) {
  constexpr char kBegin[] = "slackline: cannot read '";
  constexpr char kEnd[] =
      "': it became shorter while it was read, or its disk failed. Start again when it is "
      "complete.\n";
  static std::atomic<bool> said{false};
  const std::size_t length = find_lost_path(reinterpret_cast<std::uintptr_t>(info->si_addr));
  if (length == 0) {
    std::signal(signal, SIG_DFL);  // the access comes again
    return;
  }
  if (said.exchange(true)) ::pause();  // another thread ends the process
  remove_temporaries();
  say(kBegin, sizeof kBegin - 1);
  say(lost_path.data(), length);
  say(kEnd, sizeof kEnd - 1);
  ::_exit(1);
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

void explain_bus_errors() {
  struct sigaction action {};
  action.sa_sigaction = say_what_is_lost;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

void remove_temporaries_on_interrupt() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // What nohup or a shell's background job ignores stays ignored.
    if (std::signal(signal, remove_and_die) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

}  // namespace slackline
