#include "analysis/summary/diagnosis.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/paths/call_activities.h"
#include "analysis/paths/critical_path.h"
#include "analysis/summary/concentration.h"
#include "base/arithmetic.h"
#include "base/statistics.h"

namespace slackline {
namespace {

constexpr std::size_t kEvidenceRows = 10;
constexpr std::size_t kTimedCalls = 3;

double share_of(std::int64_t ns, std::int64_t whole) {
  return ratio_of(static_cast<double>(ns), static_cast<double>(whole));
}

Facts bounds(const Diagnosis& d) {
  const TimeShares& s = d.shares;
  const double waiting = s.share(s.sum_ns.wait);
  Facts facts{
      {{"outside the interval", s.run_ns - s.length_ns, Unit::ns, "part of the total run time"},
       {"outside it in the program", s.program.length_ns() - s.length_ns, Unit::ns,
        "where ranks leave MPI_Init or enter MPI_Finalize apart"},
       {"MPI_Init and MPI_Finalize", s.environment_ns, Unit::ns,
        "mean of the ranks, outside the analysed interval"},
       {"gain without waiting", waiting * static_cast<double>(s.length_ns), Unit::ns,
        "at most: wait time, mean of the ranks"},
       {"gain with an ideal network", s.length_ns - s.ideal_ns, Unit::ns,
        "at most: analysed interval less ideal-network run time"},
       {"the same, as share", share_of(s.length_ns - s.ideal_ns, s.length_ns), Unit::ratio,
        "of the analysed interval"}}};
  if (d.long_calls_ns() > 0) {
    facts.facts.push_back(
        {"long calls", d.long_calls_ns(), Unit::ns,
         "sum over the ranks, excluding wait time; the network does not explain them"});
  }
  return facts;
}

Table call_times(const Diagnosis& d, const CallPaths& paths) {
  Table table{"call_times",
              "Calls with most MPI time, excluding wait time",
              {{"operation"},
               {"call path"},
               {"share", Unit::ratio, "of all MPI time, excluding wait time"},
               {"median", Unit::ns},
               {"mean", Unit::ns},
               {"long calls", Unit::count, "over ten times as long as others of their size"},
               {"their share", Unit::ratio, "of the time of these calls"}},
              {}};
  for (std::size_t i = 0; i < std::min(kTimedCalls, d.stalls.size()); ++i) {
    const TimeShares::OfCalls& c = d.shares.calls[i];
    const CallStalls& s = d.stalls[i];
    table.rows.push_back(
        {std::string(mpi_name(c.operation)), paths.name(c.path),
         share_of(c.inside_ns(), d.shares.sum_ns.mpi), s.median_ns,
         ratio_of(static_cast<double>(c.inside_ns()), static_cast<double>(c.calls)),
         static_cast<std::int64_t>(s.calls), share_of(s.sum_ns, c.inside_ns())});
  }
  return table;
}

Table loss_intervals(const Diagnosis& d) {
  Table table{
      "loss_intervals",
      "Where losses lie in time",
      {{"loss"}, {"share", Unit::ratio, "of this loss"}, {"begin", Unit::ns}, {"end", Unit::ns}},
      {}};
  const auto add = [&](std::string name, const TimeWindows& windows) {
    if (const auto stretch = concentration(d.shares, windows)) {
      table.rows.push_back(
          {std::move(name), std::min(1.0, stretch->share), stretch->begin_ns, stretch->end_ns});
    }
  };
  add("wait time", d.waiting);
  if (!d.stalls.empty()) {
    add(std::string(mpi_name(d.shares.calls.front().operation)), d.stalls.front().by_time);
  }
  return table;
}

Table example_wait(const ExampleWait& e, const Trace& trace) {
  const WaitState& w = e.state;
  return {"example_wait",
          "A wait for the rank that causes most wait time",
          {{"begin", Unit::ns},
           {"rank"},
           {"operation"},
           {"wait time", Unit::ns},
           {"for rank"},
           {"pattern"}},
          {{e.begin_ns, std::int64_t{w.rank},
            std::string(mpi_name(trace.calls(w.rank).operation(w.call))), w.wait_ns,
            std::int64_t{w.cause_rank}, std::string(name(w.pattern))}}};
}

Table causing_ranks(const RootCauses& causes, const CallPaths& paths) {
  Table table{"cause_ranks",
              "Wait time by the rank that causes it",
              {{"rank"},
               {"share of wait time", Unit::ratio},
               {"mainly through"},
               {"call path"},
               {"share of that", Unit::ratio, "of all wait time"},
               {"from", Unit::ns, "of ranks that stand out: when"},
               {"to", Unit::ns}},
              {}};
  for (const LateRank& r : causes.ranks) {
    if (table.rows.size() == kEvidenceRows) break;
    std::vector<Value> row{std::int64_t{r.rank}, r.share, std::string(activity_name(r)),
                           paths.name(r.path), r.activity_share};
    row.resize(table.columns.size());
    if (table.rows.size() < causes.late_count) {
      row[5] = r.when.begin_ns;
      row[6] = r.when.end_ns;
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table causing_activities(const RootCauses& causes, const CallPaths& paths) {
  Table table{"cause_activities",
              "Wait time by the activity that causes it",
              {{"activity"},
               {"call path"},
               {"share of wait time", Unit::ratio},
               {"most on rank"},
               {"share of that", Unit::ratio, "of all wait time"}},
              {}};
  for (const CausingActivity& a : causes.activities) {
    if (table.rows.size() == kEvidenceRows) break;
    table.rows.push_back({std::string(activity_name(a)), paths.name(a.path), a.share,
                          std::int64_t{a.rank}, a.rank_share});
  }
  return table;
}

std::vector<Item> path_tables(const Diagnosis& d, const CallPaths& paths) {
  const PathShares path =
      path_shares(d.path, {d.shares.begin_ns, d.shares.begin_ns + d.shares.length_ns});
  Table activities{
      "path_interval",
      "Critical path in the analysed interval by activity",
      {{"activity"}, {"call path"}, {"time on path", Unit::ns}, {"share", Unit::ratio}},
      {}};
  for (const PathShares::OfActivity& a : path.activities) {
    if (activities.rows.size() == kEvidenceRows) break;
    activities.rows.push_back({std::string(activity_name(a)), paths.name(a.path), a.time_ns,
                               share_of(a.time_ns, path.length_ns)});
  }
  Table ranks{"path_interval_ranks",
              "Critical path in the analysed interval by rank",
              {{"rank"}, {"time on path", Unit::ns}, {"share", Unit::ratio}},
              {}};
  for (const std::size_t r :
       largest_first(path.by_rank.size(), [&](std::size_t r) { return path.by_rank[r]; })) {
    if (ranks.rows.size() == kEvidenceRows) break;
    ranks.rows.push_back(
        {static_cast<std::int64_t>(r), path.by_rank[r], share_of(path.by_rank[r], path.length_ns)});
  }
  Facts rest{{{"not in the interval", 1 - share_of(path.length_ns, d.path.makespan_ns), Unit::ratio,
               "share of the path of the whole run"}}};
  return {std::move(activities), std::move(ranks), std::move(rest)};
}

void add_items(std::vector<Section>& sections, std::string_view id, std::vector<Item> items) {
  const auto section = std::ranges::find(sections, id, &Section::id);
  if (section == sections.end()) return;
  for (Item& item : items) {
    const auto* table = std::get_if<Table>(&item);
    if (table == nullptr || !table->rows.empty()) section->items.push_back(std::move(item));
  }
}

}  // namespace

void add_evidence(const Diagnosis& d, const Trace& trace, const CallPaths& paths,
                  std::vector<Section>& sections) {
  add_items(sections, "time_shares", {bounds(d), call_times(d, paths), loss_intervals(d)});
  if (d.example) add_items(sections, "wait_states", {example_wait(*d.example, trace)});
  add_items(sections, "causes",
            {causing_ranks(d.causes, paths), causing_activities(d.causes, paths),
             Facts{{{"even share", d.causes.even_share, Unit::ratio,
                     "of wait time, if all ranks caused as much"}}}});
  add_items(sections, "critical_path", path_tables(d, paths));
}

}  // namespace slackline
