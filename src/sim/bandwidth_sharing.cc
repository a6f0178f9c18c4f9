// Weighted max-min fairness, kept up to date.
//
// The problem: all flows' levels (rate times penalty) rise together; a link that becomes full stops
// those on it, a bound stops its flow. Flows come and go thousands of times a simulated second, and
// each time hardly any rate changes.
//
// The idea: rates are right exactly if no link is overfull and every flow has its bound or a
// bottleneck: a full link on which its level is the highest. (The max-min point is unique, so any
// way to reach these conditions gives the same rates.) So after a change only the flows whose
// condition may be broken are solved for, over what the others leave of the links. Then the links
// that these flows touch are checked: whoever has lost its bottleneck there, or has more than those
// who are stopped there, joins, and it goes round again. What is not touched keeps its bottleneck.
//
// Solving is progressive filling with a heap of the levels at which links become full. Settling a
// flow only ever raises the levels of its links, so that a stale entry is noticed when it comes up
// and put back.
//
// A link whose members would not fill it at their bounds is nobody's bottleneck and is left out.
//
// A fatpipe bounds each flow by itself. It is full when its greediest flow takes all of it, and
// stops the others at the same level, as SimGrid has it.
//
// Cost: O(E log E) in the E shares of the flows that are solved for, and the members of their
// links.

#include "sim/bandwidth_sharing.h"

#include <algorithm>

#include "base/error.h"

