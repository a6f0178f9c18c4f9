// SimGrid's selective update, operation by operation.
//
// The problem: what SimGrid predicts under network/optim:Lazy depends on the order of what happens
// at one date: a link that is marked already is not followed again, so that of several flows that
// start together some are overlooked by some of their links until these are marked by something
// else. Which of two flows that end at one date ends first is decided by the last bits of their
// dates, and if these agree by the order in which they were entered into the heap. All of that can
// only be followed by doing what SimGrid does, with its lists in its order.
//
// The idea: links hold their flows from the newest to the oldest. A change marks its link, and
// depth first every link that hangs together with it by a transferring flow. Marked links, in the
// order of marking, take part in progressive filling: the links with the lowest level (remaining
// over usage) stop their flows, or those of them whose bound is lowest reach it; what they take is
// subtracted from all their links; a link with nothing left, to a relative 1e-5, drops out. Flows
// of marked links are then all solved, in the order of links and from the newest to the oldest.
//
// Why it is right: it is the definition of what is to be predicted. BandwidthSharing has the same
// rates to rounding, but for what is overlooked, at a cost that follows what changes.
//
// Cost: the shares of all flows that hang together, for marking and for each round of filling.

#include "sim/selective_sharing.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace slackline {
namespace {

constexpr double kPrecision = 1e-5;

/// A subtraction that ends at zero.
double less(double value, double by, double precision) {
  const double left = value - by;
  return left < precision ? 0.0 : left;
}

}  // namespace

SelectiveSharing::SelectiveSharing(const LinkView& links)
    : links_(links.count()), place_(links.count(), kAbsent) {
  for (LinkId id = 0; id < links.count(); ++id) {
    links_[id].capacity = links.bandwidth(id);
    links_[id].pipe = links.is_pipe(id);
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
  flow.bound = bound;
  flow.bottleneck = kNoLink;
  flow.visited = marking_ - 1;
  flow.entered = 0;
  flow.enabled = flow.settled = false;
  flow.shares = pool_.take(shares.size());
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

/// Enters the flow into its links, each of which is marked as it comes.
void SelectiveSharing::announce(FlowId id) {
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
  if (flow.entered == 0) return announce(id);
  for (const Share& share : flow.shares) {
    links_[share.link].members.push_back({id, share.weight});
  }
  mark_from(flow.shares[0].link);
}

void SelectiveSharing::remove(FlowId id) {
  Flow& flow = flows_[id];
  if (flow.enabled && !flow.shares.empty()) mark_from(flow.shares[0].link);
  for (const Share& share : flow.shares) leave(id, share.link);
  flow.enabled = false;
  flow.entered = 0;
  pool_.give_back(flow.shares);
  flow.shares = {};
  removed_.push_back(id);
}

/// Where hundreds end at one date, a link's members are gone through once for all of them.
void SelectiveSharing::forget_removed() {
  for (const LinkId id : left_) {
    links_[id].left = false;
    std::erase_if(links_[id].members, [&](const Member& m) { return !flows_[m.flow].enabled; });
  }
  left_.clear();
  free_.insert(free_.end(), removed_.begin(), removed_.end());
  removed_.clear();
}

/// A link that nobody uses any more is not marked any more either.
void SelectiveSharing::leave(FlowId id, LinkId at) {
  Link& link = links_[at];
  if (flows_[id].enabled) {
    if (!link.left) left_.push_back(at);
    link.left = true;
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

/// The link, and depth first what hangs together with it. Like solve(), with all that it calls
/// inlined: most of the time goes here.
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

/// The next link to be marked because of the visited one's flows. A flow is come by from several of
/// its links; each goes on where the one before has stopped.
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

[[gnu::flatten]] std::span<const FlowId> SelectiveSharing::solve() {
  solved_.clear();
  forget_removed();
  if (modified_.empty()) return solved_;
  open_links();
  find_saturated_flows();
  for (;;) {
    settle_saturated();
    if (candidates_.empty()) break;
    level_ = -1;
    saturated_links_.clear();
    work_ += candidates_.size();
    for (const Candidate& c : candidates_) saturate(c.level, c.link);
    find_saturated_flows();
    if (!saturated_flows_.empty()) continue;
    // Rounding has left a link something although all of its flows are settled.
    for (const LinkId id : saturated_links_) drop(links_[id]);
  }
  for (const LinkId id : modified_) {
    if (id == kNoLink) continue;
    Link& link = links_[id];
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
  solved_flows_ += solved_.size();
  return solved_;
}

/// Those links that somebody uses become candidates.
void SelectiveSharing::open_links() {
  candidates_.clear();
  saturated_links_.clear();
  saturated_flows_.clear();
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
      flow.settled = false;
      const double usage = weights_[m->weight] / flow.penalty;
      link.usage = link.pipe ? std::max(link.usage, usage) : link.usage + usage;
    }
    if (link.usage <= 0) continue;
    link.candidate = static_cast<std::uint32_t>(candidates_.size());
    candidates_.push_back({link.remaining / link.usage, id});
    saturate(candidates_.back().level, id);
  }
}

/// One of the lowest so far, if its level is not above theirs.
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
      if (flow.settled || flow.saturated) continue;
      flow.saturated = true;
      flow.bottleneck = id;
      saturated_flows_.push_back(m.flow);
    }
  }
}

/// Stops the saturated flows; or, if some reach their bounds before, those with the lowest.
void SelectiveSharing::settle_saturated() {
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
      settle(flow, level_ / flow.penalty);
    } else if (std::abs(lowest - flow.bound * flow.penalty) < kPrecision) {
      flow.bottleneck = kNoLink;
      settle(flow, flow.bound);
    }
  }
  saturated_flows_.clear();
}

void SelectiveSharing::settle(Flow& flow, double rate) {
  flow.rate = rate;
  flow.settled = true;
  work_ += flow.shares.size();
  for (const Share& share : flow.shares) {
    Link& link = links_[share.link];
    use(link, weights_[share.weight], flow);
    if (link.candidate == kAbsent) continue;
    if (link.usage <= kPrecision || link.remaining <= link.capacity * kPrecision) {
      drop(link);
    } else {
      candidates_[link.candidate].level = link.remaining / link.usage;
    }
  }
}

void SelectiveSharing::use(Link& link, double weight, const Flow& flow) {
  if (link.pipe) {
    link.usage = widest_open(link);
  } else {
    link.remaining = less(link.remaining, weight * flow.rate, link.capacity * kPrecision);
    link.usage = less(link.usage, weight / flow.penalty, kPrecision);
  }
}

double SelectiveSharing::widest_open(const Link& link) const {
  double usage = 0;
  for (const Member& m : link.members) {
    const Flow& flow = flows_[m.flow];
    if (flow.rate <= 0) usage = std::max(usage, weights_[m.weight] / flow.penalty);
  }
  return usage;
}

/// The last candidate takes its place.
void SelectiveSharing::drop(Link& link) {
  const Candidate last = candidates_.back();
  candidates_[link.candidate] = last;
  links_[last.link].candidate = link.candidate;
  candidates_.pop_back();
  link.candidate = kAbsent;
}

}  // namespace slackline
