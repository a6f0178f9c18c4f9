// Parts stand in program order: what lies before the first mark, the first mark's own time, what
// lies between it and the next one, and so on. So an interval from one mark to another is a run of
// them, and only the call in which it begins is looked at by itself.

#include "analysis/waits/busy_time.h"

#include <algorithm>
#include <span>
#include <utility>

namespace slackline {

BusyTimeSums::BusyTimeSums(const Trace& trace, const CallActivities& names, std::int32_t rank,
                           const CallSet& marks, std::vector<WaitState> waits,
                           ActivitySums& scratch)
    : calls_(&trace.calls(rank)),
      names_(&names),
      rank_(rank),
      marks_(&marks),
      waits_(std::move(waits)) {
  sum_up(scratch);
}

void BusyTimeSums::sum_up(ActivitySums& sums) {
  const std::size_t marks = marks_->first_of(rank_ + 1) - marks_->first_of(rank_);
  sums.clear();
  std::size_t wait = 0;
  std::int64_t before = calls_->start_ns();
  of_mark_.reserve(marks);
  for (CallIndex call = 0; of_mark_.size() < marks; ++call) {
    const std::int64_t enter = calls_->begin_ns(call);
    const std::int64_t leave = calls_->end_ns(call);
    const CallActivities::OfCall activity = names_->of(rank_, call);
    if (activity.gap == CallActivities::kSeveral) {
      names_->for_gap(rank_, call, [&](ActivityId id, std::int64_t ns) { sums.add(id, ns); });
    } else if (enter > before) {
      sums.add(activity.gap, enter - before);
    }
    before = leave;
    std::int64_t own = leave - enter;
    const auto first_wait = static_cast<std::uint32_t>(wait);
    if (wait < waits_.size() && waits_[wait].call == call) own -= waits_[wait++].wait_ns;
    own = std::max<std::int64_t>(0, own);
    if (marks_->contains(rank_, call)) {
      sums.for_each([this](ActivityId id, std::int64_t ns) { parts_.push_back({ns, id}); });
      sums.clear();
      of_mark_.push_back({static_cast<std::uint32_t>(parts_.size()), first_wait});
      parts_.push_back({own, activity.call});
    } else if (own > 0) {
      sums.add(activity.call, own);
    }
  }
}

void BusyTimeSums::add(std::int64_t from, CallIndex to, std::int64_t since, std::int64_t sign,
                       ActivitySums& sums, std::vector<Waited>* waited) const {
  std::size_t part = 0;
  std::size_t wait = 0;
  if (from >= 0) {
    const auto call = static_cast<CallIndex>(from);
    if (since < calls_->begin_ns(call)) add_gap(call, since, sign, sums);
    wait = mark(call).wait;
    add_call(call, wait, since, sign, sums, waited);
    part = mark(call).part + std::size_t{1};
    if (wait < waits_.size() && waits_[wait].call == call) ++wait;
  } else if (const std::int64_t late = calls_->start_ns() - since; late > 0) {
    sums.add(names_->late_start(), sign * late);
  }
  const Mark& until = mark(to);
  for (; part < until.part; ++part) sums.add(parts_[part].activity, sign * parts_[part].ns);
  if (waited == nullptr) return;
  for (; wait < until.wait; ++wait) waited->push_back({wait, waits_[wait].wait_ns});
}

// The part of the computation before a call after `since`.
void BusyTimeSums::add_gap(CallIndex call, std::int64_t since, std::int64_t sign,
                           ActivitySums& sums) const {
  const std::int64_t begun = call == 0 ? calls_->start_ns() : calls_->end_ns(call - 1);
  std::int64_t skip = since - begun;
  if (skip < 0 && call == 0) sums.add(names_->late_start(), sign * -skip);
  names_->for_gap(rank_, call, [&](ActivityId id, std::int64_t ns) {
    const std::int64_t skipped = std::clamp<std::int64_t>(skip, 0, ns);
    skip -= skipped;
    if (ns > skipped) sums.add(id, sign * (ns - skipped));
  });
}

// The part of a call after `since`; `wait` is its own, or a later call's.
void BusyTimeSums::add_call(CallIndex call, std::size_t wait, std::int64_t since, std::int64_t sign,
                            ActivitySums& sums, std::vector<Waited>* waited) const {
  const std::int64_t enter = calls_->begin_ns(call);
  const std::int64_t begin = std::max(enter, since);
  std::int64_t spent = calls_->end_ns(call) - begin;
  if (wait < waits_.size() && waits_[wait].call == call) {
    const std::int64_t rest = std::max<std::int64_t>(0, enter + waits_[wait].wait_ns - begin);
    spent -= rest;
    if (waited != nullptr && rest > 0) waited->push_back({wait, rest});
  }
  if (spent > 0) sums.add(names_->of(rank_, call).call, sign * spent);
}

}  // namespace slackline
