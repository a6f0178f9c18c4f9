#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/paths/call_activities.h"
#include "analysis/paths/path_functions.h"
#include "analysis/waits/wait_summary.h"
#include "base/arithmetic.h"
#include "base/statistics.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::size_t kRowsShown = 15;  // of long tables in text; the JSON has all rows

Value count(std::uint64_t n) {
  return static_cast<std::int64_t>(n);
}

auto wait_object(const DescribedWait& s) {
  return Object{"rank"_key = s.rank,
                "call"_key = s.call,
                "operation"_key = mpi_name(s.operation),
                "enter_ns"_key = s.enter_ns,
                "exit_ns"_key = s.exit_ns,
                "wait_ns"_key = s.wait_ns,
                "cause_rank"_key = known_if(s.cause_rank >= 0, s.cause_rank),
                "cause_call"_key = known_if(s.cause_call != kNoCall, s.cause_call)};
}

auto wrong_order_object(const PatternSummary& p) {
  return Object{"count"_key = p.wrong_order_count, "same_source_ns"_key = p.wrong_order_same_ns,
                "different_source_ns"_key = p.wrong_order_different_ns};
}

auto pattern_object(const PatternSummary& p) {
  return Object{
      "pattern"_key = identifier(p.pattern),
      "count"_key = p.count,
      "sum_ns"_key = p.sum_ns,
      "between_polls_ns"_key = p.between_polls_ns,
      "mean_ns"_key = static_cast<double>(p.sum_ns) / static_cast<double>(p.count),
      "min_ns"_key = p.least_ns,
      "quartile25_ns"_key = p.lower_quartile_ns,
      "median_ns"_key = p.median_ns,
      "quartile75_ns"_key = p.upper_quartile_ns,
      "max_ns"_key = p.worst.wait_ns,
      "variance_ns2"_key = p.variance,
      "by_rank_ns"_key = p.by_rank,
      "direct_ns"_key = p.direct_ns.value(),
      "indirect_ns"_key = p.indirect_ns.value(),
      "propagating_ns"_key = p.propagating_ns.value(),
      "terminal_ns"_key = static_cast<double>(p.sum_ns) - p.propagating_ns.value(),
      "worst"_key = wait_object(p.worst),
      "wrong_order"_key.when(p.pattern == WaitPattern::late_sender, wrong_order_object(p))};
}

/// By DelayKind.
auto costs_object(const std::array<FixedPointSum, kDelayKinds>& costs) {
  static_assert(kDelayKinds == 5);
  return Object{"late_sender"_key = costs[0].value(), "late_receiver"_key = costs[1].value(),
                "all_to_all"_key = costs[2].value(), "one_to_all"_key = costs[3].value(),
                "all_to_one"_key = costs[4].value()};
}

auto delay_object(const DelayCost& d, const CallPaths& paths) {
  return Object{"rank"_key = d.of.rank,
                "activity"_key = activity_name(d.of),
                "call_path"_key = paths.name(d.of.path),
                "total_ns"_key = d.total(),
                "short_term_ns"_key = costs_object(d.short_term),
                "long_term_ns"_key = costs_object(d.long_term)};
}

auto wait_cause_object(const WaitInCode& w, const CallTree& tree) {
  return Object{"rank"_key = w.cause.rank, location_to_json(tree, w.cause.frame),
                "share"_key = w.cause.share};
}

auto wait_in_code_object(const WaitInCode& w, const CallTree& tree) {
  return Object{"pattern"_key = identifier(w.pattern),
                "operation"_key = mpi_name(w.operation),
                "rank"_key = w.rank,
                "count"_key = w.count,
                "sum_ns"_key = w.sum_ns,
                "call_path"_key = functions_to(tree, w.frame),
                location_to_json(tree, w.frame),
                "cause"_key = known_if(w.cause.rank >= 0, wait_cause_object(w, tree))};
}

/// A number for every rank.
std::vector<std::int64_t> every_rank(const WaitPlace& place, std::int32_t ranks) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(ranks), 0);
  for (const RankWait& w : place.ranks) all[static_cast<std::size_t>(w.rank)] = w.ns;
  return all;
}

