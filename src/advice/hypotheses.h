#pragma once

#include <functional>
#include <vector>

#include "advice/hypothesis.h"
#include "advice/program_profile.h"
#include "analysis/model/model_choice.h"
#include "trace/samples.h"

namespace slackline {

// What each function finds is worth evaluating, no more: a hypothesis is judged by the run time
// that the model gives it.

/// About the computation of regions, ranks and hosts: balance it, even out its variation, speed up
/// slow ranks, divide what few ranks do, remove outliers, compute less. A few for each of the
/// regions with most computation; a pass over the calls for each of these.
std::vector<Hypothesis> computation_hypotheses(const ProgramView& program, const CallPaths& paths,
                                               const ProgramProfile& profile);

/// What the critical path has of the network.
struct PathUse {
  std::int64_t latencies = 0;  ///< crossings of the network in sequence
  std::int64_t bytes = 0;      ///< transferred in sequence
  /// Could smaller messages gain enough? Not if infinite bandwidth does not.
  bool may_gain_by_volume = true;
  /// Could any other algorithm for this collective gain enough? Not if its removal does not.
  std::function<bool(Operation)> may_gain_by_algorithm{};
};

/// About messages, collectives and the network: without empty messages and barriers, smaller
/// messages, no rendezvous, other collective algorithms, half the latency, twice the bandwidth.
std::vector<Hypothesis> communication_hypotheses(const ProgramProfile& profile,
                                                 const ModelChoice& choice, const PathUse& path);

}  // namespace slackline
