#ifndef SLACKLINE_RUNTIME_RECORD_JOB_START_H
#define SLACKLINE_RUNTIME_RECORD_JOB_START_H

#include <mpi.h>

#include <cstddef>

#include "trace/wire.h"

namespace slackline::record {

/// One command may start several jobs with the same SLACKLINE_DIR, one after the other or at once.
/// The first one records into DIR/raw, the others into DIR/job-2/raw and so on, and worlds that
/// MPI_Comm_spawn has started into DIR/spawned-1/raw and so on. Collective over `comm`: rank 0
/// claims a folder by making it. `directory` (of `capacity` bytes) is DIR, and then the folder
/// whose raw/ is to be used.
void choose_job_folder(char* directory, std::size_t capacity, int rank, MPI_Comm comm);

/// mkdir -p of `directory` and of its raw/; that they exist is fine.
void make_raw_folder(const char* directory);

/// Leaves an empty file that tells `slackline record` why a rank is not recorded.
void note_failure(const char* directory, int rank, int error);

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
