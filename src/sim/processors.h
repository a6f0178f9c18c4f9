#pragma once

#include <cstdint>
#include <vector>

#include "sim/event_heap.h"
#include "sim/platform/platform.h"

namespace slackline {

/// Computation on hosts: each running one gets a core, or its share of the cores when there are
/// more of them. Times in seconds, work in flops. One computation per id at a time. spec: SMPI
/// model, 2 (several ranks a host).
class Processors {
 public:
  explicit Processors(const Platform& platform)
      : platform_(platform), running_on_(platform.host_count()) {}

  void start(std::uint32_t id, HostId host, double flops, double now);
  double next_date() const { return ends_.next_date(); }
  /// Computations that end before `until` end at `now`; their ids are appended.
  void advance(double now, double until, std::vector<std::uint32_t>& ended);
  bool idle() const { return ends_.empty(); }

 private:
  struct Computation {
    double remaining = 0, rate = 0, updated = 0;
    HostId host = 0;
    std::uint32_t place = 0;  ///< in its host's list
  };

  double rate_on(HostId host) const;
  void share(HostId host, double now);
  void run(std::uint32_t id, double rate, double now);

  const Platform& platform_;
  std::vector<std::vector<std::uint32_t>> running_on_;  // by host
  std::vector<Computation> computations_;               // by id
  EventHeap ends_;
};

}  // namespace slackline
