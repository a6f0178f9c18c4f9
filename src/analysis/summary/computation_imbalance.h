#pragma once

#include <cstdint>
#include <optional>

#include "analysis/efficiency/time_shares.h"
#include "calls/call_paths.h"
#include "trace/trace.h"

namespace slackline {

/// A rank that computes longer than the others, and where.
struct ComputationImbalance {
  std::int32_t rank = -1;
  double over_mean = 1;  ///< its computation over the mean of the ranks
  PathId path = 0;       ///< in which it exceeds the mean most
};

/// The rank that computes longest in the analysed interval, if that is at least 1.15 times the mean
/// of two or more ranks; whether others wait for it or the machine hides it does not matter.
/// Constant without one, else O(calls).
std::optional<ComputationImbalance> computation_imbalance(const Trace& trace,
                                                          const CallPaths& paths,
                                                          const TimeShares& shares);

}  // namespace slackline
