#ifndef SLACKLINE_RUNTIME_RECORD_SYNCHRONISE_H
#define SLACKLINE_RUNTIME_RECORD_SYNCHRONISE_H

#include <mpi.h>

#include "trace/wire.h"

namespace slackline::record {

/// Collective over `comm` (MPI_COMM_WORLD, or a duplicate of it): this rank's clock against rank
/// 0's. Ranks of one `host` and `boot_id` (slk_raw_header) that read one clock exchange two
/// messages, others up to 82.
slk_clock_sample measure_clock(const char* host, const char* boot_id, MPI_Comm comm);

}  // namespace slackline::record

#endif
