#pragma once

#include <functional>
#include <span>

#include "advice/hypothesis.h"
#include "advice/program_profile.h"
#include "analysis/model/model_choice.h"
#include "analysis/summary/scenario_runs.h"
#include "trace/samples.h"

namespace slackline {

// What each function finds is worth evaluating, no more: a hypothesis is judged by the run time
// that it leads to.

/// Takes hypotheses as they are found: their scenarios are as large as the run.
using TakeHypothesis = std::function<void(Hypothesis)>;

/// About the computation of regions, ranks and hosts: balance it, even out its variation, speed up
/// slow ranks, divide what few ranks do, remove outliers, compute less. A few for each of the
/// regions with most computation; a pass over the calls for each of these.
void computation_hypotheses(const ProgramView& program, const CallPaths& paths,
                            const ProgramProfile& profile, const TakeHypothesis& take);

/// How the computation before each call changes by an edit of those functions. A pass over the
/// calls.
GapChanges gap_changes(const Edit& edit, const ProgramView& program);

/// About messages and collectives: without empty messages and barriers, calls merged, no waiting
/// for receivers, other collective algorithms under the model. A pass over the calls for each.
void communication_hypotheses(ScenarioRuns& runs, const ProgramProfile& profile,
                              const ModelChoice& choice, const TakeHypothesis& take);

/// About what limits the run, and half of what the network takes.
void limit_hypotheses(ScenarioRuns& runs, std::span<const LimitingCause> limits,
                      const TakeHypothesis& take);

}  // namespace slackline
