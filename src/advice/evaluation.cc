#include "advice/evaluation.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "advice/retimed_cost.h"
#include "base/arithmetic.h"
#include "base/units.h"
#include "calls/findings.h"
#include "graph/build.h"
#include "timing/cost/linear_cost.h"
#include "timing/link_load.h"
#include "timing/makespan.h"
#include "whatif/scenario.h"

namespace slackline {
namespace {

std::int64_t scaled_fs(std::int64_t fs, double factor) {
  return nearest_whole(static_cast<double>(fs) * factor);
}

LogGPS scaled(LogGPS model, double factor) {
  model.latency_fs = scaled_fs(model.latency_fs, factor);
  model.overhead_fs = scaled_fs(model.overhead_fs, factor);
  model.gap_per_byte_fs = scaled_fs(model.gap_per_byte_fs, factor);
  return model;
}

/// Parameters for each pair of ranks have factors in no place; then all stay as they are.
ModelChoice varied(ModelChoice choice, const ModelVariation& variation) {
  choice.model.latency_fs = scaled_fs(choice.model.latency_fs, variation.latency_factor);
  choice.model.gap_per_byte_fs = scaled_fs(choice.model.gap_per_byte_fs, variation.gap_factor);
  return choice;
}

double value_at_base(MakespanFunction t) {
  return t.value_ns(t.line_at(t.base()), t.base());
}

/// What an edge costs in femtoseconds where all pairs of ranks are alike.
std::int64_t cost_fs(const Edge& e, const LogGPS& model) {
  return e.nanoseconds * kFemtosPerNano + e.latencies * model.latency_fs +
         e.overheads * model.overhead_fs +
         multiples(e, Parameter::gap_per_byte) * model.gap_per_byte_fs;
}

/// T under several models at once, all pairs alike: one pass over the whole graph, which takes a
/// fraction of the time of reducing it. `change_ns(edge)` is added to an edge's computation.
template <class Change>
std::array<double, 3> makespans_of(const ExecutionGraph& graph, const std::array<LogGPS, 3>& models,
                                   Change change_ns) {
  using Times = std::array<std::int64_t, 3>;
  std::vector<Times> reached(graph.vertex_count());
  const auto arrive = [&](const Edge& e, Times& latest) {
    const std::int64_t change_fs = change_ns(e) * kFemtosPerNano;
    for (std::size_t i = 0; i < models.size(); ++i) {
      latest[i] = std::max(latest[i], reached[e.from][i] + change_fs + cost_fs(e, models[i]));
    }
  };
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  for (VertexId v = 0; v < vertices; ++v) {
    Times latest{};
    graph.for_in_edges(v, [&](const Edge& e) { arrive(e, latest); });
    reached[v] = latest;
  }
  Times end{};
  for (std::int32_t r = 0; r < graph.ranks(); ++r) arrive(graph.tail(r), end);
  std::array<double, 3> result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<double>(end[i]) / static_cast<double>(kFemtosPerNano);
  }
  return result;
}

/// The same for any choice, on the graph of the program before the edits.
double retimed_makespan(const ExecutionGraph& graph, const ModelChoice& choice,
                        const Trace& program, const Trace& edited) {
  double result = 0;
  with_cost(graph, choice, {Parameter::latency}, [&](const LinearCost& cost) {
    result = value_at_base(MakespanFunction(graph, RetimedCost(cost, graph, program, edited)));
  });
  return result;
}

/// The computation of all ranks together, which no path exceeds.
double all_computation_ns(const Trace& edited) {
  double sum = 0;
  for (std::int32_t r = 0; r < edited.ranks(); ++r) {
    sum += static_cast<double>(edited.calls(r).stop_ns());
  }
  return sum;
}

/// What messages of one rank that overlap would come later, one after the other.
double link_delay_ns(const ExecutionGraph& graph, const ModelChoice& choice) {
  const PicosecondCost cost = picosecond_cost(graph, choice);
  const LinkDelay delay = longest_link_delay(graph, model_schedule(graph, cost), cost);
  return static_cast<double>(delay.longest_ps) / kPicosPerNano;
}

/// Does the edited program hang where the program does not?
bool hangs(const ExecutionGraph& edited, const ExecutionGraph& graph) {
  return std::ranges::any_of(
      std::array{&kRendezvousDeadlock, &kSynchronousDeadlock}, [&](const FindingKind* kind) {
        return edited.findings().count(*kind) > graph.findings().count(*kind);
      });
}

GraphOptions varied(GraphOptions options, const ModelVariation& variation) {
  for (const std::string& rule : variation.collectives) options.collectives.add(rule);
  if (variation.eager_threshold_bytes) {
    options.eager_threshold_bytes = *variation.eager_threshold_bytes;
  }
  return options;
}

}  // namespace

NetworkRange network_range(const ModelChoice& choice) {
  const ParameterBounds ends =
      choice.bounds.value_or(ParameterBounds{scaled(choice.model, 0.5), scaled(choice.model, 2)});
  return {with_model(choice, ends.low), choice, with_model(choice, ends.high)};
}