auto wait_place_object(const WaitPlace& p, const Trace& trace, const CallPaths& paths,
                       bool by_rank) {
  const std::int32_t region = paths.region(p.path);
  return Object{
      "pattern"_key = identifier(p.pattern),
      "operation"_key = mpi_name(p.operation),
      "region"_key = region < 0 ? std::string() : trace.regions()[static_cast<std::size_t>(region)],
      "call_path"_key = paths.name(p.path),
      "count"_key = p.count,
      "sum_ns"_key = p.sum_ns,
      "by_rank_ns"_key = by_rank ? every_rank(p, trace.ranks()) : std::vector<std::int64_t>()};
}

auto wait_place_objects(const WaitSummary& s, const Trace& trace, const CallPaths& paths) {
  const std::size_t by_rank = places_given_by_rank(s, trace.ranks());
  std::size_t place = 0;
  return list_of(s.places, [&](const WaitPlace& p) {
    return wait_place_object(p, trace, paths, place++ < by_rank);
  });
}

auto wait_summary_object(const WaitSummary& s, const Trace& trace, const CallPaths& paths) {
  const CallTree& tree = trace.call_tree();
  return Object{"waiting_ns"_key = s.total_ns,
                "mpi_ns"_key = s.mpi_ns,
                "begin_ns"_key = s.interval.begin_ns - s.run.begin_ns,
                "length_ns"_key = s.interval.length_ns(),
                "waiting_by_rank_ns"_key = s.by_rank,
                "patterns"_key = list_of(s.patterns, pattern_object),
                "places"_key = wait_place_objects(s, trace, paths),
                "waits"_key = list_of(
                    s.in_code, [&](const WaitInCode& w) { return wait_in_code_object(w, tree); }),
                "delays"_key = list_of(s.delays.costs,
                                       [&](const DelayCost& d) { return delay_object(d, paths); }),
                "delays_unexplained_ns"_key = s.delays.unexplained_ns.value(),
                "delays_explain_ns"_key = static_cast<double>(s.delays.waiting_ns)};
}

Facts totals(const WaitSummary& s) {
  const auto present = static_cast<double>(std::ranges::count(s.has_calls, true));
  const double all = static_cast<double>(s.interval.length_ns()) * present;
  const auto waiting = static_cast<double>(s.total_ns);
  return {{{"wait time", waiting, Unit::ns, "sum over all ranks"},
           {"share of rank time", ratio_of(waiting, all), Unit::ratio, "in the same interval"},
           {"share of MPI time", ratio_of(waiting, static_cast<double>(s.mpi_ns)), Unit::ratio}}};
}

Table pattern_table(const WaitSummary& s) {
  Table table{"wait_patterns",
              "Wait states by pattern",
              {{"pattern"},
               {"count", Unit::count},
               {"total", Unit::ns},
               {"median", Unit::ns},
               {"maximum", Unit::ns, "worst instance"},
               {"on rank", Unit::none, "rank of the worst instance"},
               {"direct (not propagated)", Unit::ratio,
                "share caused by a delay and not by other wait states"}},
              {}};
  for (const PatternSummary& p : s.patterns) {
    std::vector<Value> row{
        std::string(name(p.pattern)), count(p.count), p.sum_ns, p.median_ns, p.worst.wait_ns,
        std::int64_t{p.worst.rank}};
    row.resize(table.columns.size());
    if (p.worst.cause_rank >= 0)
      row.back() = ratio_of(p.direct_ns.value(), p.direct_ns.value() + p.indirect_ns.value());
    table.rows.push_back(std::move(row));
    const auto add_part = [&](std::string_view part, Value n, std::int64_t ns) {
      if (ns <= 0) return;
      std::vector<Value> of{fmt::format("  {}, {}", name(p.pattern), part), std::move(n), ns};
      of.resize(table.columns.size());
      table.rows.push_back(std::move(of));
    };
    add_part("wrong order", count(p.wrong_order_count),
             p.wrong_order_same_ns + p.wrong_order_different_ns);
    add_part("between polls", {}, p.between_polls_ns);
  }
  return table;
}

Table place_table(const WaitSummary& s, const CallPaths& paths) {
  Table table{"wait_places",
              "Wait states by call path",
              {{"pattern"},
               {"operation"},
               {"call path"},
               {"count", Unit::count},
               {"total", Unit::ns},
               {"share", Unit::ratio,
                "of total wait time; none of completion patterns, which are not wait time"},
               {"most on rank"}},
              {}};
  for (const WaitPlace& p : s.places) {
    if (table.rows.size() == kRowsShown) break;
    const std::int32_t most = std::ranges::max_element(p.ranks, {}, &RankWait::ns)->rank;
    Value share;
    if (p.effective_ns > 0) {
      share = ratio_of(static_cast<double>(p.effective_ns), static_cast<double>(s.total_ns));
    }
    table.rows.push_back({std::string(name(p.pattern)), std::string(mpi_name(p.operation)),
                          paths.name(p.path), count(p.count), p.sum_ns, std::move(share),
                          std::int64_t{most}});
  }
  return table;
}

