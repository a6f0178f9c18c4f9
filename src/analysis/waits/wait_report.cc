#include <fmt/format.h>

#include <algorithm>

#include "analysis/paths/path_functions.h"
#include "analysis/waits/wait_summary.h"
#include "base/ratio.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::size_t kRowsShown = 15;  // of long tables in text; the JSON has all rows

Value count(std::uint64_t n) {
  return static_cast<std::int64_t>(n);
}

Json state_to_json(const WaitState& s, const Trace& trace) {
  const RankCalls& calls = trace.calls(s.rank);
  return {{"rank", s.rank},
          {"call", s.call},
          {"operation", std::string(mpi_name(calls.operation(s.call)))},
          {"enter_ns", calls.begin_ns(s.call)},
          {"exit_ns", calls.end_ns(s.call)},
          {"wait_ns", s.wait_ns},
          {"cause_rank", s.cause_rank < 0 ? Json(nullptr) : Json(s.cause_rank)},
          {"cause_call", s.cause_call == kNoCall ? Json(nullptr) : Json(s.cause_call)}};
}

Json pattern_to_json(const PatternSummary& p, const Trace& trace) {
  Json json{{"pattern", identifier(p.pattern)},
            {"count", p.count},
            {"sum_ns", p.sum_ns},
            {"mean_ns", static_cast<double>(p.sum_ns) / static_cast<double>(p.count)},
            {"min_ns", p.least_ns},
            {"quartile25_ns", p.lower_quartile_ns},
            {"median_ns", p.median_ns},
            {"quartile75_ns", p.upper_quartile_ns},
            {"max_ns", p.most_ns},
            {"variance_ns2", p.variance},
            {"by_rank_ns", p.by_rank},
            {"direct_ns", p.direct_ns},
            {"indirect_ns", p.indirect_ns},
            {"propagating_ns", p.propagating_ns},
            {"terminal_ns", static_cast<double>(p.sum_ns) - p.propagating_ns},
            {"worst", state_to_json(p.worst, trace)}};
  if (p.pattern == WaitPattern::late_sender) {
    json["wrong_order"] = {{"count", p.wrong_order_count},
                           {"same_source_ns", p.wrong_order_same_ns},
                           {"different_source_ns", p.wrong_order_different_ns}};
  }
  return json;
}

Json delay_to_json(const DelayCost& d, const CallPaths& paths) {
  Json json{{"rank", d.rank},
            {"activity",
             d.operation == Operation::none ? "computation" : std::string(mpi_name(d.operation))},
            {"call_path", paths.name(d.path)},
            {"total_ns", d.total()}};
  for (std::size_t k = 0; k < kDelayKinds; ++k) {
    const std::string kind(identifier(static_cast<DelayKind>(k)));
    json["short_term_ns"][kind] = d.short_term[k];
    json["long_term_ns"][kind] = d.long_term[k];
  }
  return json;
}

/// Functions, outermost first; null where the recording has none.
Json functions_to(const CallTree& tree, FrameId frame) {
  if (frame == 0) return nullptr;
  Json names = Json::array();
  for (const FrameId f : tree.path_to(frame)) names.push_back(tree.location(f).function);
  return names;
}

Json wait_to_json(const WaitInCode& w, const CallTree& tree) {
  Json cause(nullptr);
  if (w.cause.rank >= 0) {
    cause = {{"rank", w.cause.rank}};
    add_location(cause, tree, w.cause.frame);
    cause["share"] = w.cause.share;
  }
  Json json{{"pattern", identifier(w.pattern)},
            {"operation", std::string(mpi_name(w.operation))},
            {"rank", w.rank},
            {"count", w.count},
            {"sum_ns", w.sum_ns},
            {"call_path", functions_to(tree, w.frame)}};
  add_location(json, tree, w.frame);
  json["cause"] = cause;
  return json;
}

/// A number for every rank.
Json every_rank(const WaitPlace& place, std::int32_t ranks) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(ranks), 0);
  for (const RankWait& w : place.ranks) all[static_cast<std::size_t>(w.rank)] = w.ns;
  return all;
}

