#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace slackline {

/// Writes to a file while the caller makes what comes next: the kernel's copying is a third and
/// more of the time that large text formats take. One buffer is under way at a time, by a thread
/// that begins with the first one.
class WriteBehind {
 public:
  /// `fd` stays the caller's, who closes it after finish() or the destructor.
  explicit WriteBehind(int fd) : fd_(fd) {}
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;
  ~WriteBehind();  ///< ends after the buffer that is under way

  /// Takes what `buffer` has, once the one before is written, and leaves an empty one. Returns the
  /// errno with which an earlier one failed, or 0; after a failure nothing more is written.
  int write(std::string& buffer);
  /// Waits until all is written. Returns as write() does.
  int finish();

 private:
  void run();

  int fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string under_way_;  // empty: nothing to do
  bool ending_ = false;
  int error_ = 0;
  std::thread thread_;
};

}  // namespace slackline
