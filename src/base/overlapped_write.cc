#include "base/overlapped_write.h"

#include <utility>

#include "base/file.h"
#include "base/parallel.h"

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
    lock.unlock();  // no other thread changes the buffer before it is empty
    const int error = write_all(fd_, under_way_);
    lock.lock();
    error_ = error;
    under_way_.clear();
    changed_.notify_all();
  }
}

TextBuffer PiecesInOrder::buffer() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return {};
  TextBuffer buffer = std::move(free_.back());
  free_.pop_back();
  return buffer;
}

void PiecesInOrder::finish(std::size_t index, TextBuffer text) {
  const std::size_t most_ahead = 2 * std::size_t{hardware_threads()};
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return abandoned_ || index < next_ + most_ahead; });
  if (abandoned_) return;
  ready_.emplace(index, std::move(text));
  if (!writing_) write_ready(lock);
}

void PiecesInOrder::flush(std::size_t index, TextBuffer& text) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return abandoned_ || (index == next_ && !writing_); });
  if (!abandoned_) {
    lock.unlock();  // nobody else has this turn
    write_(text.view());
  }
  text.clear();
}

void PiecesInOrder::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

void PiecesInOrder::write_ready(std::unique_lock<std::mutex>& lock) {
  writing_ = true;
  while (!abandoned_ && !ready_.empty() && ready_.begin()->first == next_) {
    TextBuffer text = std::move(ready_.begin()->second);
    ready_.erase(ready_.begin());
    lock.unlock();
    write_(text.view());
    text.clear();
    lock.lock();
    free_.push_back(std::move(text));
    ++next_;
    changed_.notify_all();
  }
  writing_ = false;
  changed_.notify_all();
}

}  // namespace slackline
