// Which links SimGrid's selective update marks as modified, as far as that matters.
//
// The problem: marking a link marks its connected component: all links that share a flow with it,
// and so on. On a large platform nearly everything is connected, so that following all marks costs
// more than the rates.
//
// The idea: it matters only for a few links whether they are marked, the targets: links that could
// be full, and that flows which start together use, or that are stale. So marking ends as soon as
// all targets are found.
//
// Marking goes in rounds, each from one link that is not marked yet. Targets are mostly near that
// link, but among hundreds of others: so a round also looks back from them, whether they are
// adjacent to what it has marked already. No round can reach targets that only flows lead to which
// start later; a round that has found all others is left unfinished, until a link is asked for
// that it may have reached. Flows that start meanwhile are not part of it.
//
// There can be thousands of stale links, so that a simulated time only counts them, and looks at
// those that are marked or that flows leave.
//
// Cost: nothing where flows start one at a time; else up to the links and flows of the connected
// components, but no more than kMostLinks links a time: where a component is larger, the rest
// counts as marked. After kMostWork links and members in all, every link does: from then on no flow
// is pending anywhere, and the cost follows what changes, on however many links.

#include "sim/simgrid/link_marking.h"

#include <algorithm>
#include <bit>

namespace slackline::simgrid {
namespace {

constexpr std::size_t kMostLinks = 8192;
constexpr std::uint64_t kMostWork = 20'000'000;
// A round looks back from at most this many targets, and at this many flows of each.
constexpr std::size_t kMostTargets = 32;
constexpr std::size_t kMostLookedBack = 8;

}  // namespace

LinkMarking::LinkMarking(const MaxMinSharing& rates, const StaleMembership& membership,
                         std::size_t links)
    : rates_(rates), membership_(membership), marks_(links), target_at_(links) {}

void LinkMarking::add_flow(FlowId flow) {
  if (flow >= visited_in_.size()) visited_in_.resize(flow + 1);
}

/// All links of the new flow but the first, which its start marks in any case.
void LinkMarking::add_targets(FlowId flow) {
  const auto shares = rates_.shares(flow);
  for (std::size_t i = 1; i < shares.size(); ++i) {
    const LinkId link = shares[i].link;
    if (target_at_[link] == time_ || membership_.is_stale(link) || !rates_.can_fill(link)) continue;
    target_at_[link] = time_;
    targets_.push_back(link);
  }
}

void LinkMarking::begin(const std::vector<FlowId>& new_flows) {
  ++time_;
  first_round_ = ++round_;
  to_visit_.clear();
  targets_.clear();
  visited_ = 0;
  for (std::size_t i = 1; i < new_flows.size(); ++i) add_targets(new_flows[i]);
  const std::vector<LinkId>& stale = membership_.stale();
  targets_left_ = targets_.size() + stale.size();
  few_targets_ = targets_left_ <= kMostTargets;
  if (few_targets_) targets_.insert(targets_.end(), stale.begin(), stale.end());
  needed_ = targets_left_ > 0 && work_ < kMostWork;
}

void LinkMarking::mark_from(LinkId first) {
  if (is_marked(first)) return;
  follow(true);
  if (is_marked(first) || targets_left_ == 0) return;
  ++round_;
  to_visit_.clear();
  visited_ = reachable_left_ = 0;
  mark(first);
  reachable_left_ = count_reachable();
  follow(false);
}

/// Targets that are not marked and that any flow uses.
std::size_t LinkMarking::count_reachable() const {
  if (!few_targets_) return targets_left_;
  return static_cast<std::size_t>(std::ranges::count_if(targets_, [&](LinkId id) {
    return !is_marked(id) && rates_.members(id).size() + membership_.pending(id).size() > 0;
  }));
}

/// Continues the round, until all targets that it may reach are marked or to the end.
void LinkMarking::follow(bool to_the_end) {
  while (visited_ < to_visit_.size() && targets_left_ > 0) {
    if (!to_the_end && reachable_left_ == 0 && visited_ > 0) return;
    const LinkId link = to_visit_[visited_++];
    const auto& members = rates_.members(link);
    const auto& pending = membership_.pending(link);
    work_ += 1 + members.size() + pending.size();
    visit(members);
    visit(pending);
    if (std::has_single_bit(visited_)) mark_adjacent_targets();
    if (visited_ > kMostLinks) targets_left_ = 0;
  }
}

void LinkMarking::visit(const std::vector<LinkMember>& members) {
  for (const LinkMember& m : members) {
    if (visited_in_[m.flow] == round_) continue;
    visited_in_[m.flow] = round_;
    for (const FlowShare& share : rates_.shares(m.flow)) {
      if (!is_marked(share.link)) mark(share.link);
    }
  }
}

/// Marks the targets that share a flow with a link that this round has marked.
void LinkMarking::mark_adjacent_targets() {
  if (!few_targets_) return;
  for (const LinkId id : targets_) {
    if (!is_marked(id) && is_adjacent(id)) mark(id);
  }
}

bool LinkMarking::is_adjacent(LinkId link) const {
  for (const auto* list : {&rates_.members(link), &membership_.pending(link)}) {
    const std::size_t looked_at = std::min(list->size(), kMostLookedBack);
    for (std::size_t i = 0; i < looked_at; ++i) {
      const FlowId flow = (*list)[i].flow;
      if (visited_in_[flow] == round_) continue;
      if (std::ranges::any_of(rates_.shares(flow), [&](const FlowShare& share) {
            return marks_[share.link] == round_;
          })) {
        return true;
      }
    }
  }
  return false;
}

/// Marks a link that is not marked.
void LinkMarking::mark(LinkId id) {
  marks_[id] = round_;
  to_visit_.push_back(id);
  if (membership_.is_stale(id)) {
    touched_stale_.push_back(id);
  } else if (target_at_[id] != time_) {
    return;
  }
  --targets_left_;
  if (reachable_left_ > 0) --reachable_left_;
}

}  // namespace slackline::simgrid
