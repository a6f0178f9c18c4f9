#include "run_queue_time.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace slackline::record {

void RunQueueTime::open() {
  if (fd_ >= 0) syscall(SYS_close, fd_);
  fd_ = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  total_ns_ = 0;
  gained_ns();
}

std::int64_t RunQueueTime::gained_ns() {
  const std::int64_t before = total_ns_;
  total_ns_ = read_ns();
  return total_ns_ > before ? total_ns_ - before : 0;
}

std::int64_t RunQueueTime::gained_so_far_ns() const {
  const std::int64_t now = read_ns();
  return now > total_ns_ ? now - total_ns_ : 0;
}

/// What it was at the last call where it cannot be read.
std::int64_t RunQueueTime::read_ns() const {
  if (fd_ < 0) return total_ns_;
  const int saved_errno = errno;
  char line[96];  // CPU time, run delay, number of times on a processor
  // Not by pread(), as the program's own calls of that are interposed.
  const ssize_t bytes = syscall(SYS_pread64, fd_, line, sizeof line - 1, 0);
  std::int64_t total_ns = total_ns_;
  if (bytes > 0) {
    line[bytes] = '\0';
    char* at = nullptr;
    std::strtoull(line, &at, 10);
    total_ns = static_cast<std::int64_t>(std::strtoull(at, nullptr, 10));
  }
  errno = saved_errno;
  return total_ns;
}

}  // namespace slackline::record
