#pragma once

#include <cstdint>
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

  std::size_t count() const { return structure.size(); }
};

inline constexpr std::size_t kFewestIterations = 4;

/// The loops of a rank between MPI_Init and MPI_Finalize, in program order; they do not overlap.
/// Loops of fewer than kFewestIterations and of less than a tenth of the rank's time are left out.
/// An iteration is the shortest repetition that makes most of the kinds of calls that occur in the
/// loop: a time step, and neither the solver's loop inside of it nor the ten steps between two
/// outputs. O(calls).
std::vector<RankLoop> rank_loops(const Trace& trace, const CallPaths& paths, std::int32_t rank);

}  // namespace slackline
