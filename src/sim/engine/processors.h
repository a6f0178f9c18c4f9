#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/event_heap.h"
#include "sim/platform/platform.h"

namespace slackline {

/// Computation on hosts, and pauses: each running computation gets a core, or its share of the
/// cores when there are more computations than cores; a pause takes nothing. Times in seconds, work
/// in flops. At most one computation or pause per id at a time. What ends at one simulated time
/// ends in the order of SimGrid's processor model. Cost: O(log n) for each computation on the host.
class Processors {
 public:
  explicit Processors(const Platform& platform)
      : platform_(platform), hosts_(platform.host_count()) {}

  void start(std::uint32_t id, HostId host, double flops, double now);
  /// A pause until `time`. As in SimGrid, the shares of the host are computed again, which rounds
  /// the ends of its computations.
  void pause(std::uint32_t id, HostId host, double time);
  /// The host's speed is that fraction of its own from now on. Returns whether anything computes
  /// there.
  bool set_speed(HostId host, double fraction);
  /// Brings the shares up to date after computations have started and ended, or speeds have
  /// changed. What has started since the last call has no end before. Throws Error for computation
  /// on a host whose speed is 0.
  void update_shares(double now);

  double next_time() const { return ends_.next_time(); }
  struct Ended {
    std::uint32_t id;
    double time;
  };
  /// Ends what is due before `until`, and appends it.
  void advance(double until, std::vector<Ended>& ended);
  /// How many computations and pauses have not ended.
  std::size_t size() const { return size_; }
  /// Calls visit(id) for all of them, in no particular order, after update_shares().
  template <class Visit>
  void for_each(Visit visit) const {
    ends_.for_each(visit);
  }

 private:
  static constexpr HostId kPause = ~HostId{0};
  struct Work {
    double remaining = 0, rate = 0, updated = 0;
    HostId host = kPause;
  };
  struct Host {
    bool changed = false;
    double speed = 1;                      ///< fraction of the platform's
    std::vector<std::uint32_t> running{};  ///< from the oldest to the newest
  };
  struct Pause {
    std::uint32_t id;
    double time;
  };

  double rate_on(HostId host) const;
  void mark_changed(HostId host);
  void share(HostId host, double now);

  const Platform& platform_;
  std::vector<Host> hosts_;
  std::vector<Work> works_;  // by id
  std::vector<HostId> changed_;
  std::vector<Pause> new_pauses_;
  std::size_t size_ = 0;
  EventHeap ends_;
};

}  // namespace slackline
