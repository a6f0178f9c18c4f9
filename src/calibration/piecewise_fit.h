#pragma once

#include <cstdint>
#include <vector>

#include "calibration/robust.h"
#include "calibration/segmentation.h"

namespace slackline {

/// Measurements of one quantity at several message sizes, in rounds: in each round every size was
/// measured once, in random order. A round is what was measured at about the same time, so
/// resampling rounds keeps what disturbs neighbours in time together (block bootstrap, Kuensch
/// 1989).
struct SampleTable {
  std::vector<double> sizes;                ///< bytes, ascending
  std::vector<std::vector<double>> rounds;  ///< values as long as `sizes`; NaN: missing
  /// First round of each process that measured, ascending from 0; empty: one process.
  std::vector<std::size_t> processes{};

  bool empty() const { return sizes.empty() || rounds.empty(); }
};

/// Outlier-free median of every size with the deviation of that median, from `picked` rounds or,
/// when that is empty, all of them. Sizes that were never measured are left out. The relative
/// scatter of single values is smoothed over neighbouring sizes.
std::vector<WeightedPoint> points_of(const SampleTable& samples,
                                     const std::vector<std::size_t>& picked = {});

/// The rounds of each bootstrap replicate: processes are drawn with replacement, and of each of
/// them as many rounds as it has, so that replicates differ as repeated measurements do. The same
/// seed draws the same.
std::vector<std::vector<std::size_t>> bootstrap_rounds(const SampleTable& samples,
                                                       std::size_t replicates, std::uint64_t seed);

/// A size at which the line changes: the first measured one behind the change. The change itself
/// lies between `low` and `high`.
using Breakpoint = Estimate;

struct FittedSegment {
  double from = 0;  ///< smallest and largest measured size in it, bytes
  double to = 0;
  Estimate offset{};  ///< value at size 0, extrapolated
  Estimate slope{};   ///< per byte
};

struct PiecewiseFit {
  std::vector<WeightedPoint> points;
  std::vector<FittedSegment> segments;  ///< in the order of sizes
  std::vector<Breakpoint> breakpoints;  ///< one less than segments

  /// The line of the segment that `size` is in; beyond the measured sizes the first or last one.
  const FittedSegment& segment_at(double size) const;
  double at(double size) const;
};

struct PiecewiseOptions {
  SegmentationOptions segmentation{};
  std::size_t replicates = 400;
  std::uint64_t seed = 1;
};

/// The piecewise linear function of the size behind the samples, with 95 % intervals by the
/// bootstrap over rounds. O(replicates * (samples + segments * sizes^2)).
PiecewiseFit fit_piecewise(const SampleTable& samples, const PiecewiseOptions& options);

}  // namespace slackline
