#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "app/load/computation.h"
#include "app/load/loaded_graph.h"
#include "app/load/stretched_run.h"
#include "app/options/model_request.h"
#include "graph/build.h"
#include "timing/reduction/reduced_graph.h"

namespace slackline {

/// A measured run under a model in which all pairs of ranks are alike, of which the calls and the
/// graph of one stretch after the other are in memory.
class StretchedModel {
 public:
  /// A stretch's calls as the model takes them, their graph (graph/build.h), and which part of the
  /// run that is.
  using Use = std::function<bool(const Trace&, const ExecutionGraph&, const RunPart&)>;

  /// Nothing where the run is to be read whole: it fits, is not a measured one of a native trace,
  /// or parameters are by pairs of ranks or have intervals of measurement. Throws Error as
  /// load_stretches() does.
  static std::optional<StretchedModel> load(const ModelRequest& request);

  /// The run for reports: without calls, and with an empty graph, whose findings are among its own.
  const LoadedGraph& loaded() const { return loaded_; }
  const RunSpan& span() const { return run_.span; }
  std::int32_t ranks() const { return run_.trace.job().ranks(); }

  /// Calls use() for each stretch in their order; it returns whether its answer does not depend on
  /// other stretches. False where any does, or where something is wrong with the calls: then only
  /// the whole trace tells. Throws Error if that needs more memory than there is.
  bool for_each_stretch(const Use& use);
  /// After that was true: the same for all but the last, from the last but one to the first, with
  /// their numbers. What it returns is not looked at. Throws Error where the file has changed.
  void for_each_again(const std::function<void(const Trace&, const ExecutionGraph&, const RunPart&,
                                               std::size_t)>& use);

 private:
  StretchedModel(StretchedRun run, LoadedGraph loaded)
      : run_(std::move(run)), loaded_(std::move(loaded)) {}
  OffComputation add_up_time_off();

  StretchedRun run_;
  LoadedGraph loaded_;
  ComputationRule computation_;
  std::vector<std::vector<LastOnLink>> links_;  // by stretch: as it begins
};

/// The run's graph reduced, of which an eighth of the memory for the command may be taken; the rest
/// lies in a temporary file. Nothing where only the whole trace tells. Throws Error.
std::optional<ReducedLogGPS> reduce(StretchedModel& model, const ReadingOptions& reading);

}  // namespace slackline
