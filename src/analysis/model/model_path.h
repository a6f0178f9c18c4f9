#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "calls/call_paths.h"
#include "calls/run_part.h"
#include "graph/execution_graph.h"
#include "timing/model_schedule.h"
#include "trace/trace.h"
#include "trace/trace_extras.h"

namespace slackline {

/// What a segment of the critical path is spent on.
enum class PathPart : std::uint8_t { compute, overhead, latency, bandwidth };

/// The name of a part in results and tables.
std::string_view to_string(PathPart part);

/// A segment of the model's critical path. Segments are in time order, touch each other, and add up
/// to the makespan.
struct PathSegment {
  std::int64_t begin_ps;
  std::int64_t end_ps;
  PathPart part;
  std::int32_t rank;       ///< where the time passes; the receiver of a message
  std::int32_t from_rank;  ///< sender of a message, else `rank`
  std::uint32_t call;      ///< the call it belongs to; of computation the call that ends it
  Operation operation;     ///< of that call; none for computation
  std::int32_t region;     ///< kNoRegion outside of all

  std::int64_t length_ps() const { return end_ps - begin_ps; }
};

/// Time on the path, by what it was spent on.
struct PathTime {
  std::int64_t compute_ps = 0;
  std::int64_t overhead_ps = 0;
  std::int64_t latency_ps = 0;
  std::int64_t bandwidth_ps = 0;

  std::int64_t total_ps() const { return compute_ps + overhead_ps + latency_ps + bandwidth_ps; }
  void add(PathPart part, std::int64_t ps);
};

struct ModelPath {
  std::vector<PathSegment> segments;
  PathTime total;
  std::vector<PathTime> by_rank;                             ///< one a rank
  std::vector<std::pair<Operation, PathTime>> by_operation;  ///< largest first; none = computation
  std::vector<std::pair<std::int32_t, PathTime>>
      by_region;               ///< largest first; empty without regions
  std::uint64_t messages = 0;  ///< crossings of the network
};

/// The chain of deciding edges that ends with the last rank. O(length of the path); ensures that
/// the segments add up to the makespan.
ModelPath model_path(const Trace& trace, const ExecutionGraph& graph, const Schedule& schedule,
                     const PicosecondCost& cost);

/// A call that the path leads through.
struct CallOnPath {
  std::uint32_t call;
  Operation operation;
  std::int32_t region;  ///< kNoRegion outside of all
};

/// The same of a run whose graph and schedule are there part by part (graph/build.h), the last one
/// first; without segments.
class ModelPathSum {
 public:
  /// The part before those that were added. O(length of the path in it).
  void add(const Trace& trace, const ExecutionGraph& graph, const Schedule& schedule,
           const PicosecondCost& cost, const RunPart& part);
  /// After the first part.
  ModelPath finish() &&;

  /// The state after the parts so far (base/packed.h).
  auto carried() {
    return std::tie(sums_.total, sums_.by_rank, sums_.by_operation, sums_.by_region, sums_.messages,
                    rank_, by_link_);
  }

 private:
  ModelPath sums_;  // as the path comes upon them
  // Where the path enters the parts that were added.
  std::int32_t rank_ = 0;
  std::optional<CallOnPath> by_link_;  // the call there, if it waits for the rank's link
};

/// The messages of the model's critical path, first to last, as arrows between calls. O(length of
/// the path).
std::vector<TimelineFlow> model_path_flows(const ExecutionGraph& graph, const Schedule& schedule);

}  // namespace slackline
