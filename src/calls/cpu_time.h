#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace slackline {

/// Time of all ranks, from leaving MPI_Init on, in pauses outside of MPI: off the processor, or in
/// what the recording says is no computation. 0 where none is known. Linear.
std::int64_t paused_ns(const Trace& trace);

/// The part of the time of all ranks, from MPI_Init to the end, that lies outside of MPI without a
/// processor, as others had it. 0 where that is not known. Linear.
double share_without_processor(const Trace& trace);

/// Takes these pauses out of every rank's time line: the computation between two calls becomes the
/// CPU time in it, and calls keep their lengths. For models and simulations of the program: calls
/// of different ranks no longer lie beside each other as they did. O(calls * log(pauses)).
void remove_pauses(Trace& trace);

}  // namespace slackline
