#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_map.h"
#include "sim/event_heap.h"
#include "sim/platform/platform.h"

namespace slackline {

/// When the messages of pools end (BandwidthSharing): each pool has a clock that goes as fast as
/// its level, by which its messages' ends stay where they are whatever the level does. Times in
/// seconds; work is what a message still needs of its pool's level. Cost: O(log n) a message.
class SharedClocks {
 public:
  using MessageId = std::uint32_t;

  /// The pool of that link has this level from now on; it begins if it is not there.
  void set_level(LinkId pool, double level, double now);
  /// The message ends when the pool's clock has gone on by `work`.
  void enter(LinkId pool, MessageId message, double work, double now);
  /// Takes the message out of its pool; what is left of its work.
  double leave(LinkId pool, MessageId message, double now);

  double next_date() const { return heads_.next_date(); }
  /// The message that ends at next_date(), which leaves.
  MessageId pop();
  bool empty() const { return heads_.empty(); }

 private:
  struct Clock {
    double shows = 0, level = 0, updated = 0;
    EventHeap ends{};
  };
  struct Hash {
    std::uint64_t operator()(LinkId link) const { return mix_bits(link); }
  };

  std::uint32_t find(LinkId pool);
  static void advance(Clock& clock, double now);
  void set_head(std::uint32_t index);

  FlatMap<LinkId, std::uint32_t, Hash> by_link_;
  std::vector<Clock> clocks_;
  EventHeap heads_;  ///< by clock
};

}  // namespace slackline
