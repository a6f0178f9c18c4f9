// Weighted max-min fairness, kept up to date.
//
// The problem: all flows' levels (rate times penalty) rise together; a link that becomes full stops
// those on it, a bound stops its flow. Flows come and go thousands of times a simulated second, and
// each time hardly any rate changes.
//
// The idea: rates are right exactly if no link is overfull and every flow has its bound or a
// bottleneck: a full link on which its level is the highest. (The max-min point is unique, so any
// way to reach these conditions gives the same rates.) So after a change only the flows that may
// have lost their bottleneck are filled again, over what the others leave of the links. Whom else
// that concerns shows on the way up: progressive_filling.cc. Who is not concerned keeps his rate.
//
// Most links never get full; for these it is enough to keep the sum of what their flows use.
//
// A fatpipe bounds each flow by itself. It is full when its greediest flow takes all of it, and
// stops the others at the same level, as SimGrid has it.
//
// Cost: O(E log E) in the E shares of the flows that are filled again, and the members of the links
// that stop any of them.

#include "sim/bandwidth_sharing.h"

#include <algorithm>

#include "base/error.h"

namespace slackline {
namespace {

// Rates are sums and quotients of a few numbers; closer than this they are the same.
constexpr double kTolerance = 1e-9;

}  // namespace

BandwidthSharing::BandwidthSharing(const LinkView& links, Ways ways)
    : links_(links.count()), ways_(ways), marks_(links.count()) {
  for (LinkId id = 0; id < links.count(); ++id) {
    links_[id].capacity = links.bandwidth(id);
    links_[id].full_at = links.bandwidth(id) * (1 - kTolerance);
    links_[id].pipe = links.is_pipe(id);
  }
}

/// What a flow adds to a link's demand. A fatpipe can only be full by one flow alone.
double BandwidthSharing::demand_of(LinkId link, double weight, double bound) const {
  const double wanted = weight * bound;
  if (!is_pipe(link)) return wanted;
  return wanted > links_[link].full_at ? 2 * links_[link].capacity : 0;
}

FlowId BandwidthSharing::create(std::span<const LinkShare> shares, double penalty, double bound) {
  expects(penalty > 0 && bound >= 0, "a flow's penalty is positive");
  FlowId id = static_cast<FlowId>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Flow& flow = flows_[id];
  flow.shares = pool_.take(shares.size());
  std::ranges::transform(shares, flow.shares.begin(), [](const LinkShare& share) {
    return Share{share.link, kOutside, share.weight};
  });
  flow.penalty = penalty;
  flow.bound = bound;
  flow.rate = 0;
  flow.state = State::idle;
  flow.bottleneck = kNoLink;
  flow.since = 0;
  return id;
}

void BandwidthSharing::start(FlowId id) {
  const Flow& flow = flows_[id];
  for (std::uint32_t i = 0; i < flow.shares.size(); ++i) {
    const Share& share = flow.shares[i];
    links_[share.link].demand += demand_of(share.link, share.weight, flow.bound);
    if (!ways_.lazy) join(id, i);
  }
  if (ways_.lazy) {
    new_flows_.push_back(id);
  } else {
    activate(id);
  }
}

FlowId BandwidthSharing::add(std::span<const LinkShare> shares, double penalty, double bound) {
  const FlowId id = create(shares, penalty, bound);
  start(id);
  return id;
}

void BandwidthSharing::join(FlowId id, std::uint32_t share) {
  const Flow& flow = flows_[id];
  Share& own = flows_[id].shares[share];
  LinkState& link = links_[own.link];
  own.place = static_cast<std::uint32_t>(link.members.size());
  link.members.push_back({id, share, own.weight});
  link.use += own.weight * flow.rate;
  if (link.stopped > 0) disturb(own.link);
}

/// The members of a link that came or went change what the others there get.
void BandwidthSharing::disturb(LinkId id) {
  LinkState& link = links_[id];
  if (link.disturbed) return;
  link.disturbed = true;
  disturbed_.push_back(id);
}

void BandwidthSharing::activate_disturbed() {
  for (const LinkId id : disturbed_) {
    links_[id].disturbed = false;
    for (const Member& m : links_[id].members) {
      if (flows_[m.flow].bottleneck == id) activate(m.flow);
    }
  }
  disturbed_.clear();
}

void BandwidthSharing::remove(FlowId id) {
  if (ways_.lazy) notice(id);
  Flow& flow = flows_[id];
  if (flow.pooled) leave_pool(flow);
  for (std::uint32_t i = 0; i < flow.shares.size(); ++i) {
    const Share& share = flow.shares[i];
    LinkState& link = links_[share.link];
    link.demand -= demand_of(share.link, share.weight, flow.bound);
    if (is_behind(link)) to_tell_.push_back(share.link);
    if (share.place == kOutside) {
      forget(id, i);
      continue;
    }
    const Member last = link.members.back();
    link.members[share.place] = last;
    flows_[last.flow].shares[last.share].place = share.place;
    link.members.pop_back();
    if (link.stopped > 0) disturb(share.link);
    link.use -= share.weight * flow.rate;
    if (link.pooled) link.base -= share.weight * flow.rate;
    if (link.members.empty()) link.use = 0;
    if (link.members.empty() && link.overlooked.empty()) link.demand = 0;
  }
  if (flow.state == State::waiting) {
    flow.state = State::idle;
    active_.erase(std::ranges::find(active_, id));
  }
  pool_.give_back(flow.shares);
  flow.shares = {};
  stop(flow, kNoLink);
  free_.push_back(id);
}

void BandwidthSharing::activate(FlowId id) {
  Flow& flow = flows_[id];
  if (flow.state != State::idle) return;
  flow.state = State::waiting;
  active_.push_back(id);
}

std::span<const FlowId> BandwidthSharing::solve() {
  changed_.clear();
  if (ways_.lazy) finish_marking();
  settle_pools();
  activate_disturbed();
  if (active_.empty()) return changed_;
  ++work_.solves;
  sweep();
  work_.flows += active_.size();
  for (const FlowId id : active_) {
    flows_[id].state = State::idle;
    if (flows_[id].rate != flows_[id].before) changed_.push_back(id);
  }
  active_.clear();
  changed_.insert(changed_.end(), released_.begin(), released_.end());
  form_pools();
  return changed_;
}

}  // namespace slackline
