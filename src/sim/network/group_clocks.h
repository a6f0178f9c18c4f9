#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_map.h"
#include "sim/network/event_heap.h"
#include "sim/platform/platform.h"

namespace slackline {

/// When the messages of share groups end (sharing/share_groups.cc): each group has a virtual clock
/// that runs as fast as its level, on which its messages' ends stay where they are however the
/// level changes. Times in seconds; work is what a message still needs of its group's level times
/// seconds. Cost: O(log n) a message.
class GroupClocks {
 public:
  using MessageId = std::uint32_t;

  /// The group of that link has this level from now on. Adds the group if it is new.
  void set_level(LinkId group, double level, double now);
  /// The message ends when the group's clock has advanced by `work`.
  void enter(LinkId group, MessageId message, double work, double now);
  /// Takes the message out of its group; returns what is left of its work.
  double leave(LinkId group, MessageId message, double now);

  double next_time() const { return heads_.next_time(); }
  /// Removes and returns the message that ends at next_time().
  MessageId pop();
  bool empty() const { return heads_.empty(); }

 private:
  struct Clock {
    double shows = 0, level = 0, updated = 0;
    EventHeap ends{};  ///< the messages' ends, by what the clock shows then
  };
  struct Hash {
    std::uint64_t operator()(LinkId link) const { return mix_bits(link); }
  };

  std::uint32_t find(LinkId group);
  static void advance(Clock& clock, double now);
  void set_head(std::uint32_t index);

  FlatMap<LinkId, std::uint32_t, Hash> by_link_;
  std::vector<Clock> clocks_;
  EventHeap heads_;  ///< by clock, when its first message ends
};

}  // namespace slackline
