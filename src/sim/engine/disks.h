#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/engine/processors.h"
#include "sim/network/event_heap.h"
#include "sim/platform/platform.h"

namespace slackline {

/// Reading and writing on the disks of hosts, as SimGrid's disk model has it: those who read share
/// the bandwidth of reading, those who write that of writing, and all of them the larger of the
/// two, by max-min fairness. Times in seconds. At most one access per id at a time. Cost: that of
/// the disk's other accesses.
class Disks {
 public:
  explicit Disks(const Platform& platform) : platform_(platform) {}

  /// `disk`: its number on the host.
  void start(std::uint32_t id, HostId host, std::size_t disk, double bytes, bool write, double now);

  bool idle() const { return ends_.empty(); }
  double next_time() const { return ends_.next_time(); }
  /// Ends what is due before `until`, and appends it.
  void advance(double now, double until, std::vector<Processors::Ended>& ended);

 private:
  using Place = std::pair<HostId, std::size_t>;
  struct Access {
    std::uint32_t id;
    bool write;
    double remaining, rate;
  };
  struct Disk {
    double updated = 0;
    std::vector<Access> accesses{};
  };

  void share(const Place& place, Disk& disk, double now);

  const Platform& platform_;
  std::map<Place, Disk> disks_;
  std::vector<Place> places_;  ///< by id
  EventHeap ends_;
};

}  // namespace slackline
