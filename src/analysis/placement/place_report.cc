#include "analysis/placement/place.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace slackline {
namespace {

const PlacedRun* fastest_rival(const PlaceResult& r) {
  const auto fastest = std::ranges::min_element(r.rivals, {}, &PlacedRun::makespan_ns);
  return fastest == r.rivals.end() ? nullptr : &*fastest;
}

std::string interval_text(const PlaceResult& r) {
  if (!r.gain) return {};
  return fmt::format("; 95 % interval with resampled computation {} to {}",
                     format_percent(r.gain->low, 2), format_percent(r.gain->high, 2));
}

std::string verdict(const PlaceResult& r) {
  const std::string before = format_time_ns(r.before.makespan_ns);
  if (r.improved()) {
    return fmt::format("Predicted run time: {} instead of {} ({} less{}).",
                       format_time_ns(r.best.makespan_ns), before,
                       format_percent(r.gain_of(r.best), 2), interval_text(r));
  }
  const PlacedRun* rival = fastest_rival(r);
  if (rival == nullptr || rival->makespan_ns >= r.before.makespan_ns) {
    return fmt::format(
        "No faster placement found: predicted run time {} ({} placements evaluated).", before,
        format_count(r.evaluations));
  }
  return fmt::format(
      "The placement makes no material difference: the best one found saves {} of {} ({}{}). A "
      "gain "
      "below {} or within the variation of computation is not material. Keep the current "
      "placement.",
      format_time_ns(r.before.makespan_ns - rival->makespan_ns), before,
      format_percent(r.gain_of(*rival), 3), interval_text(r), format_percent(kMaterialGain, 1));
}

std::string limits(const PlaceResult& r) {
  std::string text = fmt::format(
      "All run times are model predictions without contention, computed for each placement. Lower "
      "bound for any placement on these nodes: {}.",
      format_time_ns(r.lower_bound_ns));
  if (r.best.makespan_ns <= r.lower_bound_ns) return text + " This placement reaches it.";
  if (r.improved()) {
    text += r.local_optimum ? " No swap of two ranks shortens its critical path."
                            : " A swap of two ranks may still shorten its critical path.";
  }
  return text;
}

const Rows<PlacedRun, PlaceResult> kRivals{
    "rivals",
    "Placements by method",
    {{"name", "placement", Unit::none, &PlacedRun::name},
     {"makespan_ns", "predicted run time", Unit::ns, &PlacedRun::makespan_ns,
      "computed for this placement"},
     {kShown, "reduction", Unit::ratio, [](auto& run, auto& r) { return r.gain_of(run); }},
     {"node_of_rank", &PlacedRun::node_of_rank}}};

Table rivals_table(const PlaceResult& r) {
  std::vector<PlacedRun> all{r.before};
  all.insert(all.end(), r.rivals.begin(), r.rivals.end());
  if (r.improved()) all.push_back(r.best);
  return kRivals.table(all, r);
}

Table moves_table(const PlaceResult& r, const NodePlacement& hosts) {
  Table table{.id = "placement",
              .title = "Moved ranks",
              .columns = {{"rank"}, {"current node"}, {"new node"}},
              .rows = {}};
  for (std::size_t rank = 0; rank < r.best.node_of_rank.size(); ++rank) {
    const std::int32_t from = r.before.node_of_rank[rank];
    const std::int32_t to = r.best.node_of_rank[rank];
    if (from == to) continue;
    table.rows.push_back({static_cast<std::int64_t>(rank), hosts.host(from), hosts.host(to)});
  }
  return table;
}

const Rows<Interval> kGain{
    {"low", &Interval::low}, {"median", &Interval::middle}, {"high", &Interval::high}};

}  // namespace

const Rows<PlaceResult> kPlacement{
    {"improved", &PlaceResult::improved},
    {"before_makespan_ns", [](auto& r) { return r.before.makespan_ns; }},
    {"makespan_ns", [](auto& r) { return r.best.makespan_ns; }},
    {"gain", &PlaceResult::gain, kGain},
    {"lower_bound_ns", &PlaceResult::lower_bound_ns},
    {"local_optimum", &PlaceResult::local_optimum},
    {"evaluations", &PlaceResult::evaluations},
    {"restarts", &PlaceResult::restarts},
    {"node_of_rank", [](auto& r) { return r.best.node_of_rank; }},
    {"rivals", &PlaceResult::rivals, kRivals}};

Described<PlacementJson> describe(const PlaceResult& r, const NodePlacement& hosts) {
  Described<PlacementJson> report{PlacementJson(r)};
  Section section{.id = "place", .title = "Placement"};
  section.items.emplace_back(Paragraph{verdict(r)});
  section.items.emplace_back(Paragraph{limits(r)});
  section.items.emplace_back(rivals_table(r));
  if (r.improved()) section.items.emplace_back(moves_table(r, hosts));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace slackline
