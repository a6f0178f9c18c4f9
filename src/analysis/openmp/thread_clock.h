#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/openmp/openmp_use.h"
#include "calls/run_span.h"
#include "trace/parallel_regions.h"
#include "trace/trace.h"

namespace slackline {

/// A rank's calls of MPI by its main thread.
class MainThreadCalls {
 public:
  /// Keeps a reference. O(calls).
  explicit MainThreadCalls(const RankCalls& calls);
  /// Time in them. Logarithmic, and linear in those of the interval.
  std::int64_t time_ns(const TimeInterval& interval) const;

 private:
  const RankCalls& calls_;
  std::vector<std::size_t> numbers_;
};

/// What threads do in a region of that length, of which the main thread is in MPI for `in_mpi_ns`.
/// `threads`: of the rank, of which the region's team may have fewer.
ThreadTime region_time(std::int64_t length_ns, std::int64_t in_mpi_ns,
                       std::span<const LocationTime> times, std::int64_t threads);

/// How much a rank's threads have worked by any time of the run, as of ThreadTime. A region's parts
/// go on evenly from its begin to its end.
class ThreadClock {
 public:
  /// The rank has as many threads as its largest team in the interval, or in the whole run if there
  /// is none. O(calls + threads of all regions); 32 bytes a region.
  ThreadClock(const RankCalls& calls, const TimeInterval& analysed);

  struct Reading {
    double work_ns = 0;
    double total_ns = 0;  ///< of thread time outside of MPI
  };
  /// `useful_ns`: the main thread's computation by then (RankClock). Logarithmic.
  Reading at(std::int64_t time_ns, double useful_ns) const;
  double threads() const { return threads_; }

 private:
  /// All regions up to one.
  struct Sums {
    double work = 0;
    double total = 0;
    double computed = 0;  // by the main thread
  };
  std::span<const ParallelRegion> regions_;  // one after the other
  std::vector<Sums> until_;                  // before each region, and after the last one
  double threads_ = 1;
};

}  // namespace slackline
