// SimGrid's selective update, operation by operation.
//
// The problem: what SimGrid predicts under network/optim:Lazy depends on the order of what happens
// at one simulated time: a link that is marked already is not followed again, so that of several
// flows that start together some stay unknown to some of their links until these are marked by
// something else. Which of two flows that end at one time ends first is decided by the last bits of
// their end times, and if these agree by the order in which they were entered into the heap. All of
// that can only be reproduced by doing what SimGrid does, with its lists in its order (SimGrid 4.1,
// src/kernel/lmm).
//
// The idea: links hold their flows from the newest to the oldest. A change marks its link, and
// depth first every link that is connected to it by transferring flows. Marked links, in the order
// of marking, take part in progressive filling: the links with the lowest level (remaining capacity
// over usage) stop their flows, or those of them whose bound is lowest reach it; what they take is
// subtracted from all their links; a link with nothing left, to a relative 1e-5, drops out. The
// flows of marked links are then all solved, in the order of links and from the newest to the
// oldest.
//
// Why it is right: it is the definition of what is to be predicted. LazySharing has the same rates
// to rounding, at a cost that follows what changes.
//
// Cost: the shares of all connected flows, for marking and for each round of filling.

#include "sim/simgrid/selective_sharing.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "sim/simgrid/lazy_sharing.h"

