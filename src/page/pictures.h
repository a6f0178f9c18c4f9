#pragma once

#include <optional>

#include "analysis/model/prediction.h"
#include "analysis/paths/critical_path.h"
#include "analysis/phases/monitor.h"
#include "calls/call_matching.h"
#include "calls/call_paths.h"
#include "graph/execution_graph.h"
#include "page/simulated_run.h"
#include "report/report.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// What is drawn of a measured run.
struct MeasuredPictures {
  const WaitStates& waits;
  const CriticalPath& path;
  const Monitor& monitor;
};

struct PictureInput {
  const Trace& trace;
  const ExecutionGraph& graph;
  const ModelledRun& predicted;
  const CallMatching& matching;
  const CallPaths& paths;
  std::optional<MeasuredPictures> measured{};
  const SimulatedRun* simulated = nullptr;
  const Samples* samples = nullptr;  ///< of the trace
  bool every_call = false;           ///< to the nanosecond, however many there are
};

/// What only a page can show: the time line of the measured run, if there is one, and of the
/// predicted and the simulated one beside it.
Section timeline_section(const PictureInput& input);

/// A measured run beside another one.
struct ComparedPicture {
  std::string name;
  const Trace& trace;
  const CallMatching& matching;
  const CallPaths& paths;
  MeasuredPictures measured;
};

/// The measured time lines of two runs on one axis of time, their first returns from MPI_Init at
/// the same place.
Section compared_timelines(const ComparedPicture& a, const ComparedPicture& b);

}  // namespace slackline
