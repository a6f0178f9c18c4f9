#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/span_pool.h"
#include "sim/bandwidth_sharing.h"
#include "sim/link_view.h"

namespace slackline {

/// The rates of a changing set of flows, as SimGrid's selective update computes them: the same
/// operations on the same numbers in the same order, so that rates agree to the last bit and flows
/// come out in the order in which SimGrid enters them into its heap. spec: SMPI model, 3.4;
/// selective_sharing.cc.
class SelectiveSharing {
 public:
  explicit SelectiveSharing(const LinkView& links);

  /// A flow that its links do not know of. `shares` name each link once, in the order of its route;
  /// `penalty` > 0; `bound` 0: none.
  FlowId create(std::span<const LinkShare> shares, double penalty, double bound);
  /// Its message begins, and will take something of its links.
  void announce(FlowId flow);
  /// The flow transfers from now on. It need not have been announced, if its route has no latency.
  void start(FlowId flow);
  void remove(FlowId flow);

  /// Brings the rates of all flows up to date that hang together with a change; returns them,
  /// whether their rates changed or not. Cost: their shares, times the rounds of filling.
  std::span<const FlowId> solve();

  double rate(FlowId flow) const { return flows_[flow].rate; }
  double bound(FlowId flow) const { return flows_[flow].bound; }
  /// The link that keeps the flow below its bound, or kNoLink.
  LinkId bottleneck(FlowId flow) const { return flows_[flow].bottleneck; }

  /// How many shares were looked at so far: what its time follows.
  std::uint64_t work() const { return work_; }
  /// Flows whose rates were computed so far.
  std::uint64_t solved_flows() const { return solved_flows_; }

 private:
  static constexpr std::uint32_t kAbsent = 0xffffffffU;
  /// Weights are few: how many times a route and the way back come by a link.
  using WeightId = std::uint32_t;
  struct Share {
    LinkId link;
    WeightId weight;
  };
  struct Flow {
    double rate = 0, penalty = 0, bound = 0;
    LinkId bottleneck = kNoLink;
    std::uint32_t entered = 0;  ///< how many of its shares its links know of
    std::uint32_t visited = 0;  ///< the last marking that has marked all of its links
    std::uint32_t marked = 0;   ///< of these, while it has not marked all
    bool enabled = false, settled = false, saturated = false, listed = false;
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
    bool pipe = false;
    bool left = false;              ///< by flows that are still among its members
    std::vector<Member> members{};  ///< those that transfer, from the oldest to the newest
  };
  /// A link that somebody may still be stopped at, and the level at which it becomes full.
  struct Candidate {
    double level;
    LinkId link;
  };
  /// Of a link whose flows are being followed.
  struct Visit {
    LinkId link;
    std::uint32_t left;  ///< members still to be followed
  };

  WeightId weight_id(double weight);
  void modify(LinkId link);
  void mark_from(LinkId link);
  void visit(LinkId link);
  LinkId next_unmarked(Visit& visit);
  void leave(FlowId flow, LinkId link);
  void forget_removed();
  void open_links();
  void saturate(double level, LinkId link);
  void find_saturated_flows();
  void settle_saturated();
  void settle(Flow& flow, double rate);
  void use(Link& link, double weight, const Flow& flow);
  double widest_open(const Link& link) const;
  void drop(Link& link);

  SpanPool<Share> pool_;
  std::vector<double> weights_;  // by WeightId
  WeightId last_weight_ = 0;     ///< that was asked for; they come in runs
  std::vector<Flow> flows_;
  std::vector<FlowId> free_;
  std::vector<FlowId> removed_;  ///< since the last solve()
  std::vector<LinkId> left_;     ///< likewise, by any of them
  std::vector<Link> links_;
  std::vector<LinkId> modified_;      ///< kNoLink where one was taken out
  std::vector<std::uint32_t> place_;  ///< of each link in modified_; dense, as marking asks for
                                      ///< little else
  std::vector<Visit> visits_;
  std::vector<Candidate> candidates_;
  std::vector<LinkId> saturated_links_;
  std::vector<FlowId> saturated_flows_;
  std::vector<FlowId> solved_;
  double level_ = -1;  ///< the lowest of the candidates'; -1: none
  std::uint32_t marking_ = 1;
  std::uint64_t work_ = 0, solved_flows_ = 0;
};

}  // namespace slackline
