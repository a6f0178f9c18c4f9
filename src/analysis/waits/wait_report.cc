#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "analysis/paths/call_activities.h"
#include "analysis/paths/path_functions.h"
#include "analysis/waits/wait_summary.h"
#include "base/arithmetic.h"
#include "base/statistics.h"
#include "base/units.h"

namespace slackline {

struct WaitsOf {
  const WaitSummary& summary;
  const Trace& trace;
  const CallPaths& paths;

  double waiting_ns() const { return static_cast<double>(summary.total_ns); }
  double length_ns() const { return static_cast<double>(summary.interval.length_ns()); }
  double explained_ns() const { return static_cast<double>(summary.delays.waiting_ns); }
  const CallTree& tree() const { return trace.call_tree(); }
};

namespace {

constexpr std::size_t kWaitRowsShown = 15;  // of long tables in text; the JSON has all rows

NameOf pattern_of(const auto& row) {
  return {identifier(row.pattern), name(row.pattern)};
}
std::string_view operation_of(const auto& row) {
  return mpi_name(row.operation);
}

const Rows<DescribedWait> kWorstWait{
    {"rank", &DescribedWait::rank},
    {"call", &DescribedWait::call},
    {"operation", operation_of<DescribedWait>},
    {"enter_ns", &DescribedWait::enter_ns},
    {"exit_ns", &DescribedWait::exit_ns},
    {"wait_ns", &DescribedWait::wait_ns},
    {"cause_rank", [](auto& s) { return known_if(s.cause_rank >= 0, s.cause_rank); }},
    {"cause_call", [](auto& s) { return known_if(s.cause_call != kNoCall, s.cause_call); }}};

const Rows<PatternSummary> kWrongOrder{
    {"count", &PatternSummary::wrong_order_count},
    {"same_source_ns", &PatternSummary::wrong_order_same_ns},
    {"different_source_ns", &PatternSummary::wrong_order_different_ns}};

double mean_ns(const PatternSummary& p) {
  return static_cast<double>(p.sum_ns) / static_cast<double>(p.count);
}
double terminal_ns(const PatternSummary& p) {
  return static_cast<double>(p.sum_ns) - p.propagating_ns.value();
}
std::optional<double> direct_share(const PatternSummary& p) {
  if (p.worst.cause_rank < 0) return std::nullopt;
  return ratio_of(p.direct_ns.value(), p.direct_ns.value() + p.indirect_ns.value());
}
const PatternSummary* with_order(const PatternSummary& p) {
  return p.pattern == WaitPattern::late_sender ? &p : nullptr;
}

const Rows<PatternSummary> kPatterns{
    "wait_patterns",
    "Wait states by pattern",
    {{"pattern", Unit::none, pattern_of<PatternSummary>},
     {"count", Unit::count, &PatternSummary::count},
     {"sum_ns", "total", Unit::ns, &PatternSummary::sum_ns},
     {"between_polls_ns", &PatternSummary::between_polls_ns},
     {"mean_ns", mean_ns},
     {"min_ns", &PatternSummary::least_ns},
     {"quartile25_ns", &PatternSummary::lower_quartile_ns},
     {"median_ns", "median", Unit::ns, &PatternSummary::median_ns},
     {"quartile75_ns", &PatternSummary::upper_quartile_ns},
     {"max_ns", "maximum", Unit::ns, [](auto& p) { return p.worst.wait_ns; }, "worst instance"},
     {kShown, "on rank", Unit::none, [](auto& p) { return p.worst.rank; },
      "rank of the worst instance"},
     {"variance_ns2", &PatternSummary::variance},
     {"by_rank_ns", &PatternSummary::by_rank},
     {"direct_ns", [](auto& p) { return p.direct_ns.value(); }},
     {"indirect_ns", [](auto& p) { return p.indirect_ns.value(); }},
     {"propagating_ns", [](auto& p) { return p.propagating_ns.value(); }},
     {"terminal_ns", terminal_ns},
     {kShown, "direct (not propagated)", Unit::ratio, direct_share,
      "share caused by a delay and not by other wait states"},
     {"worst", &PatternSummary::worst, kWorstWait},
     {kIfKnown, "wrong_order", with_order, kWrongOrder}}};

/// By DelayKind.
using Costs = std::array<FixedPointSum, kDelayKinds>;
static_assert(kDelayKinds == 5);
const Rows<Costs> kCosts{{"late_sender", [](auto& c) { return c[0].value(); }},
                         {"late_receiver", [](auto& c) { return c[1].value(); }},
                         {"all_to_all", [](auto& c) { return c[2].value(); }},
                         {"one_to_all", [](auto& c) { return c[3].value(); }},
                         {"all_to_one", [](auto& c) { return c[4].value(); }}};

double direct_ns(const DelayCost& d) {
  double direct = 0;
  for (const FixedPointSum& ns : d.short_term) direct += ns.value();
  return direct;
}

const Rows<DelayCost, WaitsOf> kDelays{
    "wait_causes",
    "Root causes (delay costs)",
    {{"rank", Unit::none, [](auto& d) { return d.of.rank; }},
     {"activity", Unit::none, [](auto& d) { return activity_name(d.of); }},
     {"call_path", "call path", Unit::none,
      [](auto& d, auto& waits) { return waits.paths.name(d.of.path); }},
     {"total_ns", &DelayCost::total},
     {"short_term_ns", &DelayCost::short_term, kCosts},
     {"long_term_ns", &DelayCost::long_term, kCosts},
     {kShown, "short-term costs", Unit::ns, direct_ns, "wait time caused directly"},
     {kShown, "long-term costs", Unit::ns, [](auto& d) { return d.total() - direct_ns(d); },
      "wait time caused by propagation"},
     {kShown, "share of wait time", Unit::ratio,
      [](auto& d, auto& waits) { return ratio_of(d.total(), waits.explained_ns()); }}}};

using WaitCause = WaitInCode::Cause;
const Rows<WaitCause, WaitsOf> kCauses{
    {"rank", &WaitCause::rank},
    {kSpliced, [](auto& c, auto& waits) { return location_to_json(waits.tree(), c.frame); }},
    {"share", &WaitCause::share}};

const WaitCause* cause_of(const WaitInCode& w) {
  return w.cause.rank < 0 ? nullptr : &w.cause;
}
std::optional<std::string> place_of_cause(const WaitInCode& w, const WaitsOf& waits) {
  return optional_of(cause_of(w),
                     [&](const WaitCause& c) { return describe_frame(waits.tree(), c.frame); });
}

const Rows<WaitInCode, WaitsOf> kInCode{
    "wait_code",
    "The largest waits in the code",
    {{"pattern", Unit::none, pattern_of<WaitInCode>},
     {"operation", Unit::none, operation_of<WaitInCode>},
     {"rank", Unit::count, &WaitInCode::rank},
     {kShown, "called in", Unit::none,
      [](auto& w, auto& waits) { return describe_frame(waits.tree(), w.frame); }},
     {"count", &WaitInCode::count},
     {"sum_ns", "sum", Unit::ns, &WaitInCode::sum_ns},
     {"call_path", [](auto& w, auto& waits) { return functions_to(waits.tree(), w.frame); }},
     {kSpliced, [](auto& w, auto& waits) { return location_to_json(waits.tree(), w.frame); }},
     {"cause", cause_of, kCauses},
     {kShown, "cause at rank", Unit::count,
      [](auto& w) { return known_if(w.cause.rank >= 0, w.cause.rank); }},
     {kShown, "cause in", Unit::none, place_of_cause,
      "computation: the function, and the line where it ends"},
     {kShown, "share", Unit::ratio,
      [](auto& w) { return known_if(w.cause.rank >= 0, w.cause.share); },
      "of this waiting that comes from there"}}};

std::string region_of(const WaitPlace& place, const WaitsOf& waits) {
  const std::int32_t region = waits.paths.region(place.path);
  return region < 0 ? std::string() : waits.trace.regions()[static_cast<std::size_t>(region)];
}
std::optional<double> share_of(const WaitPlace& place, const WaitsOf& waits) {
  if (place.effective_ns <= 0) return std::nullopt;
  return ratio_of(static_cast<double>(place.effective_ns), waits.waiting_ns());
}
/// A number for every rank; empty for places beyond places_given_by_rank().
std::vector<std::int64_t> every_rank(const WaitPlace& place, const WaitsOf& waits) {
  const std::int32_t ranks = waits.trace.ranks();
  const auto number = &place - waits.summary.places.data();
  if (std::cmp_greater_equal(number, places_given_by_rank(waits.summary, ranks))) return {};
  std::vector<std::int64_t> all(static_cast<std::size_t>(ranks), 0);
  for (const RankWait& w : place.ranks) all[static_cast<std::size_t>(w.rank)] = w.ns;
  return all;
}

const Rows<WaitPlace, WaitsOf> kPlaces{
    "wait_places",
    "Wait states by call path",
    {{"pattern", Unit::none, pattern_of<WaitPlace>},
     {"operation", Unit::none, operation_of<WaitPlace>},
     {"region", region_of},
     {"call_path", "call path", Unit::none,
      [](auto& p, auto& waits) { return waits.paths.name(p.path); }},
     {"count", Unit::count, &WaitPlace::count},
     {"sum_ns", "total", Unit::ns, &WaitPlace::sum_ns},
     {kShown, "share", Unit::ratio, share_of,
      "of total wait time; none of completion patterns, which are not wait time"},
     {kShown, "most on rank", Unit::none,
      [](auto& p) { return std::ranges::max_element(p.ranks, {}, &RankWait::ns)->rank; }},
     {"by_rank_ns", every_rank}}};

const Rows<RankWait, WaitsOf> kWaitingRanks{
    "wait_ranks",
    "Wait time by rank",
    {{kShown, "rank", Unit::none, &RankWait::rank},
     {kShown, "wait time", Unit::ns, &RankWait::ns},
     {kShown, "share of the interval", Unit::ratio, [](auto& w, auto& waits) {
        return ratio_of(static_cast<double>(w.ns), waits.length_ns());
      }}}};

/// Below a pattern, what of it comes of the order of messages and of polling.
Table pattern_table(const WaitSummary& s) {
  Table all = kPatterns.table(s.patterns);
  Table table{all.id, all.title, all.columns, {}};
  for (std::size_t i = 0; i < s.patterns.size(); ++i) {
    const PatternSummary& p = s.patterns[i];
    table.rows.push_back(std::move(all.rows[i]));
    const auto add_part = [&](std::string_view part, Value n, std::int64_t ns) {
      if (ns <= 0) return;
      std::vector<Value> of{fmt::format("  {}, {}", name(p.pattern), part), std::move(n), ns};
      of.resize(table.columns.size());
      table.rows.push_back(std::move(of));
    };
    add_part("wrong order", cell_of(p.wrong_order_count),
             p.wrong_order_same_ns + p.wrong_order_different_ns);
    add_part("between polls", {}, p.between_polls_ns);
  }
  return table;
}

/// The ranks that have calls, the longest waiting first.
std::vector<RankWait> longest_waiting(const WaitSummary& s) {
  std::vector<RankWait> ranks;
  for (const std::size_t r :
       largest_first(s.by_rank.size(), [&](std::size_t r) { return s.by_rank[r]; })) {
    if (s.has_calls[r]) ranks.push_back({static_cast<std::int32_t>(r), s.by_rank[r]});
  }
  return ranks;
}

Facts totals(const WaitSummary& s) {
  const auto present = static_cast<double>(std::ranges::count(s.has_calls, true));
  const double all = static_cast<double>(s.interval.length_ns()) * present;
  const auto waiting = static_cast<double>(s.total_ns);
  return {{{"wait time", waiting, Unit::ns, "sum over all ranks"},
           {"share of rank time", ratio_of(waiting, all), Unit::ratio, "in the same interval"},
           {"share of MPI time", ratio_of(waiting, static_cast<double>(s.mpi_ns)), Unit::ratio}}};
}

Facts explained(const WaitSummary& s) {
  return {{{"not attributed",
            ratio_of(s.delays.unexplained_ns.value(), static_cast<double>(s.delays.waiting_ns)),
            Unit::ratio, "wait time without a delay that explains it"}}};
}

}  // namespace

const Rows<WaitSummary, WaitsOf> kWaitSummary{
    {"waiting_ns", &WaitSummary::total_ns},
    {"mpi_ns", &WaitSummary::mpi_ns},
    {"begin_ns", [](auto& s) { return s.interval.begin_ns - s.run.begin_ns; }},
    {"length_ns", [](auto& s) { return s.interval.length_ns(); }},
    {"waiting_by_rank_ns", &WaitSummary::by_rank},
    {"patterns", &WaitSummary::patterns, kPatterns},
    {"places", &WaitSummary::places, kPlaces},
    {"waits", &WaitSummary::in_code, kInCode},
    {"delays", [](auto& s) -> auto& { return s.delays.costs; }, kDelays},
    {"delays_unexplained_ns", [](auto& s) { return s.delays.unexplained_ns.value(); }},
    {"delays_explain_ns", [](auto&, auto& waits) { return waits.explained_ns(); }}};

Described<WaitSummaryJson> describe(const WaitSummary& summary, const Trace& trace,
                                    const CallPaths& paths) {
  const WaitsOf waits{summary, trace, paths};
  Described<WaitSummaryJson> report{WaitSummaryJson(summary, waits)};
  report.findings = summary.findings;
  const std::string_view of = summary.interval == summary.run ? " (whole run)" : "";
  std::vector<Item> items{totals(summary), pattern_table(summary)};
  if (!summary.places.empty()) {
    items.emplace_back(kPlaces.table(summary.places, waits, kWaitRowsShown));
    items.emplace_back(kWaitingRanks.table(longest_waiting(summary), waits, kWaitRowsShown));
  }
  if (!waits.tree().empty() && !summary.in_code.empty()) {
    items.emplace_back(kInCode.table(summary.in_code, waits, kWaitRowsShown));
  }
  report.sections.push_back({"wait_states", fmt::format("Wait states{}", of), std::move(items)});
  if (!summary.delays.costs.empty()) {
    report.sections.push_back(
        {"causes",
         fmt::format("Root causes{}", of),
         {kDelays.table(summary.delays.costs, waits, kWaitRowsShown), explained(summary)}});
  }
  return report;
}

}  // namespace slackline
