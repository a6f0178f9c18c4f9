#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/span_arena.h"
#include "sim/sharing/bandwidth_sharing.h"
#include "sim/sharing/link_view.h"

namespace slackline {

/// What a flow takes from one of its links.
struct FlowShare {
  static constexpr std::uint32_t kNotJoined = std::numeric_limits<std::uint32_t>::max();

  LinkId link;
  std::uint32_t slot;  ///< in the link's list of members; kNotJoined: the flow is not among them
  double weight;

  bool joined() const { return slot != kNotJoined; }
};

struct SharedFlow {
  enum class State : std::uint8_t {
    idle,    ///< keeps its rate
    dirty,   ///< its rate is to be computed by the next sweep
    active,  ///< its rate is being computed by this sweep: it rises
    fixed    ///< its rate has been computed by this sweep
  };

  double rate = 0, penalty = 1, bound = 0;
  double previous_rate = 0;  ///< before this sweep
  LinkId bottleneck = kNoLink;
  State state = State::idle;
  bool grouped = false;  ///< in the share group of its bottleneck; `rate` is of no account then
  std::uint32_t unjoined = 0;  ///< how many of its links it has not joined although it has begun
  std::span<FlowShare> shares{};
};

/// A flow as its link knows it.
struct LinkMember {
  FlowId flow;
  std::uint32_t share;  ///< index into the flow's shares
  double weight;

  bool operator==(const LinkMember&) const = default;
};

/// A link, ordered so that a sweep of progressive filling touches one cache line of most.
struct alignas(64) SharedLink {
  static constexpr std::uint32_t kNotQueued = std::numeric_limits<std::uint32_t>::max();

  /// What all members take that are not active; those of share groups count as if at their group's
  /// ceiling. Not kept for fatpipes, nor for the link of a share group itself.
  double load = 0;
  double weight_sum = 0;     ///< what the active members, or those of its group, take per level
  double active_demand = 0;  ///< what the active members would take at their bounds
  double full_load =
      0;  ///< load or demand above this fills the link: its capacity but for rounding
  double capacity = 0;
  double level = 0;           ///< of the flows whose bottleneck this link is
  std::uint32_t active = 0;   ///< members
  std::uint32_t limited = 0;  ///< members whose bottleneck it is, active ones not counted
  std::uint32_t queue_slot = kNotQueued;  ///< in the sweep's queue of levels, if it has one
  bool touched = false;    ///< members were activated, and its place in the queue is out of date
  bool saturated = false;  ///< this sweep has fixed the flows whose bottleneck it is
  bool fatpipe = false;
  bool grouped = false;  ///< the flows whose bottleneck it is are a share group
  // The second cache line.
  bool pending = false;      ///< the sweep has to visit it even when no flow is active any more
  bool invalidated = false;  ///< the flows whose bottleneck it is may not be limited by it any more
  std::uint32_t unjoined = 0;     ///< flows that have begun and are to join it
  std::uint32_t retry_count = 0;  ///< saturations to let pass before trying a share group again
  double demand = 0;              ///< what all flows would take at their bounds; see demand_of()
  std::vector<LinkMember> members{};
  double outside_load = 0;  ///< of a group's link: the load of flows that are not in the group
  double ceiling = 0,
         floor = 0;  ///< of a group: levels between which nothing but the level changes
};

/// The flows and links that the parts of MaxMinSharing work on, and the operations that keep their
/// sums consistent. Not an interface for others.
struct SharingState {
  explicit SharingState(const LinkView& view);

  /// See BandwidthSharing::create().
  FlowId create(std::span<const LinkShare> shares, double penalty, double bound);
  /// A flow that is in no link any more; its id is used again.
  void release(FlowId flow);

  /// What a flow of that bound adds to the link's demand. A fatpipe can only be filled by one flow
  /// alone: such a flow counts for more than the capacity, all others for nothing.
  double demand_of(LinkId link, double weight, double bound) const;
  bool can_fill(const SharedLink& link) const { return link.demand > link.full_load; }
  bool can_fill(LinkId link) const { return can_fill(links[link]); }

  /// Not while the flows of the link, or the link itself, are in share groups.
  void set_capacity(LinkId link, double capacity);
  void change(FlowId flow, double penalty, double bound);

  /// Adds the flow to, or takes it from, the link of one of its shares.
  void join(FlowId flow, std::uint32_t share);
  void leave(FlowId flow, std::uint32_t share);

  void set_bottleneck(SharedFlow& flow, LinkId bottleneck);
  /// The flow's rate is to be computed anew.
  void mark_dirty(FlowId flow);
  /// The flows that the link limits have to be computed anew, as its members have changed.
  void invalidate(LinkId link);
  void mark_invalidated_dirty();

  std::vector<SharedFlow> flows;
  std::vector<SharedLink> links;
  std::vector<FlowId> dirty;  ///< all flows that are not idle
  std::vector<LinkId> invalidated;
  std::vector<FlowId> changed;  ///< what solve() returns

 private:
  bool counts(const SharedFlow& flow, const FlowShare& share) const {
    return share.joined() || flow.unjoined > 0;
  }

  SpanArena<FlowShare> share_arena_;
  std::vector<FlowId> free_;
};

}  // namespace slackline
