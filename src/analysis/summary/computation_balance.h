#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/summary/gap_times.h"

namespace slackline {

/// Among which computations of the ranks work is shared out evenly.
enum class BalanceOf : std::uint8_t {
  visits,    ///< those before the k-th call of one operation at one place of the program
  stretches  ///< those between two synchronisations of all ranks
};
inline constexpr std::size_t kBalances = 2;

/// How much longer or shorter the ranks' computations would be if those that work together did the
/// same amount of work each, sums of work staying the same. A rank that does next to nothing,
/// compared with the busiest one, takes no part; what only one rank does is not shared out.
class ComputationBalance {
 public:
  /// Only what lies in the interval of `gaps` changes. O(calls + waits log waits), 20 bytes a call,
  /// 24 a visit and 32 a call that waits.
  explicit ComputationBalance(const GapTimes& gaps);

  /// Times what it takes.
  double factor(BalanceOf of, std::int32_t rank, CallIndex call) const {
    return factors_[static_cast<std::size_t>(of)][static_cast<std::size_t>(rank)][call];
  }
  /// The part of it for which the others wait: the ranks that do most of what they do together,
  /// about equally much, are charged with what they do more than the mean.
  double charged(BalanceOf of, std::int32_t rank, CallIndex call) const {
    return charged_[static_cast<std::size_t>(of)][static_cast<std::size_t>(rank)][call];
  }
  /// Times what it takes if work of few were shared out among all, and nothing else: what at most
  /// half of the ranks do between two synchronisations of all, and one while all others wait.
  double shared_out(std::int32_t rank, CallIndex call) const {
    return shared_out_[static_cast<std::size_t>(rank)][call];
  }

 private:
  using OfCalls = std::vector<std::vector<float>>;  // by rank and call

  void balance_visits(const GapTimes& gaps);
  void balance_stretches(const GapTimes& gaps);
  void share_out(std::int32_t rank, CallIndex call, double part, std::uint32_t workers);

  std::size_t active_ = 0;  // ranks that have calls

  std::array<OfCalls, kBalances> factors_;
  std::array<OfCalls, kBalances> charged_;
  OfCalls shared_out_;
};

}  // namespace slackline
