// The rates of SimGrid's lazy update: which links get to know a flow late.
//
// The problem: SimGrid (network/optim:Lazy, its default) solves for marked links only. A message
// that leaves marks all links that it will use; a flow that starts to transfer, or ends, marks its
// first link; and marking a link marks its whole connected component. But a link that is marked
// already is not followed again. So of several flows that start at one simulated time, the later
// ones may find their first link marked, and their start is never propagated to their other links:
// until something marks those, they limit the flow as if it were not there. The resulting rates are
// part of what SimGrid predicts, and differ from the max-min point where such a link is full.
// (SimGrid 4.1, src/kernel/lmm, the selective update; doc/decisions/0005.)
//
// The idea: what SimGrid computes is the exact max-min point of the flows as each link knows them.
// So only the time at which a link gets to know a flow has to be found; MaxMinSharing does the
// rest, as a flow joins its links one by one. Until then the flow is pending at the link: it
// connects links, for marking, but takes no share.
//
// Marks are only followed when it matters: when flows start together, or are pending from before,
// on a link that could be full (link_marking.cc). Elsewhere it makes no difference, and new flows
// join at once.
//
// A link at which flows stay pending beyond the simulated time at which they started is stale: it
// is a target of marking at every time, until it is marked or cannot be full any more.

#include "sim/simgrid/lazy_sharing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slackline::simgrid {
namespace {

constexpr SharingQuirks kLazyQuirks{.unbounded_without_window = true, .newest_ends_first = true};
// A flow with this many times the capacity of its narrowest link as its bound is limited by links
// only.
constexpr double kNoBound = 4;
// What SelectiveSharing looks at for each flow and solve(), if all flows are connected; and the
// factor by which that may be wrong.
constexpr std::uint64_t kSharesPerFlow = 8;
constexpr std::uint64_t kUncertainty = 4;

}  // namespace

LazySharing::LazySharing(const LinkView& links, MaxMinSharing::Options options,
                         WorkAllowance allowance)
    : BandwidthSharing(kLazyQuirks),
      rates_(links, options),
      membership_(links.count()),
      marking_(rates_, membership_, links.count()),
      allowance_(allowance) {}

template <class Shares>
double LazySharing::finite_bound(const Shares& shares, double bound) const {
  if (!std::isinf(bound)) return bound;
  for (const auto& share : shares) {
    if (share.weight >= 1) bound = std::min(bound, kNoBound * rates_.capacity(share.link));
  }
  return bound;
}

void LazySharing::change(FlowId flow, double penalty, double bound) {
  rates_.change(flow, penalty, finite_bound(rates_.shares(flow), bound));
}

FlowId LazySharing::create(std::span<const LinkShare> shares, double penalty, double bound) {
  const FlowId id = rates_.create(shares, penalty, finite_bound(shares, bound));
  membership_.add_flow(id);
  marking_.add_flow(id);
  if (id >= started_.size()) started_.resize(id + 1);
  started_[id] = 0;
  return id;
}

/// The flows that start at this simulated time are marked in their order, before anything else that
/// happens at it.
void LazySharing::begin_time() {
  if (time_begun_) return;
  time_begun_ = true;
  if (new_flows_.empty() && membership_.stale().empty()) return;
  marking_.begin(new_flows_);
  if (!marking_.is_needed()) return;
  for (const FlowId id : new_flows_) {
    marking_.exclude_from_round(id);
    const auto shares = rates_.shares(id);
    for (std::uint32_t i = 0; i < shares.size(); ++i) membership_.add_pending(id, i, shares[i]);
    if (!shares.empty()) marking_.mark_from(shares[0].link);
  }
}

void LazySharing::announce(FlowId id, bool /*starts_now*/) {
  begin_time();
  if (!marking_.is_needed()) return;
  for (const FlowShare& share : rates_.shares(id)) marking_.mark_from(share.link);
}

void LazySharing::start(FlowId id) {
  ++flows_;
  rates_.start_unjoined(id);
  new_flows_.push_back(id);
}

