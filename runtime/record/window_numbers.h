#ifndef SLACKLINE_RUNTIME_RECORD_WINDOW_NUMBERS_H
#define SLACKLINE_RUNTIME_RECORD_WINDOW_NUMBERS_H

#include <cstdint>

namespace slackline::record {

/// Tells windows of one communicator apart that are open at the same time. All members make and
/// free them in the same order, and so give them the same numbers. Not thread-safe.
class WindowNumbers {
 public:
  /// The lowest number that no open window of that communicator has. With too many windows 0, which
  /// a reader sees: two that are open have one number then.
  std::uint32_t take(std::uint32_t comm) {
    if (count_ == kMost) return 0;
    bool used[kMost] = {};
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (open_[i].comm == comm) used[open_[i].number] = true;
    }
    std::uint32_t number = 0;
    while (used[number]) ++number;
    open_[count_++] = {comm, number};
    return number;
  }
  void release(std::uint32_t comm, std::uint32_t number) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (open_[i].comm != comm || open_[i].number != number) continue;
      open_[i] = open_[--count_];
      return;
    }
  }

 private:
  static constexpr std::uint32_t kMost = 256;
  struct Window {
    std::uint32_t comm;
    std::uint32_t number;
  };

  Window open_[kMost];
  std::uint32_t count_ = 0;
};

}  // namespace slackline::record

#endif
