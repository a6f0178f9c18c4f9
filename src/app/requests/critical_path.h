#pragma once

#include <string>

#include "app/options/model_request.h"
#include "app/options/platform_options.h"

namespace slackline {

class OptionList;
struct LoadedGraph;
struct Report;
class ProcessGroup;

/// The critical path of a run.
struct CriticalPathRequest {
  ModelRequest input{.reading = {bytes_per_call::kCriticalPath}};
  /// measured, predicted (or model) or simulated; empty: measured where the trace has times and no
  /// option of the model is given, else predicted
  std::string on{};
  PlatformOptions platform{};  ///< of the simulated run
  /// For measured and simulated runs: dag, dijkstra, delta-stepping, splits or intervals; all: what
  /// each of them finds and costs.
  std::string algorithm = "dag";
  std::string delta{};      ///< width of delta-stepping's buckets, as "5us"; empty: chosen
  std::string threshold{};  ///< intervals: shorter computations are left out
  bool segments = true;     ///< all segments of the path in the result, not only their sums
};
void declare(OptionList& options, CriticalPathRequest& request);

/// Throws Error.
Report execute(const CriticalPathRequest& request);
/// The same in several processes, which share the work where the answer is the same to the bit.
/// Only the first one gets the report.
Report execute(const CriticalPathRequest& request, ProcessGroup& group);
/// That of the run which the model predicts, of a graph that is there; what the request says of
/// trace and model is not used.
Report execute(const CriticalPathRequest& request, const LoadedGraph& loaded);

}  // namespace slackline
