// Share groups: the flows that one link limits, with one level for all of them.
//
// The problem: where hundreds of flows share one link, each that comes or goes changes the rates of
// all others, and thereby the load of their other links, though nothing else changes.
//
// The idea: such flows have the same level, so that the link's level determines all of their rates.
// A group keeps that level, and an interval of levels within which nothing else can happen: below
// its ceiling no flow of the group has its bound and no other of their links is full; above its
// floor no other flow on the link has to give way. As long as the level stays there, a flow that
// comes or goes costs its own links only. To know that without looking, the load of links counts
// the group's flows as if the group were at its ceiling.
//
// A group is dissolved when its level leaves the interval, and when a sweep of progressive filling
// comes near any of its links. Its flows then have their own rates again, and are filled like all
// others.
//
// Why it is right: the group's link is full, and its flows have the highest level there; others
// keep their bottlenecks, as the group uses no link that limits them.
//
// Cost: O(shares of the flow) for one that comes or goes; O(shares of all) to form a group or to
// dissolve it, which the ceiling makes rare: the level has to rise by a quarter in between.

#include "sim/sharing/share_groups.h"

#include <algorithm>

namespace slackline {
namespace {

constexpr std::uint32_t kFewestFlows = 24;  // for which a group is worth it
constexpr double kHeadroom = 1.25;          // of the ceiling over the level at which a group forms
constexpr double kMargin = 1e-9;
// Saturations of a link to let pass after a group could not be formed there.
constexpr std::uint32_t kRetryCount = 16;

}  // namespace

/// Adds that rate of the flow to the load of its links but the group's own.
void ShareGroups::add_load_elsewhere(const SharedFlow& flow, LinkId group, double rate) {
  for (const FlowShare& share : flow.shares) {
    SharedLink& link = state_.links[share.link];
    if (share.link != group && !link.fatpipe) link.load += share.weight * rate;
  }
}

/// Whether the flow could be in the group, with that ceiling, as far as its own bound goes and the
/// flows that its other links limit.
bool ShareGroups::fits(const SharedFlow& flow, LinkId group, double ceiling) const {
  if (flow.unjoined > 0 || flow.bound * flow.penalty <= ceiling * (1 + kMargin)) return false;
  return std::ranges::all_of(flow.shares, [&](const FlowShare& share) {
    const SharedLink& link = state_.links[share.link];
    return share.link == group || (link.limited == 0 && !(link.fatpipe && state_.can_fill(link)));
  });
}

bool ShareGroups::leaves_room(const SharedFlow& flow, LinkId group) const {
  return std::ranges::all_of(flow.shares, [&](const FlowShare& share) {
    const SharedLink& link = state_.links[share.link];
    return share.link == group || link.fatpipe || link.load <= link.full_load;
  });
}

void ShareGroups::form() {
  for (const LinkId id : candidates_) try_group(id);
  candidates_.clear();
}

void ShareGroups::try_group(LinkId id) {
  SharedLink& link = state_.links[id];
  if (link.limited < kFewestFlows || link.fatpipe || link.unjoined > 0) return;
  if (link.retry_count > 0) {
    --link.retry_count;
    return;
  }
  const double ceiling = link.level * kHeadroom;
  link.outside_load = link.weight_sum = link.floor = 0;
  bool good = true;
  for (const LinkMember& m : link.members) {
    const SharedFlow& flow = state_.flows[m.flow];
    if (flow.bottleneck != id) {
      link.outside_load += m.weight * flow.rate;
      link.floor = std::max(link.floor, flow.rate * flow.penalty * (1 + kMargin));
    } else {
      link.weight_sum += m.weight / flow.penalty;
      good = good && fits(flow, id, ceiling);
    }
  }
  if (good) good = add_members(id, ceiling);
  if (!good) link.retry_count = kRetryCount;
}

/// Makes the flows that the link limits a group with that ceiling, unless some other link would be
/// full below it.
bool ShareGroups::add_members(LinkId id, double ceiling) {
  SharedLink& link = state_.links[id];
  for (const LinkMember& m : link.members) {
    const SharedFlow& flow = state_.flows[m.flow];
    if (flow.bottleneck == id) add_load_elsewhere(flow, id, ceiling / flow.penalty - flow.rate);
  }
  bool good = true;
  for (const LinkMember& m : link.members) {
    const SharedFlow& flow = state_.flows[m.flow];
    good = good && (flow.bottleneck != id || leaves_room(flow, id));
  }
  for (const LinkMember& m : link.members) {
    SharedFlow& flow = state_.flows[m.flow];
    if (flow.bottleneck != id) continue;
    if (good) {
      flow.grouped = true;
      state_.changed.push_back(m.flow);
    } else {
      add_load_elsewhere(flow, id, flow.rate - ceiling / flow.penalty);
    }
  }
  if (!good) return false;
  link.grouped = true;
  ++groups_;
  moved_.push_back(id);
  link.ceiling = ceiling;
  return true;
}

/// Adds a new flow to the group that its links lead to, if there is one and the flow fits.
bool ShareGroups::join(FlowId id) {
  SharedFlow& flow = state_.flows[id];
  LinkId group = kNoLink;
  for (const FlowShare& share : flow.shares) {
    if (state_.links[share.link].grouped) group = share.link;
  }
  if (group == kNoLink || flow.rate > 0) return false;
  SharedLink& link = state_.links[group];
  if (!fits(flow, group, link.ceiling)) return false;
  const double highest = link.ceiling / flow.penalty;
  add_load_elsewhere(flow, group, highest);
  if (!leaves_room(flow, group)) {
    add_load_elsewhere(flow, group, -highest);
    return false;
  }
  flow.grouped = true;
  flow.state = SharedFlow::State::idle;
  state_.set_bottleneck(flow, group);
  for (const FlowShare& share : flow.shares) {
    if (share.link == group) link.weight_sum += share.weight / flow.penalty;
  }
  state_.invalidate(group);
  state_.changed.push_back(id);
  return true;
}

void ShareGroups::leave(SharedFlow& flow) {
  SharedLink& link = state_.links[flow.bottleneck];
  add_load_elsewhere(flow, flow.bottleneck, -link.ceiling / flow.penalty);
  for (const FlowShare& share : flow.shares) {
    if (share.link == flow.bottleneck) link.weight_sum -= share.weight / flow.penalty;
  }
  flow.grouped = false;
  flow.rate = 0;
}

void ShareGroups::update() {
  moved_.clear();
  dissolved_.clear();
  if (groups_ == 0) return;
  std::erase_if(state_.dirty, [&](FlowId flow) { return join(flow); });
  std::erase_if(state_.invalidated, [&](LinkId link) { return move(link); });
}

/// Gives the group its level after flows came or went; dissolves it and returns false where that is
/// outside of its interval.
bool ShareGroups::move(LinkId id) {
  SharedLink& link = state_.links[id];
  if (!link.grouped) return false;
  const double level = (link.capacity - link.outside_load) / link.weight_sum;
  if (link.limited < kFewestFlows / 2 || level >= link.ceiling || level <= link.floor) {
    dissolve(id);
    return false;
  }
  link.level = level;
  link.invalidated = false;
  moved_.push_back(id);
  return true;
}

void ShareGroups::dissolve(LinkId id) {
  SharedLink& link = state_.links[id];
  link.grouped = false;
  --groups_;
  link.load = link.outside_load;
  for (const LinkMember& m : link.members) {
    SharedFlow& flow = state_.flows[m.flow];
    if (!flow.grouped || flow.bottleneck != id) continue;
    flow.grouped = false;
    flow.rate = link.level / flow.penalty;
    link.load += m.weight * flow.rate;
    add_load_elsewhere(flow, id, flow.rate - link.ceiling / flow.penalty);
    dissolved_.push_back(m.flow);
  }
  link.weight_sum = 0;
}

void ShareGroups::report_dissolved() {
  state_.changed.insert(state_.changed.end(), dissolved_.begin(), dissolved_.end());
}

}  // namespace slackline
