#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "calls/blocking_summary.h"
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

inline constexpr std::size_t kMostBlockingCalls = 100;

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
  RankSpread mpi_time_ns;              ///< per rank, main thread in MPI; zero in untimed traces
  RankSpread thread_mpi_time_ns;       ///< per rank, all its other threads in MPI, added up
  RankSpread compute_time_ns;          ///< per rank, time between the main thread's MPI calls
  RankSpread pause_time_ns;            ///< per rank, of that time: pauses (no computation)
  std::array<RankSpread, kPauseKinds> pauses_ns;  ///< the same by PauseKind
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
  std::vector<BlockingSummary> blocking_calls;  ///< the kMostBlockingCalls with most time
  std::int64_t clock_offset_ns = 0;             ///< largest correction of a rank's clock, absolute
  std::int64_t clock_error_ns = 0;              ///< the worst rank's clock is known within this
};

/// One rank's share of it.
struct RankSummary {
  std::array<OperationSummary, kOperationCount> operations{};
  std::vector<RegionSummary> regions;   ///< without names
  std::vector<std::uint64_t> counters;  ///< what each gained while the rank computed
  std::vector<BlockingCalls> blocking_calls;
  std::uint64_t messages = 0;
  std::uint64_t message_bytes = 0;
  std::uint64_t wildcards = 0;
  std::uint64_t started = 0;  ///< persistent collectives, of which MPI_Start is the call
  std::uint64_t started_bytes = 0;
  std::uint64_t openmp_regions = 0;
  std::uint32_t openmp_threads = 1;
  std::uint32_t threads = 0;
  std::int64_t mpi_ns = 0;
  std::int64_t thread_mpi_ns = 0;
  std::int64_t compute_ns = 0;
  std::array<std::int64_t, kPauseKinds> pauses_ns{};  ///< by PauseKind
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
};

/// Finds it from the rank's calls, block by block. Constant memory.
class RankSummarizer {
 public:
  /// Keeps a reference to `job`: the trace, of which no calls are read.
  RankSummarizer(const Trace& job, std::int32_t rank);
  /// The next ones, with their region events.
  void add(const RankCalls& calls);
  /// `details`: the rank's pauses, counters, OpenMP regions and stop, as of all its calls.
  RankSummary take(const RankCalls& details);

 private:
  struct Open {
    std::int64_t since = 0;
    std::uint64_t depth = 0;
  };
  void settle_started(const Call& next);
  void add_regions(const RankCalls& calls);

  const Trace& job_;
  const std::int32_t rank_;
  RankSummary sum_;
  std::vector<Open> open_;       // by region
  std::vector<Call> unsettled_;  // persistent collectives, if MPI_Start follows; without arguments
  std::size_t calls_ = 0;
  bool any_calls_ = false;
  std::int64_t last_end_ns_ = 0;
};

/// Linear in the number of calls; ranks in parallel.
TraceSummary summarize(const Trace& trace);
/// The same of the summaries of all ranks; of `job` no calls are read.
TraceSummary summarize(const Trace& job, std::span<const RankSummary> ranks);

}  // namespace slackline
