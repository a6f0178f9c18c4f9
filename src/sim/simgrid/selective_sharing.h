#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/span_arena.h"
#include "sim/sharing/bandwidth_sharing.h"
#include "sim/sharing/link_view.h"
#include "sim/sharing/max_min_sharing.h"
#include "sim/simgrid/work_allowance.h"

namespace slackline::simgrid {

/// The rates of a changing set of flows, as SimGrid's selective update computes them: the same
/// operations on the same numbers in the same order, so that rates agree to the last bit and flows
/// come out in the order in which SimGrid enters them into its heap. See selective_sharing.cc.
class SelectiveSharing final : public BandwidthSharing {
 public:
  /// Beyond the allowance it is exhausted, and its successor is a LazySharing with these options.
  /// `links` must outlive it.
  explicit SelectiveSharing(const LinkView& links, MaxMinSharing::Options options = {},
                            WorkAllowance allowance = WorkAllowance::unlimited());

  FlowId create(std::span<const LinkShare> shares, double penalty, double bound) override;
  void announce(FlowId flow, bool starts_now) override;
  void start(FlowId flow) override;
  void remove(FlowId flow) override;
  void set_capacity(LinkId link, double capacity) override;
  void change(FlowId flow, double penalty, double bound) override;

  /// Computes the rates of all flows that are connected to a change; returns them, whether their
  /// rates changed or not. Cost: their shares, times the rounds of filling.
  SharingChanges solve() override;
  FlowAllocation allocation(FlowId flow) const override {
    return {rate(flow), bottleneck(flow), kNoLink};
  }
  double penalty(FlowId flow) const override { return flows_[flow].penalty; }
  std::uint64_t computed_rates() const override { return computed_rates_; }
  std::unique_ptr<BandwidthSharing> successor() override;

  double rate(FlowId flow) const { return flows_[flow].rate; }
  /// The link that keeps the flow below its bound, or kNoLink.
  LinkId bottleneck(FlowId flow) const { return flows_[flow].bottleneck; }

 private:
  static constexpr std::uint32_t kAbsent = 0xffffffffU;
  /// There are few different weights: they tell how often a route and the way back cross a link.
  using WeightId = std::uint32_t;
  struct Share {
    LinkId link;
    WeightId weight;
  };
  struct Flow {
    double rate = 0, penalty = 0;
    double bound = 0;  ///< 0: none
    LinkId bottleneck = kNoLink;
    std::uint32_t entered = 0;  ///< how many of its links know of it
    std::uint32_t visited = 0;  ///< the last marking that has marked all of its links
    std::uint32_t marked = 0;   ///< how many of its links have been marked, while not all have
    bool enabled = false, fixed = false, saturated = false, listed = false;
    std::span<Share> shares{};
  };
  struct Member {
    FlowId flow;
    WeightId weight;
  };
  struct Link {
    double capacity = 0, remaining = 0, usage = 0;
    std::uint32_t users = 0;            ///< flows that name it, announced ones included
    std::uint32_t candidate = kAbsent;  ///< its place in candidates_
    bool fatpipe = false;
    bool has_removed = false;       ///< flows that were removed are still among its members
    std::vector<Member> members{};  ///< flows that transfer, from the oldest to the newest
  };
  /// A link that may still limit flows, and the level at which it becomes full.
  struct Candidate {
    double level;
    LinkId link;
  };
  /// A link whose flows are being followed.
  struct Visit {
    LinkId link;
    std::uint32_t left;  ///< members still to be followed
  };

  WeightId weight_id(double weight);
  void enter(FlowId flow);
  void modify(LinkId link);
  void mark_from(LinkId link);
  void visit(LinkId link);
  LinkId next_unmarked(Visit& visit);
  void leave(FlowId flow, LinkId link);
  void erase_removed();
  void collect_candidates();
  void saturate(double level, LinkId link);
  void find_saturated_flows();
  void fix_saturated();
  void fix(Flow& flow, double rate);
  void take(Link& link, double weight, const Flow& flow);
  double largest_active_usage(const Link& link) const;
  void drop(Link& link);
  void list_solved();

  SpanArena<Share> share_arena_;
  std::vector<double> weights_;  // by WeightId
  WeightId last_weight_ = 0;     ///< that was asked for; equal ones come in runs
  std::vector<Flow> flows_;
  std::vector<FlowId> free_;
  std::vector<FlowId> removed_;  ///< since the last solve()
  std::vector<LinkId> links_with_removed_;
  std::vector<Link> links_;
  std::vector<LinkId> modified_;  ///< in the order of marking; kNoLink where one was taken out
  std::vector<std::uint32_t>
      place_;  ///< by link, in modified_; dense, as marking reads little else
  std::vector<Visit> visits_;
  std::vector<Candidate> candidates_;
  std::vector<LinkId> saturated_links_;
  std::vector<FlowId> saturated_flows_;
  std::vector<FlowId> solved_;
  double level_ = -1;  ///< the lowest of the candidates'; -1: none
  std::uint32_t marking_ = 1;
  std::uint64_t work_ = 0;  ///< shares looked at so far: what the time follows
  std::uint64_t computed_rates_ = 0, solves_ = 0;

  const LinkView& view_;
  const MaxMinSharing::Options options_;
  const WorkAllowance allowance_;
};

}  // namespace slackline::simgrid
