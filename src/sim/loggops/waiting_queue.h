#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace slackline {

/// Events that wait for the same cpu and network card of a rank, by age. Most are added in that
/// order. Cost: O(1) for these; otherwise O(younger entries).
class LogGOPSWaitingQueue {
 public:
  struct Entry {
    std::uint64_t age;
    std::uint32_t operation;
    std::uint32_t peer;
    bool message;
  };

  bool empty() const { return head_ == entries_.size(); }
  const Entry& oldest() const { return entries_[head_]; }

  void push(const Entry& entry) {
    auto place = entries_.end();
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(head_);
    while (place != first && (place - 1)->age > entry.age) --place;
    entries_.insert(place, entry);
  }
  void pop() {
    ++head_;
    if (head_ < kMostGone || 2 * head_ < entries_.size()) return;
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }

  /// The age of the entry for which an event is in the event queue.
  std::uint64_t scheduled = kNone;
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

 private:
  static constexpr std::size_t kMostGone = 32;

  std::vector<Entry> entries_;
  std::size_t head_ = 0;
};

}  // namespace slackline
