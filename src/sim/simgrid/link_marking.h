#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/sharing/max_min_sharing.h"
#include "sim/simgrid/stale_membership.h"

namespace slackline::simgrid {

/// Which links SimGrid's selective update would have marked as modified at the current simulated
/// time; see link_marking.cc.
class LinkMarking {
 public:
  /// Both must outlive it.
  LinkMarking(const MaxMinSharing& rates, const StaleMembership& membership, std::size_t links);

  void add_flow(FlowId flow);

  /// Forgets the marks of earlier times. `new_flows` start now, in this order. Afterwards
  /// is_needed() tells whether it makes a difference which links are marked; if not, nothing else
  /// may be asked until the next begin().
  void begin(const std::vector<FlowId>& new_flows);
  bool is_needed() const { return needed_; }
  void end() { needed_ = false; }

  /// The flow starts now, so that a round that was left unfinished is not to follow it.
  void exclude_from_round(FlowId flow) { visited_in_[flow] = round_; }
  /// Marks a link and its connected component, unless the link is marked already. May leave the
  /// component unfinished when all targets have been found that it could reach.
  void mark_from(LinkId link);
  /// Marks all that the last mark_from() has left unfinished.
  void finish_round() { follow(true); }

  bool is_marked(LinkId link) const { return marks_[link] >= first_round_; }
  /// Every target is marked, or counts as marked because the component is too large to follow.
  bool all_targets_marked() const { return targets_left_ == 0; }

  /// Stale links that were marked since the list was cleared, or that were noted.
  std::vector<LinkId>& touched_stale() { return touched_stale_; }

 private:
  void add_targets(FlowId flow);
  std::size_t count_reachable() const;
  void follow(bool to_the_end);
  void visit(const std::vector<LinkMember>& members);
  void mark_adjacent_targets();
  bool is_adjacent(LinkId link) const;
  void mark(LinkId link);

  const MaxMinSharing& rates_;
  const StaleMembership& membership_;
  bool needed_ = false;
  std::uint32_t time_ = 1;                 ///< number of the current simulated time
  std::uint32_t round_ = 1;                ///< number of the current round: from one link
  std::uint32_t first_round_ = 1;          ///< of the current simulated time
  std::uint64_t work_ = 0;                 ///< links and members looked at so far
  std::vector<std::uint32_t> marks_;       ///< by link: the last round that marked it
  std::vector<std::uint32_t> target_at_;   ///< by link: the last time at which it was a target
  std::vector<std::uint32_t> visited_in_;  ///< by flow: the last round that followed it
  std::vector<LinkId> targets_;  ///< links that were unmarked targets when the time began; the
                                 ///< stale ones among them only if they are few
  bool few_targets_ = false;
  std::size_t targets_left_ = 0;    ///< that are not marked
  std::size_t reachable_left_ = 0;  ///< of these, as far as known, in this round's component
  std::vector<LinkId> to_visit_;    ///< links that this round has marked
  std::size_t visited_ = 0;         ///< how many of these have been followed
  std::vector<LinkId> touched_stale_;
};

}  // namespace slackline::simgrid
