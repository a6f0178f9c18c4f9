#include <fmt/format.h>

#include <string>

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

auto time_object(const PathTime& t) {
  return Object{"total_ns"_key = ns_of_ps(t.total_ps()), "compute_ns"_key = ns_of_ps(t.compute_ps),
                "overhead_ns"_key = ns_of_ps(t.overhead_ps),
                "latency_ns"_key = ns_of_ps(t.latency_ps),
                "bandwidth_ns"_key = ns_of_ps(t.bandwidth_ps)};
}

auto predicted_rank_object(const TimeBreakdown& r) {
  return Object{"compute_ns"_key = ns_of_ps(r.compute), "overhead_ns"_key = ns_of_ps(r.overhead),
                "transfer_ns"_key = ns_of_ps(r.transfer), "wait_ns"_key = ns_of_ps(r.wait)};
}

auto prediction_object(const Prediction& p, const Trace& trace) {
  return Object{"makespan_ns"_key = p.makespan_ns,
                "measured_ns"_key =
                    optional_of(p.measured, [](const MeasuredRun& run) { return run.makespan_ns; }),
                "lambda_L"_key = p.lambda_latency,
                "lambda_G_bytes"_key = p.lambda_gap_bytes,
                "lambda_o"_key = p.lambda_overhead,
                "rho_L"_key = p.rho_latency,
                "link_delay_ns"_key = ns_of_ps(p.link.longest_ps),
                "derivative"_key = p.side == Side::right ? "right" : "left",
                "critical_path"_key = path_to_json(p.path, trace),
                "ranks"_key = list_of(p.ranks_ps, predicted_rank_object),
                "graph"_key = Object{"vertices"_key = p.vertices, "edges"_key = p.edges,
                                     "messages"_key = p.messages}};
}

std::optional<std::string> known_region(std::int32_t region, const Trace& trace) {
  if (region == kNoRegion) return std::nullopt;
  return std::string(region_name(region, trace));
}

auto model_path_object(const ModelPath& path, const Trace& trace) {
  return Object{
      time_object(path.total), "messages"_key = path.messages,
      "by_rank"_key = list_of(path.by_rank, time_object),
      "by_operation"_key = list_of(
          path.by_operation,
          [](const auto& of) {
            return Object{time_object(of.second), "operation"_key = activity_name(of.first)};
          }),
      "by_region"_key = list_of(path.by_region, [&](const auto& of) {
        return Object{time_object(of.second), "region"_key = known_region(of.first, trace)};
      })};
}

auto segment_object(const PathSegment& s, const Trace& trace) {
  return Object{"begin_ns"_key = ns_of_ps(s.begin_ps),
                "end_ns"_key = ns_of_ps(s.end_ps),
                "part"_key = to_string(s.part),
                "rank"_key = s.rank,
                "from_rank"_key = s.from_rank,
                "call"_key = s.call,
                "operation"_key = activity_name(s.operation),
                "region"_key = known_region(s.region, trace)};
}

auto predicted_path_object(const Prediction& p, const Trace& trace) {
  return Object{
      "makespan_ns"_key = p.makespan_ns, "critical_path"_key = path_to_json(p.path, trace),
      "segments"_key =
          list_of(p.path.segments, [&](const PathSegment& s) { return segment_object(s, trace); })};
}

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

}  // namespace

const JsonType& declared_type(const ModelPathJsonTag*) {
  return json_type_by<model_path_object>();
}

ModelPathJson path_to_json(const ModelPath& path, const Trace& trace) {
  return model_path_object(path, trace);
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

const JsonType& declared_type(const PredictionJsonTag*) {
  return json_type_by<prediction_object>();
}

Described<PredictionJson> describe(const Prediction& p, const Trace& trace) {
  Described<PredictionJson> report{prediction_object(p, trace)};
  if (!p.link_is_negligible) report.findings.add(kLinkExceeded, describe(p.link));
  report.sections.push_back({.id = "prediction", .title = "Prediction", .items = {key_facts(p)}});
  report.sections.push_back(describe_path(p.path, trace));
  report.sections.push_back(describe_ranks(p));
  return report;
}

namespace {

Table longest_segments(const ModelPath& path, const Trace& trace) {
  std::vector<const PathSegment*> longest;
  for (const PathSegment& s : path.segments) longest.push_back(&s);
  const auto by_length = [](const PathSegment* s) { return s->length_ps(); };
  std::ranges::stable_sort(longest, std::greater{}, by_length);
  if (longest.size() > kSegmentsShown) longest.resize(kSegmentsShown);
  Table table{.id = "segments",
              .title = fmt::format("Longest segments of the critical path ({} of {})",
                                   longest.size(), format_count(path.segments.size())),
              .columns = {{"begin", Unit::ns},
                          {"length", Unit::ns},
                          {"part"},
                          {"rank"},
                          {"from", Unit::none, "sending rank, for messages"},
                          {"call", Unit::count, "index of the call on its rank"},
                          {"operation"},
                          {"region"}},
              .rows = {}};
  for (const PathSegment* s : longest) {
    table.rows.push_back({ns_of_ps(s->begin_ps), ns_of_ps(s->length_ps()),
                          std::string(to_string(s->part)), std::int64_t{s->rank},
                          std::int64_t{s->from_rank}, std::int64_t{s->call},
                          std::string(activity_name(s->operation)), region_name(s->region, trace)});
  }
  return table;
}

}  // namespace

const JsonType& declared_type(const PredictedPathJsonTag*) {
  return json_type_by<predicted_path_object>();
}

Described<PredictedPathJson> describe_critical_path(const Prediction& p, const Trace& trace) {
  Described<PredictedPathJson> report{predicted_path_object(p, trace)};
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
