#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/execution_graph.h"
#include "graph/training/moments.h"
#include "report/report.h"
#include "report/rows.h"
#include "timing/model_schedule.h"
#include "training/training_run.h"

namespace slackline {

/// What a part of a training run's critical path is spent on.
enum class TrainingPathPart : std::uint8_t {
  kernel,           ///< an activity of a stream that computes
  collective,       ///< messages of a kernel of NCCL, and what its end is later than these
  copy,             ///< memory is copied or set
  cpu,              ///< a thread works on what comes before a call of the runtime
  launch,           ///< from the call that launches to the begin of the activity
  synchronization,  ///< a synchronising call returns, after all that it waits for
  gap,              ///< between activities of a rank
};
/// "kernel"
std::string_view to_string(TrainingPathPart part);

/// What is on the path, and where in the program that was. Names are empty where there is none or
/// none is recorded.
struct TrainingActivity {
  TrainingPathPart part = TrainingPathPart::cpu;
  std::string operation{};  ///< outermost operator, or else innermost annotation, that launched it
  std::string module{};     ///< innermost `nn.Module`
  std::string name{};       ///< kernel; of a gap the kernel after it; of synchronisation the call
  std::int32_t rank = 0;
  std::string location{};  ///< "stream 7"; empty: unknown

  auto operator<=>(const TrainingActivity&) const = default;
};

struct TrainingPathTime {
  TrainingActivity activity{};
  std::int64_t time_ps = 0;
};

/// The graph of a training run under a model. Refers to all of them.
struct ScheduledTraining {
  const TrainingRun& run;
  const std::vector<TrainingMoment>& moments;  ///< what the graph's vertices stand for
  const ExecutionGraph& graph;
  const Schedule& schedule;
  const PicosecondCost& cost;
};

/// The time of each activity on the critical path, longest first. All of them add up to the
/// makespan. O(length of the path + m log m) for m records.
std::vector<TrainingPathTime> training_path(const ScheduledTraining& training);

/// The whole path.
struct PathLength {
  std::int64_t ps;
};
extern const Rows<TrainingPathTime, PathLength> kTrainingPath;
using TrainingPathJson = std::vector<JsonBy<kTrainingPath>>;
/// Adds a table of the longest to `section`, whose last row has all others. Returns all of them.
TrainingPathJson describe_training_path(const std::vector<TrainingPathTime>& path,
                                        Section& section);

}  // namespace slackline
