#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slackline {

/// Where intervals of a model's results come from.
enum class IntervalMethod : std::uint8_t {
  bootstrap,    ///< percentiles over resampled computation; the middle is the median
  runs,         ///< Student's t over several recordings; the middle is the mean
  calibration,  ///< ends of the measured parameters' intervals; the middle is the result
};

/// What a report calls them.
struct IntervalWords {
  std::string_view name;    ///< in JSON, and the section's identifier
  std::string_view middle;  ///< the middle value
  std::string table;
  std::string section;
};
/// `samples`: replicates or runs. `of`: " of the maximum L", or nothing.
IntervalWords words_of(IntervalMethod method, std::size_t samples, std::string_view of = "");

/// A value between the bounds of its 95 % interval. Bounds of values that are all infinite are
/// infinite, too.
struct Interval {
  double low = 0;
  double middle = 0;
  double high = 0;
};

/// The value below which the share `p` of the ascending values lies, by linear interpolation
/// between order statistics. Values may be infinite; at least one.
double percentile(const std::vector<double>& sorted, double p);

/// The percentile interval (Efron 1979) of bootstrap replicates around their median; at least one.
/// Values may be infinite. O(n log n).
Interval percentile_interval(std::vector<double> values);

/// Student's t interval of the mean; at least two values. Values may be infinite: so is the mean
/// then. O(n).
Interval interval_of_mean(const std::vector<double>& values);

}  // namespace slackline
