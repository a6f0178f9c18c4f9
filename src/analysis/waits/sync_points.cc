// When did two ranks synchronise for the last time?
//
// A message that was there when it was wanted says nothing of who is ahead; a message that was
// waited for does: both sides go on together. So the points are the two sides of each wait, and
// collectives that all members left after the last one had entered. They are kept by rank in
// program order; the last one with a certain partner is found by going back.

#include "analysis/waits/sync_points.h"

#include <algorithm>
#include <limits>

#include "base/parallel.h"

namespace slackline {

SyncPoints::SyncPoints(const Trace& trace, const CallMatching& matching, const WaitStates& waits)
    : trace_(trace),
      matching_(matching),
      is_sync_point_(matching.collectives().size(), 0),
      points_(static_cast<std::size_t>(trace.ranks())),
      calls_(trace) {
  for (std::uint32_t id = 0; id < is_sync_point_.size(); ++id) add_collective(id);
  add_waits(waits);
  parallel_for(points_.size(), [this](std::size_t r) {
    std::ranges::stable_sort(points_[r], {}, &Point::call);
    for (const Point& p : points_[r]) calls_.insert(static_cast<std::int32_t>(r), p.call);
  });
  calls_.number();
  first_.resize(calls_.size());
  parallel_for(points_.size(),
               [this](std::size_t r) { number_points(static_cast<std::int32_t>(r)); });
}

void SyncPoints::number_points(std::int32_t rank) {
  const auto& points = points_[static_cast<std::size_t>(rank)];
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0 && points[i - 1].call == points[i].call) continue;
    first_[calls_.number_of(rank, points[i].call)] = static_cast<std::uint32_t>(i);
  }
}

void SyncPoints::add_waits(const WaitStates& waits) {
  for (const WaitState& w : waits.states) {
    if (w.cause_call == kNoCall || w.cause_rank == w.rank || w.is_spin()) continue;
    if (in_collective(w)) continue;
    const std::int64_t since = std::min(trace_.calls(w.rank).end_ns(w.call),
                                        trace_.calls(w.cause_rank).end_ns(w.cause_call));
    points_[static_cast<std::size_t>(w.rank)].push_back(
        {since, w.call, w.cause_rank, w.cause_call});
    points_[static_cast<std::size_t>(w.cause_rank)].push_back(
        {since, w.cause_call, w.rank, w.call});
  }
}

bool SyncPoints::in_collective(const WaitState& w) const {
  if (w.pattern == WaitPattern::late_sender || w.pattern == WaitPattern::late_receiver) {
    return false;
  }
  bool found = false;
  matching_.for_completions(w.rank, w.call, [&](const CallMatching::Completion& c) {
    found = found ||
            (c.kind == CallMatching::Completion::Kind::collective && is_sync_point_[c.id] != 0);
  });
  return found;
}

void SyncPoints::add_collective(std::uint32_t id) {
  const CollectiveInstance& c = matching_.collective(id);
  const auto members = matching_.members(c);
  if (members.size() < 2) return;
  std::int64_t last_enter = std::numeric_limits<std::int64_t>::min();
  std::int64_t first_exit = std::numeric_limits<std::int64_t>::max();
  for (const CollectiveMember& m : members) {
    if (m.done != m.enter) return;
    last_enter = std::max(last_enter, trace_.calls(m.rank).begin_ns(m.enter));
    first_exit = std::min(first_exit, trace_.calls(m.rank).end_ns(m.done));
  }
  if (last_enter > first_exit && c.operation != Operation::init) return;
  is_sync_point_[id] = 1;
  for (const CollectiveMember& m : members) {
    points_[static_cast<std::size_t>(m.rank)].push_back({first_exit, m.enter, kCollective, id});
  }
}

std::int64_t SyncPoints::partner_call(const Point& p, std::int32_t partner) const {
  if (p.partner == partner) return p.other;
  if (p.partner != kCollective) return -1;
  const CollectiveMember* member = matching_.member(matching_.collective(p.other), partner);
  return member == nullptr ? -1 : std::int64_t{member->enter};
}

LastSyncPoint SyncPoints::last_before(const WaitState& w) const {
  const auto& mine = points_[static_cast<std::size_t>(w.rank)];
  for (std::size_t at = first_[calls_.number_of(w.rank, w.call)]; at-- > 0;) {
    const std::int64_t there = partner_call(mine[at], w.cause_rank);
    if (there >= 0 && there < w.cause_call) return {mine[at].call, there, mine[at].since_ns};
  }
  return {-1, -1, std::min(trace_.calls(w.rank).start_ns(), trace_.calls(w.cause_rank).start_ns())};
}

}  // namespace slackline