Json to_json(const WaitSummary& s, const Trace& trace, const CallPaths& paths) {
  Json json{{"waiting_ns", s.total_ns},
            {"mpi_ns", s.mpi_ns},
            {"begin_ns", s.interval.begin_ns - run_span(trace).whole.begin_ns},
            {"length_ns", s.interval.length_ns()},
            {"waiting_by_rank_ns", s.by_rank},
            {"patterns", Json::array()},
            {"places", Json::array()},
            {"waits", Json::array()},
            {"delays", Json::array()},
            {"delays_unexplained_ns", s.delays.unexplained_ns},
            {"delays_explain_ns", s.delays.waiting_ns}};
  for (const PatternSummary& p : s.patterns) json["patterns"].push_back(pattern_to_json(p, trace));
  const std::size_t by_rank = places_given_by_rank(s, trace.ranks());
  Json& places = json["places"];
  for (const WaitPlace& p : s.places) {
    const std::int32_t region = paths.region(p.path);
    places.push_back(
        {{"pattern", identifier(p.pattern)},
         {"operation", std::string(mpi_name(p.operation))},
         {"region", region < 0 ? "" : trace.regions()[static_cast<std::size_t>(region)]},
         {"call_path", paths.name(p.path)},
         {"count", p.count},
         {"sum_ns", p.sum_ns},
         {"by_rank_ns", places.size() < by_rank ? every_rank(p, trace.ranks()) : Json::array()}});
  }
  for (const WaitInCode& w : s.in_code) {
    json["waits"].push_back(wait_to_json(w, trace.call_tree()));
  }
  for (const DelayCost& d : s.delays.costs) json["delays"].push_back(delay_to_json(d, paths));
  return json;
}

Facts totals(const WaitSummary& s, const Trace& trace) {
  std::int32_t present = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) present += trace.calls(r).empty() ? 0 : 1;
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
        std::string(name(p.pattern)), count(p.count), p.sum_ns, p.median_ns, p.most_ns,
        std::int64_t{p.worst.rank}};
    row.resize(table.columns.size());
    if (p.worst.cause_rank >= 0) row.back() = ratio_of(p.direct_ns, p.direct_ns + p.indirect_ns);
    table.rows.push_back(std::move(row));
    if (p.wrong_order_count > 0) {
      std::vector<Value> wrong{std::string("  late sender, wrong order"),
                               count(p.wrong_order_count),
                               p.wrong_order_same_ns + p.wrong_order_different_ns};
      wrong.resize(table.columns.size());
      table.rows.push_back(std::move(wrong));
    }
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
               {"most on rank"}},
              {}};
  for (const WaitPlace& p : s.places) {
    if (table.rows.size() == kRowsShown) break;
    const std::int32_t most = std::ranges::max_element(p.ranks, {}, &RankWait::ns)->rank;
    table.rows.push_back({std::string(name(p.pattern)), std::string(mpi_name(p.operation)),
                          paths.name(p.path), count(p.count), p.sum_ns, std::int64_t{most}});
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

Table rank_table(const WaitSummary& s, const Trace& trace) {
  Table table{"wait_ranks",
              "Wait time by rank",
              {{"rank"}, {"wait time", Unit::ns}, {"share of the interval", Unit::ratio}},
              {}};
  std::vector<std::size_t> order(s.by_rank.size());
  for (std::size_t r = 0; r < order.size(); ++r) order[r] = r;
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t r) { return s.by_rank[r]; });
  for (const std::size_t r : order) {
    if (table.rows.size() == kRowsShown) break;
    if (trace.calls(static_cast<std::int32_t>(r)).empty()) continue;
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
    for (const double ns : d.short_term) direct += ns;
    table.rows.push_back({std::int64_t{d.rank},
                          d.operation == Operation::none ? std::string("computation")
                                                         : std::string(mpi_name(d.operation)),
                          paths.name(d.path), direct, d.total() - direct,
                          ratio_of(d.total(), s.delays.waiting_ns)});
  }
  return table;
}

Facts explained(const WaitSummary& s) {
  return {{{"not attributed", ratio_of(s.delays.unexplained_ns, s.delays.waiting_ns), Unit::ratio,
            "wait time without a delay that explains it"}}};
}

}  // namespace

Report describe(const WaitSummary& summary, const Trace& trace, const CallPaths& paths) {
  Report report;
  report.result = to_json(summary, trace, paths);
  report.findings = summary.findings;
  const bool all = summary.interval == run_span(trace).whole;
  const std::string_view of = all ? " (whole run)" : "";
  report.sections.push_back({"wait_states",
                             fmt::format("Wait states{}", of),
                             {totals(summary, trace), pattern_table(summary)}});
  if (summary.places.empty()) return report;
  report.sections.back().items.insert(report.sections.back().items.end(),
                                      {place_table(summary, paths), rank_table(summary, trace)});
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
