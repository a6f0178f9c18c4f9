#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "app/load/computation.h"
#include "app/load/loaded_graph.h"
#include "app/load/stretched_run.h"
#include "app/options/model_request.h"
#include "calls/causality.h"
#include "graph/build.h"
#include "parallel/process_group.h"
#include "timing/reduction/reduced_graph.h"

namespace slackline {

/// A stretch's calls as the model takes them, and their graph (graph/build.h).
struct ModelStretch {
  std::size_t number;
  RunPart part;
  Trace trace;
  ExecutionGraph graph;
};

/// A measured run under a model in which all pairs of ranks are alike, of which each process has
/// one stretch at a time in memory: in round r, process p has stretch r * processes + p.
class StretchedModel {
 public:
  /// Nothing in all processes where the run is to be read whole: it fits, is not a measured one of
  /// a native trace, or parameters are by pairs of ranks or have intervals of measurement. All call
  /// it together. Keeps a reference to `group`. Throws Error as load_stretches() does.
  static std::optional<StretchedModel> load(const ModelRequest& request, ProcessGroup& group);

  /// The run for reports: without calls, and with an empty graph, whose findings are among its own.
  const LoadedGraph& loaded() const { return loaded_; }
  const RunSpan& span() const { return run_.span; }
  std::int32_t ranks() const { return run_.trace.job().ranks(); }
  ProcessGroup& group() const { return group_; }

  /// Calls add() for each stretch of the process, which returns whether its answer does not depend
  /// on other stretches, and after each round join(stretch), in all processes together: nothing in
  /// those that have no stretch in the last round, or whose add() has let go of it, which it may
  /// where it is not needed any more. Both return false where only the whole trace tells; join()
  /// the same in all. Then, and where something is wrong with the calls, this is false in all, and
  /// throws Error in all if the whole needs more memory than there is.
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

/// The run's graph reduced, in the first process, of which an eighth of the memory for the command
/// may be taken; the rest lies in a temporary file. Nothing in all processes where only the whole
/// trace tells; an empty one in all but the first. Throws Error.
std::optional<ReducedLogGPS> reduce(StretchedModel& model, const ReadingOptions& reading);

}  // namespace slackline
