#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace slackline {

/// A random order, the same with every standard library.
void shuffle(std::vector<double>& values, std::mt19937_64& random);

/// Where a series changes its level.
struct ChangePoint {
  std::size_t at = 0;  ///< index of the first value after the change
  double before = 0;   ///< median of the stretch before
  double after = 0;    ///< median of the stretch after
  double p = 1;        ///< of the test that found it
};

/// On each side of a change there are at least this many values.
inline constexpr std::size_t kLeastStretch = 4;

/// The most likely change of a series, with the probability that one without a change (whose values
/// are exchangeable: in any order as likely) shows one as clear. p = 1 for fewer than twice
/// kLeastStretch values, and where all are equal. The statistic is the largest standardised rank
/// sum (Mann and Whitney 1947) over all places, which outliers do not move much; its distribution
/// is found by `permutations` random orders, always the same ones. O(n log n + permutations * n).
ChangePoint strongest_change(std::span<const double> values, std::size_t permutations = 9999);

/// The changes of each series, at an error rate over all of them: the probability of any where none
/// of the series changes (Holm 1979). It does not bound further changes where one has changed.
/// Where a series changes, the stretches before and after are searched in the same way (binary
/// segmentation, Scott and Knott 1974), at the level at which the first change was found. A change
/// that was undone is found where it held for half of the series or so: a shorter one hardly
/// separates the values on either side of any place.
std::vector<std::vector<ChangePoint>> change_points(const std::vector<std::vector<double>>& series,
                                                    double error_rate,
                                                    std::size_t permutations = 9999);

/// The least number of values, no two of them equal, in which change_points() of that many series
/// finds a change, if all after the middle are larger than those before. 0: it finds none in
/// however many, as the permutations are too few for that many series.
std::size_t least_values(std::size_t series, double error_rate, std::size_t permutations = 9999);

}  // namespace slackline
