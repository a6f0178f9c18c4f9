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
  if (fd_ < 0) return 0;
  const int saved_errno = errno;
  char line[96];  // CPU time, run delay, number of times on a processor
  // Not by pread(), as the program's own calls of that are interposed.
  const ssize_t bytes = syscall(SYS_pread64, fd_, line, sizeof line - 1, 0);
  const std::int64_t before = total_ns_;
  if (bytes > 0) {
    line[bytes] = '\0';
    char* at = nullptr;
    std::strtoull(line, &at, 10);
    total_ns_ = static_cast<std::int64_t>(std::strtoull(at, nullptr, 10));
  }
  errno = saved_errno;
  return total_ns_ > before ? total_ns_ - before : 0;
}

}  // namespace slackline::record
