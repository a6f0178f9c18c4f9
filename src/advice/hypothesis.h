#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/summary/limits.h"
#include "analysis/summary/scenario_runs.h"
#include "calls/call_paths.h"
#include "whatif/edit.h"

namespace slackline {

/// What is wrong with a program. Identifiers are part of the JSON.
enum class Problem : std::uint8_t {
  imbalance,    ///< ranks compute differently long, over the run
  variation,    ///< ranks compute differently long, now one, now another
  slow_ranks,   ///< some ranks take longer for everything
  serial,       ///< few ranks do what the others wait for
  outliers,     ///< rare, exceptionally long stretches of computation
  computation,  ///< computation on the critical path
  empty_messages,
  message_volume,
  barriers,
  rendezvous,  ///< sends that wait for their receivers
  collective_algorithm,
  latency,
  bandwidth,
  small_messages,  ///< consecutive ones between the same ranks
  processors,      ///< ranks lack them
  serialisation,   ///< ranks wait for each other in turn
  blocking,        ///< ranks are blocked outside of MPI
  io,
  threads,  ///< of OpenMP, which wait or have nothing to do
};
/// "imbalance", "slow_ranks".
std::string_view identifier(Problem problem);

/// A change that might shorten a run, and why.
struct Hypothesis {
  Problem problem = Problem::imbalance;
  std::string action;  ///< imperative clause: "Balance the computation of assemble over all ranks"
  std::string place;   ///< region, operation or host; empty: the whole program
  PathId path = 0;     ///< the call path of the place; 0: not in a region
  std::int32_t rank = -1;       ///< which rank shows it most; -1: none in particular
  bool each_instance = false;   ///< computation is compared instance by instance, not over the run
  bool of_computation = false;  ///< its edit changes nothing but computation
  /// What the run does otherwise.
  RunScenario change{};
  /// What that gains, where it is known.
  std::optional<LimitGain> gain{};
  /// The same as edits of the program; empty where it cannot be written as such.
  std::vector<Edit> edits{};
  std::string evidence;    ///< a sentence with the numbers it was found by
  std::string assumption;  ///< a clause: what must hold for the gain to be real
};

/// A hypothesis and what it gains; its change has no GapChanges any more.
struct EvaluatedHypothesis {
  Hypothesis hypothesis;
  double gain_ns = 0;
  double certain_ns = 0;  ///< whether or not ranks have processors of their own
  double low_ns = 0;      ///< error bar
  double high_ns = 0;
};

/// The hypotheses that gain at least `least_ns`, largest gain first, one for each problem: of
/// several about the same problem, the most specific one whose gain is nearly that of the best.
std::vector<EvaluatedHypothesis> ranked(std::vector<EvaluatedHypothesis> all,
                                        const CallPaths& paths, double least_ns);

}  // namespace slackline