FlowId LazySharing::add(std::span<const LinkShare> shares, double penalty, double bound) {
  const FlowId id = create(shares, penalty, bound);
  start(id);
  return id;
}

void LazySharing::remove(FlowId id) {
  --flows_;
  begin_time();
  const auto shares = rates_.shares(id);
  if (marking_.is_needed() && !shares.empty()) {
    marking_.finish_round();
    marking_.mark_from(shares[0].link);
  }
  for (std::uint32_t i = 0; i < shares.size(); ++i) {
    if (membership_.is_stale(shares[i].link)) marking_.touched_stale().push_back(shares[i].link);
    if (!shares[i].joined()) membership_.remove_pending(id, i, shares[i]);
  }
  rates_.remove(id);
}

SharingChanges LazySharing::solve() {
  ++solves_;
  selective_work_ += kSharesPerFlow * flows_;
  propagate_starts();
  return rates_.solve();
}

void LazySharing::propagate_starts() {
  begin_time();
  time_begun_ = false;
  if (new_flows_.empty() && membership_.stale().empty()) return;
  const bool all = !marking_.is_needed() || marking_.all_targets_marked();
  if (!marking_.is_needed() && membership_.stale().empty()) return join_all_new();
  marking_.end();
  find_late_flows(all);
  for (const FlowId id : new_flows_) rates_.mark_dirty(id);
  for (const FlowId id : new_flows_) propagate(id, all);
  for (const FlowId id : late_flows_) propagate(id, all);
  for (std::size_t i = 0; i < new_flows_.size(); ++i) {
    if (membership_.is_pending(new_flows_[i])) stay_pending(new_flows_[i], i);
  }
  new_flows_.clear();
  for (const LinkId id : marking_.touched_stale()) membership_.refresh(id);
  marking_.touched_stale().clear();
}

void LazySharing::join_all_new() {
  for (const FlowId id : new_flows_) {
    const std::size_t shares = rates_.shares(id).size();
    for (std::uint32_t i = 0; i < shares; ++i) rates_.join(id, i);
    rates_.mark_dirty(id);
  }
  new_flows_.clear();
}

/// Flows that started earlier and that some link gets to know now: from those of the latest time to
/// those of the earliest, and in their order within a time.
void LazySharing::find_late_flows(bool all) {
  std::vector<LinkId>& links = marking_.touched_stale();
  if (all) links = membership_.stale();
  late_flows_.clear();
  for (const LinkId id : links) {
    if (!all && !marking_.is_marked(id) && rates_.can_fill(id)) continue;
    for (const LinkMember& m : membership_.pending(id)) {
      if (started_[m.flow] != 0) late_flows_.push_back(m.flow);
    }
  }
  std::ranges::sort(late_flows_, [&](FlowId a, FlowId b) { return started_[a] > started_[b]; });
  const auto repeated = std::ranges::unique(late_flows_);
  late_flows_.erase(repeated.begin(), repeated.end());
}

/// The flow joins those of its links that are marked, or for which it makes no difference.
void LazySharing::propagate(FlowId id, bool all) {
  const auto shares = rates_.shares(id);
  for (std::uint32_t i = 0; i < shares.size(); ++i) {
    if (shares[i].joined()) continue;
    if (!all && !marking_.is_marked(shares[i].link) && rates_.can_fill(shares[i].link)) continue;
    membership_.remove_pending(id, i, shares[i]);
    rates_.join(id, i);
    rates_.mark_dirty(id);
  }
}

/// Some links of the new flow do not know of it beyond this simulated time.
void LazySharing::stay_pending(FlowId id, std::size_t place) {
  started_[id] = std::uint64_t{solves_} << 32 | (~static_cast<std::uint32_t>(place));
  for (const FlowShare& share : rates_.shares(id)) {
    if (!share.joined()) membership_.make_stale(share.link);
  }
}

bool LazySharing::selective_is_affordable() const {
  return selective_work_ <= kUncertainty * allowance_.after(solves_);
}

}  // namespace slackline::simgrid