namespace slackline::simgrid {
namespace {

constexpr SharingQuirks kSelectiveQuirks{
    .shares_lone_fatpipes = true, .unbounded_without_window = true, .updates_at_receive = true};
constexpr double kPrecision = 1e-5;  // SimGrid's precision/work-amount

/// A subtraction whose result counts as zero below the precision.
double less(double value, double by, double precision) {
  const double left = value - by;
  return left < precision ? 0.0 : left;
}

}  // namespace

SelectiveSharing::SelectiveSharing(const LinkView& links, MaxMinSharing::Options options,
                                   WorkAllowance allowance)
    : BandwidthSharing(kSelectiveQuirks),
      links_(links.count()),
      place_(links.count(), kAbsent),
      view_(links),
      options_(options),
      allowance_(allowance) {
  for (LinkId id = 0; id < links.count(); ++id) {
    links_[id].capacity = links.bandwidth(id);
    links_[id].fatpipe = links.is_fatpipe(id);
  }
}

FlowId SelectiveSharing::create(std::span<const LinkShare> shares, double penalty, double bound) {
  expects(penalty > 0 && bound >= 0, "a flow's penalty is positive");
  FlowId id = static_cast<FlowId>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Flow& flow = flows_[id];
  flow.rate = 0;
  flow.penalty = penalty;
  flow.bound = std::isinf(bound) ? 0 : bound;
  flow.bottleneck = kNoLink;
  flow.visited = marking_ - 1;
  flow.entered = 0;
  flow.enabled = flow.fixed = false;
  flow.shares = share_arena_.allocate(shares.size());
  std::ranges::transform(shares, flow.shares.begin(), [&](const LinkShare& share) {
    return Share{share.link, weight_id(share.weight)};
  });
  return id;
}

SelectiveSharing::WeightId SelectiveSharing::weight_id(double weight) {
  if (!weights_.empty() && weights_[last_weight_] == weight) return last_weight_;
  const auto known = std::ranges::find(weights_, weight);
  last_weight_ = static_cast<WeightId>(known - weights_.begin());
  if (known == weights_.end()) weights_.push_back(weight);
  return last_weight_;
}

/// A flow that starts at once is entered when it starts.
void SelectiveSharing::announce(FlowId id, bool starts_now) {
  if (!starts_now) enter(id);
}

/// Enters the flow into its links, each of which is marked on the way.
void SelectiveSharing::enter(FlowId id) {
  Flow& flow = flows_[id];
  for (const Share& share : flow.shares) {
    ++flow.entered;
    Link& link = links_[share.link];
    ++link.users;
    if (flow.enabled) link.members.push_back({id, share.weight});
    mark_from(share.link);
  }
}

void SelectiveSharing::start(FlowId id) {
  Flow& flow = flows_[id];
  flow.enabled = true;
  if (flow.entered == 0) return enter(id);
  for (const Share& share : flow.shares) {
    links_[share.link].members.push_back({id, share.weight});
  }
  mark_from(flow.shares[0].link);
}

// Inlines what it calls for each share.
[[gnu::flatten]] void SelectiveSharing::remove(FlowId id) {
  Flow& flow = flows_[id];
  if (flow.enabled && !flow.shares.empty()) mark_from(flow.shares[0].link);
  for (const Share& share : flow.shares) leave(id, share.link);
  flow.enabled = false;
  flow.entered = 0;
  share_arena_.release(flow.shares);
  flow.shares = {};
  removed_.push_back(id);
}

void SelectiveSharing::set_capacity(LinkId link, double capacity) {
  links_[link].capacity = capacity;
  mark_from(link);
}

void SelectiveSharing::change(FlowId flow, double penalty, double bound) {
  flows_[flow].penalty = penalty;
  flows_[flow].bound = std::isinf(bound) ? 0 : bound;
}

/// Where hundreds of flows end at one time, a link's members are searched once for all of them.
void SelectiveSharing::erase_removed() {
  for (const LinkId id : links_with_removed_) {
    links_[id].has_removed = false;
    std::erase_if(links_[id].members, [&](const Member& m) { return !flows_[m.flow].enabled; });
  }
  links_with_removed_.clear();
  free_.insert(free_.end(), removed_.begin(), removed_.end());
  removed_.clear();
}

/// A link that no flow uses any more is not marked any more either.
void SelectiveSharing::leave(FlowId id, LinkId at) {
  Link& link = links_[at];
  if (flows_[id].enabled) {
    if (!link.has_removed) links_with_removed_.push_back(at);
    link.has_removed = true;
  }
  if (--link.users > 0 || place_[at] == kAbsent) return;
  modified_[place_[at]] = kNoLink;
  place_[at] = kAbsent;
}

void SelectiveSharing::modify(LinkId id) {
  place_[id] = static_cast<std::uint32_t>(modified_.size());
  modified_.push_back(id);
}

void SelectiveSharing::visit(LinkId id) {
  const auto members = static_cast<std::uint32_t>(links_[id].members.size());
  work_ += members;
  visits_.push_back({id, members});
}

/// Marks the link, and depth first all that are connected to it. As in solve(), all that it calls
/// is inlined: most of the time goes here.
[[gnu::flatten]] void SelectiveSharing::mark_from(LinkId first) {
  if (place_[first] != kAbsent) return;
  modify(first);
  if (links_[first].members.empty()) return;
  visit(first);
  while (!visits_.empty()) {
    const LinkId next = next_unmarked(visits_.back());
    if (next == kNoLink) {
      visits_.pop_back();
      continue;
    }
    modify(next);
    // Otherwise the flow that led there is the only one.
    if (links_[next].members.size() > 1) visit(next);
  }
}

/// The next link to be marked because of the visited one's flows. A flow is visited from several of
/// its links; each visit goes on where the one before has stopped.
LinkId SelectiveSharing::next_unmarked(Visit& visit) {
  const Member* const members = links_[visit.link].members.data();
  for (; visit.left > 0; --visit.left) {
    Flow& flow = flows_[members[visit.left - 1].flow];
    if (flow.visited == marking_) continue;
    while (flow.marked < flow.entered) {
      const LinkId link = flow.shares[flow.marked++].link;
      if (place_[link] == kAbsent) return link;
    }
    work_ += flow.marked;
    flow.marked = 0;
    flow.visited = marking_;
  }
  return kNoLink;
}

[[gnu::flatten]] SharingChanges SelectiveSharing::solve() {
  if (work_ > allowance_.after(++solves_)) return {.exhausted = true};
  solved_.clear();
  erase_removed();
  if (modified_.empty()) return {};
  collect_candidates();
  find_saturated_flows();
  for (;;) {
    fix_saturated();
    if (candidates_.empty()) break;
    level_ = -1;
    saturated_links_.clear();
    work_ += candidates_.size();
    for (const Candidate& c : candidates_) saturate(c.level, c.link);
    find_saturated_flows();
    if (!saturated_flows_.empty()) continue;
    // Rounding has left a link some capacity although all of its flows are fixed.
    for (const LinkId id : saturated_links_) drop(links_[id]);
  }
  list_solved();
  return {.flows = solved_};
}

/// The flows of marked links, which are marked no more.
void SelectiveSharing::list_solved() {
  for (const LinkId id : modified_) {
    if (id == kNoLink) continue;
    const Link& link = links_[id];
    place_[id] = kAbsent;
    for (auto m = link.members.rbegin(); m != link.members.rend(); ++m) {
      if (flows_[m->flow].listed) continue;
      flows_[m->flow].listed = true;
      solved_.push_back(m->flow);
    }
  }
  for (const FlowId id : solved_) flows_[id].listed = false;
  modified_.clear();
  ++marking_;
  computed_rates_ += solved_.size();
}

/// Marked links that some flow uses become candidates.
void SelectiveSharing::collect_candidates() {
  candidates_.clear();
  saturated_links_.clear();
  level_ = -1;
  for (const LinkId id : modified_) {
    if (id == kNoLink) continue;
    Link& link = links_[id];
    link.remaining = link.capacity;
    link.usage = 0;
    work_ += link.members.size();
    for (auto m = link.members.rbegin(); m != link.members.rend(); ++m) {
      Flow& flow = flows_[m->flow];
      flow.rate = 0;
      flow.fixed = false;
      const double usage = weights_[m->weight] / flow.penalty;
      link.usage = link.fatpipe ? std::max(link.usage, usage) : link.usage + usage;
    }
    if (link.usage <= 0) continue;
    link.candidate = static_cast<std::uint32_t>(candidates_.size());
    candidates_.push_back({link.remaining / link.usage, id});
    saturate(candidates_.back().level, id);
  }
}

/// The link is saturated if its level is the lowest so far.
void SelectiveSharing::saturate(double level, LinkId link) {
  if (level_ < 0 || level < level_) {
    level_ = level;
    saturated_links_.assign(1, link);
  } else if (level == level_) {
    saturated_links_.push_back(link);
  }
}

void SelectiveSharing::find_saturated_flows() {
  for (const LinkId id : saturated_links_) {
    work_ += links_[id].members.size();
    for (const Member& m : links_[id].members) {
      Flow& flow = flows_[m.flow];
      if (flow.fixed || flow.saturated) continue;
      flow.saturated = true;
      flow.bottleneck = id;
      saturated_flows_.push_back(m.flow);
    }
  }
}

/// Fixes the saturated flows; or, if some reach their bounds before, those with the lowest bound.
void SelectiveSharing::fix_saturated() {
  double lowest = -1;
  for (const FlowId id : saturated_flows_) {
    const Flow& flow = flows_[id];
    const double level = flow.bound * flow.penalty;
    if (flow.bound > 0 && level < level_ && (lowest < 0 || level < lowest)) lowest = level;
  }
  for (const FlowId id : saturated_flows_) {
    Flow& flow = flows_[id];
    flow.saturated = false;
    if (lowest < 0) {
      fix(flow, level_ / flow.penalty);
    } else if (std::abs(lowest - flow.bound * flow.penalty) < kPrecision) {
      flow.bottleneck = kNoLink;
      fix(flow, flow.bound);
    }
  }
  saturated_flows_.clear();
}

void SelectiveSharing::fix(Flow& flow, double rate) {
  flow.rate = rate;
  flow.fixed = true;
  work_ += flow.shares.size();
  for (const Share& share : flow.shares) {
    Link& link = links_[share.link];
    take(link, weights_[share.weight], flow);
    if (link.candidate == kAbsent) continue;
    if (link.usage <= kPrecision || link.remaining <= link.capacity * kPrecision) {
      drop(link);
    } else {
      candidates_[link.candidate].level = link.remaining / link.usage;
    }
  }
}

void SelectiveSharing::take(Link& link, double weight, const Flow& flow) {
  if (link.fatpipe) {
    link.usage = largest_active_usage(link);
  } else {
    link.remaining = less(link.remaining, weight * flow.rate, link.capacity * kPrecision);
    link.usage = less(link.usage, weight / flow.penalty, kPrecision);
  }
}

double SelectiveSharing::largest_active_usage(const Link& link) const {
  double usage = 0;
  for (const Member& m : link.members) {
    const Flow& flow = flows_[m.flow];
    if (flow.rate <= 0) usage = std::max(usage, weights_[m.weight] / flow.penalty);
  }
  return usage;
}

/// The link is no candidate any more; the last candidate takes its place.
void SelectiveSharing::drop(Link& link) {
  const Candidate last = candidates_.back();
  candidates_[link.candidate] = last;
  links_[last.link].candidate = link.candidate;
  candidates_.pop_back();
  link.candidate = kAbsent;
}

std::unique_ptr<BandwidthSharing> SelectiveSharing::successor() {
  return std::make_unique<LazySharing>(view_, options_, allowance_);
}

}  // namespace slackline::simgrid
