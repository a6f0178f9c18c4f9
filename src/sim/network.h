#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/flat_map.h"
#include "base/slots.h"
#include "sim/bandwidth_sharing.h"
#include "sim/event_heap.h"
#include "sim/link_usage.h"
#include "sim/network_model.h"
#include "sim/selective_sharing.h"
#include "sim/shared_clocks.h"
#include "sim/slowed_messages.h"

namespace slackline {

using FlightId = std::uint32_t;

/// Under SimGrid's lazy update, dates can depend on which of several messages that end at one date
/// ends first. `notice`: a guess, and whoever asks sees when it matters; `follow`: by SimGrid's own
/// procedure, while its work is bearable.
enum class OrderOfEnds : std::uint8_t { notice, follow };

/// Messages on their way: each waits its route's latency and then flows at the rate that it gets.
/// Times in seconds. spec: SMPI model, 3.3.
class Network {
 public:
  /// `usage` may be nullptr: nothing is kept of who used which link when.
  Network(const Platform& platform, const LinkView& links, const NetworkModel& model,
          OrderOfEnds order, LinkUsage* usage);

  /// A message of `bytes` payload leaves at `now`; `tag` comes back when it arrives. Throws Error
  /// when there is no route.
  FlightId start(HostId from, HostId to, double bytes, std::uint32_t tag, double now);

  /// Brings the rates up to date after what started and ended.
  void settle(double now);
  double next_date() const { return std::min(events_.next_date(), clocks_.next_date()); }

  struct Arrival {
    std::uint32_t tag;
    double started;
    double alone;              ///< how long the same message lasts with nobody else on the network
    bool tied = false;         ///< another one arrives at that date; which is first is a guess
    LinkId held_by = kNoLink;  ///< at which it lost most, if the use of links is kept
  };
  /// Everything that happens until `until` happens at `now`; messages that arrive are appended.
  void advance(double now, double until, std::vector<Arrival>& arrivals);

  /// The receive of a message under way has come; SimGrid looks how much of it is left.
  void look_at(FlightId id, double now);

  /// Of what happened in the last advance(), the latest that was due; 0: nothing was.
  double last_date() const { return last_date_; }
  /// Or would `follow` have been given up by now?
  bool can_follow() const;

  bool idle() const { return events_.empty() && clocks_.empty(); }
  /// How many rates were computed.
  std::uint64_t solved_flows() const;

 private:
  enum class Phase : std::uint8_t { latency, sharing, alone };
  struct Flight {
    double remaining = 0;  ///< bytes
    double rate = 0;       ///< of the allocation, bytes a second
    double factor = 1;     ///< progress a unit of allocation
    double updated = 0;    ///< when `remaining` was true
    double started = 0;
    double alone = 0;
    HostId from = 0, to = 0;
    std::uint32_t tag = 0;
    FlowId flow = 0;              ///< if it shares, or will
    LinkId bottleneck = kNoLink;  ///< at `rate`
    LinkId pool = kNoLink;        ///< whose clock it goes by; `remaining` is of no account then
    Phase phase = Phase::latency;
    bool used = false;        ///< a slot that is free has no flight
    bool lone_pipe = false;   ///< its path is
    std::uint64_t order = 0;  ///< among all, of when they began to transfer
  };
  struct Ended {
    double date;
    std::uint64_t order;
    FlightId id;
    bool tied;
  };
  /// What all messages between two hosts have in common.
  struct Path {
    double latency = 0, bound = 0, penalty = 0;
    double alone = 0;                    ///< rate with nobody else on the network
    std::uint32_t first = 0, count = 0;  ///< into shares_
    bool lone_pipe = false;              ///< one fatpipe: nobody disturbs anybody
  };

  const Path& path(HostId from, HostId to);
  Path make_path(HostId from, HostId to);
  void add_share(Path& path, LinkId link, double weight);
  bool contends(const Flight& flight) const;
  FlowId create_flow(const Path& way);
  void announce(const Flight& flight);
  void begin_transfer(FlightId id, double now);
  void share(FlightId id);
  void update(FlightId id, double now);
  void add_usage(FlightId id, double now);
  void sort_ended();
  void look_for_ties();
  void check_allowance();
  void give_up_order();
  void fly(FlightId id, double rate, double now);
  void go_on(FlightId id, double now);
  void end(FlightId id, double date, double now);
  double work_of(const Flight& flight) const;
  FlightId create();

  const LinkView& links_;
  const NetworkModel& model_;
  const Platform& platform_;
  BandwidthSharing sharing_;
  std::unique_ptr<SelectiveSharing> selective_;  ///< instead, while its work is bearable
  std::uint64_t allowance_, settled_ = 0;
  std::uint64_t expected_work_ = 0;  ///< of `follow` so far
  std::size_t sharing_flows_ = 0;
  double last_date_ = 0;
  LinkUsage* usage_;
  EventHeap events_;     ///< of flights without a pool
  SharedClocks clocks_;  ///< of those in one
  Slots<Flight> flights_;
  std::vector<CostliestLink> costliest_;  ///< by flight, if the use of links is kept
  std::vector<FlightId> flight_of_flow_;
  struct Hash {
    std::uint64_t operator()(std::uint64_t key) const { return mix_bits(key); }
  };
  FlatMap<std::uint64_t, std::uint32_t, Hash> path_index_;
  std::vector<Path> paths_;
  std::size_t most_paths_;
  std::vector<LinkShare> shares_;
  std::vector<LinkId> there_, back_;  // scratch: a route and the one back
  std::vector<Ended> ended_;          // scratch
  std::uint64_t began_ = 0;
};

}  // namespace slackline
