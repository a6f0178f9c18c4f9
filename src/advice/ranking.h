#pragma once

#include <vector>

#include "advice/hypothesis.h"
#include "calls/call_paths.h"

namespace slackline {

/// A hypothesis and what it gains.
struct EvaluatedHypothesis {
  Hypothesis hypothesis;
  double gain_ns = 0;
};

/// The hypotheses that gain at least `least_ns`, largest gain first, one for each problem: of
/// several about the same problem, the most specific one whose gain is nearly that of the best.
std::vector<EvaluatedHypothesis> ranked(std::vector<EvaluatedHypothesis> all,
                                        const CallPaths& paths, double least_ns);

}  // namespace slackline
