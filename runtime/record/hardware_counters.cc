#include "hardware_counters.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace slackline::record {

namespace {

constexpr std::uint64_t kEvents[] = {PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
                                     PERF_COUNT_HW_CACHE_MISSES};

#if defined(__x86_64__)
constexpr bool kReadsCounters = true;
std::uint64_t read_processor_counter(std::uint32_t number) {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number));
  return std::uint64_t{high} << 32 | low;
}
#else
// Linux lets programs read aarch64's counters only where kernel.perf_user_access is set.
constexpr bool kReadsCounters = false;
std::uint64_t read_processor_counter(std::uint32_t) {
  return 0;
}
#endif

std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

/// In the group of `leader`, or as one; `fd` is left open for others to join.
bool HardwareCounters::open_event(std::size_t i, int leader, int& fd) {
  perf_event_attr event;
  std::memset(&event, 0, sizeof event);
  event.size = sizeof event;
  event.type = PERF_TYPE_HARDWARE;
  event.config = kEvents[i];
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  if (leader < 0) event.pinned = 1;  // on the processor whenever the thread is, or not at all
  fd = static_cast<int>(syscall(SYS_perf_event_open, &event, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
  if (fd < 0) return false;
  void* const at = mmap(nullptr, page_bytes(), PROT_READ, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return false;
  page_[i] = static_cast<perf_event_mmap_page*>(at);
  if (kReadsCounters && page_[i]->cap_user_rdpmc != 0) return true;
  munmap(at, page_bytes());
  page_[i] = nullptr;
  errno = EOPNOTSUPP;
  return false;
}

void HardwareCounters::open() {
  const int saved_errno = errno;
  int fds[kCount];
  int leader = -1;
  known_ = missing_ = 0;
  missing_reason_ = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (page_[i] != nullptr) munmap(const_cast<perf_event_mmap_page*>(page_[i]), page_bytes());
    page_[i] = nullptr;
    fds[i] = -1;
    const std::uint32_t bit = 1u << (SLK_SYSTEM_COUNTERS + i);
    if (open_event(i, leader, fds[i])) {
      known_ |= bit;
      if (leader < 0) leader = fds[i];
      continue;
    }
    if (missing_ == 0) missing_reason_ = errno;
    missing_ |= bit;
  }
  // The mappings keep the events.
  for (const int fd : fds) {
    if (fd >= 0) close(fd);
  }
  errno = saved_errno;
}

std::uint64_t HardwareCounters::read(std::size_t i) const {
  const volatile perf_event_mmap_page* const page = page_[i];
  if (page == nullptr) return 0;
  std::uint32_t before = 0;
  std::uint64_t count = 0;
  do {
    before = page->lock;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    count = static_cast<std::uint64_t>(page->offset);
    const std::uint32_t index = page->index;
    if (index != 0) {
      const unsigned unused = 64u - page->pmc_width;
      const std::uint64_t raw = read_processor_counter(index - 1) << unused;
      count += static_cast<std::uint64_t>(static_cast<std::int64_t>(raw) >> unused);
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  } while (page->lock != before);
  return count;
}

void HardwareCounters::start() {
  for (std::size_t i = 0; i < kCount; ++i) from_[i] = read(i);
}

std::uint64_t HardwareCounters::gained(std::size_t i) const {
  return read(i - SLK_SYSTEM_COUNTERS) - from_[i - SLK_SYSTEM_COUNTERS];
}

}  // namespace slackline::record
