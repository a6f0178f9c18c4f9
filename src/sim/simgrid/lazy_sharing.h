#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/sharing/max_min_sharing.h"
#include "sim/simgrid/link_marking.h"
#include "sim/simgrid/stale_membership.h"
#include "sim/simgrid/work_allowance.h"

namespace slackline::simgrid {

/// The rates that SimGrid's lazy update (network/optim:Lazy) has, to rounding: the max-min point of
/// the flows as each link knows them, where links get to know some flows late. See lazy_sharing.cc.
class LazySharing final : public BandwidthSharing {
 public:
  /// `options` are those of MaxMinSharing. `allowance` is what SelectiveSharing would have.
  LazySharing(const LinkView& links, MaxMinSharing::Options options,
              WorkAllowance allowance = WorkAllowance::unlimited());

  FlowId create(std::span<const LinkShare> shares, double penalty, double bound) override;
  void announce(FlowId flow, bool starts_now) override;
  void start(FlowId flow) override;
  void remove(FlowId flow) override;
  void set_capacity(LinkId link, double capacity) override { rates_.set_capacity(link, capacity); }
  void change(FlowId flow, double penalty, double bound) override;
  /// create() and start().
  FlowId add(std::span<const LinkShare> shares, double penalty, double bound);

  /// Cost: as MaxMinSharing's; where flows start together, up to their connected components.
  SharingChanges solve() override;
  FlowAllocation allocation(FlowId flow) const override { return rates_.allocation(flow); }
  double rate(FlowId flow) const { return rates_.rate(flow); }
  double group_level(LinkId link) const override { return rates_.group_level(link); }
  double penalty(FlowId flow) const override { return rates_.penalty(flow); }
  std::uint64_t computed_rates() const override { return rates_.computed_rates(); }

  /// Whether SelectiveSharing could have come as far as this within its allowance.
  bool selective_is_affordable() const;

 private:
  template <class Shares>
  double finite_bound(const Shares& shares, double bound) const;
  void begin_time();
  void propagate_starts();
  void join_all_new();
  void find_late_flows(bool all);
  void propagate(FlowId flow, bool all);
  void stay_pending(FlowId flow, std::size_t place);

  MaxMinSharing rates_;
  StaleMembership membership_;
  LinkMarking marking_;
  bool time_begun_ = false;        ///< the flows that start now have been marked
  std::vector<FlowId> new_flows_;  ///< that have started since the last solve(), in their order
  /// By flow: when it started, as the number of the solve() and, inverted, its place among those
  /// that started then; 0: it was pending nowhere after that.
  std::vector<std::uint64_t> started_;
  std::vector<FlowId> late_flows_;  ///< scratch

  WorkAllowance allowance_;
  std::uint32_t solves_ = 0;
  std::uint64_t flows_ = 0, selective_work_ = 0;
};

}  // namespace slackline::simgrid
