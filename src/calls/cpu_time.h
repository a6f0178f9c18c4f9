#pragma once

#include <cstdint>

#include "calls/run_part.h"
#include "trace/trace.h"

namespace slackline {

/// Times of all ranks, from leaving MPI_Init on.
struct OffComputation {
  std::int64_t paused_ns = 0;             ///< as paused_ns()
  std::int64_t recording_ns = 0;          ///< as recording_ns()
  std::int64_t between_calls_ns = 0;      ///< as between_calls_ns()
  std::int64_t without_processor_ns = 0;  ///< in between_calls_ns, as others had it

  OffComputation& operator+=(const OffComputation& o);
};
/// What counts in that part of a run. Linear.
OffComputation off_computation(const Trace& trace, const RunPart& part = {});

/// Time of all ranks, from leaving MPI_Init on, outside of MPI: without a processor, in what the
/// recording says is no computation, and in the recorder. 0 where none is known. Linear.
std::int64_t paused_ns(const Trace& trace);

/// The part of it in the recorder, as far as its cost is known.
std::int64_t recording_ns(const Trace& trace);

/// Time of all ranks, from leaving MPI_Init on, between calls of MPI. Like the two above, the same
/// for a program without the times of its calls. Linear.
std::int64_t between_calls_ns(const Trace& trace);

/// The part of it without a processor, as others had it. 0 where that is not known. Linear.
double share_without_processor(const Trace& trace);

/// The trace with the time of paused_ns() taken out of every rank's time line: the computation
/// between two calls becomes the CPU time in it, and calls keep their lengths. For models and
/// simulations of the program: calls of different ranks no longer lie beside each other as they
/// did. O(calls * log(pauses)).
Trace without_pauses(Trace trace);

/// The trace with only the time of recording_ns() taken out.
Trace without_recording(Trace trace);

}  // namespace slackline
