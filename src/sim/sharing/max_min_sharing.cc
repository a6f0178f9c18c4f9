// Weighted max-min fairness, kept up to date.
//
// The problem: the levels (rate times penalty) of all flows rise together; a link that becomes full
// stops the flows on it, a bound stops its flow. Flows come and go thousands of times per simulated
// second, and each time hardly any rate changes.
//
// The idea: rates are right exactly if no link is overfull and every flow has its bound or a
// bottleneck: a full link on which its level is the highest. (The max-min point is unique, so any
// way to reach these conditions gives the same rates; Bertsekas and Gallager, Data Networks,
// section 6.5.2.) After a change only the flows that may have lost their bottleneck are filled
// again, over what the others leave of the links. Which other flows are affected shows on the way
// up (progressive_filling.cc). All others keep their rates.
//
// Most links never get full; for these it is enough to keep the sum of what their flows use.
//
// A fatpipe bounds each flow by itself. It is full when its greediest flow takes all of it, and
// stops the others at the same level, as in SimGrid.
//
// The parts: SharingState holds flows, links and their sums; ProgressiveFilling computes the rates
// of dirty flows; ShareGroups spares it the flows of one link whose rates only change together.
//
// Cost: O(E log E) in the E shares of the flows that are filled again, and the members of the links
// that limit any of them.

#include "sim/sharing/max_min_sharing.h"

namespace slackline {

MaxMinSharing::MaxMinSharing(const LinkView& links, Options options)
    : state_(links), groups_(state_, options.groups), filling_(state_, groups_) {}

void MaxMinSharing::start(FlowId id) {
  const SharedFlow& flow = state_.flows[id];
  for (std::uint32_t i = 0; i < flow.shares.size(); ++i) {
    const FlowShare& share = flow.shares[i];
    state_.links[share.link].demand += state_.demand_of(share.link, share.weight, flow.bound);
    state_.join(id, i);
  }
  state_.mark_dirty(id);
}

void MaxMinSharing::start_unjoined(FlowId id) {
  SharedFlow& flow = state_.flows[id];
  for (const FlowShare& share : flow.shares) {
    SharedLink& link = state_.links[share.link];
    link.demand += state_.demand_of(share.link, share.weight, flow.bound);
    ++link.unjoined;
  }
  flow.unjoined = static_cast<std::uint32_t>(flow.shares.size());
}

void MaxMinSharing::join(FlowId id, std::uint32_t share) {
  SharedFlow& flow = state_.flows[id];
  --flow.unjoined;
  --state_.links[flow.shares[share].link].unjoined;
  state_.join(id, share);
}

FlowId MaxMinSharing::add(std::span<const LinkShare> shares, double penalty, double bound) {
  const FlowId id = create(shares, penalty, bound);
  start(id);
  return id;
}

void MaxMinSharing::remove(FlowId id) {
  SharedFlow& flow = state_.flows[id];
  if (flow.grouped) groups_.leave(flow);
  for (std::uint32_t i = 0; i < flow.shares.size(); ++i) state_.leave(id, i);
  flow.unjoined = 0;
  state_.release(id);
}

SharingChanges MaxMinSharing::solve() {
  state_.changed.clear();
  groups_.update();
  state_.mark_invalidated_dirty();
  if (state_.dirty.empty()) return {state_.changed, groups_.moved()};
  filling_.run();
  computed_rates_ += state_.dirty.size();
  for (const FlowId id : state_.dirty) {
    SharedFlow& flow = state_.flows[id];
    flow.state = SharedFlow::State::idle;
    if (flow.rate != flow.previous_rate) state_.changed.push_back(id);
  }
  state_.dirty.clear();
  groups_.report_dissolved();
  groups_.form();
  return {state_.changed, groups_.moved()};
}

}  // namespace slackline
