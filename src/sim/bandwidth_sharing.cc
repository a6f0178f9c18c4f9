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
// Most links never get full. A link is only looked at ("touched") if it stops somebody, or if the
// rates that come out would be too much for it; for all others it is enough to keep the sum of what
// their flows use.
//
// A fatpipe bounds each flow by itself. It is full when its greediest flow takes all of it, and
// stops the others at the same level, as SimGrid has it.
//
// Cost: O(E log E) in the E shares of the flows that are solved for, and the members of the links
// that are touched.

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
    links_[id].full_at = links.bandwidth(id) * (1 - kTolerance);
    links_[id].pipe = links.is_pipe(id);
  }
}

/// What a flow adds to a link's demand. A fatpipe can only be full by one flow alone.
double BandwidthSharing::demand_of(const LinkShare& share, double bound) const {
  const double wanted = share.weight * bound;
  if (!is_pipe(share.link)) return wanted;
  return wanted > links_[share.link].full_at ? 2 * capacity(share.link) : 0;
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
  flow.rate = flow.counted = 0;
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
  link.members.push_back({id, share, flow.shares[share].weight});
  link.use += flow.shares[share].weight * flow.counted;
  if (link.stopped > 0) disturb(flow.shares[share].link);
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
    if (link.stopped > 0) disturb(share.link);
    link.demand -= demand_of(share, flow.bound);
    link.use -= share.weight * flow.counted;
    if (link.members.empty()) link.use = 0;
    if (link.members.empty() && link.overlooked.empty()) link.demand = 0;
  }
  if (flow.active) {
    flow.active = false;
    active_.erase(std::ranges::find(active_, id));
  }
  flow.shares.clear();
  stop(flow, kNoLink);
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
  activate_disturbed();
  if (active_.empty()) return changed_;
  ++work_.solves;
  std::uint64_t rounds = 0;
  considered_ = 0;
  do {
    ++work_.rounds;
    work_.flows += active_.size();
    if (++rounds > kPatience) activate_neighbours();
    open_links();
    fill();
    count();
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

void BandwidthSharing::activate_neighbours() {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const FlowId id = active_[i];
    for (std::size_t s = 0; s < flows_[id].shares.size(); ++s) {
      const LinkId link = flows_[id].shares[s].link;
      if (!can_fill(link) || flows_[id].places[s] == kOutside) continue;
      touch(link);
      for (const Member& m : links_[link].members) activate(m.flow);
    }
  }
}

void BandwidthSharing::touch(LinkId id) {
  LinkState& link = links_[id];
  if (link.touched) return;
  link.touched = true;
  touched_.push_back(id);
}

/// A guess at the rate of a flow that has none yet, from the levels of those who are stopped.
double BandwidthSharing::expected_rate(const Flow& flow) const {
  double rate = flow.bound;
  for (const LinkShare& share : flow.shares) {
    const LinkState& link = links_[share.link];
    if (link.stopped > 0) rate = std::min(rate, link.level / flow.penalty);
  }
  return rate;
}

/// Those of the flow's links that stop somebody, or are about full, or will be.
void BandwidthSharing::touch_narrow_links(const Flow& flow) {
  const double more = flow.counted > 0 ? 0 : expected_rate(flow);
  for (std::size_t i = 0; i < flow.shares.size(); ++i) {
    const LinkId id = flow.shares[i].link;
    const LinkState& link = links_[id];
    if (link.touched || flow.places[i] == kOutside) continue;
    const bool narrow =
        link.pipe ? can_fill(id)
                  : link.stopped > 0 || link.use + flow.shares[i].weight * more > link.full_at;
    if (narrow) touch(id);
  }
}

/// Brings the use of links up to date; those that would be too full are touched.
void BandwidthSharing::count() {
  for (const FlowId id : active_) {
    Flow& flow = flows_[id];
    const double more = flow.rate - flow.counted;
    if (more == 0) continue;
    flow.counted = flow.rate;
    for (std::size_t i = 0; i < flow.shares.size(); ++i) {
      LinkState& link = links_[flow.shares[i].link];
      if (link.pipe || flow.places[i] == kOutside) continue;
      link.use += flow.shares[i].weight * more;
      if (link.use > link.full_at) touch(flow.shares[i].link);
    }
  }
}

/// Activates whoever's rate is not right any more; false when all are.
bool BandwidthSharing::check() {
  const std::size_t flows = active_.size();
  for (std::size_t i = 0; i < opened_; ++i) check_link(touched_[i]);
  return active_.size() > flows || touched_.size() > opened_;
}

void BandwidthSharing::check_link(LinkId id) {
  LinkState& link = links_[id];
  const bool pipe = is_pipe(id);
  double used = 0, highest = 0;
  double stopped = std::numeric_limits<double>::infinity();  // the level of those stopped here
  for (const Member& m : link.members) {
    const Flow& flow = flows_[m.flow];
    const double share = m.weight * flow.rate;
    const double flow_level = flow.rate * flow.penalty;
    used = pipe ? std::max(used, share) : used + share;
    highest = std::max(highest, flow_level);
    if (flow.active && flow.bottleneck == id) stopped = std::min(stopped, flow_level);
  }
  link.use = used;
  const bool full = used >= link.full_at;
  for (const Member& m : link.members) {
    const Flow& flow = flows_[m.flow];
    if (flow.active) continue;
    const double flow_level = flow.rate * flow.penalty;
    const bool lost = flow.bottleneck == id && (!full || flow_level < highest * (1 - kTolerance));
    if (lost || flow_level > stopped * (1 + kTolerance)) activate(m.flow);
  }
}

}  // namespace slackline
