#pragma once

#include <cstddef>
#include <vector>

#include "sim/sharing/level_queue.h"
#include "sim/sharing/share_groups.h"
#include "sim/sharing/sharing_state.h"

namespace slackline {

/// Computes the rates of dirty flows among others that keep theirs; see progressive_filling.cc.
class ProgressiveFilling {
 public:
  /// Both must outlive it.
  ProgressiveFilling(SharingState& state, ShareGroups& groups) : state_(state), groups_(groups) {}

  /// Gives all dirty flows, and those that lose their bottleneck on the way, their rates:
  /// afterwards all flows in SharingState::dirty are fixed. Dissolves the share groups that it
  /// comes near. Cost: O(E log E) in the shares of these flows and the members of the links that
  /// limit them.
  void run();

 private:
  static constexpr double kNever = LevelQueue::kNever;

  void activate(FlowId flow);
  void activate_share(const SharedFlow& flow, const FlowShare& share);
  void activate_limited(LinkId link);
  bool activate_higher(LinkId link, double level);

  void touch(LinkId link);
  void requeue_touched();
  void requeue(LinkId link);
  double next_queue_level(LinkId link);
  void set_pending(SharedLink& link, bool pending);
  bool has_limited(const SharedLink& link) const { return link.limited > 0 && !link.saturated; }
  bool needs_visit(const SharedLink& link) const;
  double next_level(const SharedLink& link) const;

  void visit(LinkId link, double level);
  void recompute_sums(SharedLink& link);
  bool fix_bounded(LinkId link, double level);
  void saturate(LinkId link, double level);
  void fix(FlowId flow, double rate, LinkId bottleneck);
  void finish();

  SharingState& state_;
  ShareGroups& groups_;
  LevelQueue queue_;  ///< the levels at which this sweep visits links
  std::vector<LinkId> touched_;
  std::size_t active_flows_ = 0, pending_links_ = 0;
};

}  // namespace slackline
