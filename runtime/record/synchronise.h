#ifndef SLACKLINE_RUNTIME_RECORD_SYNCHRONISE_H
#define SLACKLINE_RUNTIME_RECORD_SYNCHRONISE_H

#include <mpi.h>

#include "trace/wire.h"

namespace slackline::record {

/// Collective over `comm` (MPI_COMM_WORLD, or a duplicate of it): this rank's clock against rank
/// 0's.
slk_clock_sample measure_clock(MPI_Comm comm);

}  // namespace slackline::record

#endif
