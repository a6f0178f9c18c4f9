#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "calls/call_paths.h"
#include "trace/trace.h"

namespace slackline {

/// A loop of one rank: calls that repeat.
struct RankLoop {
  /// The first call of each iteration and, last, the one after the loop; ascending.
  std::vector<std::uint32_t> first_call;
  /// Which kinds of calls each iteration makes: equal numbers, equal kinds.
  std::vector<std::uint64_t> structure;
  std::vector<std::int64_t> border_ns{};  ///< iteration_begin_ns() of each of `first_call`

  std::size_t count() const { return structure.size(); }
  auto carried() { return std::tie(first_call, structure, border_ns); }
};

inline constexpr std::size_t kFewestIterations = 4;
/// A share of the rank's time.
inline constexpr double kShortestLoop = 0.1;

/// The loops of a rank between MPI_Init and MPI_Finalize, in program order; they do not overlap.
/// Those of fewer than kFewestIterations or of less than `shortest` of the rank's time are
/// excluded. An iteration is the shortest repetition that makes most of the kinds of calls that
/// occur in the loop: a time step, and neither the solver's loop inside of it nor the ten steps
/// between two outputs. O(calls).
std::vector<RankLoop> rank_loops(const Trace& trace, const CallPaths& paths, std::int32_t rank,
                                 double shortest = kShortestLoop);

/// A loop of the program: iterations that most ranks make together.
struct IterationLoop {
  std::size_t count = 0;
  /// Per rank as RankLoop::first_call; empty where a rank does not make these iterations.
  std::vector<std::vector<std::uint32_t>> first_call;
  /// When each iteration begins, and when the last one ends: the median of the ranks, in the
  /// trace's time. An iteration begins with the computation before its first call.
  std::vector<std::int64_t> border_ns;
  /// Iterations at which the sequence of calls changes for good; ascending.
  std::vector<std::size_t> structure_changes;

  std::int64_t length_ns() const { return border_ns.back() - border_ns.front(); }
  /// The median length of an iteration.
  double period_ns() const;
};

/// The loops of a timed trace, in order of time. Empty where fewer than half of the ranks agree on
/// them. O(calls).
std::vector<IterationLoop> find_iterations(const Trace& trace, const CallPaths& paths,
                                           double shortest = kShortestLoop);
/// The same from the loops of each rank and the number of its calls. O(iterations of all ranks).
std::vector<IterationLoop> find_iterations(std::vector<std::vector<RankLoop>> of_ranks,
                                           std::span<const std::uint64_t> calls);

/// When the rank's iteration `k` begins: where the call before its first one ends. Before the first
/// iteration lies what comes before the loop, of which it gets no more computation than others
/// begin with.
std::int64_t iteration_begin_ns(const RankCalls& calls, const std::vector<std::uint32_t>& first,
                                std::size_t k);

/// Calls of one kind that follow each other.
struct CallRun {
  std::uint32_t kind;
  std::uint32_t first_call;
};

/// A rank's calls as a sequence of kinds, numbered from 0 in order of appearance.
struct CallRuns {
  std::vector<CallRun> runs;
  std::uint32_t kinds = 0;
  std::uint32_t end_call = 0;  ///< one after the last call
};

/// What distinguishes kinds of calls.
enum class CallDistinction : std::uint8_t {
  by_partner,  ///< operation, regions and call path, communicator, partner and power of two of the
               ///< size
  by_operation,  ///< operation, regions and call path
};

/// The calls between MPI_Init and MPI_Finalize. Unsuccessful tests and probes are left out, as how
/// many there are is chance. O(calls).
CallRuns call_runs(const Trace& trace, const CallPaths& paths, std::int32_t rank,
                   CallDistinction distinction);

}  // namespace slackline
