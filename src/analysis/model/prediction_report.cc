#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/model/prediction.h"
#include "analysis/paths/call_activities.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::size_t kSegmentsShown = 40;

double ns_of_ps(std::int64_t ps) {
  return static_cast<double>(ps) / 1000.0;
}

std::string region_name(std::int32_t region, const Trace& trace) {
  return region == kNoRegion ? "(no region)" : trace.regions()[static_cast<std::size_t>(region)];
}

std::vector<Value> time_row(Value label, const PathTime& t, std::int64_t makespan_ps) {
  const double share =
      makespan_ps == 0 ? 0 : static_cast<double>(t.total_ps()) / static_cast<double>(makespan_ps);
  return {std::move(label),        ns_of_ps(t.total_ps()),  share,
          ns_of_ps(t.compute_ps),  ns_of_ps(t.overhead_ps), ns_of_ps(t.latency_ps),
          ns_of_ps(t.bandwidth_ps)};
}

Table path_table(std::string id, std::string title, std::string first_column) {
  return Table{.id = std::move(id),
               .title = std::move(title),
               .columns = {{std::move(first_column)},
                           {"time", Unit::ns, "time on the critical path"},
                           {"share", Unit::ratio, "of the run time"},
                           {"compute", Unit::ns, "outside MPI"},
                           {"overhead", Unit::ns, "o: CPU time of sending and receiving"},
                           {"latency", Unit::ns, "L: network latencies"},
                           {"bandwidth", Unit::ns, "G: bytes transferred"}},
               .rows = {}};
}

std::optional<std::string> known_region(std::int32_t region, const Trace& trace) {
  if (region == kNoRegion) return std::nullopt;
  return region_name(region, trace);
}

const Rows<PathTime> kPathTime{{"total_ns", [](auto& t) { return ns_of_ps(t.total_ps()); }},
                               {"compute_ns", [](auto& t) { return ns_of_ps(t.compute_ps); }},
                               {"overhead_ns", [](auto& t) { return ns_of_ps(t.overhead_ps); }},
                               {"latency_ns", [](auto& t) { return ns_of_ps(t.latency_ps); }},
                               {"bandwidth_ns", [](auto& t) { return ns_of_ps(t.bandwidth_ps); }}};

const Rows<std::pair<Operation, PathTime>> kByOperation{
    {kSpliced, &std::pair<Operation, PathTime>::second, kPathTime},
    {"operation", [](auto& of) { return activity_name(of.first); }}};

const Rows<std::pair<std::int32_t, PathTime>, Trace> kByRegion{
    {kSpliced, &std::pair<std::int32_t, PathTime>::second, kPathTime},
    {"region", [](auto& of, auto& trace) { return known_region(of.first, trace); }}};

const Rows<ModelPath, Trace> kModelPath{{kSpliced, &ModelPath::total, kPathTime},
                                        {"messages", &ModelPath::messages},
                                        {"by_rank", &ModelPath::by_rank, kPathTime},
                                        {"by_operation", &ModelPath::by_operation, kByOperation},
                                        {"by_region", &ModelPath::by_region, kByRegion}};

const Rows<PathSegment, Trace> kPathSegments{
    "segments",
    "",
    {{"begin_ns", "begin", Unit::ns, [](auto& s) { return ns_of_ps(s.begin_ps); }},
     {"end_ns", [](auto& s) { return ns_of_ps(s.end_ps); }},
     {kShown, "length", Unit::ns, [](auto& s) { return ns_of_ps(s.length_ps()); }},
     {"part", Unit::none, [](auto& s) { return to_string(s.part); }},
     {"rank", Unit::none, &PathSegment::rank},
     {"from_rank", "from", Unit::none, &PathSegment::from_rank, "sending rank, for messages"},
     {"call", Unit::count, &PathSegment::call, "index of the call on its rank"},
     {"operation", Unit::none, [](auto& s) { return activity_name(s.operation); }},
     {"region", [](auto& s, auto& trace) { return known_region(s.region, trace); }},
     {kShown, "region", Unit::none,
      [](auto& s, auto& trace) { return region_name(s.region, trace); }}}};

