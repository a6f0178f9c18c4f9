#pragma once

#include <cstdint>
#include <vector>

namespace slackline {

/// x_from - x_to <= most.
struct DifferenceConstraint {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double most = 0;
};

/// The values that one variable may have.
struct FeasibleInterval {
  double low = 0;   ///< -infinity where nothing bounds it
  double high = 0;  ///< infinity likewise
};

/// A system of difference constraints over variables 0 to `count` - 1, by shortest paths (Bellman
/// and Ford; Yen's alternating sweeps). Constraints on integers are handled exactly up to 2^53. A
/// sweep is linear in the constraints; there are few unless the system has no solution, at most
/// `count` + 1.
class DifferenceSystem {
 public:
  DifferenceSystem(std::size_t count, std::vector<DifferenceConstraint> constraints);

  /// What the constraints leave each variable where x_reference = 0; empty when they contradict
  /// each other. A variable that no chain of constraints joins to the reference is free.
  std::vector<FeasibleInterval> intervals(std::uint32_t reference) const;

  /// Integers near `target` that satisfy the constraints, which must be of integers: halfway
  /// between the largest solution below the target and the smallest above it. Empty as above.
  std::vector<std::int64_t> solution_near(const std::vector<double>& target) const;

 private:
  bool relax_highs(std::vector<double>& x) const;
  bool relax_lows(std::vector<double>& x) const;

  std::size_t count_;
  std::vector<DifferenceConstraint> constraints_;
};

}  // namespace slackline
