#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "training/collectives.h"
#include "training/training_run.h"

namespace slackline {

// A training run as rows of calls, for whatever shows or stores calls. A call of a row is an
// activity of a stream, an operator that no other one encloses, or a call of the runtime that
// launches or synchronises. Operations are classes of work, and what is called is the innermost
// part of the call path, since there are more kernels than operations have numbers. That a launch
// leads to its activity is a message between their rows; kernels of one collective are calls of a
// collective.

enum class WorkClass : std::uint8_t {
  idle,
  computation,
  communication,
  copy,
  operation,
  launch,
  synchronization
};

inline constexpr std::int32_t kNoRow = -1;

struct RowCall {
  TimeSpan time{};
  WorkClass operation = WorkClass::idle;
  std::uint32_t path = 0;            ///< in TrainingRows::paths
  std::uint32_t before = 0;          ///< path of the time right before it
  std::int32_t peer = kNoRow;        ///< of a launch its activity's row
  std::int32_t launch_row = kNoRow;  ///< of an activity
  std::uint32_t launch = 0;          ///< call in that row
  std::uint32_t collective = kNotRecorded;
};

/// A thread's operators or launches, or a stream.
struct TrainingRow {
  std::int32_t rank = 0;
  std::string name{};
  bool stream = false;
  TimeSpan life{};
  std::vector<RowCall> calls{};
};

struct CallPlace {
  std::int32_t row = kNoRow;
  std::uint32_t call = 0;
};

/// The rows of a run, threads before streams, rank by rank.
struct TrainingRows {
  std::vector<TrainingRow> rows{};
  std::vector<std::vector<CallPlace>> activities{};  ///< by rank's index and activity
  /// Names of call paths by number, those that take most time first; 0 is outside of all.
  std::vector<std::string> paths{};
};

/// The modules, which have a number in each layer, are left out where there are more than 4096
/// paths. O(n log n) for n records.
TrainingRows training_rows(const TrainingRun& run,
                           const std::vector<TrainingCollective>& collectives);

}  // namespace slackline
