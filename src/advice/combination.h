#pragma once

#include <span>

#include "advice/advice.h"
#include "analysis/summary/scenario_runs.h"
#include "trace/samples.h"

namespace slackline {

/// Both changes together. Computation that both shorten is shortened by either in turn.
RunScenario both(RunScenario a, const RunScenario& b);

/// Those of the first four proposals together that gain a hundredth of the run more each; of those
/// whose change is one of the run, and of one change of calls at most. Two passes over the calls
/// for each, and up to three walks over the run. Empty for fewer than two.
Combination combination(std::span<const Proposal> proposals, ScenarioRuns& runs,
                        const ProgramView& program);

}  // namespace slackline
