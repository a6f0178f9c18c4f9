#include "analysis/model/thresholds.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/units.h"

namespace slackline {
namespace {

/// Messages by size. With every message eager each is one edge.
std::map<std::uint64_t, std::uint64_t> message_sizes(const ExecutionGraph& graph) {
  std::map<std::uint64_t, std::uint64_t> sizes;
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  for (VertexId v = 0; v < vertices; ++v) {
    graph.for_in_edges(v, [&](const Edge& e) {
      if (e.kind == EdgeKind::message) ++sizes[e.bytes];
    });
  }
  return sizes;
}

/// 0, and the sizes; of many the smallest, the largest, and some in between.
std::vector<std::uint64_t> steps(const std::map<std::uint64_t, std::uint64_t>& sizes,
                                 std::size_t most) {
  std::vector<std::uint64_t> all{0};
  for (const auto& [bytes, count] : sizes) {
    if (bytes > 0) all.push_back(bytes);
  }
  if (all.size() <= most) return all;
  std::vector<std::uint64_t> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return some;
}

using Row = ThresholdSweep::Row;
const Rows<Row> kThresholds{
    "thresholds",
    "Predicted run time by eager threshold",
    {{"threshold_bytes", "S", Unit::bytes, &Row::threshold_bytes,
      "messages up to this size are eager"},
     {"rendezvous_messages", "rendezvous messages", Unit::count, &Row::rendezvous_messages},
     {"makespan_ns", "T", Unit::ns, &Row::makespan_ns},
     {"lambda", "lambda_L", Unit::count, &Row::lambda, "messages on the critical path (dT/dL)"}}};

}  // namespace

ThresholdSweep sweep_thresholds(const std::function<ExecutionGraph(const GraphOptions&)>& build,
                                const ModelChoice& choice, std::vector<std::uint64_t> thresholds,
                                std::size_t most) {
  GraphOptions options = choice.graph;
  options.eager_threshold_bytes = std::numeric_limits<std::uint64_t>::max();
  const std::map<std::uint64_t, std::uint64_t> sizes = message_sizes(build(options));
  if (thresholds.empty()) thresholds = steps(sizes, most);
  std::ranges::sort(thresholds);
  ThresholdSweep sweep;
  sweep.latency_ns = static_cast<double>(choice.model.latency_fs) / 1e6;
  for (const std::uint64_t threshold : thresholds) {
    options.eager_threshold_bytes = threshold;
    const ExecutionGraph graph = build(options);
    MakespanFunction makespan = makespan_function(graph, choice, Parameter::latency);
    const PathLine line = makespan.line_at(makespan.base());
    const PicosecondCost cost = picosecond_cost(graph, choice);
    std::uint64_t above = 0;
    for (auto size = sizes.upper_bound(threshold); size != sizes.end(); ++size) {
      above += size->second;
    }
    sweep.rows.push_back({threshold, above, makespan.value_ns(line, makespan.base()), line.slope,
                          material_link_delay(graph, model_schedule(graph, cost), cost)});
  }
  return sweep;
}

const Rows<ThresholdSweep> kThresholdSweep{{"parameter", [](auto&) { return "S"; }},
                                           {"rows", &ThresholdSweep::rows, kThresholds}};

Described<ThresholdSweepJson> describe(const ThresholdSweep& sweep) {
  Described<ThresholdSweepJson> report{ThresholdSweepJson(sweep)};
  report.sections.push_back(
      {.id = "thresholds",
       .title = "Eager threshold",
       .items = {Paragraph{"T is not a convex function of S (a message is either eager or not). It "
                           "is therefore given at individual values of S; it changes only where S "
                           "passes a message size."},
                 kThresholds.table(sweep.rows)}});
  for (const ThresholdSweep::Row& r : sweep.rows) {
    if (r.link.rank < 0) continue;
    report.findings.add(
        kLinkExceeded, fmt::format("S {}: {}", format_bytes(static_cast<double>(r.threshold_bytes)),
                                   describe(r.link)));
  }
  return report;
}

}  // namespace slackline
