#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "timing/goal/rank_steps.h"
#include "timing/reduction/contraction.h"
#include "timing/reduction/reduced_graph.h"

namespace slackline {

/// Lets receives find their sends: fills in RankSteps::source_ranks. False, and nothing is of use
/// any more, when some have no partner. O(channels + edges); `threads`: 0 takes all.
bool join_messages(std::vector<RankSteps>& ranks, unsigned threads);

/// Puts the ranks' steps into one reduction (see steps_walk.cc).
class StepsWalk {
 public:
  /// `ranks`, joined, must live on; what they hold is used up.
  explicit StepsWalk(std::vector<RankSteps>& ranks);

  /// Empty when ranks get in each other's way: a graph has to be built. O(edges).
  std::optional<ReducedLogGPS> run();

 private:
  using Core = Contraction<LogGPSForm, ReducedLogGPSWriter>;

  /// How far a rank has come.
  struct Progress {
    std::uint32_t done = 0;       // steps
    std::uint32_t available = 0;  // this many of the next one's edges have a source
    std::size_t edge = 0;         // first of the next one
    bool running = false;         // or waiting for a rank that runs
  };
  struct Run {
    std::uint32_t rank;
    std::uint32_t until;  // steps that are done
  };
  bool follow(std::uint32_t rank);
  bool advance(const Run& run);
  bool make_available(const RankSteps& steps, Progress& progress, std::uint32_t count);
  void evaluate(RankSteps& steps, const Progress& progress, std::uint32_t count);

  std::vector<RankSteps>& ranks_;  // uses: of steps that are done, their values
  std::vector<Progress> progress_;
  std::vector<Run> stack_;
  Run wanted_{};  // what a blocked rank needs
  ReducedLogGPSWriter writer_;
  Core core_;
};

}  // namespace slackline
