// Which flows SimGrid's lazy update overlooks, and until when.
//
// The problem: SimGrid (network/optim:Lazy, its default) solves for marked links only. A message
// that begins marks all links it will use; a flow that starts to transfer, or ends, marks its first
// link; and marking a link marks all that hang together with it by flows. But a link that is marked
// already is not followed again. So of several flows that start at one date, the later ones may
// find their first link marked, and their other links are never told: until something marks those,
// they hold back the flow as if it were not there. The resulting rates are part of what SimGrid
// predicts, and differ from the max-min point where such a link is full.
//
// The idea: what SimGrid computes is the exact max-min point of the flows as each link knows them.
// So only the moment at which a link gets to know a flow has to be found out; the incremental
// solution stays as it is. A flow that a link does not know of yet is in its list of overlooked
// ones: it connects, for marking, but takes no share.
//
// Marking is only followed when it matters: when flows start together, or are overlooked from
// before, on a link that could be full. It ends as soon as all such links are found. Elsewhere
// being known or not makes no difference, and new flows join at once.
//
// Marking goes in rounds, each from one link, which nothing has marked yet. Links that are looked
// for mostly are near, but among hundreds: so a round also looks back from them whether they hang
// together with what it has marked already. Where only flows lead that start later, no round can
// come: a round that has found all others is left unfinished, until somebody asks for a link that
// it may have come to. Flows that start meanwhile are none of its business.
//
// A link that overlooks a flow beyond the date at which it started is behind: it is looked for at
// every date, until it is marked or cannot be full any more. There can be thousands of these, so
// that a date only counts them, and looks at those that are marked or that flows leave.
//
// Cost: nothing where flows start one at a time; else up to the links and flows that hang together,
// but no more than kMostLinks of them a date: where more hang together, the rest is taken for
// marked. After kMostWork of them in all, everything is: from then on no flow is overlooked, and
// cost follows what changes, on however many links.

#include <algorithm>
#include <bit>

#include "sim/bandwidth_sharing.h"

