#include "base/write_behind.h"

#include <unistd.h>

#include <cerrno>

namespace slackline {

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

WriteBehind::~WriteBehind() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

int WriteBehind::write(std::string& buffer) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return under_way_.empty(); });
  if (error_ != 0) return error_;
  under_way_.swap(buffer);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
  return 0;
}

int WriteBehind::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return under_way_.empty(); });
  return error_;
}

void WriteBehind::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !under_way_.empty(); });
    if (under_way_.empty()) return;
    lock.unlock();  // nobody touches the buffer before it is empty
    const int error = write_all(fd_, under_way_);
    lock.lock();
    error_ = error;
    under_way_.clear();
    changed_.notify_all();
  }
}

}  // namespace slackline
