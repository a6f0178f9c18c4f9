#include "analysis/placement/place_report.h"

#include <fmt/format.h>

#include "base/units.h"

namespace slackline {
namespace {

double gain(const PlaceResult& r, double makespan_ns) {
  return r.before.makespan_ns > 0 ? 1 - makespan_ns / r.before.makespan_ns : 0;
}

std::string verdict(const PlaceResult& r) {
  if (!r.improved()) {
    return fmt::format(
        "No faster placement found: predicted run time {} ({} placements evaluated).",
        format_time_ns(r.before.makespan_ns), format_count(r.evaluations));
  }
  return fmt::format("Predicted run time: {} instead of {} ({} less).",
                     format_time_ns(r.best.makespan_ns), format_time_ns(r.before.makespan_ns),
                     format_percent(gain(r, r.best.makespan_ns), 2));
}

std::string limits(const PlaceResult& r) {
  std::string text = fmt::format(
      "All run times are model predictions without contention, computed for each placement. Lower "
      "bound for any placement on these nodes: {}.",
      format_time_ns(r.lower_bound_ns));
  if (r.best.makespan_ns <= r.lower_bound_ns) return text + " This placement reaches it.";
  text += r.local_optimum ? " No swap of two ranks shortens its critical path."
                          : " A swap of two ranks may still shorten its critical path.";
  return text;
}

Json run_to_json(const PlacedRun& run) {
  return {{"name", run.name}, {"makespan_ns", run.makespan_ns}, {"node_of_rank", run.node_of_rank}};
}

Table rivals_table(const PlaceResult& r) {
  Table table{.id = "rivals",
              .title = "Placements by method",
              .columns = {{"placement"},
                          {"predicted run time", Unit::ns, "computed for this placement"},
                          {"reduction", Unit::ratio}},
              .rows = {}};
  const auto add = [&](const PlacedRun& run) {
    table.rows.push_back({run.name, run.makespan_ns, gain(r, run.makespan_ns)});
  };
  add(r.before);
  for (const PlacedRun& run : r.rivals) add(run);
  if (r.improved()) add(r.best);
  return table;
}

Table ranks_table(const PlaceResult& r, const NodePlacement& hosts) {
  Table table{.id = "placement",
              .title = r.improved() ? "Moved ranks" : "Placement of ranks",
              .columns = {{"rank"}, {"current node"}, {"new node"}},
              .rows = {}};
  for (std::size_t rank = 0; rank < r.best.node_of_rank.size(); ++rank) {
    const std::int32_t from = r.before.node_of_rank[rank];
    const std::int32_t to = r.best.node_of_rank[rank];
    if (r.improved() && from == to) continue;
    table.rows.push_back({static_cast<std::int64_t>(rank), hosts.host(from), hosts.host(to)});
  }
  return table;
}

}  // namespace

Report describe(const PlaceResult& r, const NodePlacement& hosts) {
  Report report;
  report.result["improved"] = r.improved();
  report.result["before_makespan_ns"] = r.before.makespan_ns;
  report.result["makespan_ns"] = r.best.makespan_ns;
  report.result["lower_bound_ns"] = r.lower_bound_ns;
  report.result["local_optimum"] = r.local_optimum;
  report.result["evaluations"] = r.evaluations;
  report.result["restarts"] = r.restarts;
  report.result["node_of_rank"] = r.best.node_of_rank;
  Json rivals = Json::array();
  for (const PlacedRun& run : r.rivals) rivals.push_back(run_to_json(run));
  report.result["rivals"] = std::move(rivals);
  Section section{.id = "place", .title = "Placement"};
  section.items.emplace_back(Paragraph{verdict(r)});
  section.items.emplace_back(Paragraph{limits(r)});
  section.items.emplace_back(rivals_table(r));
  section.items.emplace_back(ranks_table(r, hosts));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace slackline
