#include "app/report/run_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <utility>

#include "analysis/profile/time_profile.h"
#include "analysis/runs/gap_parts.h"
#include "base/arithmetic.h"
#include "calls/call_actions.h"
#include "graph/collective_index.h"
#include "trace/operation_kinds.h"

namespace slackline {
namespace {

constexpr const char* kOutsideRegions = "(outside of any region)";  // for scripts

/// All calls of one operation that one algorithm performs.
struct Performed {
  Operation operation = Operation::none;
  std::string_view algorithm;
  std::int64_t collectives = 0;  ///< of all members together
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  std::int64_t time_ns = 0;
};

std::vector<Performed> performed(const Trace& trace, const ModelChoice& choice) {
  Findings told_by_the_graph;
  const CollectiveCalls collectives = assemble_collectives(trace);
  const CollectiveIndex index(trace, collectives, choice.graph.collectives, told_by_the_graph);
  std::map<std::pair<Operation, const CollectiveAlgorithm*>, Performed> sums;
  for (std::uint32_t id = 0; id < collectives.instances.size(); ++id) {
    const CollectiveInstance& collective = collectives.instances[id];
    if (!is_collective(collective.operation)) continue;
    const CollectiveIndex::Instance& instance = index.instance(id);
    for (const CollectiveMember& member : collectives.members_of(collective)) {
      const RankCalls& calls = trace.calls(member.rank);
      const Operation operation = calls.operation(member.enter);
      Performed& sum = sums[{operation, instance.algorithm}];
      sum.operation = operation;
      sum.algorithm = instance.algorithm->name;
      ++sum.calls;
      const bool first = instance.members.empty() || instance.members.front() == member.rank;
      sum.collectives += first ? 1 : 0;
      sum.bytes = saturated_sum(sum.bytes, static_cast<std::int64_t>(std::min<std::uint64_t>(
                                               calls.bytes(member.enter), INT64_MAX)));
      if (trace.timed()) sum.time_ns += calls.end_ns(member.enter) - calls.begin_ns(member.enter);
    }
  }
  std::vector<Performed> all;
  for (const auto& [key, sum] : sums) all.push_back(sum);
  std::ranges::stable_sort(all, std::greater<>(),
                           [](const Performed& p) { return std::pair(p.time_ns, p.bytes); });
  return all;
}

/// The mean time in one region of the ranks that enter it.
struct RegionShare {
  std::size_t ranks = 0;
  double compute_ns = 0;
  double inside_ns = 0;  ///< of MPI, without waiting
  double waiting_ns = 0;
  double on_path_ns = 0;