namespace slackline {
namespace {

constexpr std::size_t kMostLinks = 8192;
constexpr std::uint64_t kMostWork = 20'000'000;
// From so many links at most a round looks back, and at so many of each link's flows.
constexpr std::size_t kMostWanted = 32;
constexpr std::size_t kMostLookedBack = 8;

}  // namespace

void BandwidthSharing::overlook(FlowId id, std::uint32_t share) {
  ++flows_[id].overlooked;
  links_[flows_[id].shares[share].link].overlooked.push_back(
      {id, share, flows_[id].shares[share].weight});
}

void BandwidthSharing::forget(FlowId id, std::uint32_t share) {
  Flow& flow = flows_[id];
  if (flow.overlooked == 0) return;
  auto& list = links_[flow.shares[share].link].overlooked;
  list.erase(std::ranges::find(list, Member{id, share, flow.shares[share].weight}));
  --flow.overlooked;
}

/// Notes the new flow's links but the first that could be full.
void BandwidthSharing::look_for(FlowId id) {
  const Flow& flow = flows_[id];
  for (std::size_t i = 1; i < flow.shares.size(); ++i) {
    LinkState& link = links_[flow.shares[i].link];
    if (link.wanted == date_ || is_behind(link) || !can_fill(link)) continue;
    link.wanted = date_;
    wanted_.push_back(flow.shares[i].link);
  }
}

/// The link overlooks flows beyond this date, and is looked for until it knows all of its flows.
void BandwidthSharing::fall_behind(LinkId id) {
  LinkState& link = links_[id];
  if (is_behind(link)) return;
  link.wanted = kBehind;
  link.behind = static_cast<std::uint32_t>(behind_.size());
  behind_.push_back(id);
}

void BandwidthSharing::catch_up(LinkId id) {
  LinkState& link = links_[id];
  if (!is_behind(link) || !link.overlooked.empty()) return;
  links_[behind_.back()].behind = link.behind;
  behind_[link.behind] = behind_.back();
  behind_.pop_back();
  link.wanted = 0;
}

/// The flows that start at this date, in their order, before anything else happens at it.
void BandwidthSharing::admit() {
  if (admitted_) return;
  admitted_ = true;
  if (new_flows_.empty() && behind_.empty()) return;
  ++date_;
  first_round_ = ++round_;
  to_visit_.clear();
  wanted_.clear();
  visited_ = 0;
  for (std::size_t i = 1; i < new_flows_.size(); ++i) look_for(new_flows_[i]);
  looked_for_ = wanted_.size() + behind_.size();
  few_wanted_ = looked_for_ <= kMostWanted;
  if (few_wanted_) wanted_.insert(wanted_.end(), behind_.begin(), behind_.end());
  marking_ = looked_for_ > 0 && marked_ < kMostWork;
  if (!marking_) return;
  for (const FlowId id : new_flows_) {
    flows_[id].visit = round_;  // an unfinished round is not to follow it
    const auto shares = static_cast<std::uint32_t>(flows_[id].shares.size());
    for (std::uint32_t i = 0; i < shares; ++i) overlook(id, i);
    if (shares > 0) mark_from(flows_[id].shares[0].link);
  }
}

/// Marks a link that nothing has marked yet, and what hangs together with it.
void BandwidthSharing::mark_from(LinkId first) {
  if (is_marked(first)) return;
  follow(true);
  if (is_marked(first) || looked_for_ == 0) return;
  ++round_;
  to_visit_.clear();
  visited_ = awaited_ = 0;
  mark(first);
  awaited_ = count_awaited();
  follow(false);
}

/// Links that are looked for and that the round may come to.
std::size_t BandwidthSharing::count_awaited() const {
  if (!few_wanted_) return looked_for_;
  return static_cast<std::size_t>(std::ranges::count_if(wanted_, [&](LinkId id) {
    const LinkState& link = links_[id];
    return !is_marked(id) && link.members.size() + link.overlooked.size() > 0;
  }));
}

/// Goes on with the round: until all links that are awaited are marked, or to the end.
void BandwidthSharing::follow(bool to_the_end) {
  while (visited_ < to_visit_.size() && looked_for_ > 0) {
    if (!to_the_end && awaited_ == 0 && visited_ > 0) return;
    const LinkState& link = links_[to_visit_[visited_++]];
    marked_ += 1 + link.members.size() + link.overlooked.size();
    visit(link.members);
    visit(link.overlooked);
    if (std::has_single_bit(visited_)) meet();
    if (visited_ > kMostLinks) looked_for_ = 0;
  }
}

void BandwidthSharing::visit(const std::vector<Member>& members) {
  for (const Member& m : members) {
    Flow& flow = flows_[m.flow];
    if (flow.visit == round_) continue;
    flow.visit = round_;
    for (const Share& share : flow.shares) {
      if (!is_marked(share.link)) mark(share.link);
    }
  }
}

/// Marks the links that are looked for and hang together with a link that this round has marked.
void BandwidthSharing::meet() {
  if (!few_wanted_) return;
  for (const LinkId id : wanted_) {
    if (!is_marked(id) && hangs_on_marked(links_[id])) mark(id);
  }
}

bool BandwidthSharing::hangs_on_marked(const LinkState& link) const {
  for (const auto* list : {&link.members, &link.overlooked}) {
    const std::size_t looked_at = std::min(list->size(), kMostLookedBack);
    for (std::size_t i = 0; i < looked_at; ++i) {
      const Flow& flow = flows_[(*list)[i].flow];
      if (flow.visit == round_) continue;
      if (std::ranges::any_of(flow.shares,
                              [&](const Share& share) { return marks_[share.link] == round_; })) {
        return true;
      }
    }
  }
  return false;
}

/// A link that is not marked.
void BandwidthSharing::mark(LinkId id) {
  const LinkState& link = links_[id];
  marks_[id] = round_;
  to_visit_.push_back(id);
  if (is_behind(link)) {
    to_tell_.push_back(id);
  } else if (link.wanted != date_) {
    return;
  }
  --looked_for_;
  if (awaited_ > 0) --awaited_;
}

void BandwidthSharing::announce(FlowId id) {
  if (!ways_.lazy) return;
  admit();
  if (!marking_) return;
  for (const Share& share : flows_[id].shares) mark_from(share.link);
}

/// A flow that ends.
void BandwidthSharing::notice(FlowId id) {
  admit();
  if (!marking_ || flows_[id].shares.empty()) return;
  follow(true);
  mark_from(flows_[id].shares[0].link);
}

/// Flows of earlier dates that some link gets to know now: from those of the latest date to those
/// of the earliest, and in their order within a date.
void BandwidthSharing::find_to_tell(bool all) {
  if (all) to_tell_ = behind_;
  told_.clear();
  for (const LinkId id : to_tell_) {
    const LinkState& link = links_[id];
    if (!all && !is_marked(id) && can_fill(link)) continue;
    for (const Member& m : link.overlooked) {
      if (flows_[m.flow].since != 0) told_.push_back(m.flow);
    }
  }
  const auto before = [&](FlowId a, FlowId b) { return flows_[a].since > flows_[b].since; };
  std::ranges::sort(told_, before);
  const auto twice = std::ranges::unique(told_);
  told_.erase(twice.begin(), twice.end());
}

/// Those of the flow's links get to know it that are marked, or for which it makes no difference.
void BandwidthSharing::tell(FlowId id, bool all) {
  const auto shares = static_cast<std::uint32_t>(flows_[id].shares.size());
  for (std::uint32_t i = 0; i < shares; ++i) {
    const LinkId link = flows_[id].shares[i].link;
    if (flows_[id].shares[i].place != kOutside) continue;
    if (!all && !is_marked(link) && can_fill(link)) continue;
    forget(id, i);
    join(id, i);
    activate(id);
  }
}

/// Some links of the new flow do not know of it beyond this date; `place` is the flow's among those
/// of the date.
void BandwidthSharing::stay_overlooked(FlowId id, std::size_t place) {
  flows_[id].since = std::uint64_t{date_} << 32 | (~static_cast<std::uint32_t>(place));
  for (const Share& share : flows_[id].shares) {
    if (share.place == kOutside) fall_behind(share.link);
  }
}

void BandwidthSharing::finish_marking() {
  admit();
  admitted_ = false;
  if (new_flows_.empty() && behind_.empty()) return;
  const bool all = !marking_ || looked_for_ == 0;
  if (!marking_ && behind_.empty()) {
    for (const FlowId id : new_flows_) {
      for (std::uint32_t i = 0; i < flows_[id].shares.size(); ++i) join(id, i);
      activate(id);
    }
    return new_flows_.clear();
  }
  marking_ = false;
  find_to_tell(all);
  for (const FlowId id : new_flows_) activate(id);
  for (const FlowId id : new_flows_) tell(id, all);
  for (const FlowId id : told_) tell(id, all);
  for (std::size_t i = 0; i < new_flows_.size(); ++i) {
    if (flows_[new_flows_[i]].overlooked > 0) stay_overlooked(new_flows_[i], i);
  }
  new_flows_.clear();
  for (const LinkId id : to_tell_) catch_up(id);
  to_tell_.clear();
}

}  // namespace slackline
