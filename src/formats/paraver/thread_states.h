#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace slackline::paraver {

inline constexpr std::int64_t kIdle = 0;
inline constexpr std::int64_t kRunning = 1;
inline constexpr std::int64_t kNotCreated = 2;

/// What a state other than kRunning is where no event of MPI explains it.
PauseKind pause_of(std::int64_t state);
/// The state that stands for a pause; pause_of() of it is the kind, but for no_processor, which the
/// format does not know.
std::int64_t state_of(PauseKind kind);

/// Follows the states of a rank's first thread: when it begins and ends, and which times outside of
/// MPI are no computation. A state's record may stand before or after the event of the same time
/// that explains it, so what a state means is decided when time has gone on.
class ThreadStates {
 public:
  /// To be called with the time of every record of the thread, before anything else is done with
  /// it; `in_mpi` says whether a call of MPI is open, `next_call` is the index of the next one.
  void advance(std::int64_t time, bool in_mpi, std::size_t next_call);
  void state(std::int64_t begin, std::int64_t end, std::int64_t state);
  /// The file has ended. A state of no thread at the end is no part of the run.
  void finish(bool in_mpi, std::size_t next_call);
  /// An MPI call begins: no pause reaches into it.
  void enter_mpi(std::int64_t time);

  /// A call of MPI that no Operation stands for begins: the state that begins with it is one in
  /// MPI.
  void enter_unnamed_mpi(std::int64_t time) { unnamed_since_ = time; }

  /// Was the thread computing just before `time`? True where the trace has no states.
  bool computed_before(std::int64_t time) const;

  std::int64_t start_ns() const { return start_; }
  std::int64_t stop_ns() const { return stop_; }
  const std::vector<Pause>& pauses() const { return pauses_; }

 private:
  struct Interval {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t state;
  };

  void decide(bool in_mpi, std::size_t next_call);

  bool begun_ = false;
  std::int64_t start_ = 0;
  std::int64_t stop_ = 0;
  std::optional<std::int64_t> unnamed_since_;
  std::optional<Interval> now_;
  std::optional<Interval> before_;
  std::optional<Interval> undecided_;
  std::vector<Pause> pauses_;
};

}  // namespace slackline::paraver
