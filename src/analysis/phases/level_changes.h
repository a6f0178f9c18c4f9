#pragma once

#include <cstddef>
#include <vector>

namespace slackline {

/// Something measured at equal steps (iterations, windows), and how its changes are judged.
struct StepSeries {
  std::vector<double> values;
  /// Smaller changes, in the unit of the values, are ignored; > 0.
  double least_change = 0;
  /// Values are compared by ratio (lengths of computation, whose noise grows with them); else by
  /// difference.
  bool by_ratio = true;
  /// Single steps that are far longer than others are its nature (waiting), and no outliers.
  bool bursty = false;
  /// Series of one group have noise of one kind: what is measured is the same, of other ranks.
  std::size_t group = 0;
};

/// A step at which the level of some series changes.
struct LevelChange {
  std::size_t at = 0;      ///< the first step after the change
  std::size_t series = 0;  ///< the one in which it is clearest
  double before = 0;       ///< level of that series from the change before on
  double after = 0;
  double confidence = 0;  ///< 0.5 to 1: gain of the fit over gain and penalty
};

/// A series that grows or declines steadily over all steps, beside its changes.
struct LevelTrend {
  std::size_t series = 0;
  double first = 0;  ///< level at the first step
  double last = 0;   ///< what the trend alone makes of it at the last one
};

struct LevelAnalysis {
  std::vector<LevelChange> changes;  ///< ascending
  std::vector<LevelTrend> trends;    ///< by series
};

/// Steps of the shortest level that is found; shorter ones are outliers.
inline constexpr std::size_t kShortestLevel = 4;

/// Where the levels of series of equal length change together or alone, and which of them have a
/// trend. Of 1,000 runs without a change fewer than one in 20 yields one. O(series * steps * log
/// steps), and for series with changes up to O(min(steps, 2048)^2).
LevelAnalysis level_changes(const std::vector<StepSeries>& series);

}  // namespace slackline
