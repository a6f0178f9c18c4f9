#pragma once

#include <span>

#include "advice/advice.h"
#include "analysis/runs/scheduled_calls.h"
#include "analysis/summary/diagnosis.h"
#include "calls/causal_order.h"
#include "graph/build.h"
#include "timing/model_schedule.h"

namespace slackline::testing {

/// Advice on a run that has times.
inline Advice advice_on_run(const Trace& run, const Samples& samples, const ModelChoice& choice,
                            const AdviceOptions& options) {
  Advice advice;
  const CallMatching matching(run);
  const CausalOrder order(run, matching);
  DiagnosisOptions diagnosis{.samples = &samples};
  diagnosis.limited = [&](ScenarioRuns& runs, std::span<const LimitingCause> limits) {
    advice = advise(runs, limits, samples, choice, options);
  };
  diagnose(run, CallPaths(run), matching, order, wait_states(run, matching, order, {}), diagnosis);
  return advice;
}

/// The program as it runs under a model.
inline Trace predicted_run(const Trace& program, const ModelChoice& choice) {
  const ExecutionGraph graph = build_graph(program, choice.graph);
  return modelled_trace(program, graph, model_schedule(graph, picosecond_cost(graph, choice)));
}

/// Advice on it.
inline Advice advice_on_program(const Trace& program, const Samples& samples,
                                const ModelChoice& choice, const AdviceOptions& options) {
  return advice_on_run(predicted_run(program, choice), samples, choice, options);
}

}  // namespace slackline::testing