Table code_table(const WaitSummary& s, const CallTree& tree) {
  Table table{"wait_code",
              "The largest waits in the code",
              {{"pattern"},
               {"operation"},
               {"rank", Unit::count},
               {"called in"},
               {"sum", Unit::ns},
               {"cause at rank", Unit::count},
               {"cause in", Unit::none, "computation: the function, and the line where it ends"},
               {"share", Unit::ratio, "of this waiting that comes from there"}},
              {}};
  for (const WaitInCode& w : s.in_code) {
    if (table.rows.size() == kRowsShown) break;
    std::vector<Value> row{std::string(name(w.pattern)), std::string(mpi_name(w.operation)),
                           std::int64_t{w.rank}, describe_frame(tree, w.frame), w.sum_ns};
    row.resize(table.columns.size());
    if (w.cause.rank >= 0) {
      row[5] = std::int64_t{w.cause.rank};
      row[6] = describe_frame(tree, w.cause.frame);
      row[7] = w.cause.share;
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table rank_table(const WaitSummary& s) {
  Table table{"wait_ranks",
              "Wait time by rank",
              {{"rank"}, {"wait time", Unit::ns}, {"share of the interval", Unit::ratio}},
              {}};
  for (const std::size_t r :
       largest_first(s.by_rank.size(), [&](std::size_t r) { return s.by_rank[r]; })) {
    if (table.rows.size() == kRowsShown) break;
    if (!s.has_calls[r]) continue;
    table.rows.push_back(
        {static_cast<std::int64_t>(r), s.by_rank[r],
         ratio_of(static_cast<double>(s.by_rank[r]), static_cast<double>(s.interval.length_ns()))});
  }
  return table;
}

Table cause_table(const WaitSummary& s, const CallPaths& paths) {
  Table table{"wait_causes",
              "Root causes (delay costs)",
              {{"rank"},
               {"activity"},
               {"call path"},
               {"short-term costs", Unit::ns, "wait time caused directly"},
               {"long-term costs", Unit::ns, "wait time caused by propagation"},
               {"share of wait time", Unit::ratio}},
              {}};
  for (const DelayCost& d : s.delays.costs) {
    if (table.rows.size() == kRowsShown) break;
    double direct = 0;
    for (const FixedPointSum& ns : d.short_term) direct += ns.value();
    table.rows.push_back({std::int64_t{d.of.rank}, std::string(activity_name(d.of)),
                          paths.name(d.of.path), direct, d.total() - direct,
                          ratio_of(d.total(), static_cast<double>(s.delays.waiting_ns))});
  }
  return table;
}

Facts explained(const WaitSummary& s) {
  return {{{"not attributed",
            ratio_of(s.delays.unexplained_ns.value(), static_cast<double>(s.delays.waiting_ns)),
            Unit::ratio, "wait time without a delay that explains it"}}};
}

}  // namespace

const JsonType& declared_type(const WaitSummaryJsonTag*) {
  return json_type_by<wait_summary_object>();
}

Described<WaitSummaryJson> describe(const WaitSummary& summary, const Trace& trace,
                                    const CallPaths& paths) {
  Described<WaitSummaryJson> report{wait_summary_object(summary, trace, paths)};
  report.findings = summary.findings;
  const bool all = summary.interval == summary.run;
  const std::string_view of = all ? " (whole run)" : "";
  report.sections.push_back(
      {"wait_states", fmt::format("Wait states{}", of), {totals(summary), pattern_table(summary)}});
  if (summary.places.empty()) return report;
  report.sections.back().items.insert(report.sections.back().items.end(),
                                      {place_table(summary, paths), rank_table(summary)});
  if (!trace.call_tree().empty() && !summary.in_code.empty()) {
    report.sections.back().items.push_back(code_table(summary, trace.call_tree()));
  }
  if (!summary.delays.costs.empty()) {
    report.sections.push_back({"causes",
                               fmt::format("Root causes{}", of),
                               {cause_table(summary, paths), explained(summary)}});
  }
  return report;
}

}  // namespace slackline
