#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/build.h"
#include "trace/trace.h"

namespace slackline::testing {

/// A program with one problem, which its generator knows.
struct PlantedProblem {
  Trace trace{1, false};
  GraphOptions options{};
  /// Identifiers of advice::Problem of which any is right, the obvious one first.
  std::vector<std::string_view> problems{};
  std::string place;       ///< empty: any
  std::int32_t rank = -1;  ///< -1: any
};

/// Number of kinds of problems.
inline constexpr std::uint64_t kPlantedKinds = 13;

/// The `seed`-th program, in which the problem takes at least a tenth of the time: 4 to 33 ranks,
/// 20 to 60 iterations, noise of 1 % on all computation; the kind of problem is seed %
/// kPlantedKinds. Times in which a network of L = 2 us, o = 0.5 us and 10 GB/s is meant.
PlantedProblem planted_problem(std::uint64_t seed);

}  // namespace slackline::testing
