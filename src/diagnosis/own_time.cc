// Parts stand in program order: what lies before the first mark, the first mark's own time, what
// lies between it and the next one, and so on. So a stretch from one mark to another is a run of
// them, and only the call in which it begins needs a look of its own.

#include "diagnosis/own_time.h"

#include <algorithm>
#include <utility>

namespace slackline {

OwnTime::OwnTime(const Trace& trace, const CallActivities& names, std::int32_t rank,
                 std::vector<CallIndex> marks, std::vector<WaitState> waits)
    : calls_(&trace.calls(rank)),
      names_(&names),
      rank_(rank),
      marks_(std::move(marks)),
      waits_(std::move(waits)) {
  sum_up();
}

void OwnTime::sum_up() {
  if (marks_.empty()) return;
  ActivitySums sums;
  std::size_t wait = 0;
  std::size_t mark = 0;
  std::int64_t before = calls_->start_ns();
  first_.reserve(marks_.size());
  for (CallIndex call = 0; call <= marks_.back(); ++call) {
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
    if (wait < waits_.size() && waits_[wait].call == call) own -= waits_[wait++].wait_ns;
    own = std::max<std::int64_t>(0, own);
    if (call == marks_[mark]) {
      sums.for_each([this](ActivityId id, std::int64_t ns) { parts_.push_back({ns, id}); });
      sums.clear();
      first_.push_back(static_cast<std::uint32_t>(parts_.size()));
      parts_.push_back({own, activity.call});
      ++mark;
    } else if (own > 0) {
      sums.add(activity.call, own);
    }
  }
}

std::size_t OwnTime::mark(CallIndex call) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(marks_, call) - marks_.begin());
}

void OwnTime::add(std::int64_t from, CallIndex to, std::int64_t since, std::int64_t sign,
                  ActivitySums& sums, std::vector<Waited>* waited) const {
  std::size_t part = 0;
  if (from >= 0) {
    const auto call = static_cast<CallIndex>(from);
    add_call(call, since, sign, sums, waited);
    part = first_[mark(call)] + std::size_t{1};
  } else if (const std::int64_t late = calls_->start_ns() - since; late > 0) {
    sums.add(0, sign * late);  // a late start is computation, as everywhere
  }
  for (const std::size_t end = first_[mark(to)]; part < end; ++part) {
    sums.add(parts_[part].activity, sign * parts_[part].ns);
  }
  if (waited == nullptr) return;
  auto next = std::ranges::lower_bound(waits_, from + 1, {},
                                       [](const WaitState& w) { return std::int64_t{w.call}; });
  for (; next != waits_.end() && next->call < to; ++next) {
    waited->push_back({static_cast<std::size_t>(next - waits_.begin()), next->wait_ns});
  }
}

// The part of a call after `since`.
void OwnTime::add_call(CallIndex call, std::int64_t since, std::int64_t sign, ActivitySums& sums,
                       std::vector<Waited>* waited) const {
  const std::int64_t enter = calls_->begin_ns(call);
  const std::int64_t begin = std::max(enter, since);
  std::int64_t spent = calls_->end_ns(call) - begin;
  const auto wait = std::ranges::lower_bound(waits_, call, {}, &WaitState::call);
  if (wait != waits_.end() && wait->call == call) {
    const std::int64_t rest = std::max<std::int64_t>(0, enter + wait->wait_ns - begin);
    spent -= rest;
    if (waited != nullptr && rest > 0) {
      waited->push_back({static_cast<std::size_t>(wait - waits_.begin()), rest});
    }
  }
  if (spent > 0) sums.add(names_->of(rank_, call).call, sign * spent);
}

}  // namespace slackline