  double total_ns() const { return compute_ns + inside_ns + waiting_ns; }
};

std::string region_name(const Trace& trace, const CallPaths& paths, PathId path) {
  const std::int32_t region = paths.region(path);
  return region < 0 ? kOutsideRegions : trace.regions()[static_cast<std::size_t>(region)];
}

/// The regions that a rank enters; all ranks are outside of regions at some time.
std::set<std::string> regions_of(const Trace& trace, std::int32_t rank) {
  std::set<std::string> names;
  if (!trace.calls(rank).empty()) names.insert(kOutsideRegions);
  for (const RegionEvent& event : trace.calls(rank).regions()) {
    names.insert(trace.regions()[event.region]);
  }
  return names;
}

std::map<std::string, RegionShare> region_shares(const Diagnosis& measured, const Trace& trace,
                                                 const CallPaths& paths) {
  std::map<std::string, RegionShare> shares;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    for (const std::string& name : regions_of(trace, rank)) ++shares[name].ranks;
  }
  const std::vector<std::int64_t> computation = computation_by_path(trace, paths);
  for (PathId path = 0; path < computation.size(); ++path) {
    shares[region_name(trace, paths, path)].compute_ns += static_cast<double>(computation[path]);
  }
  const auto ranks = static_cast<double>(measured.shares.present);
  for (const ActivityShare& a : measured.path.activities) {
    RegionShare& share = shares[region_name(trace, paths, a.path)];
    if (a.operation != Operation::none) share.inside_ns += ranks * a.mean_ns;
    if (!a.late_start) share.on_path_ns += static_cast<double>(a.on_path_ns);
  }
  for (const TimeShares::OfCalls& c : measured.shares.calls) {
    shares[region_name(trace, paths, c.path)].waiting_ns += static_cast<double>(c.waiting_ns);
  }
  for (auto& [name, share] : shares) {
    const auto entering = static_cast<double>(std::max<std::size_t>(1, share.ranks));
    for (double* sum : {&share.compute_ns, &share.inside_ns, &share.waiting_ns}) *sum /= entering;
  }
  return shares;
}

double per_call(const Performed& p, std::int64_t sum) {
  return static_cast<double>(sum) / static_cast<double>(p.calls);
}

/// The last two columns are of timed traces only.
const Rows<Performed, Trace> kPerformed{
    "collectives",
    "Collectives by algorithm",
    {{"operation", Unit::none, [](auto& p) { return mpi_name(p.operation); }},
     {"algorithm", Unit::none, &Performed::algorithm,
      "algorithm assumed by the model (--collectives)"},
     {"collectives", Unit::count, &Performed::collectives,
      "each one a call of every participating rank"},
     {"calls", Unit::count, &Performed::calls, "all ranks"},
     {"bytes", Unit::bytes, &Performed::bytes, "as given by the calls, all ranks"},
     {kShown, "bytes per call", Unit::bytes, [](auto& p) { return per_call(p, p.bytes); }},
     {kIfKnown, "time_ns", "time", Unit::ns,
      [](auto& p, auto& trace) { return known_if(trace.timed(), p.time_ns); },
      "measured in these calls, all ranks, including wait time"},
     {kShown, "time per call", Unit::ns, [](auto& p) { return per_call(p, p.time_ns); }}}};

auto collectives_object(const std::vector<Performed>& all, const Trace& trace) {
  return Object{"collectives"_key =
                    list_of(all, [&](const Performed& p) { return JsonBy<kPerformed>(p, trace); })};
}

using NamedShare = std::pair<std::string, RegionShare>;

NameOf region_of(const NamedShare& named) {
  return {named.first,
          named.first == kOutsideRegions ? "(no region)" : std::string_view(named.first)};
}

double wait_share(const NamedShare& named) {
  return named.second.total_ns() > 0 ? named.second.waiting_ns / named.second.total_ns() : 0;
}

const Rows<NamedShare> kRegionShares{
    "regions",
    "Mean time by region of the ranks that enter it, whole run (wait time: analysed interval)",
    {{"region", Unit::none, region_of, "innermost active region"},
     {"ranks", Unit::count, [](auto& of) { return of.second.ranks; }, "that enter it"},
     {"compute_ns", "computation", Unit::ns, [](auto& of) { return of.second.compute_ns; },
      "mean of these ranks"},
     {"inside_ns", "MPI excl. waiting", Unit::ns, [](auto& of) { return of.second.inside_ns; },
      "data transfer and MPI library overhead"},
     {"waiting_ns", "wait time", Unit::ns, [](auto& of) { return of.second.waiting_ns; },
      "for other ranks"},
     {kShown, "wait share", Unit::ratio, wait_share, "of the region's time"},
     {"on_path_ns", "on critical path", Unit::ns, [](auto& of) { return of.second.on_path_ns; },
      "contribution to the run time"}}};

auto regions_object(const std::vector<NamedShare>& regions) {
  return Object{"regions"_key = list_of(regions, kJsonBy<kRegionShares>)};
}

using NamedCounters = std::pair<std::string, PathCounters>;

/// By innermost region or function, those with most computation first.
std::vector<NamedCounters> counters_by_name(const Trace& trace, const CallPaths& paths) {
  std::map<std::string, PathCounters> by_name;
  const std::vector<PathCounters> by_path = path_counters(trace, paths);
  for (PathId path = 0; path < by_path.size(); ++path) {
    const PathCounters& own = by_path[path];
    if (own.computation_ns <= 0) continue;
    PathCounters& to = by_name[path == 0 ? std::string() : paths.innermost(path)];
    to.computation_ns += own.computation_ns;
    to.gains.resize(own.gains.size());
    for (std::size_t c = 0; c < own.gains.size(); ++c) to.gains[c] += own.gains[c];
  }
  std::vector<NamedCounters> sorted(by_name.begin(), by_name.end());
  std::ranges::stable_sort(sorted, std::greater<>(),
                           [](const auto& named) { return named.second.computation_ns; });
  return sorted;
}

}  // namespace