const Rows<TimeBreakdown> kModelledRanks{
    {"compute_ns", [](auto& r) { return ns_of_ps(r.compute); }},
    {"overhead_ns", [](auto& r) { return ns_of_ps(r.overhead); }},
    {"transfer_ns", [](auto& r) { return ns_of_ps(r.transfer); }},
    {"wait_ns", [](auto& r) { return ns_of_ps(r.wait); }}};

const Rows<Prediction> kPredictedGraph{{"vertices", &Prediction::vertices},
                                       {"edges", &Prediction::edges},
                                       {"messages", &Prediction::messages}};

Facts key_facts(const Prediction& p) {
  Facts facts;
  facts.facts.push_back({"predicted run time T", p.makespan_ns, Unit::ns,
                         "by the model, with the measured computation"});
  if (p.measured) {
    const auto measured = static_cast<double>(p.measured->makespan_ns);
    facts.facts.push_back({"measured run time", measured, Unit::ns, p.measured->extent});
    if (measured > 0) {
      facts.facts.push_back({"predicted / measured", p.makespan_ns / measured, Unit::ratio,
                             "below 100 %: the modelled network is faster, or MPI time has other "
                             "causes (oversubscription, system noise)"});
    }
  }
  facts.facts.push_back(
      {"messages on critical path (lambda_L)", p.lambda_latency, Unit::count, "dT/dL"});
  facts.facts.push_back(
      {"bytes on critical path (lambda_G)", p.lambda_gap_bytes, Unit::bytes,
       p.measured_costs ? "dT/dG: measured cost of the messages, divided by G" : "dT/dG"});
  facts.facts.push_back(
      {"overheads on critical path (lambda_o)", p.lambda_overhead, Unit::count, "dT/do"});
  facts.facts.push_back(
      {"latency share of run time (rho_L)", p.rho_latency, Unit::ratio, "L * lambda_L / T"});
  facts.facts.push_back({"messages", static_cast<std::int64_t>(p.messages), Unit::count,
                         "in the execution graph, including those of collectives"});
  if (!p.link_is_negligible) {
    facts.facts.push_back({"longest delay at a link, not in T", ns_of_ps(p.link.longest_ps),
                           Unit::ns,
                           fmt::format("rank {} {} messages that overlap", p.link.rank,
                                       p.link.sending ? "sends" : "receives")});
  }
  return facts;
}

Section describe_ranks(const Prediction& p) {
  Table table{.id = "ranks",
              .title = "Predicted time per rank",
              .columns = {{"rank"},
                          {"compute", Unit::ns, "outside MPI"},
                          {"overhead", Unit::ns, "o: CPU time of sending and receiving"},
                          {"transfer", Unit::ns, "blocked while the message is in transit"},
                          {"wait", Unit::ns, "blocked because another rank is late"},
                          {"wait share", Unit::ratio}},
              .rows = {}};
  for (std::size_t r = 0; r < p.ranks_ps.size(); ++r) {
    const TimeBreakdown& parts = p.ranks_ps[r];
    const double total = std::max(1.0, ns_of_ps(parts.total()));
    table.rows.push_back({static_cast<std::int64_t>(r), ns_of_ps(parts.compute),
                          ns_of_ps(parts.overhead), ns_of_ps(parts.transfer), ns_of_ps(parts.wait),
                          ns_of_ps(parts.wait) / total});
  }
  return Section{.id = "ranks", .title = "Ranks", .items = {std::move(table)}};
}

