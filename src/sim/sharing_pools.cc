// Pools: the flows that one link stops, with one level for all of them.
//
// The problem: where hundreds of flows share one link, each that comes or goes changes the rates of
// all others, and these their links' use; though nothing else changes.
//
// The idea: such flows' levels are the same, so that the link's level says it all. A pool keeps
// that level, and an interval of levels within which nothing else can happen: below its ceiling no
// flow of the pool has its bound and no other of their links is full; above its floor nobody else
// on the link has to give way. As long as the level stays there, a flow that comes or goes costs
// its own links only. To know that without looking, the use of links counts the pool's flows as if
// the pool were at its ceiling.
//
// A pool is dissolved when its level leaves the interval, and when a sweep of progressive filling
// comes near any of its links. Its flows then have their rates again, and are filled like all
// others.
//
// Why it is right: the pool's link is full, and its flows have the highest level there; others keep
// their bottlenecks, as no link that stops them is used by the pool.
//
// Cost: O(shares of the flow) for one that comes or goes; O(shares of all) to form a pool or to
// dissolve it, which the ceiling makes rare: the level has to rise by a quarter in between.

#include <algorithm>

#include "sim/bandwidth_sharing.h"

namespace slackline {
namespace {

constexpr std::uint32_t kFewest = 24;  // flows for which a pool is worth it
constexpr double kHeadroom = 1.25;
constexpr double kMargin = 1e-9;
// Fillings of a link before another try, after one that failed.
constexpr std::uint32_t kPatience = 16;

}  // namespace

/// The flow's use of its links but the pool's own changes by that rate.
void BandwidthSharing::use_others(const Flow& flow, LinkId pool, double rate) {
  for (const Share& share : flow.shares) {
    if (share.link != pool && !is_pipe(share.link)) links_[share.link].use += share.weight * rate;
  }
}

/// Could the flow be in the pool, with that ceiling, as far as its own bound goes, and what stops
/// others?
bool BandwidthSharing::suits(const Flow& flow, LinkId pool, double ceiling) const {
  if (flow.overlooked > 0 || flow.bound * flow.penalty <= ceiling * (1 + kMargin)) return false;
  return std::ranges::all_of(flow.shares, [&](const Share& share) {
    const LinkState& link = links_[share.link];
    return share.link == pool || (link.stopped == 0 && !(link.pipe && can_fill(share.link)));
  });
}

bool BandwidthSharing::leaves_room(const Flow& flow, LinkId pool) const {
  return std::ranges::all_of(flow.shares, [&](const Share& share) {
    const LinkState& link = links_[share.link];
    return share.link == pool || link.pipe || link.use <= link.full_at;
  });
}

/// After a sweep that stopped flows there.
void BandwidthSharing::try_pool(LinkId id) {
  LinkState& link = links_[id];
  if (link.stopped < kFewest || link.pipe || !link.overlooked.empty()) return;
  if (link.patience > 0) {
    --link.patience;
    return;
  }
  const double ceiling = link.level * kHeadroom;
  link.base = link.usage = link.floor = 0;
  bool good = true;
  for (const Member& m : link.members) {
    const Flow& flow = flows_[m.flow];
    if (flow.bottleneck != id) {
      link.base += m.weight * flow.rate;
      link.floor = std::max(link.floor, flow.rate * flow.penalty * (1 + kMargin));
    } else {
      link.usage += m.weight / flow.penalty;
      good = good && suits(flow, id, ceiling);
    }
  }
  if (good) good = raise_pool(id, ceiling);
  if (!good) link.patience = kPatience;
}

/// Counts the flows that are stopped at the link with that level; not if it is too much.
bool BandwidthSharing::raise_pool(LinkId id, double ceiling) {
  LinkState& link = links_[id];
  for (const Member& m : link.members) {
    const Flow& flow = flows_[m.flow];
    if (flow.bottleneck == id) use_others(flow, id, ceiling / flow.penalty - flow.rate);
  }
  bool good = true;
  for (const Member& m : link.members) {
    good = good && (flows_[m.flow].bottleneck != id || leaves_room(flows_[m.flow], id));
  }
  for (const Member& m : link.members) {
    Flow& flow = flows_[m.flow];
    if (flow.bottleneck != id) continue;
    if (good) {
      flow.pooled = true;
      changed_.push_back(m.flow);
    } else {
      use_others(flow, id, flow.rate - ceiling / flow.penalty);
    }
  }
  if (!good) return false;
  link.pooled = true;
  ++pools_;
  moved_pools_.push_back(id);
  link.ceiling = ceiling;
  return true;
}

/// A new flow joins the pool that its links lead to, if there is one and all goes well.
bool BandwidthSharing::join_pool(FlowId id) {
  Flow& flow = flows_[id];
  LinkId pool = kNoLink;
  for (const Share& share : flow.shares) {
    if (links_[share.link].pooled) pool = share.link;
  }
  if (pool == kNoLink || flow.rate > 0) return false;
  LinkState& link = links_[pool];
  if (!suits(flow, pool, link.ceiling)) return false;
  const double highest = link.ceiling / flow.penalty;
  use_others(flow, pool, highest);
  if (!leaves_room(flow, pool)) {
    use_others(flow, pool, -highest);
    return false;
  }
  flow.pooled = true;
  flow.state = State::idle;
  stop(flow, pool);
  for (const Share& share : flow.shares) {
    if (share.link == pool) link.usage += share.weight / flow.penalty;
  }
  disturb(pool);
  changed_.push_back(id);
  return true;
}

void BandwidthSharing::leave_pool(Flow& flow) {
  LinkState& link = links_[flow.bottleneck];
  use_others(flow, flow.bottleneck, -link.ceiling / flow.penalty);
  for (const Share& share : flow.shares) {
    if (share.link == flow.bottleneck) link.usage -= share.weight / flow.penalty;
  }
  flow.pooled = false;
  flow.rate = 0;
}

/// New flows that can join pools do, and pools whose flows have changed have other levels; or are
/// dissolved.
void BandwidthSharing::settle_pools() {
  moved_pools_.clear();
  released_.clear();
  if (pools_ == 0) return;
  std::erase_if(active_, [&](FlowId flow) { return join_pool(flow); });
  std::erase_if(disturbed_, [&](LinkId link) { return move_pool(link); });
}

bool BandwidthSharing::move_pool(LinkId id) {
  LinkState& link = links_[id];
  if (!link.pooled) return false;
  const double level = (link.capacity - link.base) / link.usage;
  if (link.stopped < kFewest / 2 || level >= link.ceiling || level <= link.floor) {
    dissolve(id);
    return false;
  }
  link.level = level;
  link.disturbed = false;
  moved_pools_.push_back(id);
  return true;
}

/// The pool's flows are flows like others again.
void BandwidthSharing::dissolve(LinkId id) {
  LinkState& link = links_[id];
  link.pooled = false;
  --pools_;
  link.use = link.base;
  for (const Member& m : link.members) {
    Flow& flow = flows_[m.flow];
    if (!flow.pooled || flow.bottleneck != id) continue;
    flow.pooled = false;
    flow.rate = link.level / flow.penalty;
    link.use += m.weight * flow.rate;
    use_others(flow, id, flow.rate - link.ceiling / flow.penalty);
    released_.push_back(m.flow);
  }
  link.usage = 0;
}

/// After a sweep: where it stopped many flows, they become pools.
void BandwidthSharing::form_pools() {
  for (const LinkId id : filled_) try_pool(id);
  filled_.clear();
}

}  // namespace slackline
