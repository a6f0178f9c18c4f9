#include "analysis/paths/path_report.h"

#include <algorithm>

#include "base/ratio.h"

namespace slackline {
namespace {

constexpr std::size_t kPathRowsShown = 15;

std::string activity_name(Operation operation) {
  return operation == Operation::none ? "computation" : std::string(mpi_name(operation));
}

std::string activity_name(const ActivityImpact& i) {
  return i.late_start ? "late start" : activity_name(i.operation);
}

Json to_json(const Imbalance& i) {
  return {{"wait_before_ns", i.before_ns},
          {"wait_after_ns", i.after_ns},
          {"execution_ns", i.execute_ns},
          {"program_ns", i.program_ns},
          {"imbalance", i.ratio()}};
}

Json to_json(const ImbalanceMetrics& m) {
  Json json{{"program", to_json(m.program)},
            {"left_out_calls", m.left_out},
            {"operations", Json::array()},
            {"ranks", Json::array()}};
  for (const auto& o : m.operations) {
    Json one = to_json(o.imbalance);
    one["operation"] = std::string(mpi_name(o.operation));
    one["calls"] = o.calls;
    json["operations"].push_back(std::move(one));
  }
  for (const Imbalance& r : m.ranks) json["ranks"].push_back(to_json(r));
  return json;
}

Json segments_to_json(const CriticalPath& p, const CallPaths& paths) {
  Json json = Json::array();
  for (const ActivitySegment& s : p.segments) {
    json.push_back({{"begin_ns", s.begin_ns},
                    {"end_ns", s.end_ns},
                    {"rank", s.rank},
                    {"call", s.call},
                    {"activity", activity_name(s.operation)},
                    {"call_path", paths.name(s.path)}});
  }
  return json;
}

Json to_json(const CriticalPath& p, const CallPaths& paths, std::string_view on) {
  Json json{{"on", on},
            {"algorithm", to_string(p.algorithm)},
            {"makespan_ns", p.makespan_ns},
            {"vertices", p.vertices},
            {"edges", p.edges},
            {"global synchronisation points", p.parts},
            {"by_rank_ns", p.by_rank},
            {"least_slack_ns", p.least_slack_ns},
            {"mean_slack_ns", p.mean_slack_ns},
            {"activities", Json::array()},
            {"impacts", Json::array()},
            {"near_paths", Json::array()}};
  for (const ActivityShare& a : p.activities) {
    json["activities"].push_back({{"activity", activity_name(a.operation)},
                                  {"call_path", paths.name(a.path)},
                                  {"on_path_ns", a.on_path_ns},
                                  {"mean_ns", a.mean_ns},
                                  {"imbalance_ns", a.imbalance_ns},
                                  {"gain_at_most_ns", a.gain_ns ? Json(*a.gain_ns) : Json()}});
  }
  for (const ActivityImpact& i : p.impacts) {
    json["impacts"].push_back({{"activity", activity_name(i)},
                               {"call_path", paths.name(i.path)},
                               {"critical_ns", i.critical_ns},
                               {"non_critical_ns", i.non_critical_ns},
                               {"imbalance_ns", i.imbalance_ns}});
  }
  for (const NearPath& n : p.near) {
    json["near_paths"].push_back({{"length_ns", n.length_ns},
                                  {"slack_ns", n.slack_ns},
                                  {"shared_ns", n.shared_ns},
                                  {"through_rank", n.rank},
                                  {"by_rank_ns", n.by_rank}});
  }
  return json;
}

Table activity_table(const CriticalPath& p, const CallPaths& paths) {
  Table table{"path_activities",
              "Critical path by activity",
              {{"activity"},
               {"call path"},
               {"time on path", Unit::ns},
               {"share of run time", Unit::ratio},
               {"imbalance", Unit::ns, "excess over the mean rank"},
               {"max. gain", Unit::ns, "reduction of the run time if the activity took no time"}},
              {}};
  for (const ActivityShare& a : p.activities) {
    if (table.rows.size() == kPathRowsShown) break;
    std::vector<Value> row;
    row.emplace_back(activity_name(a.operation));
    row.emplace_back(paths.name(a.path));
    row.emplace_back(a.on_path_ns);
    row.emplace_back(
        ratio_of(static_cast<double>(a.on_path_ns), static_cast<double>(p.makespan_ns)));
    row.emplace_back(a.imbalance_ns);
    if (a.gain_ns) {
      row.emplace_back(*a.gain_ns);
    } else {
      row.emplace_back();
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table impact_table(const CriticalPath& p, const CallPaths& paths) {
  Table table{"path_impact",
              "Activity impact",
              {{"activity"},
               {"call path"},
               {"imbalance caused", Unit::ns,
                "summed over all ranks: excess of the critical path over the rank"},
               {"balanced (critical)", Unit::ns,
                "summed over all ranks: the part that the rank shares with the critical path"},
               {"non-critical", Unit::ns,
                "summed over all ranks: excess of the rank over the critical path"}},
              {}};
  for (const ActivityImpact& i : p.impacts) {
    if (table.rows.size() == kPathRowsShown) break;
    table.rows.push_back(
        {activity_name(i), paths.name(i.path), i.imbalance_ns, i.critical_ns, i.non_critical_ns});
  }
  return table;
}

Table rank_table(const CriticalPath& p) {
  Table table{"path_ranks",
              "Critical path by rank",
              {{"rank"},
               {"time on path", Unit::ns},
               {"share of run time", Unit::ratio},
               {"mean slack", Unit::ns, "over the rank's computation, weighted by length"}},
              {}};
  std::vector<std::size_t> order(p.by_rank.size());
  for (std::size_t r = 0; r < order.size(); ++r) order[r] = r;
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t r) { return p.by_rank[r]; });
  for (const std::size_t r : order) {
    if (table.rows.size() == kPathRowsShown) break;
    table.rows.push_back(
        {static_cast<std::int64_t>(r), p.by_rank[r],
         ratio_of(static_cast<double>(p.by_rank[r]), static_cast<double>(p.makespan_ns)),
         p.mean_slack_ns[r]});
  }
  return table;
}

Table near_table(const CriticalPath& p) {
  Table table{"near_paths",
              "Near-critical paths",
              {{"path"},
               {"length", Unit::ns},
               {"slack", Unit::ns},
               {"shared", Unit::ratio, "share of its length that lies on the critical path"},
               {"on rank"}},
              {}};
  const char* const names[] = {"second", "third"};
  for (std::size_t i = 0; i < p.near.size() && i < 2; ++i) {
    const NearPath& n = p.near[i];
    std::vector<Value> row;
    row.emplace_back(std::string(names[i]));
    row.emplace_back(n.length_ns);
    row.emplace_back(n.slack_ns);
    row.emplace_back(ratio_of(static_cast<double>(n.shared_ns), static_cast<double>(n.length_ns)));
    row.emplace_back(std::int64_t{n.rank});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Sorts by length, longest first, and among equal ones by time.
std::pair<std::int64_t, std::int64_t> earlier_of_longest(const ActivitySegment& s) {
  return {-s.length_ns(), s.begin_ns};
}

Table segment_table(const CriticalPath& p, const CallPaths& paths) {
  Table table{"path_segments",
              "Longest segments of the critical path",
              {{"begin", Unit::ns}, {"length", Unit::ns}, {"rank"}, {"activity"}, {"call path"}},
              {}};
  std::vector<ActivitySegment> longest(std::min(p.segments.size(), kPathRowsShown));
  std::ranges::partial_sort_copy(p.segments, longest, {}, earlier_of_longest, earlier_of_longest);
  std::ranges::sort(longest, {}, &ActivitySegment::begin_ns);
  for (const ActivitySegment& s : longest) {
    table.rows.push_back({s.begin_ns, s.length_ns(), std::int64_t{s.rank},
                          activity_name(s.operation), paths.name(s.path)});
  }
  return table;
}

Section imbalance_section(const ImbalanceMetrics& m) {
  Table table{"imbalance",
              "Collectives: wait time / execution time",
              {{"operation"},
               {"calls", Unit::count},
               {"wait before", Unit::ns, "until the last rank enters"},
               {"wait after", Unit::ns, "after the first rank leaves"},
               {"execution", Unit::ns},
               {"imbalance", Unit::none, "wait time / execution time"}},
              {}};
  for (const auto& o : m.operations) {
    table.rows.push_back({std::string(mpi_name(o.operation)), static_cast<std::int64_t>(o.calls),
                          o.imbalance.before_ns, o.imbalance.after_ns, o.imbalance.execute_ns,
                          o.imbalance.ratio()});
  }
  constexpr double kMeaningful =
      100;  // times; where hardly anything else is done, more says nothing
  const double ratio = m.program.ratio();
  const Value shown = ratio <= kMeaningful ? Value(ratio) : Value(std::string("over 100 times"));
  Facts facts{{{"collective imbalance, whole program", shown, Unit::ratio,
                "wait time in collectives / (their execution time + computation)"}}};
  return {"imbalance", "Imbalance (whole run)", {std::move(facts), std::move(table)}};
}

}  // namespace

Report describe(const CriticalPath& path, const ImbalanceMetrics& imbalance, const CallPaths& paths,
                std::string_view on, PathDetail detail) {
  Report report;
  report.result = to_json(path, paths, on);
  if (detail == PathDetail::segments) report.result["segments"] = segments_to_json(path, paths);
  report.result["imbalance"] = to_json(imbalance);
  report.findings = path.findings;
  Facts facts{{{"length", path.makespan_ns, Unit::ns},
               {"segments", static_cast<std::int64_t>(path.segments.size()), Unit::count},
               {"global synchronisation points",
                static_cast<std::int64_t>(std::max<std::size_t>(1, path.parts) - 1), Unit::count,
                "points that every path passes through"}}};
  report.sections.push_back(
      {"critical_path",
       fmt::format("Critical path ({}, whole run)", on),
       {std::move(facts), activity_table(path, paths), impact_table(path, paths), rank_table(path),
        near_table(path), segment_table(path, paths)}});
  report.sections.push_back(imbalance_section(imbalance));
  return report;
}

Report describe(const IntervalPath& path, const ImbalanceMetrics& imbalance, const Trace& trace,
                std::string_view on) {
  Report report;
  std::vector<std::int64_t> by_rank(static_cast<std::size_t>(trace.ranks()));
  Json critical = Json::array();
  for (const IntervalPath::Interval& i : path.critical) {
    by_rank[static_cast<std::size_t>(i.rank)] += i.end_ns - i.begin_ns;
    critical.push_back(
        {{"begin_ns", i.begin_ns}, {"end_ns", i.end_ns}, {"rank", i.rank}, {"call", i.call}});
  }
  report.result = {{"on", on},
                   {"algorithm", "intervals"},
                   {"computation_ns", path.computation_ns},
                   {"intervals", path.intervals},
                   {"by_rank_ns", by_rank},
                   {"segments", std::move(critical)},
                   {"imbalance", to_json(imbalance)}};
  Facts facts{{{"computation", path.computation_ns, Unit::ns, "time on path"},
               {"groups", static_cast<std::int64_t>(path.critical.size()), Unit::count,
                "of overlapping computations"},
               {"computations", static_cast<std::int64_t>(path.intervals), Unit::count,
                "above the minimum length"}}};
  Table table{"path_ranks", "Critical path by rank", {{"rank"}, {"time on path", Unit::ns}}, {}};
  for (std::size_t r = 0; r < by_rank.size() && r < kPathRowsShown; ++r) {
    table.rows.push_back({static_cast<std::int64_t>(r), by_rank[r]});
  }
  report.sections.push_back({"critical_path",
                             fmt::format("Critical path ({}, interval algorithm)", on),
                             {std::move(facts), std::move(table)}});
  report.sections.push_back(imbalance_section(imbalance));
  return report;
}

}  // namespace slackline
