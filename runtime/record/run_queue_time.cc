#include "processor_clock.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace slackline::record {

bool RunQueueTime::open_file() const {
  known_ = file_.hold(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  return known_;
}

void RunQueueTime::open() {
  file_.close();
  open_file();
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
  const int saved_errno = errno;
  int fd = file_.number();
  if (fd < 0 && known_ && open_file()) fd = file_.number();
  char line[96];  // CPU time, run delay, number of times on a processor
  // Not by pread(), as the program's own calls of that are interposed.
  const ssize_t bytes = syscall(SYS_pread64, fd, line, sizeof line - 1, 0);
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
