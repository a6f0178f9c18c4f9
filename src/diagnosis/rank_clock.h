#pragma once

#include <cstdint>
#include <vector>

#include "diagnosis/ideal_replay.h"
#include "trace/trace.h"

namespace slackline {

/// How far a rank's computation and its clock on the ideal network have got by any time of the run.
/// Inside of a call or a computation both go on evenly.
class RankClock {
 public:
  RankClock(const RankCalls& calls, const IdealRun& ideal, std::int32_t rank);

  struct Reading {
    double useful_ns = 0;
    double ideal_ns = 0;
  };
  /// Logarithmic.
  Reading at(std::int64_t time_ns) const;

 private:
  std::vector<std::int64_t> time_;  // begins and ends of calls, ascending
  std::vector<double> useful_;
  std::vector<double> ideal_;
};

}  // namespace slackline
