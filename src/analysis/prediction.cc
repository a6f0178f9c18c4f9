#include "analysis/prediction.h"

namespace slackline {

Prediction predict(const Trace& trace, const ExecutionGraph& graph, const ModelChoice& choice,
                   Side side) {
  Prediction p;
  p.side = side;
  const auto line = [&](Parameter parameter) {
    MakespanFunction makespan(graph, choice.model, parameter);
    const PathLine at_base = makespan.line_at(makespan.base(), side);
    p.makespan_ns = makespan.value_ns(at_base, makespan.base());
    return at_base;
  };
  p.lambda_overhead = line(Parameter::overhead).slope;
  p.lambda_gap_bytes = line(Parameter::gap_per_byte).slope;
  p.lambda_latency = line(Parameter::latency).slope;
  const double latency_ns = static_cast<double>(choice.model.latency_fs) / 1e6;
  if (p.makespan_ns > 0) {
    p.rho_latency = latency_ns * static_cast<double>(p.lambda_latency) / p.makespan_ns;
  }
  p.measured = measured_run(trace);
  const PicosecondCost cost(choice.model);
  const Schedule schedule = model_schedule(graph, choice.model);
  p.ranks = rank_breakdown(graph, schedule, cost);
  p.path = critical_path(trace, graph, schedule, cost);
  p.vertices = graph.vertex_count();
  p.edges = graph.edge_count();
  p.messages = graph.message_count();
  return p;
}

}  // namespace slackline
