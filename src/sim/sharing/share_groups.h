#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/sharing/sharing_state.h"

namespace slackline {

/// Share groups: the flows that one link limits, with one level for all of them; see
/// share_groups.cc.
class ShareGroups {
 public:
  /// `state` must outlive it. Without `enabled` no group is ever formed.
  ShareGroups(SharingState& state, bool enabled) : state_(state), enabled_(enabled) {}

  /// Before a sweep: new flows that fit into a group join it, and groups whose flows have changed
  /// get other levels or are dissolved. Cost: O(shares of these flows).
  void update();
  /// Takes a flow that ends out of its group. Cost: O(shares).
  void leave(SharedFlow& flow);
  /// The group's flows have rates of their own again. Cost: O(shares of all of them).
  [[gnu::noinline]] void dissolve(LinkId link);

  /// A link that a sweep has saturated, for form() to consider.
  void add_candidate(LinkId link) {
    if (enabled_) candidates_.push_back(link);
  }
  /// After a sweep: forms groups where candidates limit many flows.
  void form();

  /// Adds the flows of groups that were dissolved since update() to SharingState::changed.
  void report_dissolved();
  /// Groups that were formed or got other levels since update().
  std::span<const LinkId> moved() const { return moved_; }

 private:
  void try_group(LinkId link);
  bool add_members(LinkId link, double ceiling);
  bool join(FlowId flow);
  bool move(LinkId link);
  void add_load_elsewhere(const SharedFlow& flow, LinkId group, double rate);
  bool fits(const SharedFlow& flow, LinkId group, double ceiling) const;
  bool leaves_room(const SharedFlow& flow, LinkId group) const;

  SharingState& state_;
  const bool enabled_;
  std::size_t groups_ = 0;
  std::vector<LinkId> candidates_, moved_;
  std::vector<FlowId> dissolved_;
};

}  // namespace slackline
