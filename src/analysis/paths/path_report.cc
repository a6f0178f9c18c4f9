#include "analysis/paths/path_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/paths/call_activities.h"
#include "base/arithmetic.h"
#include "base/statistics.h"

namespace slackline {

struct PathOf {
  const CriticalPath& path;
  const ImbalanceMetrics& imbalance;
  const CallPaths& paths;
  std::string_view on;
  PathDetail detail = PathDetail::sums;

  double share(std::int64_t ns) const {
    return ratio_of(static_cast<double>(ns), static_cast<double>(path.makespan_ns));
  }
};

struct IntervalPathOf {
  const ImbalanceMetrics& imbalance;
  const std::vector<std::int64_t>& by_rank;
  std::string_view on;
};

namespace {

constexpr std::size_t kPathRowsShown = PathSums::kLongest;

constexpr FindingKind kSegmentsLeftOut{
    "path_segments_left_out", Severity::info,
    "Segments of the critical path that the JSON output does not list, because there are more than "
    "100,000; sums and the longest segments are of all."};

const Rows<Imbalance> kImbalance{{"wait_before_ns", &Imbalance::before_ns},
                                 {"wait_after_ns", &Imbalance::after_ns},
                                 {"execution_ns", &Imbalance::execute_ns},
                                 {"program_ns", &Imbalance::program_ns},
                                 {"imbalance", &Imbalance::ratio}};

using OfOperation = ImbalanceMetrics::OfOperation;
const Rows<OfOperation> kOperations{
    "imbalance",
    "Collectives: wait time / execution time",
    {{kSpliced, &OfOperation::imbalance, kImbalance},
     {"operation", Unit::none, [](auto& o) { return mpi_name(o.operation); }},
     {"calls", Unit::count, &OfOperation::calls},
     {kShown, "wait before", Unit::ns, [](auto& o) { return o.imbalance.before_ns; },
      "until the last rank enters"},
     {kShown, "wait after", Unit::ns, [](auto& o) { return o.imbalance.after_ns; },
      "after the first rank leaves"},
     {kShown, "execution", Unit::ns, [](auto& o) { return o.imbalance.execute_ns; }},
     {kShown, "imbalance", Unit::none, [](auto& o) { return o.imbalance.ratio(); },
      "wait time / execution time"}}};

const Rows<ImbalanceMetrics> kImbalanceMetrics{
    {"program", &ImbalanceMetrics::program, kImbalance},
    {"left_out_calls", &ImbalanceMetrics::left_out},
    {"operations", &ImbalanceMetrics::operations, kOperations},
    {"ranks", &ImbalanceMetrics::ranks, kImbalance}};

std::string path_name(const auto& row, const PathOf& of) {
  return of.paths.name(row.path);
}

const Rows<ActivitySegment, PathOf> kSegments{
    "path_segments",
    "Longest segments of the critical path",
    {{"begin_ns", "begin", Unit::ns, &ActivitySegment::begin_ns},
     {"end_ns", &ActivitySegment::end_ns},
     {kShown, "length", Unit::ns, &ActivitySegment::length_ns},
     {"rank", Unit::none, &ActivitySegment::rank},
     {"call", &ActivitySegment::call},
     {"activity", Unit::none, [](auto& s) { return activity_name(s); }},
     {"call_path", "call path", Unit::none, path_name<ActivitySegment>}}};

const Rows<ActivityShare, PathOf> kActivities{
    "path_activities",
    "Critical path by activity",
    {{"activity", Unit::none, [](auto& a) { return activity_name(a); }},
     {"call_path", "call path", Unit::none, path_name<ActivityShare>},
     {"on_path_ns", "time on path", Unit::ns, &ActivityShare::on_path_ns},
     {kShown, "share of run time", Unit::ratio,
      [](auto& a, auto& of) { return of.share(a.on_path_ns); }},
     {"mean_ns", &ActivityShare::mean_ns},
     {"imbalance_ns", "imbalance", Unit::ns, &ActivityShare::imbalance_ns,
      "excess over the mean rank"},
     {"gain_at_most_ns", "max. gain", Unit::ns, &ActivityShare::gain_ns,
      "reduction of the run time if the activity took no time"}}};

const Rows<ActivityImpact, PathOf> kImpacts{
    "path_impact",
    "Activity impact",
    {{"activity", Unit::none, [](auto& i) { return activity_name(i.activity); }},
     {"call_path", "call path", Unit::none,
      [](auto& i, auto& of) { return path_name(i.activity, of); }},
     {"critical_ns", &ActivityImpact::critical_ns},
     {"non_critical_ns", &ActivityImpact::non_critical_ns},
     {"imbalance_ns", "imbalance caused", Unit::ns, &ActivityImpact::imbalance_ns,
      "summed over all ranks: excess of the critical path over the rank"},
     {kShown, "balanced (critical)", Unit::ns, &ActivityImpact::critical_ns,
      "summed over all ranks: the part that the rank shares with the critical path"},
     {kShown, "non-critical", Unit::ns, &ActivityImpact::non_critical_ns,
      "summed over all ranks: excess of the rank over the critical path"}}};

std::string_view ordinal(const NearPath& near, const PathOf& of) {
  return &near == of.path.near.data() ? "second" : "third";
}
double shared_part(const NearPath& n) {
  return ratio_of(static_cast<double>(n.shared_ns), static_cast<double>(n.length_ns));
}

const Rows<NearPath, PathOf> kNearPaths{"near_paths",
                                        "Near-critical paths",
                                        {{kShown, "path", Unit::none, ordinal},
                                         {"length_ns", "length", Unit::ns, &NearPath::length_ns},
                                         {"slack_ns", "slack", Unit::ns, &NearPath::slack_ns},
                                         {"shared_ns", &NearPath::shared_ns},
                                         {kShown, "shared", Unit::ratio, shared_part,
                                          "share of its length that lies on the critical path"},
                                         {"through_rank", "on rank", Unit::none, &NearPath::rank},
                                         {"by_rank_ns", &NearPath::by_rank}}};

const Rows<std::size_t, PathOf> kRanks{
    "path_ranks",
    "Critical path by rank",
    {{kShown, "rank", Unit::none, [](auto& rank) { return rank; }},
     {kShown, "time on path", Unit::ns, [](auto& rank, auto& of) { return of.path.by_rank[rank]; }},
     {kShown, "share of run time", Unit::ratio,
      [](auto& rank, auto& of) { return of.share(of.path.by_rank[rank]); }},
     {kShown, "mean slack", Unit::ns,
      [](auto& rank, auto& of) { return of.path.mean_slack_ns[rank]; },
      "over the rank's computation, weighted by length"}}};

const std::vector<ActivitySegment>* listed_segments(const CriticalPath& path, const PathOf& of) {
  return of.detail == PathDetail::segments ? &path.segments : nullptr;
}

const Rows<IntervalPath::Interval> kIntervals{{"begin_ns", &IntervalPath::Interval::begin_ns},
                                              {"end_ns", &IntervalPath::Interval::end_ns},
                                              {"rank", &IntervalPath::Interval::rank},
                                              {"call", &IntervalPath::Interval::call}};

Section imbalance_section(const ImbalanceMetrics& m) {
  constexpr double kMeaningful =
      100;  // times; where hardly anything else is done, more says nothing
  const double ratio = m.program.ratio();
  const Value shown = ratio <= kMeaningful ? Value(ratio) : Value(std::string("over 100 times"));
  Facts facts{{{"collective imbalance, whole program", shown, Unit::ratio,
                "wait time in collectives / (their execution time + computation)"}}};
  return {
      "imbalance", "Imbalance (whole run)", {std::move(facts), kOperations.table(m.operations)}};
}

}  // namespace

const Rows<CriticalPath, PathOf> kCriticalPath{
    {"on", [](auto&, auto& of) { return of.on; }},
    {"algorithm", [](auto& p) { return to_string(p.algorithm); }},
    {"makespan_ns", &CriticalPath::makespan_ns},
    {"vertices", &CriticalPath::vertices},
    {"edges", &CriticalPath::edges},
    {"global synchronisation points", &CriticalPath::parts},
    {"by_rank_ns", &CriticalPath::by_rank},
    {"least_slack_ns", &CriticalPath::least_slack_ns},
    {"mean_slack_ns", &CriticalPath::mean_slack_ns},
    {"activities", &CriticalPath::activities, kActivities},
    {"impacts", &CriticalPath::impacts, kImpacts},
    {"near_paths", &CriticalPath::near, kNearPaths},
    {kIfKnown, "segments", listed_segments, kSegments},
    {"imbalance", [](auto&, auto& of) -> auto& { return of.imbalance; }, kImbalanceMetrics}};

Described<CriticalPathJson> describe(const CriticalPath& path, const ImbalanceMetrics& imbalance,
                                     const CallPaths& paths, std::string_view on,
                                     PathDetail detail) {
  const bool too_many = path.segment_count > kSegmentsListed;
  const PathOf of{path, imbalance, paths, on, too_many ? PathDetail::sums : detail};
  Described<CriticalPathJson> report{CriticalPathJson(path, of)};
  report.findings = path.findings;
  if (too_many && detail == PathDetail::segments) {
    report.findings.add(kSegmentsLeftOut, {}, path.segment_count);
  }
  Facts facts{{{"length", path.makespan_ns, Unit::ns},
               {"segments", static_cast<std::int64_t>(path.segment_count), Unit::count},
               {"global synchronisation points",
                static_cast<std::int64_t>(std::max<std::size_t>(1, path.parts) - 1), Unit::count,
                "points that every path passes through"}}};
  const std::vector<std::size_t> ranks =
      largest_first(path.by_rank.size(), [&](std::size_t r) { return path.by_rank[r]; });
  report.sections.push_back(
      {"critical_path",
       fmt::format("Critical path ({}, whole run)", on),
       {std::move(facts), kActivities.table(path.activities, of, kPathRowsShown),
        kImpacts.table(path.impacts, of, kPathRowsShown), kRanks.table(ranks, of, kPathRowsShown),
        kNearPaths.table(path.near, of, 2), kSegments.table(path.longest, of)}});
  report.sections.push_back(imbalance_section(imbalance));
  return report;
}

const Rows<IntervalPath, IntervalPathOf> kIntervalPath{
    {"on", [](auto&, auto& of) { return of.on; }},
    {"algorithm", [](auto&) { return "intervals"; }},
    {"computation_ns", &IntervalPath::computation_ns},
    {"intervals", &IntervalPath::intervals},
    {"by_rank_ns", [](auto&, auto& of) { return of.by_rank; }},
    {"segments", &IntervalPath::critical, kIntervals},
    {"imbalance", [](auto&, auto& of) -> auto& { return of.imbalance; }, kImbalanceMetrics}};

Described<IntervalPathJson> describe(const IntervalPath& path, const ImbalanceMetrics& imbalance,
                                     const Trace& trace, std::string_view on) {
  std::vector<std::int64_t> by_rank(static_cast<std::size_t>(trace.ranks()));
  for (const IntervalPath::Interval& i : path.critical) {
    by_rank[static_cast<std::size_t>(i.rank)] += i.end_ns - i.begin_ns;
  }
  Described<IntervalPathJson> report{
      IntervalPathJson(path, IntervalPathOf{imbalance, by_rank, on})};
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
