#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace slackline::simgrid {

/// How many shares SelectiveSharing may look at before LazySharing takes over. The allowance is
/// divided by the hosts, as the connected components that it looks at grow with them (it is worth a
/// tenth of a second on 60 hosts), and grows a little with every solve().
class WorkAllowance {
 public:
  explicit WorkAllowance(std::uint32_t hosts) : fixed_(kFixed / std::max(hosts, 1U)) {}
  static WorkAllowance unlimited() { return WorkAllowance(); }

  /// The allowance after that many calls of solve().
  std::uint64_t after(std::uint64_t solves) const { return fixed_ + kPerSolve * solves; }

 private:
  static constexpr std::uint64_t kFixed = 2'500'000'000;
  static constexpr std::uint64_t kPerSolve = 1000;

  WorkAllowance() : fixed_(std::numeric_limits<std::uint64_t>::max() / 8) {}

  std::uint64_t fixed_;
};

}  // namespace slackline::simgrid
