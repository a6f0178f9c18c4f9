#pragma once

#include <cstdint>
#include <vector>

#include "graph/execution_graph.h"
#include "graph/training/moments.h"
#include "graph/training/recorded_network.h"
#include "training/collectives.h"

namespace slackline {

inline constexpr FindingKind kMessageSizesUnknown{
    "collective_sizes_unknown", Severity::notice,
    "Collectives of which no sizes are recorded: what their transfer takes beyond latency was "
    "taken "
    "as bytes at the G of the run."};
inline constexpr FindingKind kLatencyAssumed{
    "collective_latency_assumed", Severity::notice,
    "Collectives are all of one size, so that latency and bandwidth cannot be separated; a latency "
    "of 2 us a step was assumed."};

/// The execution graph of a training run, and what lies behind its vertices.
struct TrainingGraph {
  ExecutionGraph graph;
  RecordedNetwork network;                ///< under which T is the measured length
  std::int64_t measured_ns = 0;           ///< from the first begin to the last end of all ranks
  std::vector<TrainingMoment> moments{};  ///< what each vertex stands for
};

/// What would be different.
enum class TrainingEdit : std::uint8_t {
  none,
  no_straggler,    ///< what each launched activity and the CPU before it take is the median rank's
  full_overlap,    ///< computation does not wait for communication
  no_launch_time,  ///< the CPU launches in no time, but for loading data (CUDA graphs)
};

/// Decision 20's table: a chain of the rank's CPU calls, a chain for each stream, order edges from
/// launch to kernel and between streams, synchronising calls that wait for streams, and collectives
/// as messages of NCCL's ring or tree. Each vertex lies where it was measured: the predecessor
/// that explains it latest pays what is left of the time (doc/decisions/0026-training-graph.md).
/// The durations of NCCL's kernels are waiting and transfer, and no edge has them. O(n log n + m)
/// for n records and m messages; throws nothing for defects of the profile.
TrainingGraph build_training_graph(const TrainingRun& run, TrainingEdit edit = TrainingEdit::none);

}  // namespace slackline
