#pragma once

#include <memory>

#include "analysis/waits/wait_states.h"
#include "app/load/loaded_graph.h"
#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// The run that questions are asked of: the measured one, or the one that the model predicts.
struct RunWithTimes {
  bool measured = true;
  std::shared_ptr<const Trace> trace{};
  std::shared_ptr<const CallMatching> matching{};
  WaitOptions waits{};  ///< how to find those of it
};

/// Which of them says is_measured(). Refers to `loaded`. Throws Error as LoadedGraph::trace().
RunWithTimes run_with_times(LoadedGraph& loaded, const ModelRequest& request);
/// The one that the model predicts of the calls, whatever graph was loaded. O(calls) and a schedule
/// of the graph.
RunWithTimes predicted_run(const LoadedGraph& loaded);

}  // namespace slackline
