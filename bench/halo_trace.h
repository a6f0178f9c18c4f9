#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace slackline {

/// A timed trace of a LULESH-like code: 27 ranks, each of which exchanges halos with 26 neighbours
/// by nonblocking messages three times a step; then all agree on the time step. Times have the
/// spread of real ones, and nothing is received before it was sent. About 6,400 calls a step.
Trace make_halo_trace(int steps);
/// The same with code regions, of which there are that many: another one begins with each longer
/// computation.
Trace make_halo_trace(int steps, std::uint32_t functions);

}  // namespace slackline
