// Progressive filling: the rates of the active flows, over what the others leave of the touched
// links.
//
// A heap holds the levels at which links become full, a sorted list those at which flows reach
// their bounds; whichever comes first settles its flows. Settling a flow only ever raises the
// levels of its links, so that a stale entry of the heap is noticed when it comes up and put back.
//
// Cost: O(E log E) in the active flows' shares of touched links, and the members of these.

#include <algorithm>
#include <bit>

#include "sim/bandwidth_sharing.h"

namespace slackline {
namespace {

// A flow with more shares than a word has bits looks through all of them.
constexpr std::size_t kMostNarrow = 64;

}  // namespace

/// What the active flows may share of their links.
void BandwidthSharing::open_links() {
  for (; considered_ < active_.size(); ++considered_) {
    touch_narrow_links(flows_[active_[considered_]]);
  }
  for (const FlowId id : active_) {
    flows_[id].settled = false;
    flows_[id].narrow = 0;
  }
  for (const LinkId id : touched_) open(id);
  opened_ = touched_.size();
}

void BandwidthSharing::open(LinkId id) {
  LinkState& link = links_[id];
  link.usage = 0;
  link.remaining = capacity(id);
  link.open = 0;
  for (const Member& m : link.members) {
    Flow& flow = flows_[m.flow];
    if (!flow.active) {
      if (!link.pipe) link.remaining -= m.weight * flow.rate;
      continue;
    }
    ++link.open;
    if (m.share < kMostNarrow) flow.narrow |= std::uint64_t{1} << m.share;
    const double usage = m.weight / flow.penalty;
    link.usage = link.pipe ? std::max(link.usage, usage) : link.usage + usage;
  }
  link.remaining = std::max(link.remaining, 0.0);
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

void BandwidthSharing::stop(Flow& flow, LinkId bottleneck) {
  if (flow.bottleneck == bottleneck) return;
  if (flow.bottleneck != kNoLink) --links_[flow.bottleneck].stopped;
  if (bottleneck != kNoLink) ++links_[bottleneck].stopped;
  flow.bottleneck = bottleneck;
}

void BandwidthSharing::settle(FlowId id, double rate, LinkId bottleneck) {
  Flow& flow = flows_[id];
  flow.rate = rate;
  flow.settled = true;
  stop(flow, bottleneck);
  for (std::uint64_t left = flow.narrow; left != 0; left &= left - 1) {
    settle_share(flow, static_cast<std::size_t>(std::countr_zero(left)));
  }
  for (std::size_t i = kMostNarrow; i < flow.shares.size(); ++i) {
    if (links_[flow.shares[i].link].touched && flow.places[i] != kOutside) settle_share(flow, i);
  }
}

void BandwidthSharing::settle_share(const Flow& flow, std::size_t index) {
  const LinkShare& share = flow.shares[index];
  LinkState& link = links_[share.link];
  --link.open;
  if (!link.pipe) {
    link.remaining = std::max(link.remaining - share.weight * flow.rate, 0.0);
    link.usage = link.open == 0 ? 0 : link.usage - share.weight / flow.penalty;
    return;
  }
  link.usage = 0;
  if (link.open == 0) return;
  for (const Member& m : link.members) {
    const Flow& other = flows_[m.flow];
    if (!other.active || other.settled) continue;
    link.usage = std::max(link.usage, m.weight / other.penalty);
  }
}

void BandwidthSharing::settle_members(LinkId id, double level) {
  links_[id].level = level;
  for (const Member& m : links_[id].members) {
    Flow& flow = flows_[m.flow];
    if (flow.active && !flow.settled) {
      settle(m.flow, std::min(level / flow.penalty, flow.bound), id);
    }
  }
}

}  // namespace slackline
