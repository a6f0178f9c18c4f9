#pragma once

#include <cstdint>
#include <vector>

#include "training/collectives.h"

namespace slackline {

/// How the messages of a collective follow each other: `steps` times, each rank gets `bytes` from
/// the rank `distance` before it, in the s-th step of a doubling algorithm 2^s before it.
struct MessagePattern {
  std::int32_t steps = 0;
  std::int64_t bytes = 0;  ///< of each message
  bool doubling = false;   ///< else a ring
};

/// What a collective does under NCCL's algorithm: a ring, or doubling where the kernel's name has
/// TREE or the group has more than 64 ranks. `run` is the one that it was matched in. O(1).
MessagePattern pattern_of(const TrainingRun& run, const TrainingCollective& collective);

/// L and G as the collectives of a run show them, in femtoseconds.
struct RecordedNetwork {
  std::int64_t latency_fs = 0;
  std::int64_t gap_per_byte_fs = 0;
  bool has_sizes = false;  ///< G is from recorded sizes of messages
  bool assumed = false;    ///< sizes do not differ, and L could not be separated from G
};

/// The fastest network that no collective of the run contradicts: a line of the time of a step over
/// its bytes that lies below all collectives, and as high as that allows at their mean size. The
/// time of a step is that from the last rank's begin to the last end, divided by the steps.
/// O(c log c) for c collectives.
RecordedNetwork recorded_network(const TrainingRun& run,
                                 const std::vector<TrainingCollective>& collectives);

/// From the begin of the last member to the last end.
std::int64_t transfer_time_ns(const TrainingCollective& collective);

}  // namespace slackline
