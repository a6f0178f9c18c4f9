#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/efficiency/efficiency.h"
#include "analysis/efficiency/rank_clock.h"
#include "analysis/phases/monitor.h"
#include "calls/run_span.h"

namespace slackline {

/// Efficiencies of a run in any interval of its time.
class RunWindows {
 public:
  /// Keeps references; `analysed` in the trace's own time. O(calls).
  RunWindows(const Trace& trace, const IdealRun& ideal, const TimeInterval& analysed);

  /// The factors of the analysed interval, where they are known from its ends: the ideal run's
  /// length is then the difference of its end and begin, and not the mean of the ranks' clocks.
  void set_whole(const EfficiencyFactors& factors) { whole_ = factors; }

  /// In the trace's time.
  std::int64_t start() const { return start_; }
  std::int64_t length() const { return length_; }
  /// The analysed interval, from the start of the run.
  std::int64_t analysed_begin() const { return from_; }
  std::int64_t analysed_end() const { return to_; }

  /// From and to count from the start of the run. O(ranks * log calls).
  WindowEfficiency between(std::int64_t from, std::int64_t to) const;

 private:
  std::vector<RankClock> clocks_;
  std::vector<std::int32_t> ranks_;  // whose clocks these are
  std::optional<EfficiencyFactors> whole_;
  std::int64_t start_ = 0;
  std::int64_t length_ = 0;
  std::int64_t from_ = 0;
  std::int64_t to_ = 0;
};

}  // namespace slackline
