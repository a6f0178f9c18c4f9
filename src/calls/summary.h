#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace slackline {

/// One operation over all ranks. A test or probe that was repeated in vain counts once per attempt,
/// with the time inside MPI only.
struct OperationSummary {
  Operation operation;
  std::uint64_t calls = 0;
  std::int64_t time_ns = 0;
  std::uint64_t bytes = 0;  ///< sum of Call::bytes; of a sendrecv the sent ones
};

/// The range of one quantity over the ranks that are present.
struct RankSpread {
  double min = 0;
  double mean = 0;
  double max = 0;
  std::int32_t min_rank = 0;
  std::int32_t max_rank = 0;
};

/// A user region over all ranks.
struct RegionSummary {
  std::string name;
  std::uint64_t visits = 0;
  std::int64_t time_ns = 0;  ///< from entering to leaving, summed over visits and ranks
};

/// A hardware counter over the ranks.
struct CounterSummary {
  std::string name;
  RankSpread gained;  ///< per rank, while it computed
};

struct TraceSummary {
  std::int32_t ranks = 0;
  std::int32_t present_ranks = 0;
  std::int32_t unfinalized_ranks = 0;  ///< of those present
  std::int32_t hosts = 0;              ///< distinct known names
  std::uint32_t threads = 0;           ///< most threads that called MPI in one rank
  std::uint64_t openmp_regions = 0;    ///< parallel regions, each instance counted
  std::uint32_t openmp_threads = 1;    ///< of the largest team
  std::uint64_t calls = 0;             ///< repeated tests and probes counted one by one
  std::int64_t duration_ns = 0;        ///< first begin (or start) to last end (or stop) of any rank
  RankSpread mpi_time_ns;              ///< per rank, time inside MPI; zero in untimed traces
  RankSpread compute_time_ns;          ///< per rank, time between MPI calls
  RankSpread pause_time_ns;            ///< per rank, of that time: pauses (no computation)
  std::vector<OperationSummary> operations;  ///< those that occur, most time first, then most calls
  std::uint64_t messages = 0;                ///< point to point, counted where they are sent
  std::uint64_t message_bytes = 0;
  std::uint64_t collectives = 0;  ///< calls, so each collective counts once per rank
  std::uint64_t collective_bytes = 0;
  std::uint64_t one_sided = 0;
  std::uint64_t wildcards = 0;         ///< receives and probes with ANY_SOURCE or ANY_TAG
  std::uint64_t communicators = 0;     ///< beyond MPI_COMM_WORLD and MPI_COMM_SELF
  std::vector<RegionSummary> regions;  ///< in the trace's order
  std::vector<CounterSummary> counters;
  std::int64_t clock_offset_ns = 0;  ///< largest correction of a rank's clock, absolute
  std::int64_t clock_error_ns = 0;   ///< the worst rank's clock is known within this
};

/// Linear in the number of calls; ranks in parallel.
TraceSummary summarize(const Trace& trace);

}  // namespace slackline
