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

/// By limit.
using LimitParts = std::array<double, kLimits>;

/// What the rank time of the analysed interval is lost to, sums over all ranks. Refers to `inputs`;
/// not to be copied. All are 0 for an interval without length. O(calls + waits).
class LimitLosses {
 public:
  /// `own_frames`: of every frame of the call tree (calls/computation_code.h).
  LimitLosses(const LimitInputs& inputs, const std::vector<FrameId>& own_frames);
  LimitLosses(const LimitLosses&) = delete;
  LimitLosses& operator=(const LimitLosses&) = delete;

  double ns(Limit limit) const { return losses_[static_cast<std::size_t>(limit)]; }
  /// Waiting for ranks that came late, in MPI_Finalize, too; not yet among the losses.
  double waiting_ns() const { return waiting_ns_; }
  /// Counts waiting as lost to what it comes from.
  void add_waiting(const LimitParts& ns);

  /// The losses in MPI calls, excluding waiting for late ranks.
  const std::vector<PlacedLoss>& placed() const { return placed_; }
  /// Which parts of the time of a call without its waiting, `ns`, count for which limit.
  const LimitParts& parts_of(std::int32_t rank, CallIndex call, double ns) const;
  /// The share of a rank's time blocked outside of MPI that all ranks have.
  double common_blocked(std::int32_t rank) const;

  /// Whether a rank's computation is meant for threads, and not only a library that it calls.
  static bool is_hybrid(const RankThreads& rank);
  /// Whether more ranks ran than there are processors.
  bool has_more_ranks() const;
  /// Whether OpenMP had more threads than processors.
  bool has_more_threads() const;

 private:
  /// The part of a call's time that is waiting for late ranks.
  struct CallWait {
    CallIndex call;
    double ns;
  };
  struct CallsOfPlace {
    CallSum sum;
    LimitParts usual{};
    LimitParts exceptional{};
    bool has_exceptional = false;
  };

  double& of(Limit limit) { return losses_[static_cast<std::size_t>(limit)]; }
  double rank_time_ns() const;
  bool oversubscribed() const;
  bool has_finding(std::string_view name) const;
  CallVolume volume_of(std::int32_t rank, CallIndex call) const;
  void sum_up_waits();
  double waiting_in_finalize() const;
  void sum_up_calls();
  void sum_up_rest();
  void add_time_in_calls();
  void place_loss(Limit limit, const LossPlace& place, const CallSum& sum, double ns,
                  std::uint64_t calls);
  void add_threads();

  const LimitInputs& in_;
  const std::vector<FrameId>& own_frames_;
  std::vector<std::vector<CallWait>> waits_;  // of each rank
  std::map<LossPlace, CallsOfPlace> calls_;
  std::vector<PlacedLoss> placed_;
  LimitParts losses_{};
  double waiting_ns_ = 0;
  double waiting_in_finalize_ns_ = 0;
  std::int64_t least_blocked_ns_ = 0;
};

}  // namespace slackline
