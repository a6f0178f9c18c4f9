#pragma once

#include <cstdint>
#include <vector>

#include "analysis/efficiency/ideal_replay.h"
#include "trace/trace.h"

namespace slackline {

/// How far a rank's computation and its clock on the ideal network have got by any time of the run.
/// Inside of a call or a computation both go on evenly.
class RankClock {
 public:
  /// Keeps references. O(calls); a quarter of a byte a call.
  RankClock(const RankCalls& calls, const IdealRun& ideal, std::int32_t rank);

  struct Reading {
    double useful_ns = 0;
    double ideal_ns = 0;
  };
  /// Logarithmic.
  Reading at(std::int64_t time_ns) const;

 private:
  static constexpr std::size_t kStride = 32;

  struct Gap {
    std::int64_t begin_ns;
    std::int64_t end_ns;
    double useful_before;
    double useful;
  };

  void keep_gaps();
  double useful_in_gaps(std::int64_t time_ns) const;
  /// Computation until call i begins.
  double useful_until(std::size_t call) const;

  const RankCalls& calls_;
  const IdealRun& ideal_;
  std::int32_t rank_;
  std::vector<double> useful_;  // until every kStride-th call begins
  std::vector<Gap> gaps_;       // of the main thread, where other threads call MPI
};

}  // namespace slackline
