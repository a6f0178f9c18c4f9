#ifndef SLACKLINE_RUNTIME_RECORD_JOB_ANALYSIS_H
#define SLACKLINE_RUNTIME_RECORD_JOB_ANALYSIS_H

#include <cstdint>

#include "engine_process.h"

namespace slackline::record {

/// `slackline record --analyse`: before MPI_Finalize, rank 0 starts slackline itself as a process
/// beside it, which analyses the finished recordings of all ranks, while these sleep, on the
/// processors of all ranks on its host. Where a report on the run as a whole would take longer, or
/// more memory, than it may, several ranks do so, up to one for each processor of the ranks: these
/// processes share what is known of stretches of the run, and exchange bytes through the ranks.
/// Whatever becomes of them, MPI_Finalize follows.
///
/// What they are asked for comes from the environment of rank 0:
///   SLACKLINE_ANALYSE           sections of the report, separated by commas; nothing without
///   SLACKLINE_ANALYSE_MEASURED  those among them that processes share; none: one process has all
///   SLACKLINE_ANALYSE_PROGRAM   path of slackline
///   SLACKLINE_ANALYSE_REPORT    name of the report's file, in the job's folder
///   SLACKLINE_ANALYSE_LIMITS    "SHARE SECONDS BYTES": it is ended after that share of the
///                               run, but not before this many seconds, and all on a host get no
///                               more memory than that; with 0 bytes half of what the host has left

/// Collective over MPI_COMM_WORLD: rank 0's environment counts.
void agree_on_analysis(int rank);

/// Whether all ranks will call analyse_job().
bool analysis_wanted();

/// What a rank knows of the run that has ended.
struct RecordedRun {
  const char* directory;  ///< the job's folder
  int rank;
  std::uint64_t run_ns;
  std::uint64_t calls;  ///< of this rank
};

/// Collective over `comm`, the recorder's own of all ranks, after the recordings are finished and
/// before PMPI_Finalize. Costs are left in raw/analysis.costs, messages in raw/analysis.log.
void analyse_job(const RecordedRun& run, const RanksHost& host, MPI_Comm comm);

}  // namespace slackline::record

#endif
