// Progressive filling of some flows among others that keep their rates: one sweep up the levels.
//
// The problem: after a change some flows' rates are to be found anew ("open" flows). The others
// keep theirs as long as they have a bottleneck; which of them lose it depends on what is found.
//
// The idea: what stops at a level depends on lower levels only. A sweep visits links in the order
// of the levels at which something happens there, from the lowest, as Dijkstra's algorithm visits
// nodes. At a link that its open flows fill, those who are above that level have to give way: they
// are opened, which makes room. When nobody is above any more, the open flows are stopped. And at
// the level of those who were stopped at a link before, it shows whether they still are: if an open
// flow is still there, or the link is not quite full any more, they are opened too.
//
// Why it is right: flows are only opened at or above the level of the sweep, so that what is below
// it is final. A flow that is never opened keeps its bottleneck: if the link were less than full,
// or somebody there came above, it would have been opened at its level.
//
// Bounds need no place in that order. An open flow that counts as rising beyond its bound makes its
// links' levels too low, never too high; when such a link comes up, the flow gets its bound and the
// link comes up again later.
//
// The level at which a link comes up is found anew when flows of it are opened, once for all that
// are opened together. Flows that stop elsewhere only raise it; that shows when the link comes up.
// A LevelQueue holds one level a link, where a heap would fill with what is out of date: most links
// never come up, because their flows stop elsewhere first. The sweep ends when no flow is open and
// no link is left that others were stopped at.
//
// Cost: O(E log E) in the shares of the flows that are opened, and the members of the links at
// which they are stopped.

#include <algorithm>
#include <cmath>

#include "sim/bandwidth_sharing.h"

