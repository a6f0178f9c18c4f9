#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "analysis/summary/call_sum.h"
#include "analysis/summary/limits.h"

namespace slackline {

/// A share of the rank time: less lack of processors says nothing about the other losses.
inline constexpr double kManyWithoutProcessor = 0.1;

/// Where MPI time is lost: in calls of one operation in one function of the program's own.
struct LossPlace {
  Operation operation;
  FrameId frame;
  auto operator<=>(const LossPlace&) const = default;
};

/// The limit that time in calls counts for, and where it was.
struct PlacedLoss {
  Limit limit;
  LossPlace place;
  const CallSum* sum;
  double ns;
  std::uint64_t calls;  ///< of the sum that are counted
};

/// What the rank time of the analysed interval is lost to, sums over all ranks. Refers to `inputs`;
/// not to be copied. All are 0 for an interval without length. O(calls + waits).
class LimitLosses {
 public:
  /// `own_frames`: of every frame of the call tree (calls/computation_code.h).
  LimitLosses(const LimitInputs& inputs, const std::vector<FrameId>& own_frames);
  LimitLosses(const LimitLosses&) = delete;
  LimitLosses& operator=(const LimitLosses&) = delete;

  double ns(Limit limit) const { return losses_[static_cast<std::size_t>(limit)]; }
  /// The losses in MPI calls, excluding waiting for late ranks.
  const std::vector<PlacedLoss>& placed() const { return placed_; }
  /// The part of Limit::processors that is waiting for ranks without a processor.
  double processors_waiting_ns() const { return processors_waiting_ns_; }
  /// Imbalance of CPU time that lack of processors hides: counted as imbalance.
  double hidden_imbalance_ns() const { return hidden_imbalance_ns_; }
  /// Whether more ranks ran than there are processors.
  bool has_more_ranks() const;
  /// Whether OpenMP had more threads than processors.
  bool has_more_threads() const;
  /// The rank with most CPU time of computation.
  std::int32_t busiest_rank() const;

 private:
  /// The part of a call's time that is waiting for late ranks.
  struct CallWait {
    CallIndex call;
    double ns;
  };

  double& of(Limit limit) { return losses_[static_cast<std::size_t>(limit)]; }
  double rank_time_ns() const;
  bool oversubscribed() const;
  bool has_finding(std::string_view name) const;
  CallVolume volume_of(std::int32_t rank, CallIndex call) const;
  void sum_up_waits();
  void sum_up_calls(const std::vector<FrameId>& own_frames);
  void sum_up_rest();
  void add_time_in_calls();
  void place_loss(Limit limit, const LossPlace& place, const CallSum& sum, double ns,
                  std::uint64_t calls);
  std::vector<std::int64_t> computed_before_meeting() const;
  void find_hidden_imbalance();
  static bool is_hybrid(const RankThreads& rank);
  void add_threads();

  const LimitInputs& in_;
  std::vector<std::vector<CallWait>> waits_;  // of each rank
  std::map<LossPlace, CallSum> calls_;
  std::vector<PlacedLoss> placed_;
  std::array<double, kLimits> losses_{};
  double processors_waiting_ns_ = 0;
  double hidden_imbalance_ns_ = 0;
};

}  // namespace slackline
