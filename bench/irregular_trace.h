#pragma once

#include "trace/trace.h"

namespace slackline {

/// A timed trace as applications leave them that do not run in lockstep: 64 ranks in a grid, each
/// on its own computation with a heavy tail and a lasting imbalance; code regions; halos of
/// nonblocking messages whose sizes have a heavy tail; shifts by sendrecv; results collected by
/// MPI_ANY_SOURCE, and collectives, on a communicator for each row and each column; every tenth
/// step a collective of all. Nothing is received before it was sent. About 900 calls a step.
Trace make_irregular_trace(int steps);

}  // namespace slackline
