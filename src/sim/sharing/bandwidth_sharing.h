#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "sim/platform/platform.h"

namespace slackline {

using FlowId = std::uint32_t;
inline constexpr LinkId kNoLink = std::numeric_limits<LinkId>::max();

/// What a flow takes from a link: `weight` times its rate.
struct LinkShare {
  LinkId link;
  double weight;
};

/// What a flow gets.
struct FlowAllocation {
  double rate = 0;              ///< bytes per second
  LinkId bottleneck = kNoLink;  ///< the link that keeps the flow below its bound, if one does
  LinkId group = kNoLink;       ///< the link whose share group the flow is in, if any
};

/// What a way to compute rates shows to Network beside the rates. All false for the model itself;
/// SimGrid's own procedures set some (sim/simgrid/).
struct SharingQuirks {
  /// Flows over a single fatpipe take part, though no other flow can limit them.
  bool shares_lone_fatpipes = false;
  /// A flow without a TCP window has no bound at all, rather than that of its narrowest link.
  bool unbounded_without_window = false;
  /// The progress of a message is brought up to date when its receive is posted, which rounds it.
  bool updates_at_receive = false;
  /// When messages end at the same simulated time, the one that started last ends first.
  bool newest_ends_first = false;
};

/// What solve() changed. Valid until its next call.
struct SharingChanges {
  /// Flows whose allocation changed, new ones included; some may be unchanged and some may be named
  /// twice. Flows that stay in a share group are not named: their rates follow its level.
  std::span<const FlowId> flows{};
  /// Share groups whose level changed, by the links that limit their flows.
  std::span<const LinkId> moved_groups{};
  /// Nothing was solved: successor() is to share the bandwidth from now on.
  bool exhausted = false;
};

/// The rates of a changing set of flows over links: the seam between the network and the ways to
/// share bandwidth. Rates and bounds are bytes per second, levels bytes per second times penalty.
///
/// A flow is created, announced when its message leaves, started when it begins to transfer after
/// its latency, and removed at its end. Rates are those of the last solve().
class BandwidthSharing {
 public:
  virtual ~BandwidthSharing() = default;

  /// A flow that does not take part yet. `penalty` > 0; `bound` >= 0, or infinity for a flow that
  /// only links limit; `shares` name each link once, in the order of the route.
  virtual FlowId create(std::span<const LinkShare> shares, double penalty, double bound) = 0;
  /// The flow's message leaves; `starts_now` tells that start() follows at once.
  virtual void announce(FlowId /*flow*/, bool /*starts_now*/) {}
  /// The flow takes part from now on; its rate is known after the next solve().
  virtual void start(FlowId flow) = 0;
  /// The flow ends; its id is used again.
  virtual void remove(FlowId flow) = 0;

  /// The link has that capacity from now on. The rates of all flows on it are computed anew.
  virtual void set_capacity(LinkId link, double capacity) = 0;
  /// Another penalty and bound of a flow; set_capacity() of one of its links comes before.
  virtual void change(FlowId flow, double penalty, double bound) = 0;

  /// Brings all rates up to date.
  virtual SharingChanges solve() = 0;
  virtual FlowAllocation allocation(FlowId flow) const = 0;

  /// Each flow's rate is its group's level over its penalty.
  virtual double group_level(LinkId /*group*/) const { return 0; }
  virtual double penalty(FlowId flow) const = 0;

  /// How many rates were computed so far: what the work of solve() follows.
  virtual std::uint64_t computed_rates() const = 0;

  const SharingQuirks& quirks() const { return quirks_; }
  /// What is to share the bandwidth when this one is exhausted. It starts without flows.
  virtual std::unique_ptr<BandwidthSharing> successor() { return nullptr; }

 protected:
  BandwidthSharing() = default;
  explicit BandwidthSharing(const SharingQuirks& quirks) : quirks_(quirks) {}

 private:
  const SharingQuirks quirks_{};
};

}  // namespace slackline
