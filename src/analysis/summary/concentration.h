#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/efficiency/time_shares.h"
#include "analysis/efficiency/time_windows.h"
#include "calls/call_paths.h"
#include "trace/trace.h"

namespace slackline {

/// What an interval of time loses. Pieces follow each other without holes.
struct LossPiece {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  double loss;
};

/// Consecutive pieces that lose much more than their part of the time.
struct LossStretch {
  double share = 0;  ///< of all losses
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  bool from_start = false;  ///< begins with the first piece
  bool to_end = false;      ///< ends with the last one
};

/// The pieces whose share of the loss exceeds their share of the time most; nothing where the loss
/// is spread evenly. O(pieces).
std::optional<LossStretch> concentrated(const std::vector<LossPiece>& pieces);
/// The same of the analysed interval, whose equal parts lose what `windows` has.
std::optional<LossStretch> concentration(const TimeShares& shares, const TimeWindows& windows);

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
