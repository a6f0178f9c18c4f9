#ifndef SLACKLINE_RUNTIME_RECORD_OPENMP_REGIONS_H
#define SLACKLINE_RUNTIME_RECORD_OPENMP_REGIONS_H

#include "trace/wire.h"

namespace slackline::record {

class Thread;

/// Writes the parallel regions that were added up since the thread's last call. Not while a record
/// is open.
void write_region_sums(Thread& thread);

/// Writes into the header which threads OpenMP's runtimes have started so far, and whether one of
/// them tells of its regions.
void note_openmp_threads(slk_raw_header& header);

}  // namespace slackline::record

#endif
