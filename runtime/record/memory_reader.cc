#include "memory_reader.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace slackline::record {

namespace {

constexpr std::uint64_t kPageBytes = 4096;

/// rt_sigprocmask() first reads the set that it is given, and then finds that there is nothing that
/// it could do. Sandboxes permit it, other than process_vm_readv(), which takes seven times as
/// long.
bool system_reads(std::uint64_t address) {
  constexpr int kNoSuchAction = -1;
  const int saved_errno = errno;
  const long result = syscall(SYS_rt_sigprocmask, kNoSuchAction, address, nullptr, 8);
  const bool reads = result == -1 && errno == EINVAL;
  errno = saved_errno;
  return reads;
}

}  // namespace

bool MemoryReader::is_readable(std::uint64_t page) {
  std::uint64_t& known = pages_[page / kPageBytes % kPages];
  if (page == 0) return false;
  if (known == page) return true;
  if (!system_reads(page)) return false;
  known = page;
  return true;
}

bool MemoryReader::read(std::uint64_t from, void* into, std::size_t bytes) {
  const std::uint64_t end = from + bytes;
  if (end < from) return false;
  for (std::uint64_t page = from / kPageBytes * kPageBytes; page < end; page += kPageBytes) {
    if (!is_readable(page)) return false;
  }
  std::memcpy(into, reinterpret_cast<const void*>(from), bytes);
  return true;
}

bool MemoryReader::usable() {
  void* const page = mmap(nullptr, kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  const auto address = reinterpret_cast<std::uint64_t>(page);
  const bool refused = !system_reads(address);
  const bool permitted = mprotect(page, kPageBytes, PROT_READ) == 0 && system_reads(address);
  munmap(page, kPageBytes);
  return refused && permitted;
}

}  // namespace slackline::record