const JsonType& declared_type(const CollectivesJsonTag*) {
  return json_type_by<collectives_object>();
}

std::optional<Described<CollectivesJson>> collectives_report(const Trace& trace,
                                                             const ModelChoice& choice) {
  const std::vector<Performed> all = performed(trace, choice);
  if (all.empty()) return std::nullopt;
  Table table = kPerformed.table(all, trace);
  if (!trace.timed()) {
    remove_column(table, "time");
    remove_column(table, "time per call");
  }
  Described<CollectivesJson> report{collectives_object(all, trace)};
  report.sections.push_back(
      {.id = "collectives-section", .title = "Collectives", .items = {std::move(table)}});
  return report;
}

const JsonType& declared_type(const RegionsJsonTag*) {
  return json_type_by<regions_object>();
}

std::optional<Described<RegionsJson>> regions_report(const Diagnosis& measured, const Trace& trace,
                                                     const CallPaths& paths) {
  if (paths.only_one()) return std::nullopt;
  const auto shares = region_shares(measured, trace, paths);
  std::vector<NamedShare> sorted(shares.begin(), shares.end());
  std::ranges::stable_sort(sorted, std::greater<>(),
                           [](const auto& named) { return named.second.total_ns(); });
  Described<RegionsJson> report{regions_object(sorted)};
  report.sections.push_back(
      {.id = "regions-section", .title = "Regions", .items = {kRegionShares.table(sorted)}});
  return report;
}

std::optional<Section> counters_section(const Trace& trace, const CallPaths& paths) {
  constexpr std::size_t kMostRows = 40;
  const std::vector<NamedCounters> sorted = counters_by_name(trace, paths);
  if (sorted.empty()) return std::nullopt;
  const auto& names = trace.counters();
  const auto index_of = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  const std::size_t instructions = index_of("PAPI_TOT_INS");
  const std::size_t cycles = index_of("PAPI_TOT_CYC");
  const bool has_ipc = std::max(instructions, cycles) < names.size();
  const char* const what = paths.has_functions() ? "function" : "region";
  Table table{.id = "counters",
              .title = fmt::format("Counters by {}, all ranks, outside MPI", what),
              .columns = {{what, Unit::none, "the innermost one"}, {"computation", Unit::ns}},
              .rows = {}};
  if (has_ipc) table.columns.push_back({"IPC", Unit::none, "instructions per cycle"});
  for (const std::string& name : names) table.columns.push_back({name, Unit::count});
  for (const auto& [name, of] : sorted | std::views::take(kMostRows)) {
    table.rows.push_back({name.empty() ? fmt::format("(no {})", what) : name, of.computation_ns});
    if (has_ipc) {
      const bool known = of.gains[cycles] > 0;
      table.rows.back().push_back(known ? Value(of.gains[instructions] / of.gains[cycles])
                                        : Value());
    }
    for (const double gain : of.gains) table.rows.back().emplace_back(std::llround(gain));
  }
  return Section{.id = "counters-section", .title = "Counters", .items = {std::move(table)}};
}

}  // namespace slackline
