#include "sim/sharing/sharing_state.h"

#include <algorithm>

#include "base/error.h"

namespace slackline {
namespace {

// Loads are sums of rates, which are quotients of a few numbers: a load this close to a capacity is
// equal to it but for rounding.
constexpr double kRelativeRounding = 1e-9;

}  // namespace

SharingState::SharingState(const LinkView& view) : links(view.count()) {
  for (LinkId id = 0; id < view.count(); ++id) {
    links[id].fatpipe = view.is_fatpipe(id);
    set_capacity(id, view.bandwidth(id));
  }
}

void SharingState::set_capacity(LinkId id, double capacity) {
  SharedLink& link = links[id];
  link.capacity = capacity;
  link.full_load = capacity * (1 - kRelativeRounding);
  link.demand = 0;
  for (const SharedFlow& flow : flows) {
    for (const FlowShare& share : flow.shares) {
      if (share.link != id || !counts(flow, share)) continue;
      link.demand += demand_of(id, share.weight, flow.bound);
    }
  }
  for (const LinkMember& m : link.members) mark_dirty(m.flow);
}

void SharingState::change(FlowId id, double penalty, double bound) {
  SharedFlow& flow = flows[id];
  for (const FlowShare& share : flow.shares) {
    if (!counts(flow, share)) continue;
    links[share.link].demand += demand_of(share.link, share.weight, bound) -
                                demand_of(share.link, share.weight, flow.bound);
  }
  flow.penalty = penalty;
  flow.bound = bound;
}

double SharingState::demand_of(LinkId link, double weight, double bound) const {
  const double wanted = weight * bound;
  if (!links[link].fatpipe) return wanted;
  return wanted > links[link].full_load ? 2 * links[link].capacity : 0;
}

FlowId SharingState::create(std::span<const LinkShare> shares, double penalty, double bound) {
  expects(penalty > 0 && bound >= 0, "a flow's penalty is positive");
  FlowId id = static_cast<FlowId>(flows.size());
  if (free_.empty()) {
    flows.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  SharedFlow& flow = flows[id];
  flow.shares = share_arena_.allocate(shares.size());
  std::ranges::transform(shares, flow.shares.begin(), [](const LinkShare& share) {
    return FlowShare{share.link, FlowShare::kNotJoined, share.weight};
  });
  flow.penalty = penalty;
  flow.bound = bound;
  flow.rate = 0;
  flow.state = SharedFlow::State::idle;
  flow.bottleneck = kNoLink;
  return id;
}

void SharingState::release(FlowId id) {
  SharedFlow& flow = flows[id];
  if (flow.state == SharedFlow::State::dirty) {
    flow.state = SharedFlow::State::idle;
    dirty.erase(std::ranges::find(dirty, id));
  }
  share_arena_.release(flow.shares);
  flow.shares = {};
  set_bottleneck(flow, kNoLink);
  free_.push_back(id);
}

void SharingState::join(FlowId id, std::uint32_t share) {
  const SharedFlow& flow = flows[id];
  FlowShare& own = flows[id].shares[share];
  SharedLink& link = links[own.link];
  own.slot = static_cast<std::uint32_t>(link.members.size());
  link.members.push_back({id, share, own.weight});
  link.load += own.weight * flow.rate;
  if (link.limited > 0) invalidate(own.link);
}

void SharingState::leave(FlowId id, std::uint32_t i) {
  const SharedFlow& flow = flows[id];
  const FlowShare& share = flow.shares[i];
  SharedLink& link = links[share.link];
  link.demand -= demand_of(share.link, share.weight, flow.bound);
  if (!share.joined()) {
    --link.unjoined;
  } else {
    const LinkMember last = link.members.back();
    link.members[share.slot] = last;
    flows[last.flow].shares[last.share].slot = share.slot;
    link.members.pop_back();
    if (link.limited > 0) invalidate(share.link);
    link.load -= share.weight * flow.rate;
    if (link.grouped) link.outside_load -= share.weight * flow.rate;
    if (link.members.empty()) link.load = 0;
  }
  if (link.members.empty() && link.unjoined == 0) link.demand = 0;
}

void SharingState::set_bottleneck(SharedFlow& flow, LinkId bottleneck) {
  if (flow.bottleneck == bottleneck) return;
  if (flow.bottleneck != kNoLink) --links[flow.bottleneck].limited;
  if (bottleneck != kNoLink) ++links[bottleneck].limited;
  flow.bottleneck = bottleneck;
}

void SharingState::mark_dirty(FlowId id) {
  SharedFlow& flow = flows[id];
  if (flow.state != SharedFlow::State::idle) return;
  flow.state = SharedFlow::State::dirty;
  dirty.push_back(id);
}

void SharingState::invalidate(LinkId id) {
  SharedLink& link = links[id];
  if (link.invalidated) return;
  link.invalidated = true;
  invalidated.push_back(id);
}

void SharingState::mark_invalidated_dirty() {
  for (const LinkId id : invalidated) {
    links[id].invalidated = false;
    for (const LinkMember& m : links[id].members) {
      if (flows[m.flow].bottleneck == id) mark_dirty(m.flow);
    }
  }
  invalidated.clear();
}

}  // namespace slackline
