#ifndef SLACKLINE_RUNTIME_RECORD_OPENMP_REGIONS_H
#define SLACKLINE_RUNTIME_RECORD_OPENMP_REGIONS_H

namespace slackline::record {

class Thread;

/// Writes the parallel regions that were added up since the thread's last call. Not while a record
/// is open.
void write_region_sums(Thread& thread);

}  // namespace slackline::record

#endif
