#pragma once

#include <cstdint>
#include <vector>

#include "sim/event_heap.h"
#include "sim/platform/platform.h"

namespace slackline {

/// Computation on hosts, and pauses: each running computation gets a core, or its share of the
/// cores when there are more of them; a pause takes nothing. Times in seconds, work in flops. One
/// computation or pause per id at a time. What ends at one date ends in SimGrid's order. spec: SMPI
/// model, 2 (several ranks a host).
class Processors {
 public:
  explicit Processors(const Platform& platform)
      : platform_(platform), hosts_(platform.host_count()) {}

  void start(std::uint32_t id, HostId host, double flops, double now);
  /// Until `date`; on a host that computes, SimGrid looks at the others there again.
  void pause(std::uint32_t id, HostId host, double date);
  /// Brings the shares up to date after what started and ended, which only then has a date.
  void settle(double now);

  double next_date() const { return ends_.next_date(); }
  struct Ended {
    std::uint32_t id;
    double date;
  };
  /// What ends before `until` ends now, and is appended.
  void advance(double until, std::vector<Ended>& ended);
  /// Computations and pauses under way.
  std::size_t size() const { return size_; }
  /// Calls visit(id) for all of them, in no particular order, once they have dates.
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
    std::vector<std::uint32_t> running{};  ///< from the oldest to the newest
  };
  struct Pause {
    std::uint32_t id;
    double date;
  };

  double rate_on(HostId host) const;
  void change(HostId host);
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
