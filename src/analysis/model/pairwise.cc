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

/// What the critical path pays.
double path_ns(const PairwiseSensitivity::Class& c) {
  return c.base_ns * static_cast<double>(c.lambda);
}

double share_of_run(const PairwiseSensitivity::Class& c, const PairwiseSensitivity& pairwise) {
  return pairwise.makespan_ns > 0 ? path_ns(c) / pairwise.makespan_ns : 0;
}
std::string value_text(const PairwiseSensitivity::Class& c) {
  const bool gap = c.parameter.kind == Parameter::gap_per_byte;
  return gap ? fmt::format("{:g} ns/B", c.base_ns) : format_time_ns(c.base_ns);
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

const Rows<PairSensitivity> kPairRows{
    "pairs",
    "",
    {{"from", Unit::none, &PairSensitivity::from},
     {"to", Unit::none, &PairSensitivity::to},
     {"lambda_L", Unit::count, &PairSensitivity::lambda_latency, "messages on the critical path"},
     {"lambda_G_bytes", "lambda_G", Unit::bytes, &PairSensitivity::lambda_gap_bytes,
      "bytes on the critical path"}}};

std::vector<PairJson> add_pairs(std::vector<Section>& sections,
                                const PairwiseSensitivity& pairwise) {
  Table table = kPairRows.table(pairwise.pairs, kPairsShown);
  table.title = fmt::format("Critical-path communication by pair of ranks ({} of {} pairs)",
                            table.rows.size(), pairwise.pairs.size());
  sections.push_back({.id = "pairs", .title = "Critical path by pair of ranks", .items = {table}});
  return list_of(pairwise.pairs, kJsonBy<kPairRows>);
}

using Class = PairwiseSensitivity::Class;
const Rows<Class, PairwiseSensitivity> kClassRows{
    "classes",
    "Critical path by network parameter",
    {{"parameter", Unit::none, [](auto& c) { return c.parameter.name(); }},
     {"value_ns", &Class::base_ns},
     {kShown, "value", Unit::none, value_text, "current value"},
     {"lambda", Unit::count, &Class::lambda, "multiplicity on the critical path"},
     {"path_ns", "time", Unit::ns, path_ns, "on the critical path"},
     {kShown, "share", Unit::ratio, share_of_run, "of the run time"}}};

std::optional<std::vector<ClassJson>> add_classes(std::vector<Section>& sections,
                                                  const PairwiseSensitivity& pairwise) {
  if (pairwise.classes.empty()) return std::nullopt;
  sections.push_back({.id = "classes",
                      .title = "Network",
                      .items = {kClassRows.table(pairwise.classes, pairwise)}});
  return list_of(pairwise.classes, [&](const Class& c) { return ClassJson(c, pairwise); });
}

}  // namespace slackline
