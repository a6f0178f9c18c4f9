#ifndef SLACKLINE_RUNTIME_RECORD_JOB_FOLDER_H
#define SLACKLINE_RUNTIME_RECORD_JOB_FOLDER_H

#include <mpi.h>

#include <cstddef>

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

}  // namespace slackline::record

#endif
