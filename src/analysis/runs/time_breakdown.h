#pragma once

#include <cstdint>

#include "trace/rank_calls.h"

namespace slackline {

/// Where one rank's time goes under the model, ps. The parts add up to the length of the run, for
/// every rank.
struct TimeBreakdown {
  std::int64_t compute = 0;   ///< outside of MPI
  std::int64_t overhead = 0;  ///< o of the rank's own messages
  std::int64_t transfer = 0;  ///< blocked by a message on the network
  std::int64_t wait = 0;      ///< blocked until others are there; an early end

  std::int64_t total() const { return compute + overhead + transfer + wait; }
};

/// Where one rank's time goes in an interval of a run with times, ns. Every moment is in exactly
/// one part, so they add up to the length of the interval, for every rank.
struct RankTime {
  std::int64_t compute = 0;       ///< outside of MPI, on a processor as far as is known
  std::int64_t no_processor = 0;  ///< outside of MPI, ready to compute: others had its processor
  /// Outside of MPI, off the processor of its own accord: sleep, I/O, a device.
  std::int64_t blocked = 0;
  std::int64_t recording = 0;  ///< outside of MPI: the recorder's, as far as its cost is known
  std::int64_t wait = 0;       ///< inside of MPI, for other ranks
  /// Inside of MPI without waiting: moving data and MPI's own work. Where wait states are not
  /// known, waiting is in here, too.
  std::int64_t mpi = 0;
  /// Before the rank left MPI_Init, after it entered MPI_Finalize or after its recording ends.
  std::int64_t outside = 0;

  std::int64_t total() const {
    return compute + no_processor + blocked + recording + wait + mpi + outside;
  }
  RankTime& operator+=(const RankTime& other) {
    compute += other.compute;
    no_processor += other.no_processor;
    blocked += other.blocked;
    recording += other.recording;
    wait += other.wait;
    mpi += other.mpi;
    outside += other.outside;
    return *this;
  }
};

/// In which part of a rank's time a pause lies.
inline std::int64_t& part_of(RankTime& time, PauseKind kind) {
  switch (kind) {
    case PauseKind::in_mpi:
      return time.mpi;
    case PauseKind::no_processor:
      return time.no_processor;
    case PauseKind::recording:
      return time.recording;
    case PauseKind::other:
    case PauseKind::blocked:
      break;
  }
  return time.blocked;
}

}  // namespace slackline
