#include "analysis/model/prediction.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/model/model_choice.h"
#include "base/error.h"

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

PredictionInParts::PredictionInParts(const ModelChoice& choice, std::int32_t ranks, Side side)
    : choice_(choice), cost_(choice.model), slopes_(choice.model, side), links_(ranks) {
  expects(choice.pairs == nullptr, "all pairs of ranks are alike");
  prediction_.side = side;
}

void PredictionInParts::add(const Trace& trace, const ExecutionGraph& graph, const RunPart& part,
                            std::size_t number) {
  begins_.emplace(number, cut_);
  const Schedule schedule = model_schedule(graph, cost_, cut_);
  slopes_.add(graph);
  ranks_.add(graph, schedule, cost_);
  links_.add(graph, schedule, cost_);
  // Whatever is still to come begins when a rank goes on, at the earliest.
  links_.settle(part.last ? std::numeric_limits<std::int64_t>::max()
                          : std::ranges::min(schedule.rank_end_ps));
  count(graph, part);
  if (!part.last) return;
  prediction_.ranks_ps = std::move(ranks_).finish(schedule);
  prediction_.link = links_.longest();
  prediction_.link_is_negligible = is_negligible(prediction_.link, schedule.makespan_ps);
  path_.add(trace, graph, schedule, cost_, part);
}

/// Start vertices of later parts are not in the graph of the whole run, nor is the vertex of a
/// link's first message if that part is not the first one (graph/build.h).
void PredictionInParts::count(const ExecutionGraph& graph, const RunPart& part) {
  prediction_.vertices += graph.vertex_count();
  prediction_.edges += graph.edge_count();
  prediction_.messages += graph.message_count();
  used_links_.resize(static_cast<std::size_t>(graph.ranks()), 0);
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    const VertexId start = graph.link_start(r);
    if (!part.first) prediction_.vertices -= start == kNoVertex ? 1 : 2;
    char& used = used_links_[static_cast<std::size_t>(r)];
    if (used != 0 || graph.link_end(r).from == start) continue;
    used = 1;
    if (part.first) continue;
    prediction_.vertices -= 1;
    prediction_.edges -= 2;
  }
}

void PredictionInParts::add_again(const Trace& trace, const ExecutionGraph& graph,
                                  const RunPart& part, std::size_t number) {
  ScheduleCut cut = begins_.at(number);
  path_.add(trace, graph, model_schedule(graph, cost_, cut), cost_, part);
}

Prediction PredictionInParts::finish() && {
  Prediction p = std::move(prediction_);
  p.makespan_ns = slopes_.makespan_ns();
  p.lambda_latency = slopes_.slope(Parameter::latency);
  p.lambda_overhead = slopes_.slope(Parameter::overhead);
  p.lambda_gap_bytes = slopes_.slope(Parameter::gap_per_byte);
  p.measured_costs = !choice_.graph.transfer.empty();
  p.path = std::move(path_).finish();
  p.rho_latency = latency_share(p, choice_);
  return p;
}

}  // namespace slackline