namespace slackline {
namespace {

// Rates are sums and quotients of a few numbers; closer than this they are the same.
constexpr double kSameRate = 1e-9;
// A rate that is found again and comes out this close has not changed; nor has a link's use.
constexpr double kUnchanged = 1e-12;
// Of two links that come up at one level, those where nobody had been stopped come first: what
// they stop may be what the others wait for.
constexpr double kAfter = 1 + 1e-12;

}  // namespace

/// Gives all waiting flows, and those whom that concerns, their rates.
void BandwidthSharing::sweep() {
  for (std::size_t i = 0; i < active_.size(); ++i) open(active_[i]);
  for (const LinkId id : opened_) {
    links_[id].opened = false;
    levels_.put(links_[id].place, next_in_queue(id));
  }
  opened_.clear();
  levels_.restore();
  while ((open_flows_ > 0 || awaited_links_ > 0) && levels_.lowest() < kNever) {
    const double level = levels_.lowest();
    const LinkId first = levels_.first();
    levels_.set(links_[first].place, kNever);
    reach(first, level);
    enqueue_opened();
  }
  for (const FlowId id : active_) {
    if (flows_[id].state == State::open) settle(id, flows_[id].bound, kNoLink);
  }
  close_links();
}

// Where most of the time goes: what it calls for each share is inlined whatever its size.
[[gnu::flatten]] void BandwidthSharing::open(FlowId id) {
  Flow& flow = flows_[id];
  if (flow.state == State::idle) active_.push_back(id);
  flow.state = State::open;
  ++open_flows_;
  flow.before = flow.rate;
  stop(flow, kNoLink);
  for (const Share& share : flow.shares) {
    if (share.place != kOutside) open_share(flow, share);
  }
}

void BandwidthSharing::open_share(const Flow& flow, const Share& share) {
  LinkState& link = links_[share.link];
  if (!link.opened) open_link(share.link);
  ++link.open;
  link.wish += share.weight * flow.bound;
  if (link.pipe) {
    if (can_fill(link)) count(link);
  } else {
    link.usage += share.weight / flow.penalty;
    link.use -= share.weight * flow.rate;
  }
}

/// The first of its flows is opened since links were enqueued.
void BandwidthSharing::open_link(LinkId id) {
  LinkState& link = links_[id];
  if (link.pooled) dissolve(id);
  if (link.place == kOutside) link.place = levels_.add(id);
  link.opened = true;
  opened_.push_back(id);
}

void BandwidthSharing::enqueue_opened() {
  for (const LinkId id : opened_) {
    links_[id].opened = false;
    enqueue(id);
  }
  opened_.clear();
}

bool BandwidthSharing::comes_up(const LinkState& link) const {
  if (has_stopped(link)) return true;
  if (link.open == 0) return false;
  return link.pipe ? can_fill(link) : link.use + link.wish > link.full_at;
}

void BandwidthSharing::enqueue(LinkId id) {
  levels_.set(links_[id].place, next_in_queue(id));
}

/// The link comes up at its next level, if it has one. What a pipe has come up for before, it still
/// comes up for.
double BandwidthSharing::next_in_queue(LinkId id) {
  LinkState& link = links_[id];
  const double level = comes_up(link) ? next_level(link) : kNever;
  const double before = link.pipe ? levels_.level(link.place) : kNever;
  const double next = level < before ? level : before;
  await(link, next < kNever && (link.pipe || has_stopped(link)));
  return next;
}

/// Whether the link has to come up even if no flow is open any more.
void BandwidthSharing::await(LinkState& link, bool awaited) {
  if (awaited && !link.awaited) ++awaited_links_;
  if (link.awaited && !awaited) --awaited_links_;
  link.awaited = awaited;
}

/// At which it is filled by its open flows, or which those have who were stopped here.
double BandwidthSharing::next_level(const LinkState& link) const {
  double level = kNever;
  if (link.open > 0) {
    const double left = link.pipe ? link.capacity : std::max(link.capacity - link.use, 0.0);
    level = left / link.usage;
  }
  return has_stopped(link) ? std::min(level, link.level) * kAfter : level;
}

/// The sweep comes to a link.
void BandwidthSharing::reach(LinkId id, double level) {
  LinkState& link = links_[id];
  await(link, false);
  if (has_stopped(link)) {
    const bool full = std::abs(link.capacity - link.use) <= kUnchanged * link.capacity;
    if (link.open == 0 && full && !link.pipe) return;
    open_stopped(id);
    return enqueue(id);
  }
  if (link.open == 0 && !link.pipe) return;
  ++work_.links;
  count(link);
  const double now = link.open > 0 ? next_level(link) : link.capacity / link.usage;
  if (now > level * kAfter || settle_bounded(id, now) || open_higher(id, now)) return enqueue(id);
  if (link.open == 0) return;
  link.level = now;
  link.filled = true;
  for (const Member& m : link.members) {
    const Flow& flow = flows_[m.flow];
    if (flow.state == State::open) settle(m.flow, std::min(now / flow.penalty, flow.bound), id);
  }
}

/// The link's sums anew, without what rounding has left in them, and pools of other links. A flow
/// that fills a pipe by itself sets its level, unless it has its bound: then only those that look
/// for a rate do, and the last bit decides, as in SimGrid.
void BandwidthSharing::count(LinkState& link) {
  double use = 0;
  link.usage = 0;
  for (const Member& m : link.members) {
    const Flow& flow = flows_[m.flow];
    if (flow.pooled) dissolve(flow.bottleneck);
    const bool counts =
        link.pipe && flow.bottleneck != kNoLink && m.weight * flow.rate >= link.full_at;
    if (flow.state != State::open && !counts) {
      use += m.weight * flow.rate;
    } else {
      const double usage = m.weight / flow.penalty;
      link.usage = link.pipe ? std::max(link.usage, usage) : link.usage + usage;
    }
  }
  link.use = use;
}

void BandwidthSharing::open_stopped(LinkId id) {
  for (const Member& m : links_[id].members) {
    if (flows_[m.flow].bottleneck == id && flows_[m.flow].state == State::idle) open(m.flow);
  }
}

bool BandwidthSharing::settle_bounded(LinkId id, double level) {
  bool any = false;
  for (const Member& m : links_[id].members) {
    const Flow& flow = flows_[m.flow];
    if (flow.state != State::open || flow.bound * flow.penalty >= level) continue;
    settle(m.flow, flow.bound, kNoLink);
    any = true;
  }
  return any;
}

bool BandwidthSharing::open_higher(LinkId id, double level) {
  bool any = false;
  const double highest = level * (1 + kSameRate);
  for (const Member& m : links_[id].members) {
    const Flow& flow = flows_[m.flow];
    if (flow.state != State::idle || flow.rate * flow.penalty <= highest) continue;
    open(m.flow);
    any = true;
  }
  return any;
}

void BandwidthSharing::stop(Flow& flow, LinkId bottleneck) {
  if (flow.bottleneck == bottleneck) return;
  if (flow.bottleneck != kNoLink) --links_[flow.bottleneck].stopped;
  if (bottleneck != kNoLink) ++links_[bottleneck].stopped;
  flow.bottleneck = bottleneck;
}

void BandwidthSharing::settle(FlowId id, double rate, LinkId bottleneck) {
  Flow& flow = flows_[id];
  const bool changed = std::abs(rate - flow.before) > kUnchanged * flow.before;
  flow.rate = changed ? rate : flow.before;
  flow.state = State::settled;
  --open_flows_;
  stop(flow, bottleneck);
  for (const Share& share : flow.shares) {
    if (share.place == kOutside) continue;
    LinkState& link = links_[share.link];
    --link.open;
    link.wish -= share.weight * flow.bound;
    if (link.pipe) {
      // Stopped elsewhere, it fills the pipe too: those who are above it there have to give way.
      const bool fills = share.weight * flow.rate >= link.full_at;
      if (fills && bottleneck != kNoLink && bottleneck != share.link) {
        const double level = flow.rate * flow.penalty * kAfter;
        await(link, true);
        levels_.set(link.place, std::min(level, levels_.level(link.place)));
      }
      continue;
    }
    link.usage -= share.weight / flow.penalty;
    link.use += share.weight * flow.rate;
  }
}

void BandwidthSharing::close_links() {
  for (const LinkId id : levels_.links()) {
    LinkState& link = links_[id];
    if (ways_.pools && link.filled) filled_.push_back(id);
    link.place = kOutside;
    link.filled = false;
    link.usage = link.wish = 0;
  }
  levels_.clear();
}

}  // namespace slackline
