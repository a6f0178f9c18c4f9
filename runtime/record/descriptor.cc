#include "descriptor.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace slackline::record {

namespace {

/// From where on numbers are the recorder's: in the upper quarter of what the process may have, but
/// not so high that the kernel's table of descriptors grows by more than some pages.
int first_number() {
  constexpr rlim_t kHighest = 2048;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t most = limit.rlim_cur < kHighest ? limit.rlim_cur : kHighest;
  return static_cast<int>(most - most / 4);
}

/// Up to glibc 2.32 its own function has been a macro.
int status_of(int number, struct stat* status) {
  return static_cast<int>(syscall(SYS_fstat, number, status));
}

/// `opened` itself where there is no room further up.
int moved_up(int opened) {
  const int number = fcntl(opened, F_DUPFD_CLOEXEC, first_number());
  if (number < 0) return opened;
  syscall(SYS_close, opened);
  return number;
}

}  // namespace

bool Descriptor::hold(int opened) {
  if (opened < 0) return false;
  const int saved_errno = errno;
  number_ = moved_up(opened);
  struct stat now {};
  if (status_of(number_, &now) != 0) {
    number_ = -1;
    return false;
  }
  device_ = now.st_dev;
  inode_ = now.st_ino;
  errno = saved_errno;
  return true;
}

bool Descriptor::hold_again(int opened) {
  if (opened < 0) return false;
  struct stat now {};
  if (status_of(opened, &now) != 0 || now.st_dev != device_ || now.st_ino != inode_) {
    syscall(SYS_close, opened);
    errno = ESTALE;
    return false;
  }
  number_ = moved_up(opened);
  return true;
}

int Descriptor::number() const {
  struct stat now {};
  if (number_ < 0) {
    errno = EBADF;
    return -1;
  }
  if (status_of(number_, &now) != 0) return -1;
  if (now.st_dev == device_ && now.st_ino == inode_) return number_;
  errno = EBADF;
  return -1;
}

void Descriptor::close() {
  const int saved_errno = errno;
  if (const int held = number(); held >= 0) syscall(SYS_close, held);
  number_ = -1;
  errno = saved_errno;
}

}  // namespace slackline::record
