#include "formats/paraver/thread_states.h"

#include <algorithm>
#include <array>

namespace slackline::paraver {
namespace {

struct StateMeaning {
  std::int64_t state;
  PauseKind kind;
};

// By the names that the format's .pcf files have for them. Of each kind the first is the one that
// is written.
constexpr std::array kMeanings{
    StateMeaning{12, PauseKind::blocked},   // I/O
    StateMeaning{9, PauseKind::blocked},    // Blocked
    StateMeaning{0, PauseKind::blocked},    // Idle
    StateMeaning{2, PauseKind::blocked},    // Not created
    StateMeaning{13, PauseKind::in_mpi},    // Group communication
    StateMeaning{3, PauseKind::in_mpi},     // Waiting a message
    StateMeaning{4, PauseKind::in_mpi},     // Blocking send
    StateMeaning{5, PauseKind::in_mpi},     // Synchronization
    StateMeaning{6, PauseKind::in_mpi},     // Test/probe
    StateMeaning{8, PauseKind::in_mpi},     // Wait/waitall
    StateMeaning{10, PauseKind::in_mpi},    // Immediate send
    StateMeaning{11, PauseKind::in_mpi},    // Immediate receive
    StateMeaning{16, PauseKind::in_mpi},    // Send receive
    StateMeaning{25, PauseKind::in_mpi},    // One-sided
    StateMeaning{14, PauseKind::recording}  // Tracing disabled
};
constexpr std::int64_t kOthers = 15;

}  // namespace

// Scheduling and fork/join, "others", memory transfers and whatever else a recorder defines.
PauseKind pause_of(std::int64_t state) {
  const auto* const found = std::ranges::find(kMeanings, state, &StateMeaning::state);
  return found == kMeanings.end() ? PauseKind::other : found->kind;
}

std::int64_t state_of(PauseKind kind) {
  const auto* const found = std::ranges::find(kMeanings, kind, &StateMeaning::kind);
  return found == kMeanings.end() ? kOthers : found->state;
}

void ThreadStates::finish(bool in_mpi, std::size_t next_call) {
  const bool outside =
      undecided_ && (undecided_->state == kIdle || undecided_->state == kNotCreated);
  if (outside && !in_mpi && next_call > 0) {
    stop_ = undecided_->begin;
    undecided_.reset();
  }
  decide(in_mpi, next_call);
}

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
  pauses_.push_back(
      {begin, interval.end, static_cast<std::uint32_t>(next_call),
       unnamed_since_ == interval.begin ? PauseKind::in_mpi : pause_of(interval.state)});
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
