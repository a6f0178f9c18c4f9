#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/sharing/bandwidth_sharing.h"
#include "sim/sharing/progressive_filling.h"
#include "sim/sharing/share_groups.h"
#include "sim/sharing/sharing_state.h"

namespace slackline {

/// The weighted max-min fair rates of a changing set of flows, kept up to date. A flow's level is
/// its rate times its penalty; a flow has its bound, or it has a bottleneck: a full link on which
/// no flow has a higher level. The model: Bédaride et al., "Toward Better Simulation of MPI
/// Applications on Ethernet/TCP Networks", PMBS 2013, sections 2 and 4.2; how it is solved:
/// max_min_sharing.cc.
class MaxMinSharing final : public BandwidthSharing {
 public:
  struct Options {
    bool groups = false;  ///< the caller follows the levels of share groups; share_groups.cc
  };
  MaxMinSharing(const LinkView& links, Options options);

  FlowId create(std::span<const LinkShare> shares, double penalty, double bound) override {
    return state_.create(shares, penalty, bound);
  }
  void start(FlowId flow) override;
  /// create() and start(). Cost of both: O(shares).
  FlowId add(std::span<const LinkShare> shares, double penalty, double bound);
  void remove(FlowId flow) override;
  /// Both only without groups. Cost: O(flows), and the link's flows are computed anew.
  void set_capacity(LinkId link, double capacity) override { state_.set_capacity(link, capacity); }
  void change(FlowId flow, double penalty, double bound) override {
    state_.change(flow, penalty, bound);
  }

  /// Starts a flow that takes part but is in none of its links, until it joins them one by one: for
  /// a caller that decides when a link takes account of a flow.
  void start_unjoined(FlowId flow);
  /// Cost: O(1), and the flows that the link limits are computed anew.
  void join(FlowId flow, std::uint32_t share);
  void mark_dirty(FlowId flow) { state_.mark_dirty(flow); }

  /// Cost: follows the flows that change and the other flows of their links.
  SharingChanges solve() override;
  FlowAllocation allocation(FlowId flow) const override {
    return {rate(flow), bottleneck(flow), group(flow)};
  }
  double group_level(LinkId link) const override { return state_.links[link].level; }
  double penalty(FlowId flow) const override { return state_.flows[flow].penalty; }
  std::uint64_t computed_rates() const override { return computed_rates_; }

  double rate(FlowId id) const {
    const SharedFlow& flow = state_.flows[id];
    return flow.grouped ? state_.links[flow.bottleneck].level / flow.penalty : flow.rate;
  }
  LinkId bottleneck(FlowId flow) const { return state_.flows[flow].bottleneck; }
  LinkId group(FlowId flow) const {
    return state_.flows[flow].grouped ? state_.flows[flow].bottleneck : kNoLink;
  }

  std::span<const FlowShare> shares(FlowId flow) const { return state_.flows[flow].shares; }
  const std::vector<LinkMember>& members(LinkId link) const { return state_.links[link].members; }
  double capacity(LinkId link) const { return state_.links[link].capacity; }
  /// Whether the link's flows, those that have not joined it included, could fill it. While they
  /// cannot, it makes no difference whether they have joined.
  bool can_fill(LinkId link) const { return state_.can_fill(link); }

 private:
  SharingState state_;
  ShareGroups groups_;
  ProgressiveFilling filling_;
  std::uint64_t computed_rates_ = 0;
};

}  // namespace slackline
