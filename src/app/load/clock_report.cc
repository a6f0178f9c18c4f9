#include "app/load/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

namespace slackline {
namespace {

constexpr std::size_t kShownClocks = 16;

Value shown(double ns) {
  if (!std::isfinite(ns)) return std::string("unbounded");
  return ns;
}

std::string ranks_in_words(const std::vector<std::int32_t>& ranks) {
  const bool row = ranks.back() - ranks.front() + 1 == static_cast<std::int32_t>(ranks.size());
  if (ranks.size() == 1) return fmt::format("{}", ranks.front());
  if (row) return fmt::format("{}-{}", ranks.front(), ranks.back());
  return fmt::format("{} and {} more", ranks.front(), ranks.size() - 1);
}

/// The clocks moved most come first.
std::vector<std::size_t> by_offset(const ClockEstimate& estimate) {
  std::vector<std::size_t> order(estimate.maps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t clock) {
    return std::abs(estimate.maps[clock].offset_ns);
  });
  return order;
}

Table clock_table(const ClockEstimate& estimate, const Trace& trace) {
  Table table{
      "clocks",
      "Corrections of clocks",
      {{"ranks"},
       {"host"},
       {"added", Unit::ns, "Added to the clock's times at the start of the run."},
       {"drift (us/s)", Unit::none, "What is added to that in a second of the run."},
       {"at start, least", Unit::ns, "What messages and collectives allow, whatever the drift."},
       {"at start, most", Unit::ns},
       {"at end, least", Unit::ns},
       {"at end, most", Unit::ns}},
      {}};
  for (const std::size_t clock : by_offset(estimate)) {
    if (table.rows.size() == kShownClocks) break;
    const std::vector<std::int32_t>& ranks = estimate.clocks.ranks[clock];
    const ClockMap& map = estimate.maps[clock];
    std::vector<Value> row{ranks_in_words(ranks), trace.rank_info(ranks.front()).host,
                           map.offset_ns, map.drift * 1e6};
    if (estimate.at_begin.empty()) {
      row.resize(table.columns.size());
    } else {
      for (const FeasibleInterval& i : {estimate.at_begin[clock], estimate.at_end[clock]}) {
        row.push_back(shown(i.low));
        row.push_back(shown(i.high));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

auto clock_object(const ClockEstimate& estimate, std::size_t clock) {
  const ClockMap& map = estimate.maps[clock];
  const bool bounded = !estimate.at_begin.empty();
  const auto bounds = [&](const std::vector<FeasibleInterval>& intervals) {
    return bounded ? std::array{intervals[clock].low, intervals[clock].high}
                   : std::array<double, 2>{};
  };
  return Object{"ranks"_key = estimate.clocks.ranks[clock], "offset_ns"_key = map.offset_ns,
                "drift"_key = map.drift, "at_start_ns"_key.when(bounded, bounds(estimate.at_begin)),
                "at_end_ns"_key.when(bounded, bounds(estimate.at_end))};
}

auto clocks_object(const ClockEstimate& estimate) {
  std::vector<decltype(clock_object(estimate, 0))> corrections;
  for (std::size_t clock = 0; clock < estimate.maps.size(); ++clock) {
    corrections.push_back(clock_object(estimate, clock));
  }
  return Object{"reference_rank"_key = estimate.clocks.ranks[estimate.reference].front(),
                "violations"_key = estimate.violations,
                "remaining_violations"_key = estimate.remaining, "corrections"_key = corrections};
}

}  // namespace

const JsonType& declared_type(const ClocksJsonTag*) {
  return json_type_by<clocks_object>();
}

ClocksJson add_clocks(const ClockEstimate& estimate, const Trace& trace,
                      std::vector<Section>& sections) {
  Section section{"clocks", "Clocks"};
  section.items.emplace_back(Paragraph{fmt::format(
      "{} messages and collectives ran back in time between clocks as they were measured, {} with "
      "these corrections. The clock of rank {} is the reference.",
      estimate.violations, estimate.remaining, estimate.clocks.ranks[estimate.reference].front())});
  section.items.emplace_back(clock_table(estimate, trace));
  sections.push_back(std::move(section));
  return clocks_object(estimate);
}

}  // namespace slackline
