#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/noise.h"
#include "base/object_pool.h"
#include "sim/network/event_heap.h"
#include "sim/network/group_clocks.h"
#include "sim/network/link_usage.h"
#include "sim/network/network_model.h"
#include "sim/network/path_cache.h"
#include "sim/sharing/bandwidth_sharing.h"

namespace slackline {

using FlightId = std::uint32_t;

/// Messages in flight: each waits for its route's latency and then transfers at the rate that
/// bandwidth sharing gives it (Bédaride et al., PMBS 2013, section 4). Times in seconds. Cost:
/// O(log messages in flight) a message beside the rates.
class Network {
 public:
  /// `usage` may be nullptr: then it is not recorded which messages use which link when. All but
  /// `sharing` must outlive it.
  Network(const Platform& platform, LinkView& links, const NetworkModel& model, const Noise& noise,
          std::unique_ptr<BandwidthSharing> sharing, LinkUsage* usage);

  /// A message of `bytes` payload leaves at `now`; `tag` comes back when it arrives. Throws Error
  /// when there is no route, or a link of it is down.
  FlightId start(HostId from, HostId to, double bytes, std::uint32_t tag, double now);

  /// A profile's value for a link, from `now` on; see change_flight(). Returns whether messages are
  /// on the link. Throws Error if it is down then.
  bool set_link(Profiled what, LinkId link, double value, double now);

  /// Brings the rates up to date after messages have started and ended, or links have changed.
  void update_rates(double now);
  /// When the next message starts to transfer or arrives; EventHeap::kNever when none does.
  double next_time() const { return std::min(events_.next_time(), clocks_.next_time()); }

  struct Arrival {
    std::uint32_t tag;
    double started;
    double alone;       ///< how long the same message lasts with no other one on the network
    bool tied = false;  ///< another one arrives at that time; the order of the two is a guess
    LinkId limited_by = kNoLink;  ///< the link at which it lost most, if usage is recorded
  };
  /// Everything that happens until `until` happens at `now`; messages that arrive are appended.
  void advance(double now, double until, std::vector<Arrival>& arrivals);

  /// The receive of a message in flight has been posted.
  void receive_posted(FlightId id, double now);

  /// When the last event of the last advance() was due; 0: there was none.
  double last_event_time() const { return last_event_time_; }

  bool idle() const { return events_.empty() && clocks_.empty(); }
  /// How many rates were computed.
  std::uint64_t computed_rates() const { return sharing_->computed_rates(); }

 private:
  enum class Phase : std::uint8_t {
    latency,  ///< uses no bandwidth yet
    sharing,  ///< takes part in bandwidth sharing
    alone     ///< transfers at a rate that depends on no other message
  };
  struct Flight {
    double remaining = 0;  ///< bytes
    double rate = 0;       ///< of its flow, bytes per second
    double factor = 1;     ///< bytes of progress per byte of the flow's rate
    double updated = 0;    ///< when `remaining` was true
    double started = 0;
    double alone = 0;
    HostId from = 0, to = 0;
    std::uint32_t tag = 0;
    FlowId flow = 0;              ///< if it takes part in sharing, or will
    LinkId bottleneck = kNoLink;  ///< at `rate`
    LinkId group = kNoLink;       ///< whose clock ends it; `remaining` is of no account then
    Phase phase = Phase::latency;
    bool used = false;  ///< false in an object of the pool that is free
    bool lone_fatpipe = false;
    std::uint64_t order = 0;  ///< of all flights, in which they started to transfer
  };
  /// What the changes of its links have made of a flow, of which NetworkPath has what it began
  /// with.
  struct ChangedFlow {
    double latency = 0, penalty = 0, narrowest = 0;
  };
  struct Ended {
    double time;
    std::uint64_t order;
    FlightId id;
    bool tied;
  };

  FlightId create();
  bool uses(const Flight& flight, LinkId link);
  void change_flight(FlightId id, double latency, double penalty, double now);
  bool contends(const Flight& flight) const;
  FlowId create_flow(const NetworkPath& path);
  void begin_transfer(FlightId id, double now);
  void start_flow(FlightId id);
  void set_rate(FlightId id, Flight& flight, double rate, double now);
  void update_progress(FlightId id, Flight& flight, double now);
  [[gnu::noinline]] void record_usage(FlightId id, double now);
  void apply_allocation(FlightId id, double now);
  [[gnu::noinline]] void change_group(FlightId id, const FlowAllocation& allocation, double now);
  double work_per_level(const Flight& flight) const;
  void replace_sharing(std::unique_ptr<BandwidthSharing> sharing);
  void end_transfer(FlightId id, double time, double now);
  void order_simultaneous_ends();
  void arrive(const Ended& ended, std::vector<Arrival>& arrivals);

  const Platform& platform_;
  const NetworkModel& model_;
  const Noise& noise_;
  LinkView& links_;
  PathCache paths_;
  std::unique_ptr<BandwidthSharing> sharing_;
  LinkUsage* usage_;
  EventHeap events_;    ///< of flights without a group
  GroupClocks clocks_;  ///< of flights in one
  ObjectPool<Flight> flights_;
  std::vector<CostliestLink> costliest_;  ///< by flight, if usage is recorded
  std::vector<ChangedFlow> changed_;      ///< by flight, if the platform has profiles
  std::vector<FlightId> flight_of_flow_;
  std::vector<Ended> ended_;  // scratch
  double last_event_time_ = 0;
  std::uint64_t transfers_begun_ = 0;
  std::uint64_t messages_ = 0;  ///< with a latency, so far
};

}  // namespace slackline
