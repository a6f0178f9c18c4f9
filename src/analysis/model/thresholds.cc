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

auto threshold_sweep_object(const ThresholdSweep& sweep) {
  return Object{"parameter"_key = "S",
                "rows"_key = list_of(sweep.rows, [](const ThresholdSweep::Row& r) {
                  return Object{"threshold_bytes"_key = r.threshold_bytes,
                                "rendezvous_messages"_key = r.rendezvous_messages,
                                "makespan_ns"_key = r.makespan_ns, "lambda"_key = r.lambda};
                })};
}

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

const JsonType& declared_type(const ThresholdSweepJsonTag*) {
  return json_type_by<threshold_sweep_object>();
}

Described<ThresholdSweepJson> describe(const ThresholdSweep& sweep) {
  Table table{.id = "thresholds",
              .title = "Predicted run time by eager threshold",
              .columns = {{"S", Unit::bytes, "messages up to this size are eager"},
                          {"rendezvous messages", Unit::count},
                          {"T", Unit::ns},
                          {"lambda_L", Unit::count, "messages on the critical path (dT/dL)"}},
              .rows = {}};
  for (const ThresholdSweep::Row& r : sweep.rows) {
    table.rows.push_back({static_cast<std::int64_t>(r.threshold_bytes),
                          static_cast<std::int64_t>(r.rendezvous_messages), r.makespan_ns,
                          r.lambda});
  }
  Described<ThresholdSweepJson> report{threshold_sweep_object(sweep)};
  report.sections.push_back(
      {.id = "thresholds",
       .title = "Eager threshold",
       .items = {Paragraph{"T is not a convex function of S (a message is either eager or not). It "
                           "is therefore given at individual values of S; it changes only where S "
                           "passes a message size."},
                 std::move(table)}});
  for (const ThresholdSweep::Row& r : sweep.rows) {
    if (r.link.rank < 0) continue;
    report.findings.add(
        kLinkExceeded, fmt::format("S {}: {}", format_bytes(static_cast<double>(r.threshold_bytes)),
                                   describe(r.link)));
  }
  return report;
}

}  // namespace slackline
