#include "page/bandwidth.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/sensitivity.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::size_t kMostPasses = 300;
constexpr std::size_t kFewestPasses = 24;
constexpr std::size_t kEdgesToVisit = 300'000'000;

std::int64_t plot_end_fs(const Tolerances& t, std::int64_t today_fs) {
  double end = 10 * std::max(1.0, static_cast<double>(today_fs));
  for (const Tolerances::Row& row : t.rows) {
    if (row.value_ns) end = 1.25 * *row.value_ns * static_cast<double>(kFemtosPerNano);
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(end));
}

std::vector<Zone> zones_of(const Tolerances& t) {
  std::vector<Zone> zones;
  double from = t.base_ns;
  for (const Tolerances::Row& row : t.rows) {
    if (!row.value_ns) continue;
    zones.push_back(
        {fmt::format("up to {:g} % slower", static_cast<double>(row.degradation_ppm) / 1e4), from,
         *row.value_ns});
    from = *row.value_ns;
  }
  return zones;
}

}  // namespace

Report bandwidth_report(const ExecutionGraph& graph, const ModelChoice& choice,
                        const std::vector<std::int64_t>& degradations_ppm) {
  const VariedParameter parameter = full_parameter(choice, {Parameter::gap_per_byte, ""});
  const Tolerances t = tolerances(graph, choice, parameter, degradations_ppm);
  const std::size_t passes = std::clamp(
      kEdgesToVisit / std::max<std::size_t>(1, graph.edge_count()), kFewestPasses, kMostPasses);
  const Sensitivity s = sensitivity(
      graph, choice, parameter, 0, plot_end_fs(t, base_value_fs(graph, choice, parameter)), passes);
  const Report tolerance = describe(t);
  const Report envelope = describe(s);
  Report report;
  report.result["bandwidth"] = {{"parameter", parameter.name()},
                                {"tolerance", tolerance.result["tolerance"]},
                                {"exact", s.exact},
                                {"pieces", envelope.result["pieces"]},
                                {"breakpoints_ns", envelope.result["breakpoints_ns"]}};
  Section section{.id = "bandwidth", .title = "Network bandwidth"};
  for (const std::string& text : tolerance_sentences(t)) {
    section.items.emplace_back(Paragraph{text});
  }
  Series series = sensitivity_series(s, zones_of(t));
  series.id = "sensitivity-G";
  section.items.emplace_back(std::move(series));
  for (Item item : tolerance.sections.front().items) {
    if (auto* table = std::get_if<Table>(&item)) {
      table->id += "-G";
      section.items.push_back(std::move(item));
    }
  }
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace slackline
