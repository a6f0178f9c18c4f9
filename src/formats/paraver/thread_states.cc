#include "formats/paraver/thread_states.h"

#include <algorithm>

namespace slackline::paraver {

void ThreadStates::advance(std::int64_t time, bool in_mpi, std::size_t next_call) {
  if (!begun_) {
    begun_ = true;
    start_ = time;
  }
  stop_ = std::max(stop_, time);
  if (undecided_ && time > undecided_->begin) decide(in_mpi, next_call);
}

void ThreadStates::decide(bool in_mpi, std::size_t next_call) {
  if (!undecided_) return;
  const Interval interval = *undecided_;
  undecided_.reset();
  if (in_mpi) return;
  const bool outside = interval.state == kIdle || interval.state == kNotCreated;
  if (outside && next_call == 0 && interval.begin <= start_) {
    start_ = interval.end;
    return;
  }
  const std::int64_t begin =
      pauses_.empty() ? interval.begin : std::max(interval.begin, pauses_.back().end_ns);
  if (begin >= interval.end) return;
  pauses_.push_back({begin, interval.end, static_cast<std::uint32_t>(next_call),
                     unnamed_since_ == interval.begin ? PauseKind::in_mpi : PauseKind::other});
}

void ThreadStates::state(std::int64_t begin, std::int64_t end, std::int64_t state) {
  if (end <= begin) return;
  stop_ = std::max(stop_, end);
  if (!now_ || begin > now_->begin) before_ = now_;
  now_ = Interval{begin, end, state};
  if (state != kRunning) undecided_ = now_;
}

void ThreadStates::enter_mpi(std::int64_t time) {
  if (pauses_.empty() || pauses_.back().end_ns <= time) return;
  Pause& last = pauses_.back();
  last.end_ns = std::max(last.begin_ns, time);
}

bool ThreadStates::computed_before(std::int64_t time) const {
  const std::optional<Interval>& covering = now_ && now_->begin < time ? now_ : before_;
  return !covering || covering->state == kRunning;
}

}  // namespace slackline::paraver
