#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/call_paths.h"
#include "calls/rank_loops.h"
#include "trace/trace.h"

namespace slackline {

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
std::vector<IterationLoop> find_iterations(const Trace& trace, const CallPaths& paths);

/// When the rank's iteration `k` begins: where the call before its first one ends. Before the first
/// iteration lies what comes before the loop, of which it gets no more computation than others
/// begin with.
std::int64_t iteration_begin_ns(const RankCalls& calls, const std::vector<std::uint32_t>& first,
                                std::size_t k);

}  // namespace slackline
