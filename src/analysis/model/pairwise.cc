#include "analysis/model/pairwise.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "timing/network/pair_cost.h"

namespace slackline {
namespace {

constexpr std::size_t kPairsShown = 20;

/// How often the path pays each class, from what it pays between each pair.
std::vector<PairwiseSensitivity::Class> class_sensitivities(
    const std::vector<PairSensitivity>& pairs, const PairNetwork& network) {
  const RouteTable& routes = *network.routes;
  std::vector<PairwiseSensitivity::Class> classes;
  for (const CostClass& c : routes.latency_classes()) {
    classes.push_back({{Parameter::latency, c.name}, ns_of_fs(c.base_fs), 0});
  }
  const std::size_t latencies = classes.size();
  for (const CostClass& c : routes.gap_classes()) {
    classes.push_back({{Parameter::gap_per_byte, c.name}, ns_of_fs(c.base_fs), 0});
  }
  for (const PairSensitivity& p : pairs) {
    const RouteKind& kind = routes.kinds()[network.kind(p.from, p.to)];
    for (std::size_t c = 0; c < latencies; ++c) {
      classes[c].lambda += p.lambda_latency * kind.latency_counts[c];
    }
    if (kind.gap_class) classes[latencies + *kind.gap_class].lambda += p.lambda_gap_bytes;
  }
  return classes;
}

auto pair_objects(const PairwiseSensitivity& pairwise) {
  return list_of(pairwise.pairs, [](const PairSensitivity& p) {
    return Object{"from"_key = p.from, "to"_key = p.to, "lambda_L"_key = p.lambda_latency,
                  "lambda_G_bytes"_key = p.lambda_gap_bytes};
  });
}

/// What the critical path pays.
double path_ns(const PairwiseSensitivity::Class& c) {
  return c.base_ns * static_cast<double>(c.lambda);
}

auto class_objects(const PairwiseSensitivity& pairwise) {
  return list_of(pairwise.classes, [](const PairwiseSensitivity::Class& c) {
    return Object{"parameter"_key = c.parameter.name(), "value_ns"_key = c.base_ns,
                  "lambda"_key = c.lambda, "path_ns"_key = path_ns(c)};
  });
}

}  // namespace

PairwiseSensitivity pairwise_sensitivity(const ExecutionGraph& graph, const ModelChoice& choice) {
  const std::vector<std::int32_t> ranks = vertex_ranks(graph);
  PairwiseSensitivity result;
  const auto fill = [&](const LinearCost& cost) {
    const LongestPath path = longest_path(graph, ranks, cost);
    result.makespan_ns = static_cast<double>(path.length_fs) / static_cast<double>(kFemtosPerNano);
    result.pairs = pair_sensitivities(graph, ranks, path);
  };
  if (choice.pairs == nullptr) {
    fill(LogGPSCost(choice.model, Parameter::latency));
    return result;
  }
  fill(PairCost(graph, choice.model, *choice.pairs,
                resolve({Parameter::latency, "added"}, *choice.pairs, choice.model)));
  result.classes = class_sensitivities(result.pairs, *choice.pairs);
  return result;
}

const JsonType& declared_type(const PairsJsonTag*) {
  return json_type_by<pair_objects>();
}

PairsJson add_pairs(std::vector<Section>& sections, const PairwiseSensitivity& pairwise) {
  Table table{.id = "pairs",
              .title = "",
              .columns = {{"from"},
                          {"to"},
                          {"lambda_L", Unit::count, "messages on the critical path"},
                          {"lambda_G", Unit::bytes, "bytes on the critical path"}},
              .rows = {}};
  for (const PairSensitivity& p : pairwise.pairs) {
    if (table.rows.size() == kPairsShown) continue;
    table.rows.push_back(
        {std::int64_t{p.from}, std::int64_t{p.to}, p.lambda_latency, p.lambda_gap_bytes});
  }
  table.title = fmt::format("Critical-path communication by pair of ranks ({} of {} pairs)",
                            table.rows.size(), pairwise.pairs.size());
  sections.push_back({.id = "pairs", .title = "Critical path by pair of ranks", .items = {table}});
  return pair_objects(pairwise);
}

const JsonType& declared_type(const ClassesJsonTag*) {
  return json_type_by<class_objects>();
}

std::optional<ClassesJson> add_classes(std::vector<Section>& sections,
                                       const PairwiseSensitivity& pairwise) {
  if (pairwise.classes.empty()) return std::nullopt;
  Table table{.id = "classes",
              .title = "Critical path by network parameter",
              .columns = {{"parameter"},
                          {"value", Unit::none, "current value"},
                          {"lambda", Unit::count, "multiplicity on the critical path"},
                          {"time", Unit::ns, "on the critical path"},
                          {"share", Unit::ratio, "of the run time"}},
              .rows = {}};
  for (const PairwiseSensitivity::Class& c : pairwise.classes) {
    const double time = path_ns(c);
    const double share = pairwise.makespan_ns > 0 ? time / pairwise.makespan_ns : 0;
    const bool gap = c.parameter.kind == Parameter::gap_per_byte;
    const std::string value = gap ? fmt::format("{:g} ns/B", c.base_ns) : format_time_ns(c.base_ns);
    table.rows.push_back({c.parameter.name(), value, c.lambda, time, share});
  }
  sections.push_back({.id = "classes", .title = "Network", .items = {table}});
  return class_objects(pairwise);
}

}  // namespace slackline
