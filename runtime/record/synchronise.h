#ifndef SLACKLINE_RUNTIME_RECORD_SYNCHRONISE_H
#define SLACKLINE_RUNTIME_RECORD_SYNCHRONISE_H

#include <mpi.h>

#include "trace/wire.h"

namespace slackline::record {

/// A communicator of all ranks for the recorder's messages at the job's end; MPI_COMM_NULL where
/// there can be none. To be freed. Collective over MPI_COMM_WORLD, like MPI_Finalize, before which
/// alone it is called: only messages between pairs of ranks are exchanged. (MPI_Comm_dup numbers
/// its own after the program's collectives, and in Open MPI never returns where these differ in
/// number from rank to rank, which a program with such an error does not notice without it.)
MPI_Comm make_private_world();

/// Collective over `comm` (MPI_COMM_WORLD, or a duplicate of it): this rank's clock against rank
/// 0's. Ranks of one `host` and `boot_id` (slk_raw_header) that read one clock exchange two
/// messages, others up to 82.
slk_clock_sample measure_clock(const char* host, const char* boot_id, MPI_Comm comm);

}  // namespace slackline::record

#endif
