// The algorithms of the paper of mpi-graph side by side with the one that needs no graph. On
// several processes each works on its stretches of the run: that is the paper's parallel search
// between points of global synchronisation, and its intervals by periods, whose borders cross no
// interval.

#include "analysis/paths/algorithm_comparison.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <tuple>
#include <utility>

#include "analysis/paths/activity_graph.h"
#include "analysis/paths/imbalance.h"
#include "analysis/paths/longest_activity_path.h"
#include "analysis/paths/run_path.h"
#include "base/arithmetic.h"

namespace slackline {
namespace {

std::int64_t cpu_time_ns() {
  constexpr std::int64_t kNsPerTick = 1'000'000'000 / CLOCKS_PER_SEC;
  return static_cast<std::int64_t>(std::clock()) * kNsPerTick;
}

/// Calls work() and returns what it took.
MethodCost timed(PathMethod method, const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  const std::int64_t cpu_ns = cpu_time_ns();
  work();
  MethodCost cost{.method = method, .cpu_ns = cpu_time_ns() - cpu_ns};
  cost.elapsed_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  return cost;
}

/// The activities on the path that the others are compared with.
class KnownPath {
 public:
  explicit KnownPath(const std::vector<RunStep>& steps) {
    for (const RunStep& s : steps) {
      if (s.ns > 0) known_.push_back(key(s));
    }
    std::ranges::sort(known_);
  }
  bool contains(const RunStep& s) const { return std::ranges::binary_search(known_, key(s)); }

 private:
  using Key = std::tuple<std::int32_t, CallIndex, RunStep::Kind>;
  static Key key(const RunStep& s) { return {s.rank, s.call, s.kind}; }

  std::vector<Key> known_;
};

void add_steps(const std::vector<RunStep>& steps, const KnownPath& known, MethodCost& cost) {
  for (const RunStep& s : steps) {
    if (s.ns == 0) continue;
    ++cost.steps;
    cost.length_ns += s.ns;
    if (known.contains(s)) cost.common_ns += s.ns;
  }
}

MethodCost search(PathMethod method, PathAlgorithm algorithm, const ActivityGraph& graph,
                  std::int64_t delta_ns, const KnownPath& known) {
  std::vector<RunStep> steps;
  MethodCost cost =
      timed(method, [&] { steps = steps_of(graph, longest_path(graph, algorithm, delta_ns)); });
  add_steps(steps, known, cost);
  return cost;
}

MethodCost search_intervals(const Activities& run, std::int64_t threshold_ns,
                            const KnownPath& known) {
  IntervalPath path;
  MethodCost cost =
      timed(PathMethod::intervals, [&] { path = interval_path(run.trace(), threshold_ns); });
  std::vector<RunStep> steps;
  for (const IntervalPath::Interval& i : path.critical) {
    steps.push_back({RunStep::Kind::computation, i.rank, i.call, i.end_ns - i.begin_ns, {}});
  }
  add_steps(steps, known, cost);
  return cost;
}

std::optional<std::int64_t> method_path_ns(const MethodCost& m) {
  return known_if(m.method != PathMethod::graph, m.length_ns);
}
std::optional<double> method_share_of_run(const MethodCost& m, const MethodComparison& all) {
  return optional_of(method_path_ns(m), [&](std::int64_t ns) {
    return ratio_of(static_cast<double>(ns), static_cast<double>(all.run_ns));
  });
}
std::optional<double> method_share_of_path(const MethodCost& m) {
  return optional_of(method_path_ns(m), [&](std::int64_t ns) {
    return ratio_of(static_cast<double>(m.common_ns), static_cast<double>(ns));
  });
}

const Rows<MethodCost, MethodComparison> kMethods{
    "path_algorithms",
    "Algorithms",
    {{"algorithm", Unit::none, [](auto& m) { return to_string(m.method); }},
     {"path_ns", &MethodCost::length_ns},
     {"common_ns", &MethodCost::common_ns},
     {kShown, "path length", Unit::ns, method_path_ns},
     {kShown, "of the run time", Unit::ratio, method_share_of_run},
     {kShown, "on the replay's path", Unit::ratio, method_share_of_path,
      "share of its length in the same activities"},
     {"steps", Unit::count, &MethodCost::steps, "on the path; edges of the graph"},
     {"cpu_ns", "CPU time", Unit::ns, &MethodCost::cpu_ns, "all processes"},
     {"elapsed_ns", "elapsed time", Unit::ns, &MethodCost::elapsed_ns, "slowest process"},
     {kShown, "elapsed of run time", Unit::ratio, [](auto& m, auto& all) {
        return ratio_of(static_cast<double>(m.elapsed_ns), static_cast<double>(all.run_ns));
      }}}};

}  // namespace

std::string_view to_string(PathMethod method) {
  switch (method) {
    case PathMethod::replay:
      return "replay";
    case PathMethod::graph:
      return "graph";
    case PathMethod::dag:
      return "dag";
    case PathMethod::splits:
      return "splits";
    case PathMethod::dijkstra:
      return "dijkstra";
    case PathMethod::delta_stepping:
      return "delta-stepping";
    case PathMethod::intervals:
      return "intervals";
  }
  return "replay";
}

void MethodCost::add(const MethodCost& other) {
  length_ns += other.length_ns;
  common_ns += other.common_ns;
  steps += other.steps;
  cpu_ns += other.cpu_ns;
  elapsed_ns += other.elapsed_ns;
}

std::vector<MethodCost> compare_methods(const Activities& run, std::int64_t delta_ns,
                                        std::int64_t threshold_ns) {
  std::vector<RunStep> steps;
  MethodCost replay = timed(PathMethod::replay, [&] { steps = critical_steps(run); });
  const KnownPath known(steps);
  add_steps(steps, known, replay);
  std::vector<MethodCost> all{replay};
  ActivityGraph graph;
  all.push_back(timed(PathMethod::graph, [&] { graph = activity_graph(run); }));
  all.back().steps = graph.edges.size();
  for (const auto& [method, algorithm] :
       {std::pair(PathMethod::dag, PathAlgorithm::dag),
        std::pair(PathMethod::splits, PathAlgorithm::splits),
        std::pair(PathMethod::dijkstra, PathAlgorithm::dijkstra),
        std::pair(PathMethod::delta_stepping, PathAlgorithm::delta_stepping)}) {
    all.push_back(search(method, algorithm, graph, delta_ns, known));
  }
  all.push_back(search_intervals(run, threshold_ns, known));
  return all;
}

const Rows<MethodComparison> kMethodComparison{
    {"run_ns", &MethodComparison::run_ns},
    {"processes", &MethodComparison::processes},
    {"algorithms", &MethodComparison::methods, kMethods}};

Described<MethodComparisonJson> describe(const MethodComparison& comparison) {
  Described<MethodComparisonJson> report{MethodComparisonJson(comparison)};
  Facts facts{{{"run time", comparison.run_ns, Unit::ns},
               {"processes", std::int64_t{comparison.processes}, Unit::count,
                "that have shared the analysis"}}};
  Paragraph notes{
      "All find their path after calls have been matched. dag, splits, dijkstra and delta-stepping "
      "search in the written graph, whose cost is a row of its own."};
  report.sections.push_back(
      {"path_algorithms",
       "Critical-path algorithms",
       {std::move(facts), std::move(notes), kMethods.table(comparison.methods, comparison)}});
  return report;
}

}  // namespace slackline
