#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/summary/computation_balance.h"
#include "analysis/summary/limits.h"
#include "calls/run_span.h"

namespace slackline {

/// Where ranks do what a loss comes from: by rank, by frame of the program's own code, and when.
struct CausePlaces {
  struct Charge {
    TimeInterval when;  ///< the trace's own time
    double ns;
    std::int32_t rank;
  };
  std::map<std::int32_t, double> by_rank{};  ///< ns
  std::map<FrameId, double> frames{};        ///< ns
  std::vector<Charge> charges{};
  double sum_ns = 0;
  double blocked_ns = 0;     ///< the part of it in which the ranks were blocked outside of MPI
  double late_start_ns = 0;  ///< the part that is a late start

  void add(const Charge& charge);
  /// Ranks that have much more than their even share of `ranks`, most first.
  std::vector<std::int32_t> outstanding(std::size_t ranks) const;
  /// The shortest interval with most of it; `whole` if that is not much shorter.
  TimeInterval interval(const TimeInterval& whole) const;
};

/// The frame with the most, of the function that has the most; 0: none.
FrameId most_of_function(const CallTree& tree, const std::map<FrameId, double>& frames);

/// Finds these places in a run, for code frame by frame: `own_frames` as for LimitLosses. Keeps
/// references.
class CauseFinder {
 public:
  CauseFinder(const LimitInputs& inputs, const GapTimes& gaps, const ComputationBalance& balance,
              const std::vector<FrameId>& own_frames)
      : in_(inputs), gaps_(gaps), balance_(balance), own_(own_frames) {}

  /// What others wait for where computation is not balanced (ComputationBalance::charged()).
  /// O(calls).
  CausePlaces excess(BalanceOf of) const;
  /// What one rank does alone (ComputationBalance::shared_out()). O(calls).
  CausePlaces alone() const;
  /// Whether other ranks, too, do what ranks do in most of these places: the same function of the
  /// program's own, at any time. O(calls).
  bool others_do_it(const CausePlaces& places) const;
  /// What ranks compute while others wait for them: what they do at other times, when the others
  /// work, too, is no cause. Each moment counts once, however many wait. O(waits log waits).
  CausePlaces beside_waits() const;

 private:
  template <class Share, class Visit>
  CausePlaces of_gaps(Share share, Visit visit) const;
  void add_late_starts(CausePlaces& places) const;
  void add_computation(const TimeInterval& t, std::int32_t rank, CausePlaces& places) const;

  const LimitInputs& in_;
  const GapTimes& gaps_;
  const ComputationBalance& balance_;
  const std::vector<FrameId>& own_;
};

}  // namespace slackline
