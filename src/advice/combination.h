#pragma once

#include <span>

#include "advice/advice.h"
#include "analysis/summary/scenario_runs.h"
#include "trace/samples.h"

namespace slackline {

/// Both changes together. Computation that both shorten is shortened by either in turn.
RunScenario both(RunScenario a, const RunScenario& b);

/// The first proposals together, as many of up to four as gain a hundredth of the run more each, of
/// those whose change is one of the run and that do not change the same thing otherwise. Two passes
/// over the calls for each, and a walk over the run. Empty for fewer than two.
Combination combination(std::span<const Proposal> proposals, ScenarioRuns& runs,
                        const ProgramView& program);

}  // namespace slackline
