#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/paths/activities.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"

namespace slackline {

/// A way to find the critical path, or what several of them need first.
enum class PathMethod : std::uint8_t {
  replay,  ///< back from the end along matched calls, the default: no graph is written down
  graph,   ///< the written graph, for the next four
  dag,
  splits,
  dijkstra,
  delta_stepping,
  intervals,
};
std::string_view to_string(PathMethod method);

/// What it finds in a part of a run, and what that costs.
struct MethodCost {
  PathMethod method = PathMethod::replay;
  std::int64_t length_ns = 0;  ///< of the path; 0 of the graph
  std::int64_t common_ns = 0;  ///< the part of it that is on the replay's path, too
  std::uint64_t steps = 0;     ///< on the path; of the graph its edges
  std::int64_t cpu_ns = 0;     ///< all threads of the process
  std::int64_t elapsed_ns = 0;

  PathMethod key() const { return method; }
  void add(const MethodCost& other);
};

/// One after the other. `delta_ns`, `threshold_ns`: of delta-stepping and of intervals, as for
/// longest_path() and interval_path(). Those of all parts add up to the run's: no activity and no
/// group of overlapping computations lies across the begin of a part. 120 bytes a call.
std::vector<MethodCost> compare_methods(const Activities& run, std::int64_t delta_ns,
                                        std::int64_t threshold_ns);

/// What all of them find and cost in a whole run.
struct MethodComparison {
  std::vector<MethodCost> methods;  ///< CPU time of all processes, elapsed time of the slowest
  std::int64_t run_ns = 0;
  int processes = 1;
};
extern const Rows<MethodComparison> kMethodComparison;
using MethodComparisonJson = JsonBy<kMethodComparison>;
Described<MethodComparisonJson> describe(const MethodComparison& comparison);

}  // namespace slackline