namespace slackline {
namespace {

// Rates are sums and quotients of a few numbers; closer than this they are the same.
constexpr double kTolerance = 1e-9;
// A rate that is solved for again and comes out this close has not changed.
constexpr double kUnchanged = 1e-12;
// After so many rounds everything that shares a link joins at once.
constexpr std::uint64_t kPatience = 6;

}  // namespace

BandwidthSharing::BandwidthSharing(const LinkView& links, bool lazy)
    : links_(links.count()), lazy_(lazy) {
  for (LinkId id = 0; id < links.count(); ++id) {
    links_[id].capacity = links.bandwidth(id);
    links_[id].pipe = links.is_pipe(id);
  }
}

/// What a flow adds to a link's demand. A fatpipe can only be full by one flow alone.
double BandwidthSharing::demand_of(const LinkShare& share, double bound) const {
  const double wanted = share.weight * bound;
  if (!is_pipe(share.link)) return wanted;
  return wanted > capacity(share.link) * (1 - kTolerance) ? 2 * capacity(share.link) : 0;
}

bool BandwidthSharing::can_fill(LinkId link) const {
  return links_[link].demand > capacity(link) * (1 - kTolerance);
}

FlowId BandwidthSharing::add(std::span<const LinkShare> shares, double penalty, double bound) {
  expects(penalty > 0 && bound >= 0, "a flow's penalty is positive");
  FlowId id = static_cast<FlowId>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Flow& flow = flows_[id];
  flow.shares.assign(shares.begin(), shares.end());
  flow.places.assign(shares.size(), kOutside);
  flow.penalty = penalty;
  flow.bound = bound;
  flow.rate = 0;
  flow.bottleneck = kNoLink;
  for (std::uint32_t i = 0; i < shares.size(); ++i) {
    links_[shares[i].link].demand += demand_of(shares[i], bound);
    if (!lazy_) join(id, i);
  }
  if (lazy_) {
    new_flows_.push_back(id);
  } else {
    activate(id);
  }
  return id;
}

void BandwidthSharing::join(FlowId id, std::uint32_t share) {
  Flow& flow = flows_[id];
  LinkState& link = links_[flow.shares[share].link];
  flow.places[share] = static_cast<std::uint32_t>(link.members.size());
  link.members.push_back({id, share});
}

void BandwidthSharing::remove(FlowId id) {
  if (lazy_) notice(id);
  Flow& flow = flows_[id];
  for (std::uint32_t i = 0; i < flow.shares.size(); ++i) {
    const LinkShare& share = flow.shares[i];
    LinkState& link = links_[share.link];
    if (flow.places[i] == kOutside) {
      forget(id, i);
      link.demand -= demand_of(share, flow.bound);
      continue;
    }
    const Member last = link.members.back();
    link.members[flow.places[i]] = last;
    flows_[last.flow].places[last.share] = flow.places[i];
    link.members.pop_back();
    // Those who were stopped here may have more now.
    for (const Member& m : link.members) {
      if (flows_[m.flow].bottleneck == share.link) activate(m.flow);
    }
    link.demand -= demand_of(share, flow.bound);
    if (link.members.empty() && link.overlooked.empty()) link.demand = 0;
  }
  if (flow.active) {
    flow.active = false;
    active_.erase(std::ranges::find(active_, id));
  }
  flow.shares.clear();
  flow.bottleneck = kNoLink;
  free_.push_back(id);
}

void BandwidthSharing::activate(FlowId id) {
  Flow& flow = flows_[id];
  if (flow.active) return;
  flow.active = true;
  flow.before = flow.rate;
  active_.push_back(id);
}

std::span<const FlowId> BandwidthSharing::solve() {
  changed_.clear();
  if (lazy_) finish_marking();
  if (active_.empty()) return changed_;
  ++work_.solves;
  std::uint64_t rounds = 0;
  do {
    ++work_.rounds;
    work_.flows += active_.size();
    if (++rounds > kPatience) {
      for (std::size_t i = 0; i < active_.size(); ++i) {
        const Flow& flow = flows_[active_[i]];
        for (std::size_t s = 0; s < flow.shares.size(); ++s) {
          const LinkShare& share = flow.shares[s];
          if (!can_fill(share.link) || flow.places[s] == kOutside) continue;
          for (const Member& m : links_[share.link].members) activate(m.flow);
        }
      }
    }
    open_links();
    fill();
  } while (check());
  for (const FlowId id : active_) {
    Flow& flow = flows_[id];
    flow.active = false;
    const double difference =
        flow.rate > flow.before ? flow.rate - flow.before : flow.before - flow.rate;
    if (difference <= kUnchanged * flow.before) {
      flow.rate = flow.before;
    } else {
      changed_.push_back(id);
    }
  }
  active_.clear();
  for (const LinkId link : touched_) links_[link].touched = false;
  touched_.clear();
  return changed_;
}

void BandwidthSharing::touch(LinkId id) {
  LinkState& link = links_[id];
  if (link.touched) return;
  link.touched = true;
  touched_.push_back(id);
}

/// What the active flows may share of their links.
void BandwidthSharing::open_links() {
  for (const FlowId id : active_) {
    Flow& flow = flows_[id];
    flow.settled = false;
    for (std::size_t i = 0; i < flow.shares.size(); ++i) {
      const LinkId link = flow.shares[i].link;
      if (can_fill(link) && flow.places[i] != kOutside) touch(link);
    }
  }
  for (const LinkId id : touched_) {
    LinkState& link = links_[id];
    link.usage = 0;
    link.remaining = capacity(id);
    link.open = 0;
    const bool pipe = is_pipe(id);
    for (const Member& m : link.members) {
      const Flow& flow = flows_[m.flow];
      const double weight = flow.shares[m.share].weight;
      if (!flow.active) {
        if (!pipe) link.remaining -= weight * flow.rate;
        continue;
      }
      ++link.open;
      const double usage = weight / flow.penalty;
      link.usage = pipe ? std::max(link.usage, usage) : link.usage + usage;
    }
    link.remaining = std::max(link.remaining, 0.0);
  }
}

double BandwidthSharing::level(LinkId id) const {
  return links_[id].remaining / links_[id].usage;
}

void BandwidthSharing::fill() {
  const auto later = [](const Candidate& a, const Candidate& b) { return a.level > b.level; };
  const auto bound_level = [&](FlowId id) { return flows_[id].bound * flows_[id].penalty; };
  heap_.clear();
  for (const LinkId id : touched_) {
    if (links_[id].open > 0) heap_.push_back({level(id), id});
  }
  std::ranges::make_heap(heap_, later);
  by_bound_.assign(active_.begin(), active_.end());
  std::ranges::sort(by_bound_, {}, bound_level);
  std::size_t next = 0;
  for (;;) {
    while (next < by_bound_.size() && flows_[by_bound_[next]].settled) ++next;
    if (next == by_bound_.size()) return;
    if (heap_.empty()) {
      settle(by_bound_[next], flows_[by_bound_[next]].bound, kNoLink);
      continue;
    }
    const Candidate first = heap_.front();
    if (bound_level(by_bound_[next]) < first.level) {
      settle(by_bound_[next], flows_[by_bound_[next]].bound, kNoLink);
      continue;
    }
    std::ranges::pop_heap(heap_, later);
    heap_.pop_back();
    if (links_[first.link].open == 0) continue;
    const double now = level(first.link);
    if (now > first.level) {
      heap_.push_back({now, first.link});
      std::ranges::push_heap(heap_, later);
      continue;
    }
    settle_members(first.link, first.level);
  }
}

void BandwidthSharing::settle(FlowId id, double rate, LinkId bottleneck) {
  Flow& flow = flows_[id];
  flow.rate = rate;
  flow.bottleneck = bottleneck;
  flow.settled = true;
  for (std::size_t i = 0; i < flow.shares.size(); ++i) {
    const LinkShare& share = flow.shares[i];
    LinkState& link = links_[share.link];
    if (!link.touched || flow.places[i] == kOutside) continue;
    --link.open;
    if (is_pipe(share.link)) {
      link.usage = 0;
      if (link.open == 0) continue;
      for (const Member& m : link.members) {
        const Flow& other = flows_[m.flow];
        if (!other.active || other.settled) continue;
        link.usage = std::max(link.usage, other.shares[m.share].weight / other.penalty);
      }
      continue;
    }
    link.remaining = std::max(link.remaining - share.weight * rate, 0.0);
    link.usage = link.open == 0 ? 0 : link.usage - share.weight / flow.penalty;
  }
}

void BandwidthSharing::settle_members(LinkId id, double level) {
  for (const Member& m : links_[id].members) {
    Flow& flow = flows_[m.flow];
    if (flow.active && !flow.settled) {
      settle(m.flow, std::min(level / flow.penalty, flow.bound), id);
    }
  }
}

/// Activates whoever's rate is not right any more; false when there is nobody.
bool BandwidthSharing::check() {
  const std::size_t before = active_.size();
  for (const LinkId id : touched_) check_link(id);
  return active_.size() > before;
}

void BandwidthSharing::check_link(LinkId id) {
  const LinkState& link = links_[id];
  const bool pipe = is_pipe(id);
  double used = 0, highest = 0;
  double stopped = std::numeric_limits<double>::infinity();  // the level of those stopped here
  for (const Member& m : link.members) {
    const Flow& flow = flows_[m.flow];
    const double share = flow.shares[m.share].weight * flow.rate;
    const double flow_level = flow.rate * flow.penalty;
    used = pipe ? std::max(used, share) : used + share;
    highest = std::max(highest, flow_level);
    if (flow.active && flow.bottleneck == id) stopped = std::min(stopped, flow_level);
  }
  const bool full = used >= capacity(id) * (1 - kTolerance);
  for (const Member& m : link.members) {
    const Flow& flow = flows_[m.flow];
    if (flow.active) continue;
    const double flow_level = flow.rate * flow.penalty;
    const bool lost = flow.bottleneck == id && (!full || flow_level < highest * (1 - kTolerance));
    if (lost || flow_level > stopped * (1 + kTolerance)) activate(m.flow);
  }
}

}  // namespace slackline
