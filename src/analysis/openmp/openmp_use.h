#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/runs/time_breakdown.h"
#include "calls/run_span.h"
#include "report/report.h"
#include "report/rows.h"
#include "trace/trace.h"

namespace slackline {

/// Thread time outside of MPI, ns: the sum over the threads of one or more ranks. The parts add up
/// to it.
struct ThreadTime {
  std::int64_t work = 0;             ///< of the serial part, and in regions outside of barriers
  std::int64_t serial_idle = 0;      ///< threads that are in no team while their rank is not in MPI
  std::int64_t imbalance = 0;        ///< at barriers, as the teams' threads work unequally long
  std::int64_t synchronisation = 0;  ///< other waiting at barriers; begin and end of regions

  std::int64_t total() const { return work + serial_idle + imbalance + synchronisation; }
  std::int64_t idle() const { return total() - work; }
  ThreadTime& operator+=(const ThreadTime& other) {
    work += other.work;
    serial_idle += other.serial_idle;
    imbalance += other.imbalance;
    synchronisation += other.synchronisation;
    return *this;
  }
};

/// What one location of a rank did in the parallel regions.
struct LocationUse {
  std::int64_t work_ns = 0;     ///< outside of barriers and of MPI
  std::int64_t waiting_ns = 0;  ///< at barriers
  std::int64_t idle_ns = 0;     ///< in its team, but not begun yet
};

struct RankThreads {
  /// The rank's computation outside of regions, without pauses, as far as it is known where these
  /// were.
  std::int64_t serial_ns = 0;
  std::int64_t parallel_ns = 0;  ///< the regions' length, without calls of MPI inside of them
  ThreadTime time;
  /// As many as its largest team in the interval has threads, or in the whole run if there is none.
  std::vector<LocationUse> locations;
};

/// The regions of one place in the program.
struct RegionUse {
  FrameId frame = 0;  ///< of the program's own function; 0: not known
  std::string code;   ///< the same for people; empty: not known
  std::uint64_t instances = 0;
  std::uint32_t most_threads = 0;
  std::int64_t length_ns = 0;  ///< of all ranks, without MPI
  ThreadTime time;
  std::int64_t waiting_ns = 0;  ///< at barriers
  /// The location that works longest where most of that waiting is, if it is the same for most of
  /// it, and the rank if it is most on one; and how long it works there against the team's mean.
  std::optional<LocationId> late_location{};
  std::optional<std::int32_t> late_rank{};
  double late_work = 0;
};

/// OpenMP in the analysed interval of a run.
struct OpenMPUse {
  std::int64_t length_ns = 0;      ///< of the interval
  std::vector<RankThreads> ranks;  ///< of those without calls all is 0
  std::vector<RegionUse> regions;  ///< most idle thread time first
  std::uint64_t threads = 0;       ///< of all ranks that have calls
  ThreadTime time;                 ///< of all ranks
};

/// POP's model of hybrid programs in two levels: hybrid = mpi x openmp. Fractions of thread time;
/// `openmp` is above 1 at most by rounding.
struct HybridFactors {
  double hybrid = 0;
  double mpi = 0;  ///< thread time outside of MPI
  double mpi_load_balance = 0;
  double mpi_communication = 0;
  double openmp = 0;  ///< of that: work. The product of the next three
  double serial = 0;
  double load_balance = 0;
  double synchronisation = 0;
};
HybridFactors factors(const OpenMPUse& use);

/// `ranks` are those of measured_rank() for that interval. Nothing for a trace without parallel
/// regions. Regions that reach over an end of the interval count with the part inside. O(threads
/// of all regions + calls).
std::optional<OpenMPUse> openmp_use(const Trace& trace, const TimeInterval& analysed,
                                    std::span<const RankTime> ranks);

/// The factors, the ranks and threads, and the places of the regions.
Section openmp_section(const OpenMPUse& use);
extern const Rows<OpenMPUse> kOpenMPRows;

}  // namespace slackline
