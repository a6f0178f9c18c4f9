#include "analysis/model/prediction.h"

#include "analysis/model/model_functions.h"

namespace slackline {
namespace {

/// L * lambda_L / T; where L differs between pairs, what the path spends on it.
double latency_share(const Prediction& p, const ModelChoice& choice) {
  if (p.makespan_ns <= 0) return 0;
  if (choice.pairs != nullptr) {
    return static_cast<double>(p.path.total.latency_ps) / 1e3 / p.makespan_ns;
  }
  const double latency_ns = static_cast<double>(choice.model.latency_fs) / 1e6;
  return latency_ns * static_cast<double>(p.lambda_latency) / p.makespan_ns;
}

}  // namespace

ModelledRun::ModelledRun(const Trace& trace, const ExecutionGraph& graph, const ModelChoice& choice)
    : cost(picosecond_cost(graph, choice)),
      schedule(model_schedule(graph, cost)),
      ranks_ps(rank_breakdown(graph, schedule, cost)),
      path(model_path(trace, graph, schedule, cost)) {}

Prediction predict(const Trace& trace, const ExecutionGraph& graph, const ModelChoice& choice,
                   Side side) {
  return predict(trace, ModelFunctions(graph, choice), ModelledRun(trace, graph, choice), side);
}

Prediction predict(const Trace& trace, const ModelFunctions& functions, const ModelledRun& run,
                   Side side) {
  const ExecutionGraph& graph = functions.graph();
  const ModelChoice& choice = functions.choice();
  Prediction p;
  p.side = side;
  const auto line = [&](Parameter parameter) {
    // Where pairs of ranks differ: one nanosecond more for each of them.
    const bool added = choice.pairs != nullptr && parameter != Parameter::overhead;
    MakespanFunction makespan = functions.of({parameter, added ? "added" : ""});
    const PathLine at_base = makespan.line_at(makespan.base(), side);
    p.makespan_ns = makespan.value_ns(at_base, makespan.base());
    return at_base;
  };
  p.lambda_overhead = line(Parameter::overhead).slope;
  p.lambda_gap_bytes = line(Parameter::gap_per_byte).slope;
  p.lambda_latency = line(Parameter::latency).slope;
  p.measured_costs = !choice.graph.transfer.empty();
  p.measured = measured_run(trace);
  p.ranks_ps = run.ranks_ps;
  p.path = run.path;
  p.link = longest_link_delay(graph, run.schedule, run.cost);
  p.link_is_negligible = is_negligible(p.link, run.schedule.makespan_ps);
  p.rho_latency = latency_share(p, choice);
  p.vertices = graph.vertex_count();
  p.edges = graph.edge_count();
  p.messages = graph.message_count();
  return p;
}

}  // namespace slackline