Evaluator::Evaluator(const ProgramView& program, const ExecutionGraph& graph,
                     const ModelChoice& choice)
    : program_(program), graph_(graph), networks_(network_range(choice)) {
  if (choice.pairs == nullptr) {
    reduced_.emplace(graph);
    rank_of_ = vertex_ranks(graph);
  }
  for (std::size_t i = 0; i < networks_.size(); ++i) {
    base_ns_[i] = unedited_ns(networks_[i]);
    base_link_ns_[i] = link_delay_ns(graph, networks_[i]);
  }
}

double Evaluator::unedited_ns(const ModelChoice& choice) const {
  return reduced_ ? value_at_base(MakespanFunction(*reduced_, choice.model, Parameter::latency))
                  : value_at_base(makespan_function(graph_, choice, {Parameter::latency}));
}

bool Evaluator::fits_femtoseconds(const Trace& edited) const {
  // In 63 bits, with room for what an edit may add.
  constexpr double kLongest_ns = 900e9;
  return reduced_ && base_ns_.back() < kLongest_ns && all_computation_ns(edited) < kLongest_ns;
}

std::array<LogGPS, 3> Evaluator::models(const ModelVariation& variation) const {
  std::array<LogGPS, 3> models;
  for (std::size_t i = 0; i < models.size(); ++i) {
    models[i] = varied(networks_[i], variation).model;
  }
  return models;
}

std::array<double, 3> Evaluator::retimed_ns(const Trace& edited, const ModelVariation& variation,
                                            std::size_t first, std::size_t last) const {
  if (fits_femtoseconds(edited)) {
    const LogGPSCost cost(networks_[1].model, Parameter::latency);
    const RetimedCost retimed(cost, graph_, program_.trace, edited);
    return makespans_of(graph_, models(variation),
                        [&](const Edge& e) { return retimed.change_ns(e, rank_of_[e.from]); });
  }
  std::array<double, 3> result{};
  for (std::size_t i = first; i < last; ++i) {
    result[i] = retimed_makespan(graph_, varied(networks_[i], variation), program_.trace, edited);
  }
  return result;
}

std::array<double, 3> Evaluator::rebuilt_ns(const Trace& edited, const ModelVariation& variation,
                                            std::size_t first, std::size_t last) const {
  GraphOptions options = varied(networks_[1].graph, variation);
  options.most_vertices = most_rebuilt();
  const ExecutionGraph graph = build_graph(edited, options);
  if (hangs(graph, graph_)) return base_ns_;
  std::array<double, 3> result{};
  if (fits_femtoseconds(edited)) {
    result = makespans_of(graph, models(variation), [](const Edge&) { return std::int64_t{0}; });
  }
  for (std::size_t i = first; i < last; ++i) {
    const ModelChoice choice = varied(networks_[i], variation);
    if (!fits_femtoseconds(edited)) {
      result[i] = value_at_base(makespan_function(graph, choice, {Parameter::latency}));
    }
    // Other messages must not gain what no link carries.
    result[i] += std::max(0.0, link_delay_ns(graph, choice) - base_link_ns_[i]);
  }
  return result;
}

std::size_t Evaluator::most_rebuilt() const {
  constexpr std::size_t kTimes = 4;  // as many: more messages than that gain nothing
  constexpr std::size_t kSmall = std::size_t{1} << 16;
  return kTimes * graph_.vertex_count() + kSmall;
}

std::size_t Evaluator::most_vertices(const std::vector<Edit>& edits,
                                     const ModelVariation& variation) const {
  const bool rebuilds =
      variation.changes_graph() || (!edits.empty() && !keeps_calls({.edits = edits}));
  return rebuilds ? most_rebuilt() : graph_.vertex_count();
}

std::array<double, 3> Evaluator::makespans(const std::vector<Edit>& edits,
                                           const ModelVariation& variation, std::size_t first,
                                           std::size_t last) const {
  const Scenario scenario{.edits = edits};
  if (edits.empty() && variation.changes_graph()) {
    return rebuilt_ns(program_.trace, variation, first, last);
  }
  if (!edits.empty()) {
    const Trace edited = apply(scenario, program_).trace;
    return !variation.changes_graph() && keeps_calls(scenario)
               ? retimed_ns(edited, variation, first, last)
               : rebuilt_ns(edited, variation, first, last);
  }
  std::array<double, 3> result{};
  for (std::size_t i = first; i < last; ++i) {
    result[i] = unedited_ns(varied(networks_[i], variation));
  }
  return result;
}

std::int64_t Evaluator::on_critical_path(Parameter parameter) const {
  MakespanFunction t = reduced_ ? MakespanFunction(*reduced_, networks_[1].model, parameter)
                                : makespan_function(graph_, networks_[1], {parameter});
  return t.line_at(t.base(), Side::left).slope;
}

double Evaluator::gain_ns(const std::vector<Edit>& edits, const ModelVariation& variation) const {
  return base_ns_[1] - makespans(edits, variation, 1, 2)[1];
}

std::array<double, 3> Evaluator::gains_ns(const std::vector<Edit>& edits,
                                          const ModelVariation& variation) const {
  std::array<double, 3> gains = makespans(edits, variation, 0, networks_.size());
  for (std::size_t i = 0; i < gains.size(); ++i) gains[i] = base_ns_[i] - gains[i];
  return gains;
}

}  // namespace slackline
