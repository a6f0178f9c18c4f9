#include "app/report/run_tables.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

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
      sum.bytes += static_cast<std::int64_t>(calls.bytes(member.enter));
      if (trace.timed()) sum.time_ns += calls.end_ns(member.enter) - calls.begin_ns(member.enter);
    }
  }
  std::vector<Performed> all;
  for (const auto& [key, sum] : sums) all.push_back(sum);
  std::ranges::stable_sort(all, std::greater<>(),
                           [](const Performed& p) { return std::pair(p.time_ns, p.bytes); });
  return all;
}

/// The mean rank's time in one region.
struct RegionShare {
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

std::map<std::string, RegionShare> region_shares(const Diagnosis& measured, const Trace& trace,
                                                 const CallPaths& paths) {
  std::map<std::string, RegionShare> shares;
  for (const ActivityShare& a : measured.path.activities) {
    RegionShare& share = shares[region_name(trace, paths, a.path)];
    (a.operation == Operation::none ? share.compute_ns : share.inside_ns) += a.mean_ns;
    share.on_path_ns += static_cast<double>(a.on_path_ns);
  }
  const double ranks = std::max(1, trace.ranks());
  for (const TimeShares::OfCalls& c : measured.shares.calls) {
    shares[region_name(trace, paths, c.path)].waiting_ns +=
        static_cast<double>(c.waiting_ns) / ranks;
  }
  return shares;
}

auto collectives_object(const std::vector<Performed>& all, bool timed) {
  return Object{"collectives"_key = list_of(all, [&](const Performed& p) {
                  return Object{"operation"_key = mpi_name(p.operation),
                                "algorithm"_key = p.algorithm,
                                "collectives"_key = p.collectives,
                                "calls"_key = p.calls,
                                "bytes"_key = p.bytes,
                                "time_ns"_key.when(timed, p.time_ns)};
                })};
}

using NamedShare = std::pair<std::string, RegionShare>;

auto regions_object(const std::vector<NamedShare>& regions) {
  return Object{"regions"_key = list_of(regions, [](const NamedShare& named) {
                  const RegionShare& share = named.second;
                  return Object{"region"_key = named.first, "compute_ns"_key = share.compute_ns,
                                "inside_ns"_key = share.inside_ns,
                                "waiting_ns"_key = share.waiting_ns,
                                "on_path_ns"_key = share.on_path_ns};
                })};
}

}  // namespace

const JsonType& declared_type(const CollectivesJsonTag*) {
  return json_type_by<collectives_object>();
}

std::optional<Described<CollectivesJson>> collectives_report(const Trace& trace,
                                                             const ModelChoice& choice) {
  const std::vector<Performed> all = performed(trace, choice);
  if (all.empty()) return std::nullopt;
  Table table{
      .id = "collectives",
      .title = "Collectives by algorithm",
      .columns = {{"operation"},
                  {"algorithm", Unit::none, "algorithm assumed by the model (--collectives)"},
                  {"collectives", Unit::count, "each one a call of every participating rank"},
                  {"calls", Unit::count, "all ranks"},
                  {"bytes", Unit::bytes, "as given by the calls, all ranks"},
                  {"bytes per call", Unit::bytes}},
      .rows = {}};
  if (trace.timed()) {
    table.columns.push_back(
        {"time", Unit::ns, "measured in these calls, all ranks, including wait time"});
    table.columns.push_back({"time per call", Unit::ns});
  }
  for (const Performed& p : all) {
    const std::string operation(mpi_name(p.operation));
    const std::string algorithm(p.algorithm);
    const auto calls = static_cast<double>(p.calls);
    table.rows.push_back({operation, algorithm, p.collectives, p.calls, p.bytes,
                          static_cast<double>(p.bytes) / calls});
    if (!trace.timed()) continue;
    table.rows.back().emplace_back(p.time_ns);
    table.rows.back().emplace_back(static_cast<double>(p.time_ns) / calls);
  }
  Described<CollectivesJson> report{collectives_object(all, trace.timed())};
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
  Table table{.id = "regions",
              .title = "Mean time per rank by region, whole run (wait time: analysed interval)",
              .columns = {{"region", Unit::none, "innermost active region"},
                          {"computation", Unit::ns},
                          {"MPI excl. waiting", Unit::ns, "data transfer and MPI library overhead"},
                          {"wait time", Unit::ns, "for other ranks"},
                          {"wait share", Unit::ratio, "of the region's time"},
                          {"on critical path", Unit::ns, "contribution to the run time"}},
              .rows = {}};
  for (const auto& [name, share] : sorted) {
    const double waiting = share.total_ns() > 0 ? share.waiting_ns / share.total_ns() : 0;
    table.rows.push_back({name == kOutsideRegions ? "(no region)" : name, share.compute_ns,
                          share.inside_ns, share.waiting_ns, waiting, share.on_path_ns});
  }
  Described<RegionsJson> report{regions_object(sorted)};
  report.sections.push_back(
      {.id = "regions-section", .title = "Regions", .items = {std::move(table)}});
  return report;
}

}  // namespace slackline
