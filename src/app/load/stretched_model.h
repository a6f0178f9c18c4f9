#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "analysis/model/prediction.h"
#include "app/load/computation.h"
#include "app/load/loaded_graph.h"
#include "app/load/stretched_run.h"
#include "app/options/run_request.h"
#include "calls/causality.h"
#include "graph/build.h"
#include "parallel/process_group.h"
#include "timing/reduction/reduced_graph.h"

namespace slackline {

/// The calls of a stretch after the choice of what counts as computation, and their graph
/// (graph/build.h).
struct ModelStretch {
  std::size_t number;
  RunPart part;
  Trace trace;
  ExecutionGraph graph;
};

/// A measured run under a model in which all pairs of ranks are alike. Each process has one stretch
/// at a time in memory: in round r, process p has stretch r * processes + p.
class StretchedModel {
 public:
  /// All processes call it together. Nothing in all of them if the run is to be read whole: it fits
  /// in memory, is not a measured run of a native trace, or the model has parameters by pairs of
  /// ranks or measured intervals. Keeps a reference to `group`. Throws Error as load_stretches().
  static std::optional<StretchedModel> load(const ModelRequest& request, ProcessGroup& group);

  /// The run for reports: without calls, and with an empty graph, whose findings are among its own.
  const LoadedGraph& loaded() const { return loaded_; }
  const RunSpan& span() const { return run_.span; }
  std::int32_t ranks() const { return run_.trace.job().ranks(); }
  ProcessGroup& group() const { return group_; }

  /// For each round, calls add(stretch) in each process that has a stretch, then join(stretch) in
  /// all processes together. add() may reset the stretch to free its memory; join() gets nothing
  /// then, and in processes that have no stretch in the last round. Both return false if the result
  /// depends on the whole trace, join() the same in all processes. In that case, and if calls do
  /// not match, returns false in all processes, or throws Error in all if the whole trace does not
  /// fit in memory.
  bool for_each_stretch(const std::function<bool(std::optional<ModelStretch>&)>& add,
                        const std::function<bool(const std::optional<ModelStretch>&)>& join);
  /// After for_each_stretch() has returned true: calls visit(stretch) in all processes together for
  /// each round, the last one first; nothing in the process of the run's last stretch and in those
  /// that have none in the last round. Throws Error if the file has changed.
  void for_each_again(const std::function<void(const std::optional<ModelStretch>&)>& visit);

 private:
  StretchedModel(StretchedRun run, LoadedGraph loaded, ProcessGroup& group)
      : run_(std::move(run)), loaded_(std::move(loaded)), group_(group) {}
  OffComputation add_up_time_off();
  std::size_t rounds() const;
  std::size_t own_number(std::size_t round) const;
  bool is_last(std::size_t number) const { return number + 1 == run_.trace.size(); }
  std::optional<Stretch> read_own(std::size_t round);
  std::optional<ModelStretch> load_own(std::size_t round, CausalityCheck* check = nullptr);

  StretchedRun run_;
  LoadedGraph loaded_;
  ProcessGroup& group_;
  ComputationRule computation_;
  std::optional<ModelStretch> newest_;  // of the last round, for for_each_again()
};

/// The run's reduced graph in the first process, an empty one in the others. If it takes
/// more than an eighth of the memory for the command, it lies in a temporary file. Nothing in all
/// processes if the result depends on the whole trace. Throws Error.
std::optional<ReducedLogGPS> reduce(StretchedModel& model, const ReadingOptions& reading);

/// In the first process, the prediction, identical to that of the whole trace; in the others it is
/// incomplete. Processes read their stretches and build the graphs in parallel; dates then go from
/// stretch to stretch in order, and the critical path back. Nothing in all processes if the result
/// depends on the whole trace. Throws Error.
std::optional<Prediction> predict(StretchedModel& model, Side side);

}  // namespace slackline
