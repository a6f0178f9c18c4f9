#include "base/lost_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/interrupt.h"

namespace slackline {
namespace {

constexpr std::string_view kWhy = "it became shorter while it was read, or its disk failed";
constexpr std::string_view kWhatToDo = "Start again when it is complete.";

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

void say(std::string_view text) {
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

extern "C" void say_what_is_lost(int signal, siginfo_t* info, void* /*context*/) {
  static std::atomic<bool> said{false};
  const std::size_t length = find_lost_path(reinterpret_cast<std::uintptr_t>(info->si_addr));
  if (length == 0) {
    std::signal(signal, SIG_DFL);  // the access comes again
    return;
  }
  if (said.exchange(true)) ::pause();  // another thread ends the process
  remove_temporaries();
  say("slackline: cannot read '");
  say({lost_path.data(), length});
  say("': ");
  say(kWhy);
  say(". ");
  say(kWhatToDo);
  say("\n");
  ::_exit(1);
}

// A signal handler may not lock, so the mappings lie in a fixed table; `begin` 0 is free.
struct Mapping {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::size_t> size{0};
};
std::array<Mapping, 1024> mappings;

std::uintptr_t end_of_mapping(std::uintptr_t address) {
  for (const Mapping& mapping : mappings) {
    const std::uintptr_t begin = mapping.begin.load();
    if (begin != 0 && address >= begin && address - begin < mapping.size.load()) {
      return begin + mapping.size.load();
    }
  }
  return 0;
}

std::atomic<std::uint64_t> losses{0};
std::atomic<std::size_t> lost_length{0};
std::atomic_flag in_handler;  // of some thread; guards lost_path
struct sigaction before_ours {};

bool put_zeros(void* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const std::uintptr_t end = end_of_mapping(address);
  if (end == 0) return false;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t in_page = address % page;
  // Another thread may have been here before; the file is then no longer the one that is mapped.
  if (const std::size_t length = find_lost_path(address)) lost_length.store(length);
  return ::mmap(static_cast<char*>(at) - in_page, end - address + in_page, PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

extern "C" void read_as_zeros(int signal, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  while (in_handler.test_and_set()) {
  }
  const bool done = put_zeros(info->si_addr);
  in_handler.clear();
  if (done) {
    losses.fetch_add(1);
  } else {
    ::sigaction(signal, &before_ours, nullptr);  // the access comes again
  }
  errno = error;
}

void install(void (*handler)(int, siginfo_t*, void*), struct sigaction* before) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, before);
}

}  // namespace

void end_on_lost_input() {
  install(say_what_is_lost, nullptr);
}

void survive_lost_input() {
  install(read_as_zeros, &before_ours);
}

std::uint64_t lost_inputs() {
  return losses.load();
}

void refuse_lost_input(std::uint64_t before) {
  if (losses.load() == before) return;
  throw Error(
      fmt::format("cannot read '{}'", std::string_view(lost_path.data(), lost_length.load())), kWhy,
      kWhatToDo);
}

void add_mapped_input(const void* begin, std::size_t size) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  for (Mapping& mapping : mappings) {
    std::uintptr_t free = 0;
    if (mapping.begin.load() != 0 || !mapping.begin.compare_exchange_strong(free, address))
      continue;
    mapping.size.store(size);
    return;
  }
}

void remove_mapped_input(const void* begin) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  for (Mapping& mapping : mappings) {
    if (mapping.begin.load() != address) continue;
    mapping.size.store(0);
    mapping.begin.store(0);
    return;
  }
}

}  // namespace slackline
