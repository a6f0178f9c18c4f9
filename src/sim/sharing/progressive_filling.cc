// Progressive filling of some flows among others that keep their rates: one sweep up the levels.
//
// The problem: after a change the rates of some flows are to be computed anew; these are active.
// The others keep their rates as long as they have a bottleneck; which of them lose it depends on
// the rates that are found.
//
// The idea: what stops at a level depends on lower levels only. A sweep visits links in the order
// of the levels at which something happens there, from the lowest, as Dijkstra's algorithm visits
// nodes. At a link that its active flows fill, the flows above that level have to give way: they
// are activated, which makes room. When no flow is above any more, the active flows are fixed. And
// at the level of the flows that the link limited before, it shows whether it still limits them: if
// an active flow is still there, or the link is not quite full any more, they are activated too.
//
// Why it is right: flows are only activated at or above the level of the sweep, so that everything
// below it is final. A flow that is never activated keeps its bottleneck: if that link were less
// than full, or some flow there came above, the flow would have been activated at its level.
//
// Bounds need no place in that order. An active flow that counts as rising beyond its bound makes
// the levels of its links too low, never too high; when such a link is visited, the flow is fixed
// at its bound and the link is visited again later.
//
// The level at which a link is visited is computed anew when flows on it are activated, once for
// all that are activated together. Flows that are fixed elsewhere only raise it; that shows at the
// visit. A LevelQueue holds one level per link, where a heap would fill with outdated entries: most
// links are never visited, because their flows are fixed elsewhere first. The sweep ends when no
// flow is active and no link is left that limited flows before.
//
// Cost: O(E log E) in the shares of the flows that are activated, and the members of the links that
// limit them.

#include "sim/sharing/progressive_filling.h"

#include <algorithm>
#include <cmath>

