#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/text_buffer.h"

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

/// Pieces of a file that several threads make and that are written in order. Whoever finishes the
/// piece that is next writes it and those behind it that are ready; others make further ones
/// meanwhile. So nobody waits but for a piece that takes much longer than its neighbours.
class PiecesInOrder {
 public:
  using Write = std::function<void(std::string_view)>;
  explicit PiecesInOrder(Write write) : write_(std::move(write)) {}

  /// A buffer for a piece, perhaps one that was used before.
  TextBuffer buffer();
  /// Piece `index` is whole: every index from 0 on comes once, and threads take them in order.
  /// Waits while it is far ahead of what is written. Throws what `write` throws.
  void finish(std::size_t index, TextBuffer text);
  /// Writes what there is of a piece that became large, once all before it is written.
  void flush(std::size_t index, TextBuffer& text);
  /// A piece will not come: nobody waits any more, and nothing more is written.
  void abandon();

 private:
  void write_ready(std::unique_lock<std::mutex>& lock);

  Write write_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, TextBuffer> ready_;
  std::vector<TextBuffer> free_;
  std::size_t next_ = 0;  // the piece to be written
  bool writing_ = false;
  bool abandoned_ = false;
};

}  // namespace slackline