Section describe_path(const ModelPath& path, const Trace& trace) {
  const std::int64_t makespan_ps = path.total.total_ps();
  Table by_operation = path_table("path_by_operation", "Critical path by operation", "operation");
  for (const auto& [operation, time] : path.by_operation) {
    by_operation.rows.push_back(time_row(std::string(activity_name(operation)), time, makespan_ps));
  }
  Table by_rank = path_table("path_by_rank", "Critical path by rank", "rank");
  for (std::size_t r = 0; r < path.by_rank.size(); ++r) {
    if (path.by_rank[r].total_ps() == 0) continue;
    by_rank.rows.push_back(time_row(static_cast<std::int64_t>(r), path.by_rank[r], makespan_ps));
  }
  Section section{.id = "critical-path",
                  .title = "Critical path (model)",
                  .items = {std::move(by_operation), std::move(by_rank)}};
  if (!path.by_region.empty()) {
    Table by_region = path_table("path_by_region", "Critical path by region", "region");
    for (const auto& [region, time] : path.by_region) {
      by_region.rows.push_back(time_row(region_name(region, trace), time, makespan_ps));
    }
    section.items.emplace_back(std::move(by_region));
  }
  return section;
}

}  // namespace

const Rows<Prediction, Trace> kPrediction{
    {"makespan_ns", &Prediction::makespan_ns},
    {"measured_ns",
     [](auto& p) { return optional_of(p.measured, [](auto& run) { return run.makespan_ns; }); }},
    {"lambda_L", &Prediction::lambda_latency},
    {"lambda_G_bytes", &Prediction::lambda_gap_bytes},
    {"lambda_o", &Prediction::lambda_overhead},
    {"rho_L", &Prediction::rho_latency},
    {"link_delay_ns", [](auto& p) { return ns_of_ps(p.link.longest_ps); }},
    {"derivative", [](auto& p) { return p.side == Side::right ? "right" : "left"; }},
    {"critical_path", &Prediction::path, kModelPath},
    {"ranks", &Prediction::ranks_ps, kModelledRanks},
    {"graph", [](auto& p) -> auto& { return p; }, kPredictedGraph}};

Described<PredictionJson> describe(const Prediction& p, const Trace& trace) {
  Described<PredictionJson> report{PredictionJson(p, trace)};
  if (!p.link_is_negligible) report.findings.add(kLinkExceeded, describe(p.link));
  report.sections.push_back({.id = "prediction", .title = "Prediction", .items = {key_facts(p)}});
  report.sections.push_back(describe_path(p.path, trace));
  report.sections.push_back(describe_ranks(p));
  return report;
}

namespace {

Table longest_segments(const ModelPath& path, const Trace& trace) {
  std::vector<std::reference_wrapper<const PathSegment>> longest(path.segments.begin(),
                                                                 path.segments.end());
  std::ranges::stable_sort(longest, std::greater{}, &PathSegment::length_ps);
  Table table = kPathSegments.table(longest, trace, kSegmentsShown);
  table.title = fmt::format("Longest segments of the critical path ({} of {})", table.rows.size(),
                            format_count(path.segments.size()));
  return table;
}

}  // namespace

const Rows<Prediction, Trace> kPredictedPath{
    {"makespan_ns", &Prediction::makespan_ns},
    {"critical_path", &Prediction::path, kModelPath},
    {"segments", [](auto& p) -> auto& { return p.path.segments; }, kPathSegments}};

Described<PredictedPathJson> describe_critical_path(const Prediction& p, const Trace& trace) {
  Described<PredictedPathJson> report{PredictedPathJson(p, trace)};
  Facts facts;
  facts.facts.push_back({"predicted run time", p.makespan_ns, Unit::ns});
  facts.facts.push_back({"compute", ns_of_ps(p.path.total.compute_ps), Unit::ns});
  facts.facts.push_back({"overhead", ns_of_ps(p.path.total.overhead_ps), Unit::ns});
  facts.facts.push_back({"latency", ns_of_ps(p.path.total.latency_ps), Unit::ns});
  facts.facts.push_back({"bandwidth", ns_of_ps(p.path.total.bandwidth_ps), Unit::ns});
  facts.facts.push_back({"messages", static_cast<std::int64_t>(p.path.messages), Unit::count});
  report.sections.push_back({.id = "path", .title = "Summary", .items = {std::move(facts)}});
  report.sections.push_back(describe_path(p.path, trace));
  report.sections.push_back(
      {.id = "segments", .title = "Segments", .items = {longest_segments(p.path, trace)}});
  return report;
}

}  // namespace slackline