namespace slackline {
namespace {

using State = SharedFlow::State;

// Rates are sums and quotients of a few numbers; closer than this they are equal.
constexpr double kSameRate = 1e-9;
// A rate that is computed anew and comes out this close has not changed; nor has a link's load.
constexpr double kUnchanged = 1e-12;
// Among links to be visited at one level, those that limited no flow before come first: the flows
// that they stop may make the others full.
constexpr double kAfter = 1 + 1e-12;

}  // namespace

void ProgressiveFilling::run() {
  for (std::size_t i = 0; i < state_.dirty.size(); ++i) activate(state_.dirty[i]);
  for (const LinkId id : touched_) {
    state_.links[id].touched = false;
    queue_.put(state_.links[id].queue_slot, next_queue_level(id));
  }
  touched_.clear();
  queue_.restore();
  while ((active_flows_ > 0 || pending_links_ > 0) && queue_.lowest() < kNever) {
    const double level = queue_.lowest();
    const LinkId first = queue_.first();
    queue_.set(state_.links[first].queue_slot, kNever);
    visit(first, level);
    requeue_touched();
  }
  for (const FlowId id : state_.dirty) {
    if (state_.flows[id].state == State::active) fix(id, state_.flows[id].bound, kNoLink);
  }
  finish();
}

// Most of the time goes here: what it calls for each share is inlined whatever its size.
[[gnu::flatten]] void ProgressiveFilling::activate(FlowId id) {
  SharedFlow& flow = state_.flows[id];
  if (flow.state == State::idle) state_.dirty.push_back(id);
  flow.state = State::active;
  ++active_flows_;
  flow.previous_rate = flow.rate;
  state_.set_bottleneck(flow, kNoLink);
  for (const FlowShare& share : flow.shares) {
    if (share.joined()) activate_share(flow, share);
  }
}

void ProgressiveFilling::activate_share(const SharedFlow& flow, const FlowShare& share) {
  SharedLink& link = state_.links[share.link];
  if (!link.touched) touch(share.link);
  ++link.active;
  link.active_demand += share.weight * flow.bound;
  if (link.fatpipe) {
    if (state_.can_fill(link)) recompute_sums(link);
  } else {
    link.weight_sum += share.weight / flow.penalty;
    link.load -= share.weight * flow.rate;
  }
}

/// The first of the link's flows is activated since links were queued.
void ProgressiveFilling::touch(LinkId id) {
  SharedLink& link = state_.links[id];
  if (link.grouped) groups_.dissolve(id);
  if (link.queue_slot == SharedLink::kNotQueued) link.queue_slot = queue_.add(id);
  link.touched = true;
  touched_.push_back(id);
}

void ProgressiveFilling::requeue_touched() {
  for (const LinkId id : touched_) {
    state_.links[id].touched = false;
    requeue(id);
  }
  touched_.clear();
}

bool ProgressiveFilling::needs_visit(const SharedLink& link) const {
  if (has_limited(link)) return true;
  if (link.active == 0) return false;
  return link.fatpipe ? state_.can_fill(link) : link.load + link.active_demand > link.full_load;
}

void ProgressiveFilling::requeue(LinkId id) {
  queue_.set(state_.links[id].queue_slot, next_queue_level(id));
}

/// The level at which the link is to be visited next. A visit that was due at a fatpipe stays due.
double ProgressiveFilling::next_queue_level(LinkId id) {
  SharedLink& link = state_.links[id];
  const double level = needs_visit(link) ? next_level(link) : kNever;
  const double before = link.fatpipe ? queue_.level(link.queue_slot) : kNever;
  const double next = level < before ? level : before;
  set_pending(link, next < kNever && (link.fatpipe || has_limited(link)));
  return next;
}

void ProgressiveFilling::set_pending(SharedLink& link, bool pending) {
  if (pending && !link.pending) ++pending_links_;
  if (link.pending && !pending) --pending_links_;
  link.pending = pending;
}

/// The level at which the link's active flows fill it, or which the flows have that it limited.
double ProgressiveFilling::next_level(const SharedLink& link) const {
  double level = kNever;
  if (link.active > 0) {
    const double left = link.fatpipe ? link.capacity : std::max(link.capacity - link.load, 0.0);
    level = left / link.weight_sum;
  }
  return has_limited(link) ? std::min(level, link.level) * kAfter : level;
}

void ProgressiveFilling::visit(LinkId id, double level) {
  SharedLink& link = state_.links[id];
  set_pending(link, false);
  if (has_limited(link)) {
    const bool full = std::abs(link.capacity - link.load) <= kUnchanged * link.capacity;
    if (link.active == 0 && full && !link.fatpipe) return;
    activate_limited(id);
    return requeue(id);
  }
  if (link.active == 0 && !link.fatpipe) return;
  recompute_sums(link);
  const double now = link.active > 0 ? next_level(link) : link.capacity / link.weight_sum;
  if (now > level * kAfter || fix_bounded(id, now) || activate_higher(id, now)) return requeue(id);
  if (link.active > 0) saturate(id, now);
}

/// The link's sums anew, free of what rounding has left in them and of the share groups of other
/// links. A flow that fills a fatpipe by itself sets its level, unless it has its bound: then only
/// active flows do, and the last bit decides, as in SimGrid.
void ProgressiveFilling::recompute_sums(SharedLink& link) {
  double load = 0;
  link.weight_sum = 0;
  for (const LinkMember& m : link.members) {
    const SharedFlow& flow = state_.flows[m.flow];
    if (flow.grouped) groups_.dissolve(flow.bottleneck);
    const bool fills =
        link.fatpipe && flow.bottleneck != kNoLink && m.weight * flow.rate >= link.full_load;
    if (flow.state != State::active && !fills) {
      load += m.weight * flow.rate;
    } else {
      const double weight = m.weight / flow.penalty;
      link.weight_sum = link.fatpipe ? std::max(link.weight_sum, weight) : link.weight_sum + weight;
    }
  }
  link.load = load;
}

void ProgressiveFilling::activate_limited(LinkId id) {
  for (const LinkMember& m : state_.links[id].members) {
    const SharedFlow& flow = state_.flows[m.flow];
    if (flow.bottleneck == id && flow.state == State::idle) activate(m.flow);
  }
}

/// Fixes the active flows whose bounds are below the level; tells whether there were any.
bool ProgressiveFilling::fix_bounded(LinkId id, double level) {
  bool any = false;
  for (const LinkMember& m : state_.links[id].members) {
    const SharedFlow& flow = state_.flows[m.flow];
    if (flow.state != State::active || flow.bound * flow.penalty >= level) continue;
    fix(m.flow, flow.bound, kNoLink);
    any = true;
  }
  return any;
}

/// Activates the idle flows above the level; tells whether there were any.
bool ProgressiveFilling::activate_higher(LinkId id, double level) {
  bool any = false;
  const double highest = level * (1 + kSameRate);
  for (const LinkMember& m : state_.links[id].members) {
    const SharedFlow& flow = state_.flows[m.flow];
    if (flow.state != State::idle || flow.rate * flow.penalty <= highest) continue;
    activate(m.flow);
    any = true;
  }
  return any;
}

/// The link is full at that level, which its active flows get.
void ProgressiveFilling::saturate(LinkId id, double level) {
  SharedLink& link = state_.links[id];
  link.level = level;
  link.saturated = true;
  for (const LinkMember& m : link.members) {
    const SharedFlow& flow = state_.flows[m.flow];
    if (flow.state == State::active) fix(m.flow, std::min(level / flow.penalty, flow.bound), id);
  }
}

void ProgressiveFilling::fix(FlowId id, double rate, LinkId bottleneck) {
  SharedFlow& flow = state_.flows[id];
  const bool changed = std::abs(rate - flow.previous_rate) > kUnchanged * flow.previous_rate;
  flow.rate = changed ? rate : flow.previous_rate;
  flow.state = State::fixed;
  --active_flows_;
  state_.set_bottleneck(flow, bottleneck);
  for (const FlowShare& share : flow.shares) {
    if (!share.joined()) continue;
    SharedLink& link = state_.links[share.link];
    --link.active;
    link.active_demand -= share.weight * flow.bound;
    if (link.fatpipe) {
      // Stopped elsewhere, the flow fills the fatpipe too: flows above it there have to give way.
      const bool fills = share.weight * flow.rate >= link.full_load;
      if (fills && bottleneck != kNoLink && bottleneck != share.link) {
        const double level = flow.rate * flow.penalty * kAfter;
        set_pending(link, true);
        queue_.set(link.queue_slot, std::min(level, queue_.level(link.queue_slot)));
      }
      continue;
    }
    link.weight_sum -= share.weight / flow.penalty;
    link.load += share.weight * flow.rate;
  }
}

void ProgressiveFilling::finish() {
  for (const LinkId id : queue_.links()) {
    SharedLink& link = state_.links[id];
    if (link.saturated) groups_.add_candidate(id);
    link.queue_slot = SharedLink::kNotQueued;
    link.saturated = false;
    link.weight_sum = link.active_demand = 0;
  }
  queue_.clear();
}

}  // namespace slackline
