#pragma once

#include <cstdint>
#include <vector>

#include "graph/training/moments.h"
#include "training/training_run.h"

namespace slackline {

/// Adds what one rank does to `moments`: its CPU's calls, the begins of its activities, and, where
/// an activity is a collective's, its end. Refers to all arguments.
class RankMoments {
 public:
  /// `in_collective`: by activity; `first_ns`: the run's begin.
  RankMoments(const ProfiledRank& profile, std::uint32_t rank,
              const std::vector<bool>& in_collective, std::int64_t first_ns, Moments& moments);

  std::uint32_t start() const { return start_; }
  std::uint32_t end() const { return end_; }
  std::uint32_t begin_of(std::uint32_t activity) const { return begins_[activity]; }
  /// For activities of collectives only.
  std::uint32_t end_of(std::uint32_t activity) const { return ends_[activity]; }

 private:
  struct Tail {
    std::uint32_t moment = kNoVertex;
    std::int64_t time_ns = 0;
  };

  std::uint32_t add(std::int64_t time_ns, MomentKind kind, std::uint32_t index = 0);
  void find_usual_gaps();
  void add_calls();
  void add_call(std::uint32_t call, std::vector<Tail>& tails);
  void sort_computation();
  void add_activities();
  std::uint32_t input_of(const GpuActivity& collective) const;
  void add_waits(std::uint32_t activity, const std::vector<std::uint32_t>& last);
  void add_synchronisations();
  void add_end();
  /// From the end of `activity` on; `gap_ns` later.
  void after(std::uint32_t activity, std::uint32_t to, std::int64_t gap_ns);
  std::int64_t launched_ns(const GpuActivity& activity) const;

  const ProfiledRank& profile_;
  std::uint32_t rank_;
  const std::vector<bool>& in_collective_;
  std::int64_t first_ns_;
  Moments& moments_;
  std::int64_t launch_ns_ = 0;  // the shortest from a launch to its activity
  std::int64_t gap_ns_ = 0;     // the shortest between activities of a stream
  std::uint32_t start_ = 0;
  std::uint32_t end_ = 0;
  std::vector<std::uint32_t> calls_;    // begins
  std::vector<std::uint32_t> returns_;  // of synchronising calls
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> computing_;  // activities by launch
  std::vector<std::uint32_t> ends_;
  Tail cpu_end_;
};

}  // namespace slackline
