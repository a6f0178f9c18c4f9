#include "base/write_behind.h"

#include "base/write_all.h"

namespace slackline {

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
