#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace slackline {

/// An event of a simulation of LogGOPS. Events are ordered by time, and at one time by age.
struct LogGOPSEvent {
  enum class Kind : std::uint8_t {
    operations,  ///< `peer` operations, linked elsewhere, are tried; their ages are consecutive
    message,     ///< a message arrives: operation `operation` of rank `peer` sent it
    queue        ///< the oldest entry of waiting queue `operation` is tried
  };

  std::int64_t time;  ///< not negative
  std::uint64_t age;  ///< the number of its creation, or of its first operation's
  std::uint32_t rank;
  std::uint32_t operation;
  std::uint32_t peer;  ///< the sender of a message; of operations: how many
  Kind kind;
};

/// All events that are to come, in a 4-ary heap. Cost: O(log events).
///
/// Which of two events is earlier is unpredictable, so the earliest of four is found by arithmetic
/// rather than branches; and the last entry, which takes the place of the first, mostly belongs
/// near the bottom, so its place is searched from there.
class LogGOPSEventQueue {
 public:
  bool empty() const { return heap_.empty(); }

  void push(const LogGOPSEvent& event) {
    heap_.resize(heap_.size() + 1);
    rise(heap_.size() - 1, event);
  }

  /// Removes and returns the next event. There must be one.
  LogGOPSEvent pop() {
    const LogGOPSEvent first = heap_.front();
    const LogGOPSEvent last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return first;
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    std::size_t below = 1;
    for (; below + kBelow <= size; below = kBelow * hole + 1) {
      const std::size_t a = below + earlier(below + 1, below);
      const std::size_t b = below + 2 + earlier(below + 3, below + 2);
      const std::size_t best = a + (b - a) * earlier(b, a);
      heap_[hole] = heap_[best];
      hole = best;
    }
    if (below < size) {
      std::size_t best = below;
      for (std::size_t i = below + 1; i < size; ++i) best = earlier(i, best) != 0 ? i : best;
      heap_[hole] = heap_[best];
      hole = best;
    }
    rise(hole, last);
    return first;
  }

 private:
  __extension__ using Key = unsigned __int128;
  static constexpr std::size_t kBelow = 4;

  static Key key(const LogGOPSEvent& e) {
    return Key{static_cast<std::uint64_t>(e.time)} << 64 | e.age;
  }
  std::size_t earlier(std::size_t a, std::size_t b) const {
    return key(heap_[a]) < key(heap_[b]) ? 1 : 0;
  }
  /// Puts an event into the hole, or as far above it as it belongs.
  void rise(std::size_t hole, const LogGOPSEvent& event) {
    for (; hole > 0; hole = (hole - 1) / kBelow) {
      const LogGOPSEvent& above = heap_[(hole - 1) / kBelow];
      if (key(above) < key(event)) break;
      heap_[hole] = above;
    }
    heap_[hole] = event;
  }

  std::vector<LogGOPSEvent> heap_;
};

}  // namespace slackline
