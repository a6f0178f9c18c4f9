#include "analysis/paths/path_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/paths/call_activities.h"
#include "base/arithmetic.h"
#include "base/statistics.h"

namespace slackline {
namespace {

constexpr std::size_t kPathRowsShown = PathSums::kLongest;

constexpr FindingKind kSegmentsLeftOut{
    "path_segments_left_out", Severity::info,
    "Segments of the critical path that the JSON output does not list, because there are more than "
    "100,000; sums and the longest segments are of all."};

auto imbalance_object(const Imbalance& i) {
  return Object{"wait_before_ns"_key = i.before_ns, "wait_after_ns"_key = i.after_ns,
                "execution_ns"_key = i.execute_ns, "program_ns"_key = i.program_ns,
                "imbalance"_key = i.ratio()};
}

auto imbalance_metrics_object(const ImbalanceMetrics& m) {
  return Object{"program"_key = imbalance_object(m.program), "left_out_calls"_key = m.left_out,
                "operations"_key = list_of(m.operations,
                                           [](const auto& o) {
                                             return Object{imbalance_object(o.imbalance),
                                                           "operation"_key = mpi_name(o.operation),
                                                           "calls"_key = o.calls};
                                           }),
                "ranks"_key = list_of(m.ranks, imbalance_object)};
}

auto segment_objects(const CriticalPath& p, const CallPaths& paths) {
  return list_of(p.segments, [&](const ActivitySegment& s) {
    return Object{"begin_ns"_key = s.begin_ns,
                  "end_ns"_key = s.end_ns,
                  "rank"_key = s.rank,
                  "call"_key = s.call,
                  "activity"_key = activity_name(s),
                  "call_path"_key = paths.name(s.path)};
  });
}

auto share_object(const ActivityShare& a, const CallPaths& paths) {
  return Object{"activity"_key = activity_name(a),   "call_path"_key = paths.name(a.path),
                "on_path_ns"_key = a.on_path_ns,     "mean_ns"_key = a.mean_ns,
                "imbalance_ns"_key = a.imbalance_ns, "gain_at_most_ns"_key = a.gain_ns};
}

auto impact_object(const ActivityImpact& i, const CallPaths& paths) {
  return Object{"activity"_key = activity_name(i.activity),
                "call_path"_key = paths.name(i.activity.path), "critical_ns"_key = i.critical_ns,
                "non_critical_ns"_key = i.non_critical_ns, "imbalance_ns"_key = i.imbalance_ns};
}

auto near_path_object(const NearPath& n) {
  return Object{"length_ns"_key = n.length_ns, "slack_ns"_key = n.slack_ns,
                "shared_ns"_key = n.shared_ns, "through_rank"_key = n.rank,
                "by_rank_ns"_key = n.by_rank};
}

auto path_object(const CriticalPath& p, const ImbalanceMetrics& imbalance, const CallPaths& paths,
                 std::string_view on, PathDetail detail) {
  return Object{"on"_key = on,
                "algorithm"_key = to_string(p.algorithm),
                "makespan_ns"_key = p.makespan_ns,
                "vertices"_key = p.vertices,
                "edges"_key = p.edges,
                "global synchronisation points"_key = p.parts,
                "by_rank_ns"_key = p.by_rank,
                "least_slack_ns"_key = p.least_slack_ns,
                "mean_slack_ns"_key = p.mean_slack_ns,
                "activities"_key = list_of(
                    p.activities, [&](const ActivityShare& a) { return share_object(a, paths); }),
                "impacts"_key = list_of(
                    p.impacts, [&](const ActivityImpact& i) { return impact_object(i, paths); }),
                "near_paths"_key = list_of(p.near, near_path_object),
                "segments"_key.when(optional_of(
                    detail == PathDetail::segments ? &p : nullptr,
                    [&](const CriticalPath& all) { return segment_objects(all, paths); })),
                "imbalance"_key = imbalance_metrics_object(imbalance)};
}

auto path_interval_object(const IntervalPath::Interval& i) {
  return Object{"begin_ns"_key = i.begin_ns, "end_ns"_key = i.end_ns, "rank"_key = i.rank,
                "call"_key = i.call};
}

auto interval_path_object(const IntervalPath& path, const std::vector<std::int64_t>& by_rank,
                          const ImbalanceMetrics& imbalance, std::string_view on) {
  return Object{"on"_key = on,
                "algorithm"_key = "intervals",
                "computation_ns"_key = path.computation_ns,
                "intervals"_key = path.intervals,
                "by_rank_ns"_key = by_rank,
                "segments"_key = list_of(path.critical, path_interval_object),
                "imbalance"_key = imbalance_metrics_object(imbalance)};
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
    row.emplace_back(std::string(activity_name(a)));
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
    table.rows.push_back({std::string(activity_name(i.activity)), paths.name(i.activity.path),
                          i.imbalance_ns, i.critical_ns, i.non_critical_ns});
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
  for (const std::size_t r :
       largest_first(p.by_rank.size(), [&](std::size_t r) { return p.by_rank[r]; })) {
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

Table segment_table(const CriticalPath& p, const CallPaths& paths) {
  Table table{"path_segments",
              "Longest segments of the critical path",
              {{"begin", Unit::ns}, {"length", Unit::ns}, {"rank"}, {"activity"}, {"call path"}},
              {}};
  for (const ActivitySegment& s : p.longest) {
    table.rows.push_back({s.begin_ns, s.length_ns(), std::int64_t{s.rank},
                          std::string(activity_name(s)), paths.name(s.path)});
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

const JsonType& declared_type(const CriticalPathJsonTag*) {
  return json_type_by<path_object>();
}

Described<CriticalPathJson> describe(const CriticalPath& path, const ImbalanceMetrics& imbalance,
                                     const CallPaths& paths, std::string_view on,
                                     PathDetail detail) {
  const bool too_many = path.segment_count > kSegmentsListed;
  Described<CriticalPathJson> report{
      path_object(path, imbalance, paths, on, too_many ? PathDetail::sums : detail)};
  report.findings = path.findings;
  if (too_many && detail == PathDetail::segments) {
    report.findings.add(kSegmentsLeftOut, {}, path.segment_count);
  }
  Facts facts{{{"length", path.makespan_ns, Unit::ns},
               {"segments", static_cast<std::int64_t>(path.segment_count), Unit::count},
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

const JsonType& declared_type(const IntervalPathJsonTag*) {
  return json_type_by<interval_path_object>();
}

Described<IntervalPathJson> describe(const IntervalPath& path, const ImbalanceMetrics& imbalance,
                                     const Trace& trace, std::string_view on) {
  std::vector<std::int64_t> by_rank(static_cast<std::size_t>(trace.ranks()));
  for (const IntervalPath::Interval& i : path.critical) {
    by_rank[static_cast<std::size_t>(i.rank)] += i.end_ns - i.begin_ns;
  }
  Described<IntervalPathJson> report{interval_path_object(path, by_rank, imbalance, on)};
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
